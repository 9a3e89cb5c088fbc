import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { steeredBy, type Steering } from "../../../src/supervise/door/steered.ts";

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

/** What a variable of a host makes of a program, where the agent's host has set it. */
async function steering(program: string, env: Readonly<Record<string, string>>): Promise<Steering> {
  const child = spawn("/bin/sleep", ["60"], { env, stdio: "ignore" });
  started.push(child);
  await once(child, "spawn");
  const run = { env, typed: false, home: "/nowhere", couldWrite: () => true };
  return steeredBy(child.pid ?? 0, [program], [{ path: `/usr/bin/${program}` }], run);
}

describe("what a variable of the environment makes of a program that has an errand", () => {
  it.each([
    ["go", "GOPROXY=off", "no", "modules come from nowhere"],
    ["go", "GOPROXY=direct", "no", "from where the modules lie, as where the proxy has none"],
    ["go", "GOPROXY=https://proxy.golang.org,direct", "no", "it is the default"],
    ["go", "GOPROXY=https://proxy.golang.org|direct", "no", "the same, after any error"],
    ["go", "GOPROXY=https://evil.example", "code", "somebody else's modules"],
    ["go", "GOPROXY=https://proxy.golang.org,https://evil.example", "code", "and behind the known one"],
    ["go", "GOPROXY=https://proxy.golang.org.evil.example", "code", "it only begins alike"],
    ["go", "GOPROXY=off.evil.example", "code", "here too"],
    ["go", "GOPROXY=file:///tmp/modules", "code", "what the run may have written"],
    ["go", "GOPROXY=off,/tmp/modules", "code", "and behind a word"],
    ["go", "LD_PRELOAD=/tmp/x.so", "code", "code of somebody else"],
  ] as const)("%s with %s: %s, for %s", async (...[program, variable, expected]) => {
    const at = variable.indexOf("=");
    expect(await steering(program, { [variable.slice(0, at)]: variable.slice(at + 1) })).toBe(expected);
  });
});
