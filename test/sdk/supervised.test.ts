import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { LocalBackend, presets, probeSandbox, type LocalBackendOptions } from "../../src/sdk/index.ts";
import { scratch, type Scratch } from "../scratch.ts";

/** `supervise: true`: what a command really does is judged, whatever its words promised (CW5, YW9). */

const backendIn = (place: Scratch, options: Partial<LocalBackendOptions> = {}): LocalBackend =>
  new LocalBackend({
    root: place.project,
    permissions: presets.default,
    machine: place.machine,
    audit: false,
    env: { ...place.machine.env },
    supervise: true,
    onAsk: () => true,
    ...options,
  });

let supervised = false;
beforeAll(async () => {
  supervised = await probeSandbox();
});

describe("commands under supervision", () => {
  it("do their work, with their output and exit code", async () => {
    const place = scratch();
    const run = await backendIn(place).execute("echo new > a && cat a && exit 3");
    expect(run).toMatchObject(supervised ? { exitCode: 3, output: "new\n", supervised: true } : { exitCode: 1, ended: "refused" });
  });

  it("do nothing that only shows when they run", async () => {
    const place = scratch();
    const program = `import os;os.system("echo evil >> ~/.bashrc; cat ~/.ssh/id_rsa");open(os.path.expanduser("~/.bashrc"),"a").write("evil")`;
    place.write("x.py", program);
    place.write("~/.bashrc", "good\n");
    place.write("~/.ssh/id_rsa", "SECRET");
    const run = await backendIn(place).execute("python3 x.py");
    expect(run.exitCode).not.toBe(0);
    expect(run.output).not.toContain("SECRET");
    expect(readFileSync(join(place.home, ".bashrc"), "utf8")).toBe("good\n");
  });

  it("keep the ruleset's own rules", async () => {
    const place = scratch();
    place.write("private/a", "SECRET");
    place.write("x.py", `print(open("private/a").read())`);
    const permissions = { preset: "permissive", read: { rules: [{ pattern: "private/**", action: "deny" }] } } as const;
    const run = await backendIn(place, { permissions }).execute("python3 x.py");
    expect(run.output).not.toContain("SECRET");
  });

  it("end with the timeout", async () => {
    const place = scratch();
    const run = await backendIn(place, { permissions: presets.permissive }).execute("sleep 60; touch late", { timeout: 3000 });
    expect(run).toMatchObject(supervised ? { exitCode: 124, ended: "timeout" } : { exitCode: 1 });
    expect(existsSync(join(place.project, "late"))).toBe(false);
  });
});
