import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { ContainerOptions } from "@assent/library/sdk";

/** Docker and Podman, started for one run of tests, with a store of their own and one image: this machine's BusyBox. */

export interface StartedEngine {
  /** What `openContainer` is given. */
  readonly options: ContainerOptions;
  /** Its command line; what it printed. */
  readonly say: (...words: readonly string[]) => string;
  readonly close: () => void;
}

const IMAGE = "assent-test:latest";
const FOLDERS = ["bin", "usr/bin", "etc", "tmp", "work", "home/agent", "proc", "dev", "sys", "root"];

/** The engine, or why there is none. */
export async function startEngine(name: "docker" | "podman"): Promise<StartedEngine | string> {
  const busybox = [process.env["ASSENT_BUSYBOX"] ?? "/bin/busybox", "/usr/bin/busybox"].find((file) => existsSync(file) && isStatic(file));
  if (busybox === undefined)
    return "no container: no BusyBox without libraries is here (the file of Debian's busybox-static; ASSENT_BUSYBOX names it)";
  const programs = name === "docker" ? ["docker", "dockerd"] : ["podman"];
  const missing = programs.find((program) => spawnSync(program, ["--version"]).status !== 0);
  if (missing !== undefined) return `no container: there is no ${missing} here`;
  const folder = mkdtempSync(join(tmpdir(), "assent-engine-"));
  const started = name === "docker" ? await startDocker(folder) : startPodman(folder);
  const close = (): void => {
    started.end();
    rmSync(folder, { recursive: true, force: true });
  };
  const { engineOptions } = started;
  const packed = spawnSync("sh", ["-c", 'tar -C "$0" -c . | "$@"', rootOf(folder, busybox), name, ...engineOptions, "import", "-", IMAGE], {
    encoding: "utf8",
  });
  if (packed.status !== 0) {
    close();
    return `no container: ${started.problem() ?? packed.stderr.slice(-300)}`;
  }
  const options = { image: IMAGE, engine: name, engineOptions, runOptions: started.runOptions, env: { HOME: "/home/agent" } };
  return { options, say: (...words) => execFileSync(name, [...engineOptions, ...words], { encoding: "utf8" }), close };
}

interface Started {
  readonly engineOptions: readonly string[];
  readonly runOptions: readonly string[];
  readonly problem: () => string | undefined;
  readonly end: () => void;
}

function startPodman(folder: string): Started {
  // Where cgroups are those of a container around this, and limits may not be raised.
  const engineOptions = ["--root", join(folder, "store"), "--runroot", join(folder, "run"), "--cgroup-manager", "cgroupfs"];
  const whole = [...engineOptions, "--runtime", "runc"];
  return {
    engineOptions: whole,
    runOptions: ["--ulimit", "nofile=1024:1024", "--ulimit", "nproc=2048:2048"],
    problem: () => undefined,
    end: () => void spawnSync("podman", [...whole, "system", "reset", "--force"], { timeout: 60_000 }),
  };
}

async function startDocker(folder: string): Promise<Started> {
  const socket = `unix://${folder}/socket`;
  const words = ["--data-root", `${folder}/data`, "--exec-root", `${folder}/exec`, "-p", `${folder}/pid`, "-H", socket];
  const daemon = spawn("dockerd", [...words, "--iptables=false", "--ip6tables=false", "--bridge=none", "--ip-forward=false"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let told = "";
  daemon.stderr.setEncoding("utf8").on("data", (part: string) => (told = (told + part).slice(-300)));
  const ended = new Promise<void>((resolve) => daemon.once("exit", () => resolve()));
  for (let tries = 0; tries < 120 && daemon.exitCode === null; tries += 1) {
    if (spawnSync("docker", ["-H", socket, "version"]).status === 0) break;
    await wait(500);
  }
  return {
    engineOptions: ["-H", socket],
    runOptions: [],
    problem: () => (daemon.exitCode === null ? undefined : `dockerd does not start: ${told}`),
    end: () => {
      daemon.kill("SIGTERM");
      for (let tries = 0; tries < 100 && existsSync(`${folder}/pid`); tries += 1) spawnSync("sleep", ["0.2"]);
      void ended;
    },
  };
}

/** One that is linked to libraries names its loader (ld.so(8)), and starts nothing in a container that has none. */
const isStatic = (file: string): boolean => !/\/ld-(?:linux|musl)/.test(readFileSync(file, "latin1"));

function rootOf(folder: string, busybox: string): string {
  const root = join(folder, "root");
  for (const name of FOLDERS) mkdirSync(join(root, name), { recursive: true });
  cpSync(busybox, join(root, "bin/busybox"));
  for (const applet of execFileSync(join(root, "bin/busybox"), ["--list"], { encoding: "utf8" }).split("\n"))
    if (applet !== "" && applet !== "busybox") symlinkSync("busybox", join(root, "bin", applet));
  writeFileSync(join(root, "etc/passwd"), "root:x:0:0:root:/home/agent:/bin/sh\n");
  return root;
}
