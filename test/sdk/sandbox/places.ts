import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AiSandboxSession } from "@assent/library/sdk";
import { LocalBackend } from "@assent/library/sdk/compat";
import type { Guard } from "@assent/library/sdk";
import type { Sandboxed, SandboxPlace } from "./contract.ts";

interface FileCalls {
  readTextFile(options: { readonly path: string }): PromiseLike<string | null>;
  writeTextFile(options: { readonly path: string; readonly content: string }): PromiseLike<void>;
}

/** A session of the AI SDK's interface behind a guard. */
export function behindAiSession(session: AiSandboxSession & FileCalls, cwd: string): (guard: Guard) => Sandboxed {
  return (guard) => {
    const sandbox = guard.sandbox(session, { cwd });
    return {
      run: async (command, env) => {
        const { exitCode, stdout, stderr } = await sandbox.run({ command, ...(env === undefined ? {} : { env }) });
        return { done: exitCode === 0, output: stdout + stderr };
      },
      read: async (path) =>
        (await sandbox.readTextFile({ path }).then(
          (text) => text,
          () => null,
        )) ?? undefined,
      write: async (path, content) =>
        await sandbox.writeTextFile({ path, content }).then(
          () => true,
          () => false,
        ),
      list: async (path) => (await sandbox.run({ command: `ls -1 '${path}'` })).stdout.split("\n"),
    };
  };
}

/** Files and commands of this machine. */
export async function localPlace(): Promise<SandboxPlace> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "assent-local-")));
  const [cwd, home] = [join(root, "work"), join(root, "home")];
  for (const folder of [cwd, home]) mkdirSync(folder);
  return await Promise.resolve({
    cwd,
    home,
    raw: async (script) => await Promise.resolve(execFileSync("sh", ["-c", script], { cwd, encoding: "utf8" }).trimEnd()),
    behind: (guard) => {
      const backend = new LocalBackend({ root: cwd, allowedDirectories: [root], guard });
      return {
        run: async (command, env = {}) => {
          const set = Object.entries(env).map(([name, value]) => `${name}='${value}' `);
          const { exitCode, output } = await backend.execute(`${set.join("")}${command}`);
          return { done: exitCode === 0, output };
        },
        read: async (path) => {
          const read = await backend.read(path);
          return read.ok ? read.text : undefined;
        },
        write: async (path, text) => (await backend.write(path, text)).ok,
        list: async (path) => {
          const listed = await backend.ls(path);
          return listed.ok ? listed.entries.map(({ name }) => name) : undefined;
        },
      };
    },
    close: async () => await Promise.resolve(rmSync(root, { recursive: true, force: true })),
  });
}

/** Anybody's session, as small as one can be: a shell with a home of its own. */
export async function shellPlace(): Promise<SandboxPlace> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "assent-shell-")));
  const [cwd, home] = [join(root, "work"), join(root, "home")];
  for (const folder of [cwd, home]) mkdirSync(folder);
  const session = shellSession({ cwd, home });
  return await Promise.resolve({
    cwd,
    home,
    raw: async (command) => (await session.run({ command })).stdout.trimEnd(),
    behind: behindAiSession(session, cwd),
    close: async () => await Promise.resolve(rmSync(root, { recursive: true, force: true })),
  });
}

/** What of the AI SDK's interface a shell can do. */
export function shellSession({ cwd, home }: { readonly cwd: string; readonly home: string }): AiSandboxSession & FileCalls {
  const start = async (command: string, more: { workingDirectory?: string; env?: Record<string, string>; input?: string } = {}) => {
    const env = { HOME: home, PATH: "/usr/local/bin:/usr/bin:/bin", ...more.env };
    const { status, stdout, stderr } = spawnSync("sh", ["-c", command], {
      cwd: more.workingDirectory ?? cwd,
      env,
      encoding: "utf8",
      ...(more.input === undefined ? {} : { input: more.input }),
    });
    return await Promise.resolve({ exitCode: status ?? 137, stdout, stderr });
  };
  return {
    description: "a shell",
    run: async ({ command, ...options }) => await start(command, options),
    readTextFile: async ({ path }) => {
      const { exitCode, stdout } = await start('cat "$F"', { env: { F: path } });
      return exitCode === 0 ? stdout : null;
    },
    writeTextFile: async ({ path, content }) => {
      const { exitCode, stderr } = await start('mkdir -p "${F%/*}" && cat > "$F"', { env: { F: path }, input: content });
      if (exitCode !== 0) throw new Error(stderr);
    },
  };
}
