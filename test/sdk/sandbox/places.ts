import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AiSandboxSession, LocalBackend, openContainer } from "../../../src/sdk/index.ts";
import type { Guard } from "../../../src/sdk/index.ts";
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

/** A container of a root file system made of this machine's BusyBox, or why there is none. */
export async function containerPlace(): Promise<SandboxPlace | string> {
  const busybox = ["/bin/busybox", "/usr/bin/busybox"].find((file) => existsSync(file));
  // One that is linked to libraries starts nothing there, and the container says so.
  if (busybox === undefined) return "no container: there is no BusyBox here (Debian's package busybox-static)";
  if (spawnSync("podman", ["--version"]).status !== 0) return "no container: there is no podman here";
  const folder = mkdtempSync(join(tmpdir(), "assent-container-"));
  const image = join(folder, "root");
  for (const name of ["bin", "usr/bin", "etc", "tmp", "work", "home/agent", "proc", "dev", "sys", "root"])
    mkdirSync(join(image, name), { recursive: true });
  cpSync(busybox, join(image, "bin/busybox"));
  const applets = execFileSync(join(image, "bin/busybox"), ["--list"], { encoding: "utf8" }).split("\n");
  for (const applet of applets) if (applet !== "" && applet !== "busybox") symlinkSync("busybox", join(image, "bin", applet));
  writeFileSync(join(image, "etc/passwd"), "root:x:0:0:root:/home/agent:/bin/sh\n");
  // Where cgroups are those of a container around this, and limits may not be raised.
  const engineOptions = [
    "--root",
    join(folder, "store"),
    "--runroot",
    join(folder, "run"),
    "--cgroup-manager",
    "cgroupfs",
    "--runtime",
    "runc",
  ];
  const close = async (): Promise<void> => {
    spawnSync("podman", [...engineOptions, "system", "reset", "--force"], { timeout: 60_000 });
    await Promise.resolve(rmSync(folder, { recursive: true, force: true }));
  };
  const packed = spawnSync("sh", ["-c", 'tar -C "$0" -c . | podman "$@" import - assent-test:latest', image, ...engineOptions], {
    encoding: "utf8",
  });
  if (packed.status !== 0) return `no container: ${packed.stderr.slice(-300)}`;
  try {
    const container = await openContainer({
      image: "assent-test:latest",
      engine: "podman",
      engineOptions,
      runOptions: ["--ulimit", "nofile=1024:1024", "--ulimit", "nproc=2048:2048"],
      env: { HOME: "/home/agent" },
    });
    return {
      cwd: "/work",
      home: "/home/agent",
      raw: async (command) => (await container.run({ command })).stdout.trimEnd(),
      behind: behindAiSession(container, "/work"),
      close: async () => {
        await container.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    return `no container: ${error instanceof Error ? error.message.slice(0, 300) : String(error)}`;
  }
}
