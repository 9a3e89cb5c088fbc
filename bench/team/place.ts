import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** nobody: PostgreSQL refuses to run as root. */
const UNPRIVILEGED = 65_534;
const DEBIAN = "/usr/lib/postgresql";

/** What runs here and what it has cost. */
export interface Running {
  readonly name: string;
  readonly pid: number;
  stop(): Promise<void>;
}

const asNobody = process.getuid?.() === 0 ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {};

/** What PostgreSQL is told beyond its own settings. fsync and synchronous_commit stay on. */
const SETTINGS = {
  listen_addresses: "",
  max_connections: "100",
  shared_buffers: "2GB",
  maintenance_work_mem: "1GB",
  max_wal_size: "16GB",
  checkpoint_timeout: "15min",
  wal_level: "minimal",
  max_wal_senders: "0",
  fsync: "on",
  synchronous_commit: "on",
};
export const settingsText = (): string =>
  Object.entries(SETTINGS)
    .map(([name, value]) => `${name}=${value === "" ? "''" : value}`)
    .join(", ");

/** A cluster of Debian's PostgreSQL in this folder, on a Unix socket only. A folder that has one already goes on with it. */
export async function startCluster(folder: string): Promise<Running & { readonly address: string }> {
  const newest = readdirSync(DEBIAN)
    .map(Number)
    .toSorted((a, b) => a - b)
    .at(-1);
  if (newest === undefined) throw new Error("PostgreSQL is not installed: apt-get install postgresql");
  const bin = join(DEBIAN, String(newest), "bin");
  const data = join(folder, "data");
  const env = { PATH: process.env["PATH"], LC_ALL: "C", HOME: folder };
  if (asNobody.uid !== undefined) chownSync(folder, asNobody.uid, asNobody.gid);
  if (!existsSync(data))
    execFileSync(join(bin, "initdb"), ["-D", data, "-A", "trust", "-U", "assent", "-E", "UTF8"], { ...asNobody, env, cwd: folder });
  const words = Object.entries(SETTINGS).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const child = spawn(join(bin, "postgres"), ["-D", data, "-k", folder, ...words], {
    ...asNobody,
    env,
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
  await said(child, child.stderr, "ready to accept connections");
  const host = encodeURIComponent(folder);
  const own = `postgresql://assent@/postgres?host=${host}`;
  const psql = ["-At", "-d", own, "-c"];
  if (execFileSync(join(bin, "psql"), [...psql, "select 1 from pg_database where datname = 'assent'"], { encoding: "utf8" }) === "")
    execFileSync(join(bin, "psql"), [...psql, "create database assent"]);
  return {
    name: "PostgreSQL",
    pid: child.pid ?? 0,
    address: `postgresql://assent@/assent?host=${host}`,
    stop: () => ended(child, "SIGINT"),
  };
}

/** A certificate of this machine's own, as a public authority gives them today: ECDSA over P-256. */
export function makeCertificate(folder: string): { readonly cert: string; readonly key: string; readonly ca: string } {
  const cert = join(folder, "cert.pem");
  const key = join(folder, "key.pem");
  if (!existsSync(cert))
    execFileSync(
      "openssl",
      "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=localhost -addext subjectAltName=DNS:localhost"
        .split(" ")
        .concat("-keyout", key, "-out", cert),
      { stdio: "ignore" },
    );
  return { cert, key, ca: readFileSync(cert, "utf8") };
}

export interface Served extends Running {
  readonly port: number;
}

/** `assent team serve` as people start it: a process with TLS on this database. */
export async function startServer(
  folder: string,
  { database, cert, key, port, profile }: { database: string; cert: string; key: string; port: number; profile: boolean },
): Promise<Served> {
  const home = join(folder, "home");
  mkdirSync(home, { recursive: true });
  const words = ["team", "serve", "--listen", `127.0.0.1:${port}`, "--tls-cert", cert, "--tls-key", key, "--database", database];
  const flags = profile ? ["--cpu-prof", `--cpu-prof-dir=${folder}`] : [];
  const child = spawn(process.execPath, [...flags, resolve("dist/bin.cjs"), ...words], {
    env: { PATH: process.env["PATH"], HOME: home },
    stdio: ["ignore", openSync(join(folder, "server.out"), "a"), "pipe"],
  });
  await said(child, child.stderr, '"started"', openSync(join(folder, "server.log"), "a"));
  return { name: "server", pid: child.pid ?? 0, port, stop: () => ended(child, "SIGTERM") };
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const at = server.address();
  await new Promise((done) => server.close(done));
  return at !== null && typeof at === "object" ? at.port : 0;
}

async function said(child: ChildProcess, from: NodeJS.ReadableStream | null, what: string, log?: number): Promise<void> {
  const { writeSync } = await import("node:fs");
  let text = "";
  from?.on("data", (part: Buffer) => {
    if (log !== undefined) writeSync(log, part);
    text = (text + part.toString()).slice(-4000);
  });
  for (let tries = 0; !text.includes(what); tries += 1) {
    if (child.exitCode !== null || tries > 2400) throw new Error(`it did not start: ${text}`);
    await pause(50);
  }
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const over = new Promise<void>((done) => child.once("exit", () => done()));
  child.kill(signal);
  await over;
}

/** proc(5): of a second. */
const TICKS = 100;

/** Seconds of processor time that a process and its children have used, those that ended among them. */
export function processorSeconds(pid: number): number {
  let ticks = 0;
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const fields = statOf(name);
    if (fields === undefined || (Number(name) !== pid && Number(fields[1]) !== pid)) continue;
    ticks += Number(fields[11]) + Number(fields[12]);
    if (Number(name) === pid) ticks += Number(fields[13]) + Number(fields[14]);
  }
  return ticks / TICKS;
}

/** Of memory that a process has for itself, in bytes. */
export function memoryOf(pid: number): number {
  const [, kib = "0"] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kib) * 1024;
}

/** From the state of the process on. */
function statOf(pid: string): readonly string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}
