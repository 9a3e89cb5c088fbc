import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /** Address of a server that tests may make databases on; empty where there is none. */
    postgres: string;
    /** What the names of these begin with. */
    databases: string;
  }
}

const OLDEST = 15;
/** nobody: PostgreSQL refuses to run as root. */
const UNPRIVILEGED = 65_534;

function programs(): string | undefined {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian)
    ? readdirSync(debian)
        .map(Number)
        .filter((version) => version >= OLDEST)
    : [];
  const newest = versions.toSorted((a, b) => a - b).at(-1);
  if (newest !== undefined) return join(debian, String(newest), "bin");
  const inPath = (process.env["PATH"] ?? "").split(":").find((folder) => existsSync(join(folder, "initdb")));
  return inPath;
}

/** The server that TEST_POSTGRES names, or a cluster of its own. */
export default async function startPostgres(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const named = process.env["TEST_POSTGRES"];
  const databases = `t_${process.pid}_`;
  project.provide("databases", databases);
  if (named !== undefined && named !== "") {
    project.provide("postgres", named);
    return () => dropDatabases(named, databases);
  }
  const cluster = await openCluster();
  if (cluster === undefined)
    process.stderr.write("PostgreSQL 15 or newer is not installed (`apt-get install postgresql`): its tests are left out\n");
  project.provide("postgres", cluster?.address ?? "");
  return cluster?.close;
}

async function dropDatabases(server: string, begin: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  const { rows } = await client.query<{ name: string }>("select datname as name from pg_database where starts_with(datname, $1)", [begin]);
  for (const { name } of rows) await client.query(`drop database ${name} with (force)`);
  await client.end();
}

export interface Cluster {
  readonly address: string;
  readonly close: () => Promise<void>;
  /** pg_ctl(1): by SIGINT it stops fast, by SIGQUIT as in a crash. */
  readonly restart: (signal: "SIGINT" | "SIGQUIT") => Promise<void>;
}

/**
 * A cluster in a scratch folder, on a Unix socket only, as nobody; undefined where PostgreSQL is not installed. All files of tests share it, and
 * each server in them keeps a pool: with 200 connections some were turned away now and then.
 */
export async function openCluster(): Promise<Cluster | undefined> {
  const bin = programs();
  if (bin === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "assent-pg-"));
  const asNobody = process.getuid?.() === 0 ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {};
  chmodSync(folder, 0o700);
  if (asNobody.uid !== undefined) chownSync(folder, asNobody.uid, asNobody.gid);
  const data = join(folder, "data");
  const env = { PATH: process.env["PATH"], LC_ALL: "C", HOME: folder };
  execFileSync(join(bin, "initdb"), ["-D", data, "-A", "trust", "-U", "assent", "-E", "UTF8", "--no-sync"], {
    ...asNobody,
    env,
    cwd: folder,
  });
  const words = [
    "-D",
    data,
    "-k",
    folder,
    "-c",
    "listen_addresses=",
    "-c",
    "fsync=off",
    "-c",
    "max_connections=1000",
    "-c",
    "shared_buffers=32MB",
  ];
  const start = async (): Promise<ChildProcess> => {
    const made = spawn(join(bin, "postgres"), words, { ...asNobody, env, cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    made.stderr.on("data", (text: Buffer) => void (said = (said + text.toString()).slice(-4000)));
    await listening(made, () => said);
    return made;
  };
  let server = await start();
  const close = async (): Promise<void> => {
    server.kill("SIGINT");
    await ended(server);
    rmSync(folder, { recursive: true, force: true });
  };
  const restart = async (signal: "SIGINT" | "SIGQUIT"): Promise<void> => {
    server.kill(signal);
    await ended(server);
    server = await start();
  };
  return { address: `postgresql://assent@/postgres?host=${encodeURIComponent(folder)}`, close, restart };
}

async function listening(server: ChildProcess, said: () => string): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL did not start: ${said()}`);
    if (said().includes("ready to accept connections")) return;
    await pause(50);
  }
  throw new Error(`PostgreSQL is not ready: ${said()}`);
}

const ended = (server: ChildProcess): Promise<void> =>
  server.exitCode === null ? new Promise((resolve) => server.once("exit", () => resolve())) : Promise.resolve();
