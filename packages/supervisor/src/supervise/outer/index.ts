import { closeSync, openSync, readSync, writeSync } from "node:fs";

/**
 * How a program inside a run reaches the supervisor. The trap handler answers the open of this path, which exists nowhere, with
 * one end of a socket; so it is the kernel that tells whether there is a supervisor, and no variable that anybody may set.
 * One question, one answer, each a line of JSON; nothing that is asked here can loosen anything.
 */
export const OUTER_PATH = "/proc/assent";
/** Longest question and answer, in bytes: the supervisor judges it between two calls of the run, which wait meanwhile. */
export const LONGEST_LINE = 4 << 20;

export type OuterRequest =
  /** A host's hook call, to be answered outside, where policy, state and log are out of the program's reach. */
  | { readonly ask: "hook"; readonly argv: readonly string[]; readonly input: string; readonly env: Readonly<Record<string, string>> }
  /** A request to the library's guard, for the same reason. */
  | { readonly ask: "guard"; readonly from: GuardPlace; readonly request: object }
  /** Which run is this? `alone`: whoever asks, and what it starts, is to be refused what a person would be asked about. */
  | { readonly ask: "run"; readonly alone?: boolean };

/** Where a guard inside the run stands. All of it is the program's word. */
export interface GuardPlace {
  readonly cwd: string;
  /** The folder was given: the session stays in it. */
  readonly rooted: boolean;
  readonly agent?: string;
  readonly point?: string;
  readonly audit?: boolean;
}

export type OuterAnswer =
  | { readonly is: "hook"; readonly stdout: string; readonly stderr: string; readonly status: number }
  | { readonly is: "guard"; readonly decision: object }
  | { readonly is: "run"; readonly run: string; readonly profile: string; readonly policyFiles: readonly string[] }
  | { readonly is: "problem"; readonly why: string };

const O_RDWR = 2;

/** There is a supervisor around this process. */
export function isInside(): boolean {
  try {
    closeSync(openSync(OUTER_PATH, O_RDWR));
    return true;
  } catch {
    return false;
  }
}

/** Asks the supervisor; undefined: there is none. */
export function askOuter(question: OuterRequest): OuterAnswer | undefined {
  let fd: number;
  try {
    fd = openSync(OUTER_PATH, O_RDWR);
  } catch {
    return undefined;
  }
  try {
    const line = Buffer.from(`${JSON.stringify(question)}\n`);
    if (line.length > LONGEST_LINE) return { is: "problem", why: `the question has more than ${LONGEST_LINE} bytes` };
    write(fd, line);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the supervisor is this program
    return JSON.parse(readLine(fd)) as OuterAnswer;
  } catch (error) {
    return { is: "problem", why: error instanceof Error ? error.message : String(error) };
  } finally {
    closeSync(fd);
  }
}

function write(fd: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
}

function readLine(fd: number): string {
  const parts: Buffer[] = [];
  const part = Buffer.allocUnsafe(65_536);
  for (let total = 0; total <= LONGEST_LINE;) {
    const got = readSync(fd, part);
    if (got === 0) break;
    parts.push(Buffer.from(part.subarray(0, got)));
    total += got;
    if (part[got - 1] === 0x0a) break;
  }
  return Buffer.concat(parts).toString("utf8");
}
