import { randomBytes, timingSafeEqual } from "node:crypto";
import { linkSync, readFileSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { errorCode, isOwn, readRegular, writeAtomic } from "@assent/guard/state";

/**
 * The other side of `agents/install/ask.bash`, the client where there is no native one: bash asks over loopback TCP, where anybody on the
 * machine may listen, and anybody may ask. So both prove that they can read a file that only its owner can.
 *
 * The file is one line, `assent-1 PORT FIRST SECOND BOOT PID .`: a port of 127.0.0.1, two secrets of 64 hexadecimal digits, the boot id of
 * Linux (`-` elsewhere), and the process that listens. Both secrets are new with every port. The file goes before one listens and comes
 * when the port is taken: a squatter on a port that has become free knows no secret that anybody waits for.
 *
 * A conversation:
 * - `assent?1 FIRST` and a line break, from the client. Whoever says anything else gets no answer.
 * - `SECOND` and a line break. The client says nothing more to who does not know it.
 * - the client's process, the one that started it, the current folder, how many words, the words, the input, each ended by a NUL. The words
 *   are what the client becomes where it gets no answer: `/usr/bin/env -i ASSIGNMENT… NODE BIN WORD…`. The input has no NUL, and 32 kB at
 *   most.
 * - `STATUS LENGTH` and a line break, standard output, which has LENGTH bytes, standard error, a NUL. No text with a NUL can be answered.
 *
 * The client waits 100 ms for SECOND, and from then on 200 ms for the answer; with a bash older than 4 (macOS has 3.2) a second each, which
 * is the least that it can wait. A resident that stands still is noticed at once on Linux (its state is read), elsewhere when the first of
 * these times is over. Whoever cannot answer closes at once. What comes 100 ms after SECOND was said is not judged: that time is known on
 * this side, too, however long a connection has waited before it was taken.
 */
export interface BashPlace {
  readonly port: number;
  readonly first: string;
  readonly second: string;
  /** Of Linux; `-` elsewhere. */
  readonly boot: string;
  readonly pid: number;
}

export interface BashRequest {
  readonly pid: number;
  readonly parent: number;
  readonly folder: string;
  readonly words: readonly string[];
  readonly input: Buffer;
}

export interface BashAnswer {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

type Secrets = Pick<BashPlace, "first" | "second">;

export const newBashSecrets = (): Secrets => ({ first: randomBytes(32).toString("hex"), second: randomBytes(32).toString("hex") });

/** Before one listens. */
export const removeBashPlace = (file: string): void => rmSync(file, { force: true });

/** When one listens: in one step, for its owner alone. False: another one was faster. */
export function writeBashPlace(file: string, { port, first, second }: Omit<BashPlace, "boot" | "pid">): boolean {
  const own = `${file}.${process.pid}`;
  writeAtomic(own, `${["assent-1", port, first, second, bootId(), process.pid, "."].join(" ")}\n`, 0o600);
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

const PLACE = /^assent-1 (\d{1,5}) ([0-9a-f]{64}) ([0-9a-f]{64}) (\S+) (\d{1,10}) \.\n$/;

/** Undefined: there is none, or of another boot, or others could have written it. */
export function readBashPlace(file: string): BashPlace | undefined {
  const found = readRegular(file, 1 << 10);
  if (found.is !== "text" || !isOwn(found.stats, process.getuid?.())) return undefined;
  const [, port, first = "", second = "", boot = "", pid] = PLACE.exec(found.text) ?? [];
  return port === undefined || boot !== bootId() ? undefined : { port: Number(port), first, second, boot, pid: Number(pid) };
}

/** Whether the one that the file names is there and takes calls. Asks nothing of it. */
export function greetsBack({ port, first, second }: BashPlace, patience: number): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect({ host: "127.0.0.1", port });
    let heard = "";
    const end = (is: boolean): void => {
      clearTimeout(timer);
      connection.destroy();
      resolve(is);
    };
    const timer = setTimeout(end, patience, false);
    connection.setEncoding("latin1");
    connection.on("connect", () => connection.write(`${GREETING}${first}\n`));
    connection.on("data", (text: string) => {
      heard += text;
      if (heard.length > second.length) end(heard === `${second}\n`);
    });
    connection.on("error", () => end(false));
    connection.on("close", () => end(false));
  });
}

function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  } catch {
    return "-";
  }
}

const GREETING = "assent?1 ";
const GREETING_LENGTH = GREETING.length + 64 + 1;
/** Words and input. */
const MOST = 2 << 20;
/** A client that says nothing for as long has gone. */
const SILENCE_MS = 10_000;

/** Undefined: it is not whole yet. */
export function parseBashRequest(bytes: Buffer): BashRequest | { readonly problem: string } | undefined {
  const fields: Buffer[] = [];
  let wanted = 4;
  let at = 0;
  while (fields.length < wanted) {
    const end = bytes.indexOf(0, at);
    if (end === -1) return bytes.length > MOST ? { problem: "longer than a request" } : undefined;
    fields.push(bytes.subarray(at, end));
    at = end + 1;
    if (fields.length !== 4) continue;
    const count = numberOf(fields[3]);
    if (count === undefined || count === 0) return { problem: "not a number of words" };
    wanted = 4 + count + 1;
  }
  if (at !== bytes.length) return { problem: "more than a request" };
  const [pid, parent] = [numberOf(fields[0]), numberOf(fields[1])];
  const texts = fields.slice(2, -1).map(textOf);
  const [folder, , ...words] = texts.filter((text) => text !== undefined);
  const input = fields.at(-1);
  if (pid === undefined || parent === undefined || folder === undefined || input === undefined || words.length !== wanted - 5)
    return { problem: "not a request" };
  return { pid, parent, folder, words, input };
}

const numberOf = (bytes: Buffer | undefined): number | undefined => {
  const text = bytes?.toString("latin1") ?? "";
  return /^\d{1,10}$/.test(text) ? Number(text) : undefined;
};

/** Undefined: it is not UTF-8, and a judge would see another name than the kernel. */
function textOf(bytes: Buffer): string | undefined {
  const text = bytes.toString("utf8");
  return Buffer.from(text, "utf8").equals(bytes) ? text : undefined;
}

/** Undefined: bash could not take it. */
export function printBashAnswer({ status, stdout, stderr }: BashAnswer): Buffer | undefined {
  if (!Number.isInteger(status) || status < 0 || status > 255 || `${stdout}${stderr}`.includes("\0")) return undefined;
  const output = Buffer.from(stdout);
  return Buffer.concat([Buffer.from(`${status} ${output.length}\n`), output, Buffer.from(`${stderr}\0`)]);
}

/**
 * Holds one conversation. `judge` says undefined where the client is to find out by itself; `greeted` is when that began to wait for the
 * answer, on the clock of `process.hrtime`.
 */
export function converseWithBash(
  connection: Socket,
  { first, second }: Secrets,
  judge: (request: BashRequest, greeted: bigint) => BashAnswer | undefined | Promise<BashAnswer | undefined>,
): void {
  let bytes = Buffer.alloc(0);
  let greeted = 0n;
  let state: "unknown" | "known" | "asked" = "unknown";
  const leave = (): void => void connection.destroy();
  const hear = async (chunk: Buffer): Promise<void> => {
    bytes = Buffer.concat([bytes, chunk]);
    if (state === "unknown") {
      if (bytes.length < GREETING_LENGTH && isStart(bytes)) return;
      if (!sameBytes(bytes.subarray(0, GREETING_LENGTH), Buffer.from(`${GREETING}${first}\n`))) return leave();
      state = "known";
      bytes = bytes.subarray(GREETING_LENGTH);
      greeted = process.hrtime.bigint();
      connection.write(`${second}\n`);
    }
    if (state === "asked") return leave();
    const request = parseBashRequest(bytes);
    if (request === undefined) return;
    state = "asked";
    const answer = "problem" in request ? undefined : await judge(request, greeted);
    const printed = answer === undefined ? undefined : printBashAnswer(answer);
    if (printed === undefined) return leave();
    connection.end(printed);
  };
  connection.on("data", (chunk: Buffer) => void hear(chunk).catch(leave));
  connection.on("error", leave);
  connection.on("end", leave);
  connection.setTimeout(SILENCE_MS, leave);
  connection.setNoDelay(true);
}

/** What is no greeting is not waited for. */
const isStart = (bytes: Buffer): boolean => {
  const start = Buffer.from(GREETING).subarray(0, bytes.length);
  return bytes.subarray(0, start.length).equals(start);
};

const sameBytes = (left: Buffer, right: Buffer): boolean => left.length === right.length && timingSafeEqual(left, right);
