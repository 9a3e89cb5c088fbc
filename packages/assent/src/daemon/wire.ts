/**
 * What a client and the daemon judge say to each other, as `stubs/ask.c` sets it down. Little-endian. A call is a header
 * of 48 bytes, then texts that each end with a NUL (the caller's folder, its words, its environment), then what the host wrote. An answer is
 * a header of 24 bytes, then what is to be printed on the one and on the other stream. An end without an answer means: judge it yourself.
 */
const CALL = Buffer.from("assent?1", "latin1");
const ANSWER = Buffer.from("assent!1", "latin1");
const CALL_HEADER = 48;
const ANSWER_HEADER = 24;
const MOST_TEXTS = 1 << 20;
/** More is judged by a process that can be given up on. */
const MOST_INPUT = 1 << 20;

/** One call, as the client tells it. */
export interface DaemonCall {
  /** What a fresh hook would be started with: the launcher, assignments, Node, the program, its arguments. */
  readonly words: readonly string[];
  /** `NAME=VALUE`, all of the caller's. */
  readonly env: readonly string[];
  readonly folder: string;
  readonly pid: number;
  readonly parent: number;
  /** On the clock that `process.hrtime` shows (CLOCK_MONOTONIC), in nanoseconds: from then on the client waits. */
  readonly sent: bigint;
  readonly input: Buffer;
}

/** What a client is to print, and how it ends. */
export interface DaemonAnswer {
  readonly stdout: string;
  readonly stderr: string;
  readonly status: number;
}

interface CallHeader {
  readonly words: number;
  readonly variables: number;
  readonly texts: number;
  readonly size: number;
}

/** Puts one call together from what arrives. */
export class CallReader {
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #wanted = CALL_HEADER;
  #header: CallHeader | undefined;

  /** The call once it is whole; "wrong": it is none, or too large; undefined: more is to come. */
  take(chunk: Buffer): DaemonCall | "wrong" | undefined {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size < this.#wanted) return undefined;
    const bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    if (this.#header === undefined) {
      this.#header = headerOf(bytes);
      if (this.#header === undefined) return "wrong";
      this.#wanted = this.#header.size;
    }
    if (bytes.length < this.#wanted) {
      this.#chunks.splice(0, this.#chunks.length, bytes);
      return undefined;
    }
    return bytes.length > this.#wanted ? "wrong" : (callOf(bytes, this.#header) ?? "wrong");
  }
}

function headerOf(bytes: Buffer): CallHeader | undefined {
  if (!bytes.subarray(0, CALL.length).equals(CALL)) return undefined;
  const texts = bytes.readBigUInt64LE(32);
  const input = bytes.readBigUInt64LE(40);
  if (texts > MOST_TEXTS || input > MOST_INPUT) return undefined;
  return {
    words: bytes.readUInt32LE(8),
    variables: bytes.readUInt32LE(12),
    texts: Number(texts),
    size: CALL_HEADER + Number(texts) + Number(input),
  };
}

function callOf(bytes: Buffer, { words, variables, texts }: CallHeader): DaemonCall | undefined {
  const end = CALL_HEADER + texts;
  const all = bytes.toString("utf8", CALL_HEADER, end).split("\0");
  // The last one is what lies behind the last NUL.
  if (all.length !== 1 + words + variables + 1 || all.at(-1) !== "") return undefined;
  const [folder = ""] = all;
  return {
    words: all.slice(1, 1 + words),
    env: all.slice(1 + words, -1),
    folder,
    pid: bytes.readUInt32LE(16),
    parent: bytes.readUInt32LE(20),
    sent: bytes.readBigUInt64LE(24),
    input: bytes.subarray(end),
  };
}

export function printAnswerFrame({ stdout, stderr, status }: DaemonAnswer): Buffer {
  const out = Buffer.from(stdout);
  const error = Buffer.from(stderr);
  const header = Buffer.alloc(ANSWER_HEADER);
  header.set(ANSWER);
  header.writeUInt32LE(status, 8);
  header.writeUInt32LE(out.length, 12);
  header.writeUInt32LE(error.length, 16);
  return Buffer.concat([header, out, error]);
}
