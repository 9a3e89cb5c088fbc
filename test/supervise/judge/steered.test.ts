import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { steeredBy, type Steering } from "../../../packages/supervisor/src/supervise/door/steered.ts";

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

/** A folder of the run, with a python3 in it. */
const TOOLS = mkdtempSync(join(tmpdir(), "steered-"));
writeFileSync(join(TOOLS, "python3"), "");
afterAll(() => rmSync(TOOLS, { recursive: true }));
const isTools = (path: string): boolean => path.startsWith(`${TOOLS}/`);

/** What a variable of a host makes of a program, where the agent's host has set it. */
async function steering(
  program: string,
  env: Readonly<Record<string, string>>,
  path = `/usr/bin/${program}`,
  couldWrite: (path: string) => boolean = () => true,
  argv?: readonly string[],
): Promise<Steering> {
  const child = spawn("/bin/sleep", ["60"], { env, stdio: "ignore" });
  started.push(child);
  await once(child, "spawn");
  const run = { env, typed: false, home: "/nowhere", couldWrite };
  return steeredBy(child.pid ?? 0, [program], [{ path, ...(argv === undefined ? {} : { argv }) }], run);
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

  // rustup's cargo starts that of the toolchain so. [LD_LIBRARY_PATH, the program, whether the run can write there]
  const T = "/home/u/.rustup/toolchains/stable";
  it.each([
    [`${T}/lib`, `${T}/bin/cargo`, false, "no", "the libraries that it is installed with"],
    [`${T}/lib`, `${T}/bin/cargo`, true, "code", "which the run could have written"],
    [`${T}/lib:/tmp/x`, `${T}/bin/cargo`, false, "code", "others behind them"],
    [`/tmp/x:${T}/lib`, `${T}/bin/cargo`, false, "code", "others before them"],
    [`${T}/lib:`, `${T}/bin/cargo`, false, "code", "the folder it works in"],
    [`:${T}/lib`, `${T}/bin/cargo`, false, "code", "the same at the front"],
    [`${T}/lib/../../evil/lib`, `${T}/bin/cargo`, false, "code", "a way out of it"],
    [`${T}/lib/evil`, `${T}/bin/cargo`, false, "code", "what lies below"],
    [`${T}/lib`, "/usr/bin/cargo", false, "code", "those of another program"],
    ["lib", `${T}/bin/cargo`, false, "code", "wherever it works"],
  ] as const)("LD_LIBRARY_PATH=%s for %s (it can be written: %s): %s, for %s", async (...[value, path, writable, expected]) => {
    expect(await steering("cargo", { LD_LIBRARY_PATH: value }, path, () => writable)).toBe(expected);
  });

  // rbenv names its own plugin to every ruby.
  const R = "/home/u/.rbenv";
  it.each([
    [`${R}/rbenv.d/exec/gem-rehash:`, `${R}/versions/3.3.0/bin/ruby`, false, "no", "rbenv's own plugin"],
    [`${R}/rbenv.d/exec/gem-rehash:`, `${R}/versions/3.3.0/bin/ruby`, true, "code", "which the run could have written"],
    [`${R}/rbenv.d/exec/gem-rehash:/tmp/x`, `${R}/versions/3.3.0/bin/ruby`, false, "code", "others behind it"],
    ["/tmp/x/rbenv.d/exec/gem-rehash:", `${R}/versions/3.3.0/bin/ruby`, false, "code", "that of another rbenv"],
    [`${R}/rbenv.d/exec/gem-rehash:`, "/usr/bin/ruby", false, "code", "of no rbenv"],
    ["/-/rbenv.d/exec/gem-rehash", "/usr/bin/ruby", false, "code", "neither"],
  ] as const)("RUBYLIB=%s for %s (it can be written: %s): %s, for %s", async (...[value, path, writable, expected]) => {
    expect(await steering("gem", { RUBYLIB: value }, path, () => writable)).toBe(expected);
  });

  // Python's packages are those around the name that it was started by: `/w` can be written by the run.
  it.each([
    ["/usr/bin/python3", "", "no", "the system's"],
    ["/home/u/.pyenv/versions/3.11.7/bin/python3.11", "", "no", "that of a version manager"],
    ["/home/u/.virtualenvs/a/bin/python", "", "no", "an environment that the run cannot change"],
    ["/w/.venv/bin/python", "", "code", "an environment in the project"],
    ["/w/.venv/bin/../bin/python3", "", "code", "however that is written"],
    ["/usr/bin/../../w/.venv/bin/python3", "", "code", "by a way around"],
    ["python3", "/usr/bin:/w", "no", "a name that is found in the system"],
    ["python3", "/w/bin:/usr/bin", "code", "a name that is found in the project first"],
    ["python3", ":/usr/bin", "no", "a folder it works in, where there is none"],
    ["/nowhere/w/x/bin/python3", "", "no", "another folder"],
    ["/x/bin/python3", "", "code", "settings one folder up"],
  ] as const)("python started as %s with PATH=%s: %s, for %s", async (...[word, PATH, expected]) => {
    const couldWrite = (path: string): boolean => path.startsWith("/w/") || path === "/x/pyvenv.cfg";
    if (PATH.startsWith("/w"))
      expect(await steering("pip", { PATH: PATH.replace("/w/bin", TOOLS) }, "/usr/bin/python3.11", isTools, [word])).toBe(expected);
    else expect(await steering("pip", { PATH }, "/usr/bin/python3.11", couldWrite, [word, "-m", "pip"])).toBe(expected);
  });

  it.each([
    ["pnpm", "npm_config_pnpmfile=/tmp/x.cjs"],
    ["pnpm", "npm_config_global_pnpmfile=/tmp/x.cjs"],
    ["pnpm", "pnpm_config_pnpmfile=/tmp/x.cjs"],
    ["yarn", "YARN_RC_FILENAME=x.yml"],
    ["yarn", "YARN_PLUGINS=x.cjs"],
    ["bun", "BUN_OPTIONS=--preload ./x.ts"],
  ] as const)("%s with %s loads code of somebody else", async (program, variable) => {
    const at = variable.indexOf("=");
    expect(await steering(program, { [variable.slice(0, at)]: variable.slice(at + 1) })).toBe("code");
  });
});
