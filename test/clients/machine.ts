import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { build } from "esbuild";

/** What is bound into the machine of a run: folders, but for the harness. */
export interface MachineParts {
  readonly client: string;
  readonly node: string;
  readonly assent: string;
  /** The program that works inside. */
  readonly harness: string;
}

/**
 * Runs the harness in namespaces of its own: no network but loopback, no home, and nothing outlives it. `job` is handed to it as
 * `job.json` in the folder `out`, where it writes its results. Returns what it printed.
 */
export async function runInside(parts: MachineParts, job: object, out: string, seconds: number): Promise<string> {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, "job.json"), JSON.stringify(job));
  const here = resolve("test/clients");
  const namespaces = ["--user", "--map-root-user", "--net", "--mount", "--ipc", "--uts", "--pid", "--fork", "--mount-proc", "--kill-child"];
  const folders = [parts.client, parts.node, process.execPath, parts.assent, join(here, "mcp-server.mjs"), parts.harness, out];
  const child = spawn("unshare", [...namespaces, "sh", join(here, "inside.sh"), ...folders], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {},
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (part: string) => (output += part));
  const end = setTimeout(() => child.kill("SIGKILL"), seconds * 1000);
  await new Promise((done) => child.on("close", done));
  clearTimeout(end);
  writeFileSync(join(out, "harness.txt"), output);
  return output;
}

/** What is driven is what is there now, built apart from `dist/`. */
export function buildAssent(cache: string): string {
  const dist = join(cache, "built/dist");
  mkdirSync(dirname(dist), { recursive: true });
  execFileSync(process.execPath, ["scripts/build.mjs", dist], { stdio: "inherit" });
  // The one package that it loads, as it lies beside an installed one.
  cpSync(resolve("node_modules/@koromix"), join(cache, "built/node_modules/@koromix"), { recursive: true, dereference: true });
  return dist;
}

export async function buildHarness(entry: string, outfile: string): Promise<void> {
  await build({
    entryPoints: [resolve(entry)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "warning",
  });
}
