// What npm and Debian offer for the same, put into the scratch folder: nothing is installed into the system.
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Bench } from "./bench.ts";
import { output } from "./measure.ts";

export interface Peer {
  readonly name: string;
  /** What stands before a program to run it under this. */
  readonly before: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** The binary by name: what the wrapper asks for is a version that the registry may not have. */
const NPM = ["@anthropic-ai/sandbox-runtime", "@landstrip/landstrip", `@landstrip/landstrip-linux-${process.arch}`];
/** What sandbox-runtime starts; ripgrep and socat only to search and for its network. */
const DEBIAN = ["bubblewrap", "socat", "libwrap0", "ripgrep"];

/** Those that run `true` here; why the others do not is said. */
export function installPeers(bench: Bench): readonly Peer[] {
  const folder = join(bench.scratch, "peers");
  const unpacked = join(folder, "debian");
  mkdirSync(unpacked, { recursive: true });
  const attempt = (what: string, work: () => unknown): boolean => {
    try {
      work();
      return true;
    } catch (error) {
      console.log(`${what} did not run: ${error instanceof Error ? error.message : String(error)}`);
      return false;
    }
  };
  const run = (...argv: [string, ...string[]]): string => output({ argv, cwd: folder, env: bench.fetching });
  attempt("npm install", () => run("npm", "install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", ...NPM));
  for (const name of DEBIAN) attempt(`apt-get download ${name}`, () => run("apt-get", "download", name));
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".deb")))
    attempt(`dpkg-deb ${file}`, () => run("dpkg-deb", "-x", file, unpacked));

  const libraries = join(unpacked, "usr/lib", process.arch === "arm64" ? "aarch64-linux-gnu" : "x86_64-linux-gnu");
  const env = { ...bench.env, PATH: `${join(unpacked, "usr/bin")}:${bench.env["PATH"] ?? ""}`, LD_LIBRARY_PATH: libraries };
  const srt = join(folder, "srt.json");
  const places = [bench.scratch, "/tmp", "/dev/null"];
  writeFileSync(
    srt,
    JSON.stringify({
      network: { allowedDomains: [], deniedDomains: [] },
      filesystem: { denyRead: [], allowWrite: places, denyWrite: [] },
    }),
  );
  const landstrip = join(folder, "landstrip.json");
  writeFileSync(landstrip, JSON.stringify({ filesystem: { allowWrite: places }, network: { allowNetwork: true } }));
  const calls = "trace=%file,connect,bind,execve,fchmod,fchown";
  const peers: readonly Peer[] = [
    { name: "sandbox-runtime", before: [join(folder, "node_modules/.bin/srt"), "--settings", srt], env },
    { name: "landstrip", before: [join(folder, "node_modules/.bin/landstrip"), "run", "-p", landstrip, "--"], env },
    { name: "strace --seccomp-bpf", before: ["strace", "-f", "--seccomp-bpf", "-qq", "-o", "/dev/null", "-e", calls], env },
  ];
  return peers.filter(({ name, before: [file = "", ...rest], env: own }) =>
    attempt(name, () => output({ argv: [file, ...rest, "true"], cwd: bench.scratch, env: own })),
  );
}
