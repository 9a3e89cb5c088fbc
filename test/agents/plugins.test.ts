import { describe, expect, it } from "vitest";
import { agentNamed } from "@assent/hosts/agents";
import { installPlace } from "@assent/hosts/agents/install";
import { machineFor } from "../../packages/hosts/src/agents/install/judge-call.ts";
import { scratch } from "../scratch.ts";

/** Judging in a host's own process, whose environment a project's `.env` may have shaped. */

describe("the environment of the host", () => {
  const env = { HOME: "/home/me", PATH: "/usr/bin", XDG_STATE_HOME: "/p/s", XDG_CACHE_HOME: "/p/c", ASSENT_POLICY: "/p/loose.jsonc" };

  it("chooses neither policy nor state", () => {
    const machine = machineFor(env);
    expect(machine.home).toBe("/home/me");
    expect(Object.keys(machine.env).toSorted()).toEqual(["HOME", "PATH"]);
  });

  it("state lies where the registration says", () => {
    expect(machineFor(env, { state: "/state" }).env["XDG_STATE_HOME"]).toBe("/state");
  });

  it.runIf(process.platform === "linux")("makes no folder a temporary one", () => {
    expect(machineFor({ ...env, TMPDIR: "/srv/data" }).temp).not.toContain("/srv/data");
  });
});

it.each(["opencode", "kilo", "pi"])("%s is registered with where state lies", (id) => {
  const place = scratch({ env: { XDG_STATE_HOME: "/state" } });
  const at = installPlace(id as "pi", { node: "/n", folder: "/opt/assent/dist" }, place.machine, undefined);
  const [registration] = agentNamed(id)?.setup?.registrations(at) ?? [];
  expect(registration?.is === "file" ? registration.text : "").toContain('{"state":"/state","node":"/n"}');
});
