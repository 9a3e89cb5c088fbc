import { execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = process.cwd();
const HOME = "/home/u";
/** Where limits may not be raised. */
const LIMITS = ["--ulimit", "nofile=1024:1024", "--ulimit", "nproc=2048:2048"];

/** Of Debian's golang-github-containers-common, which podman needs. */
const PROFILE = "/usr/share/containers/seccomp.json";

interface Profile {
  readonly syscalls: readonly { readonly names: readonly string[] }[];
}

export interface Engine {
  /** Runs a script by the container's shell; what it printed. */
  readonly run: (script: string) => string;
}

/** Engines started for this run alone, with stores of their own. */
export class Engines {
  readonly #folder = mkdtempSync(join(tmpdir(), "assent-containers-"));
  readonly #ends: (() => void)[] = [];
  #docker: readonly string[] | undefined;
  #podman: readonly string[] | undefined;

  constructor() {
    chmodSync(this.#folder, 0o755);
    execFileSync("bash", [join(ROOT, "test/containers/image.sh"), join(this.#folder, "image")], { stdio: "inherit" });
  }

  #import(command: readonly string[], name: string): void {
    const script = 'tar -C "$0" -c . | "$@"';
    const [program = "", ...rest] = command;
    must("sh", ["-c", script, join(this.#folder, "image"), program, ...rest, "import", "--change", "USER 1000:1000", "-", name]);
  }

  /** Docker's daemon without network. `more`: options of `docker run`. */
  docker(more: readonly string[]): Engine {
    this.#docker ??= this.#startDocker();
    const docker = this.#docker;
    return {
      run: (script) => output([...docker, "run", "--rm", "--network", "none", ...more, "assent-box", "sh", "-c", script]),
    };
  }

  #startDocker(): readonly string[] {
    const at = join(this.#folder, "docker");
    mkdirSync(at);
    const socket = `unix://${at}/socket`;
    const words = ["--data-root", `${at}/data`, "--exec-root", `${at}/exec`, "-p", `${at}/pid`, "-H", socket];
    const daemon = spawn("dockerd", [...words, "--iptables=false", "--ip6tables=false", "--bridge=none", "--ip-forward=false"], {
      stdio: "ignore",
    });
    this.#ends.push(() => {
      daemon.kill("SIGTERM");
      for (let tries = 0; tries < 50 && existsSync(`${at}/pid`); tries++) spawnSync("sleep", ["0.2"]);
    });
    const docker = ["docker", "-H", socket];
    for (let tries = 0; spawnSync("docker", ["-H", socket, "version"]).status !== 0; tries++) {
      if (tries > 60) throw new Error("dockerd does not start");
      spawnSync("sleep", ["0.5"]);
    }
    this.#import(docker, "assent-box:latest");
    return docker;
  }

  /** A pod as Kubernetes' restricted profile wants it, by the containerd that Docker has started, with its own (RuntimeDefault) filter. */
  pod(): Engine {
    this.#docker ??= this.#startDocker();
    const ctr = ["ctr", "-a", join(this.#folder, "docker/exec/containerd/containerd.sock")];
    const archive = join(this.#folder, "box.tar");
    must("docker", [...this.#docker.slice(1), "save", "assent-box:latest", "-o", archive]);
    must("ctr", [...ctr.slice(1), "images", "import", archive]);
    const caps =
      "CHOWN DAC_OVERRIDE FSETID FOWNER MKNOD NET_RAW SETGID SETUID SETFCAP SETPCAP NET_BIND_SERVICE SYS_CHROOT KILL AUDIT_WRITE".split(
        " ",
      );
    const volumes = ["/tmp", HOME].flatMap((dst) => ["--mount", `type=tmpfs,src=tmpfs,dst=${dst},options=rw:uid=1000:gid=1000`]);
    const options = [
      "--rm",
      "--seccomp",
      "--read-only",
      ...caps.flatMap((cap) => ["--cap-drop", `CAP_${cap}`]),
      ...volumes,
      "--env",
      `HOME=${HOME}`,
    ];
    const words = ["run", ...options, "docker.io/library/assent-box:latest", `assent-${process.pid}`, "/bin/sh", "-c"];
    return { run: (script) => output([...ctr, ...words, script]) };
  }

  podman(more: readonly string[]): Engine {
    const at = join(this.#folder, "podman");
    const words = ["--root", `${at}/store`, "--runroot", `${at}/run`, "--cgroup-manager", "cgroupfs", "--runtime", "runc"];
    if (this.#podman === undefined) {
      mkdirSync(at);
      this.#podman = ["podman", ...words];
      this.#import(this.#podman, "assent-box:latest");
      this.#ends.push(() => void spawnSync("podman", [...words, "system", "reset", "--force"], { timeout: 60_000 }));
    }
    const podman = this.#podman;
    return {
      run: (script) => output([...podman, "run", "--rm", "--network", "none", ...LIMITS, ...more, "assent-box", "sh", "-c", script]),
    };
  }

  /** Podman with its own filter, which refuses some more calls: EPERM, as Docker's does. */
  stricter(refused: readonly string[]): Engine {
    const read = JSON.parse(readFileSync(PROFILE, "utf8")) as Profile;
    const syscalls = read.syscalls
      .map((rule) => ({ ...rule, names: rule.names.filter((name) => !refused.includes(name)) }))
      .filter(({ names }) => names.length > 0);
    const file = join(this.#folder, `without-${refused.join("-")}.json`);
    writeFileSync(file, JSON.stringify({ ...read, syscalls, defaultErrnoRet: 1, defaultErrno: "EPERM" }));
    return this.podman(["--security-opt", `seccomp=${file}`, ...asUser]);
  }

  /** Podman as an ordinary user, whose account and whose further numbers are seen by it alone. */
  rootless(): Engine {
    const at = join(this.#folder, "rootless");
    for (const name of ["etc", "home", "home/run", "home/store"]) mkdirSync(join(at, name), { recursive: true });
    const files = {
      passwd: `root:x:0:0::/root:/bin/sh\nassent:x:1000:1000::${at}/home:/bin/sh\n`,
      group: "root:x:0:\nassent:x:1000:\n",
      subuid: "assent:100000:65536\n",
      subgid: "assent:100000:65536\n",
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(at, "etc", name), text);
    must("sh", ["-c", 'tar -C "$0" -cf "$1" .', join(this.#folder, "image"), join(at, "home/box.tar")]);
    for (const name of ["home", "home/run", "home/store", "home/box.tar"]) chownSync(join(at, name), 1000, 1000);
    const binds = Object.keys(files).map((name) => `mount --bind '${at}/etc/${name}' /etc/${name}; `);
    const set = `env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin HOME='${at}/home' XDG_RUNTIME_DIR='${at}/home/run' TMPDIR='${at}/home'`;
    const become = `${binds.join("")}cd '${at}/home'; exec setpriv --reuid 1000 --regid 1000 --clear-groups ${set} "$@"`;
    const podman = [
      "unshare",
      "-m",
      "sh",
      "-c",
      become,
      "sh",
      "podman",
      "--root",
      `${at}/home/store`,
      "--runroot",
      `${at}/home/run`,
      "--cgroup-manager",
      "cgroupfs",
      "--runtime",
      "runc",
    ];
    const [program = "", ...rest] = podman;
    must(program, [...rest, "import", "--change", "USER 1000:1000", "box.tar", "assent-box:latest"]);
    this.#ends.push(() => void spawnSync(program, [...rest, "system", "reset", "--force"], { timeout: 60_000 }));
    const words = ["run", "--rm", "--network", "none", ...LIMITS, "-e", `HOME=${HOME}`, "assent-box", "sh", "-c"];
    return { run: (script) => output([...podman, ...words, script]) };
  }

  close(): void {
    for (const end of this.#ends) end();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

export const asUser = ["-e", `HOME=${HOME}`];
export const asRoot = ["-u", "0", "-e", "HOME=/root"];

function must(program: string, words: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, words, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${words.join(" ")}: ${error?.message ?? stderr.slice(-400)}`);
}

function output(words: readonly string[]): string {
  const [program = "", ...rest] = words;
  const { stdout, stderr } = spawnSync(program, rest, { encoding: "utf8", timeout: 300_000, maxBuffer: 1 << 26 });
  return stdout.includes("\n") ? stdout : `failed: ${stderr.slice(-400)}`;
}
