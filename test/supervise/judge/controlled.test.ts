import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { controlledBy, type Controlling } from "../../../packages/supervisor/src/supervise/trap/controlled.ts";

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
async function controlling(
  program: string,
  env: Readonly<Record<string, string>>,
  path = `/usr/bin/${program}`,
  couldWrite: (path: string) => boolean = () => true,
  argv?: readonly string[],
): Promise<Controlling> {
  const child = spawn("/bin/sleep", ["60"], { env, stdio: "ignore" });
  started.push(child);
  await once(child, "spawn");
  // The kernel tells of the start a moment before the variables are there.
  while (Object.keys(env).length > 0 && readFileSync(`/proc/${child.pid}/environ`).length === 0) await setTimeout(1);
  const run = { env, typed: false, home: "/nowhere", couldWrite };
  return controlledBy(child.pid ?? 0, [program], [{ path, ...(argv === undefined ? {} : { argv }) }], run);
}

describe("what a variable of the environment makes of a program that has a tool service", () => {
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
    expect(await controlling(program, { [variable.slice(0, at)]: variable.slice(at + 1) })).toBe(expected);
  });

  // What a person's shell, desktop or container sets for other programs says nothing about this one. [program, its file, variable, what for]
  it.each([
    ["go", "/usr/lib/go-1.19/bin/go", "ZDOTDIR=/home/u/.config/zsh", "no", "where zsh has its settings"],
    ["go", "/usr/lib/go-1.19/bin/go", "ENV=development", "no", "a word of somebody's server, or a file that a shell reads"],
    ["go", "/usr/lib/go-1.19/bin/go", "BASH_ENV=/home/u/.bash_env", "no", "what bash reads"],
    ["go", "/usr/lib/go-1.19/bin/go", "GTK_MODULES=gail:atk-bridge", "no", "what a desktop's windows load"],
    ["go", "/usr/lib/go-1.19/bin/go", "ERL_AFLAGS=-kernel shell_history enabled", "no", "how Erlang's shell behaves"],
    ["go", "/usr/lib/go-1.19/bin/go", "JAVA_TOOL_OPTIONS=-javaagent:/opt/a.jar", "no", "what Java loads"],
    ["cargo", "/home/u/.rustup/toolchains/stable/bin/cargo", "PYTHONPATH=/home/u/lib", "no", "what Python imports"],
    ["cargo", "/home/u/.cargo/bin/rustup", "PERL5LIB=/home/u/perl5/lib/perl5", "no", "what Perl loads, at the proxy"],
    ["npm", "/usr/bin/env", "NODE_OPTIONS=--require /tmp/x.cjs", "no", "env looks node up, and loads nothing"],
    ["npm", "/usr/bin/node", "PYTHONPATH=/home/u/lib", "no", "what Python imports"],
    ["npm", "/usr/bin/node", "RUBYOPT=-W0", "no", "how Ruby warns"],
    ["npm", "/usr/bin/node", "ZDOTDIR=/home/u/.config/zsh", "no", "where zsh has its settings"],
    ["pip", "/usr/bin/python3.11", "NODE_OPTIONS=--require /tmp/x.cjs", "no", "what node loads"],
    ["pip", "/usr/bin/python3.11", "JAVA_TOOL_OPTIONS=-Xmx1g", "no", "how much memory Java takes"],
    ["git", "/usr/bin/git", "PERL5LIB=/home/u/perl5/lib/perl5", "no", "what Perl loads"],
    ["mvn", "/usr/bin/dash", "JAVA_TOOL_OPTIONS=-Xmx2g", "no", "memory of the Java that it starts"],
    ["mvn", "/usr/bin/dash", "JAVA_TOOL_OPTIONS=-javaagent:/tmp/a.jar", "code", "what the shell hands on to Java"],
    ["mvn", "/usr/lib/jvm/a/bin/java", "JAVA_TOOL_OPTIONS=-Xmx2g -Dfile.encoding=UTF-8", "no", "memory and letters"],
    ["mvn", "/usr/lib/jvm/a/bin/java", "_JAVA_OPTIONS=-XX:MaxRAMPercentage=75.0 -XX:+UseG1GC", "no", "memory"],
    // The twins that do load code.
    ["mvn", "/usr/lib/jvm/a/bin/java", "JAVA_TOOL_OPTIONS=-javaagent:/tmp/a.jar", "code", "what Java loads"],
    ["mvn", "/usr/lib/jvm/a/bin/java", "JAVA_TOOL_OPTIONS=-Xmx2g -javaagent:/tmp/a.jar", "code", "and behind what is harmless"],
    ["mvn", "/usr/lib/jvm/a/bin/java", "JAVA_TOOL_OPTIONS=-XX:+UseG1GC @/tmp/words", "code", "a file of words"],
    ["mvn", "/usr/lib/jvm/a/bin/java", "JAVA_TOOL_OPTIONS=-XX:OnError=/tmp/x", "code", "a command"],
    ["mvn", "/usr/lib/jvm/a/bin/java", "JDK_JAVA_OPTIONS=-Xmx2g\n-javaagent:/tmp/a.jar", "code", "on a line of its own"],
    ["mvn", "/usr/bin/dash", "ENV=/tmp/x", "code", "a shell that may read it"],
    ["mvn", "/usr/bin/bash", "BASH_ENV=/tmp/x", "code", "what bash reads first"],
    ["npm", "/usr/bin/node", "NODE_OPTIONS=--require /tmp/x.cjs", "code", "what node loads"],
    ["npm", "/usr/bin/node", 'NODE_OPTIONS=--re"quire" /tmp/x.cjs', "code", "quotes within an option"],
    ["npm", "/usr/bin/node", 'NODE_OPTIONS="--re\\quire" /tmp/x.cjs', "code", "a backslash within quotes"],
    ["npm", "/usr/bin/node", "NODE_OPTIONS=--experimental_loader=/tmp/x.mjs", "code", "`_` for `-`"],
    ["npm", "/usr/bin/node", "NODE_OPTIONS=--heapsnapshot-signal=SIGUSR2", "code", "all that it has in memory, written at a signal"],
    ["npm", "/usr/bin/node", "NODE_OPTIONS=--inspect-port=1234", "code", "another port of the inspector"],
    ["npm", "/usr/bin/node", "NODE_OPTIONS=--max-old-space-size=2048  --no-warnings", "no", "what sizes and warns"],
    ["pip", "/usr/bin/python3.11", "PYTHONPATH=/tmp", "code", "what Python imports"],
    ["pip", "/opt/pypy3", "PYTHONPATH=/tmp", "code", "another Python"],
    ["gem", "/usr/bin/ruby3.1", "RUBYOPT=-r/tmp/x", "code", "what Ruby loads"],
    ["mix", "/usr/lib/erlang/erts-13/bin/beam.smp", "ERL_AFLAGS=-eval x", "code", "what Erlang runs"],
    ["composer", "/usr/bin/php8.2", "PHP_INI_SCAN_DIR=/tmp", "code", "what PHP loads"],
    // A pnpm that is one file has its node in it.
    ["pnpm", "/usr/local/bin/pnpm", "NODE_OPTIONS=--require /tmp/x.cjs", "code", "a program that may hold an interpreter"],
    ["x", "/usr/bin/coreutils", "NODE_OPTIONS=--require /tmp/x.cjs", "code", "a program that nobody knows"],
    ["go", "/usr/lib/go-1.19/bin/go", "LD_PRELOAD=/tmp/x.so", "code", "whoever is linked to libraries"],
    ["go", "/usr/lib/go-1.19/bin/go", "OPENSSL_CONF=/tmp/x", "code", "what a library loads"],
  ] as const)("%s, which is %s, with %s: %s, for %s", async (...[program, path, variable, expected]) => {
    const at = variable.indexOf("=");
    expect(await controlling(program, { [variable.slice(0, at)]: variable.slice(at + 1) }, path, () => false)).toBe(expected);
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
    ["/usr/local/cuda/lib64", "/usr/bin/cargo", false, "no", "what an installation brought"],
    ["/opt/rocm/lib:/usr/local/cuda/lib64", "/usr/bin/cargo", false, "no", "two of them"],
    ["/usr/local/cuda/lib64", "/usr/bin/cargo", true, "code", "which the run could have written"],
    ["/usr/local/cuda/lib64:", "/usr/bin/cargo", false, "code", "the folder it works in"],
    ["/usr/local/cuda/lib64:/home/u/lib", "/usr/bin/cargo", false, "code", "a folder of the user's"],
    ["/usr/../home/u/lib", "/usr/bin/cargo", false, "code", "a way out of it"],
    ["/usr/$ORIGIN/../../tmp", "/usr/bin/cargo", false, "code", "a word of the loader's"],
  ] as const)("LD_LIBRARY_PATH=%s for %s (it can be written: %s): %s, for %s", async (...[value, path, writable, expected]) => {
    expect(await controlling("cargo", { LD_LIBRARY_PATH: value }, path, () => writable)).toBe(expected);
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
    expect(await controlling("gem", { RUBYLIB: value }, path, () => writable)).toBe(expected);
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
      expect(await controlling("pip", { PATH: PATH.replace("/w/bin", TOOLS) }, "/usr/bin/python3.11", isTools, [word])).toBe(expected);
    else expect(await controlling("pip", { PATH }, "/usr/bin/python3.11", couldWrite, [word, "-m", "pip"])).toBe(expected);
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
    expect(await controlling(program, { [variable.slice(0, at)]: variable.slice(at + 1) })).toBe("code");
  });
});
