import { execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, closeSync, constants, existsSync, mkdirSync, openSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished } from "vitest";
import type { LauncherArchitecture } from "@assent/hosts/agents/install";
import { scratch } from "../scratch.ts";
import { stubOf } from "./stubs.ts";

export const runs = (program: string, ...words: readonly string[]): boolean =>
  spawnSync(program, words.length === 0 ? ["--version"] : words, { stdio: "ignore" }).status === 0;

export const SENTENCE = "Node or Assent is missing; refused: sh ~/.local/share/assent/rescue\n";
export const MB = 1 << 20;

/** In the place of the launcher: ends with 3, and says its words and its input; its environment is in a file beside it. */
export const LAUNCHER = `#!/bin/sh
case "$*" in *" daemon --serve 3") exit 0 ;; esac
cat /proc/$$/environ > "\${0%/*}/environ"
printf '%s\\0' fresh "$@" ; printf '\\0'
cat
exit 3
`;

/** In the place of the launcher: what a daemon starts with is in a file beside it, until it is ended. */
export const DAEMON = `#!/bin/sh
case "$*" in *" daemon --serve 3") ;; *) exit 3 ;; esac
{
  printf 'pid %s\\n' "$$"
  printf 'word %s\\n' "$@"
  printf 'folder %s\\n' "$(pwd)"
  printf 'umask %s\\n' "$(umask)"
  readlink /proc/$$/fd/* | grep -e zero -e lock
  printf 'environment of %s\\n' "$(wc -c < /proc/$$/environ)"
  printf 'descriptors 0, 2, 3\\n'
  readlink /proc/$$/fd/0 /proc/$$/fd/2 /proc/$$/fd/3
  while read -r name value; do case $name in SigBlk: | SigIgn:) printf '%s %s\\n' "$name" "$value" ;; esac; done < /proc/$$/status
  read -r pid name state parent group session rest < /proc/$$/stat
  printf 'group %s session %s\\n' "$group" "$session"
} > "\${0%/*}/part"
mv "\${0%/*}/part" "\${0%/*}/started"
exec sleep 60
`;

export interface Outcome {
  readonly status: number | null;
  readonly signal: string | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface Asked {
  readonly folder: string;
  readonly words: readonly string[];
  readonly env: readonly string[];
  readonly pid: number;
  readonly parent: number;
  readonly moment: bigint;
  readonly input: Buffer;
}

/** Of a request, as far as it is known. */
function lengthOf(chunks: readonly Buffer[]): number {
  const [first] = chunks;
  // The client sends its head at once.
  if (first === undefined || first.length < 48) return Infinity;
  return 48 + Number(first.readBigUInt64LE(32)) + Number(first.readBigUInt64LE(40));
}

function parseRequest(bytes: Buffer): Asked {
  const strings = Number(bytes.readBigUInt64LE(32));
  const input = Number(bytes.readBigUInt64LE(40));
  expect([bytes.toString("latin1", 0, 8), bytes.length]).toEqual(["assent?1", 48 + strings + input]);
  const [argc, envc, pid, parent] = [8, 12, 16, 20].map((at) => bytes.readUInt32LE(at));
  const [folder = "", ...rest] = bytes.toString("utf8", 48, 48 + strings).split("\0");
  expect([rest.length, rest.at(-1)]).toEqual([(argc ?? 0) + (envc ?? 0) + 1, ""]);
  return {
    folder,
    words: rest.slice(0, argc),
    env: rest.slice(argc, -1),
    pid: pid ?? 0,
    parent: parent ?? 0,
    moment: bytes.readBigUInt64LE(24),
    input: bytes.subarray(48 + strings),
  };
}

export function answer(status: number, stdout: string | Buffer = "", stderr: string | Buffer = "", magic = "assent!1", last = 0): Buffer {
  const [out, err] = [Buffer.from(stdout), Buffer.from(stderr)];
  return Buffer.concat([header(status, out.length, err.length, magic, last), out, err]);
}

export function header(status: number, out: number, err: number, magic = "assent!1", last = 0): Buffer {
  const bytes = Buffer.alloc(24);
  bytes.write(magic, "latin1");
  [status, out, err, last].forEach((value, at) => bytes.writeUInt32LE(value, 8 + 4 * at));
  return bytes;
}

export interface Start {
  readonly words?: readonly string[];
  readonly input?: Buffer | string;
  readonly env?: Readonly<Record<string, string>>;
  /** In front of it all. */
  readonly wrap?: readonly string[];
  readonly launcher?: string;
  readonly base?: string;
  readonly before?: (child: ReturnType<typeof spawn>) => Promise<void> | void;
}

export const WORDS = ["HOME=/h", "/node", "/b in.cjs", "check\n--event", ""] as const;

export function placeAsk(architecture: LauncherArchitecture, front: readonly string[]) {
  const { root } = scratch();
  const base = join(root, "resident/");
  mkdirSync(base);
  const put = (name: string, content: string | Buffer): string => {
    writeFileSync(join(root, name), content);
    chmodSync(join(root, name), 0o755);
    return join(root, name);
  };
  const ask = put("ask", stubOf("ask", architecture));
  const launcher = put("launcher", LAUNCHER);
  const namespace = readlinkSync("/proc/self/ns/mnt");
  const socket = `${base}${namespace}`;
  const start = async (how: Start = {}): Promise<Outcome> => {
    const words = [...(how.wrap ?? []), ...front, ask, how.base ?? base, how.launcher ?? launcher, ...(how.words ?? WORDS)];
    return await collect(words, root, how);
  };
  const fresh = (words: readonly string[], input: string | Buffer): Outcome => ({
    status: 3,
    signal: null,
    stdout: Buffer.concat([Buffer.from(`${["fresh", ...words].join("\0")}\0\0`), Buffer.from(input)]),
    stderr: "",
  });
  return { root, base, put, ask, launcher, namespace, socket, start, fresh };
}

/** Listens in the place of the daemon, and hands each connection on, with all that has been asked on it. */
export async function listen(socket: string, part: (connection: Socket, asked: Promise<Asked>) => void): Promise<Server> {
  const server = createServer((connection) => {
    connection.on("error", () => undefined);
    const chunks: Buffer[] = [];
    let length = 0;
    const asked = new Promise<Asked>((resolve, reject) => {
      connection.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        // Megabytes are put together once.
        if (length < lengthOf(chunks)) return;
        try {
          resolve(parseRequest(Buffer.concat(chunks)));
        } catch (error) {
          reject(error);
        }
      });
    });
    asked.catch(() => undefined);
    part(connection, asked);
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  onTestFinished(() => void server.close());
  return server;
}

export const always = (bytes: Buffer) => (connection: Socket, asked: Promise<Asked>) => void asked.then(() => connection.write(bytes));

/** The whole conversation takes 300 ms at most, which a busy machine may not have. */
export const PATIENT = { retry: 5, timeout: 30_000 };

/** Starts it, with what it is to read, and waits for its end. */
export async function collect(words: readonly string[], cwd: string, how: Start, prepare?: () => Promise<void>): Promise<Outcome> {
  await prepare?.();
  const [program = "", ...rest] = words;
  const child = spawn(program, rest, { cwd, env: { ...how.env }, stdio: ["pipe", "pipe", "pipe"] });
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
  child.stdin.on("error", () => undefined);
  const end = new Promise<[number | null, string | null]>((resolve) => child.once("close", (...end) => resolve(end)));
  await how.before?.(child);
  child.stdin.end(how.input ?? "");
  const [status, signal] = await end;
  return { status, signal, stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString() };
}

/** What the stand-in says of how it was started; it is ended with the test. */
export async function daemon(root: string): Promise<string> {
  const file = join(root, "started");
  for (let round = 0; round < 500 && !existsSync(file); round++) await pause(10);
  const said = existsSync(file) ? readFileSync(file, "utf8") : "not started";
  const pid = Number(/^pid (\d+)$/m.exec(said)?.[1] ?? 0);
  onTestFinished(() => void (pid > 1 && process.kill(pid, "SIGKILL")));
  return said;
}

/** A descriptor to write to, which nobody reads any more. */
export function deafEnd(root: string): number {
  const pipe = join(root, "deaf");
  execFileSync("mkfifo", [pipe]);
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(pipe, constants.O_WRONLY);
  closeSync(reader);
  return writer;
}

export function signal(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

export function many(count: number): Readonly<Record<string, string>> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`V${at}`, `v ${at}`]));
}

export function shell(script: string): readonly string[] {
  return ["sh", "-c", script, "sh"];
}

/** Of the stand-in, as it was started. */
export const environment = (root: string): readonly string[] =>
  readFileSync(join(root, "environ"), "utf8")
    .split("\0")
    .filter((entry) => entry !== "")
    .toSorted();

/** In what an end is not what it should be; megabytes are not printed. */
export function unlike(outcome: Outcome, expected: Outcome): readonly string[] {
  const fields = (["status", "signal", "stderr"] as const).filter((field) => outcome[field] !== expected[field]);
  const output = outcome.stdout.equals(expected.stdout)
    ? []
    : [`stdout: ${outcome.stdout.length} bytes for ${expected.stdout.length}: ${outcome.stdout.toString("latin1", 0, 200)}`];
  return [...fields.map((field) => `${field}: ${outcome[field]}`), ...output];
}

export async function trickle(connection: Socket, bytes: Buffer): Promise<void> {
  for (const byte of bytes) {
    connection.write(Buffer.of(byte));
    await pause(20);
  }
}

/** A socket whose server was killed. */
export async function leave(socket: string): Promise<void> {
  const server = await otherServer(socket, {});
  await server.kill();
  expect(existsSync(socket)).toBe(true);
}

/** A process of its own that answers allow to everything. */
export async function otherServer(
  socket: string,
  { backlog = 5, ...who }: { readonly uid?: number; readonly gid?: number; readonly backlog?: number },
) {
  const script = `const { writeSync } = require("node:fs");
    const allow = Buffer.from(${JSON.stringify(answer(0, "allow").toString("hex"))}, "hex");
    const server = require("node:net").createServer((connection) => {
      connection.on("error", () => undefined);
      connection.on("data", () => { writeSync(1, "asked\\n"); connection.end(allow); });
    });
    server.listen({ path: ${JSON.stringify(socket)}, backlog: ${backlog} }, () => writeSync(1, "ready\\n"));`;
  const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"], cwd: "/", ...who });
  let heard = "";
  const ready = new Promise<void>((resolve) => child.stdout.on("data", (chunk: Buffer) => ((heard += chunk.toString()), resolve())));
  const end = new Promise((resolve) => child.once("exit", resolve));
  onTestFinished(() => void child.kill("SIGKILL"));
  await ready;
  return {
    heard: () => heard,
    stop: () => void child.kill("SIGSTOP"),
    kill: async () => {
      child.kill("SIGKILL");
      await end;
    },
  };
}
