import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { visible } from "@assent/core/action";
import { attempt, isObject } from "@assent/core/data";
import { errorCode, writeAtomic } from "../state/index.ts";
import { isAlive, type Life } from "./life.ts";

/** The folder that a run and who answers for it speak through. The files in it are described in `skill.ts`. */

export const FILES = { run: "run.json", pending: "pending.json", all: "pending", response: "response.json", done: "done.json" } as const;

/** A response is a few words and a rule. Bytes. */
const LARGEST_RESPONSE = 64 << 10;
const LARGEST_QUESTION = 4 << 20;

export class ExchangeError extends Error {
  readonly code = "exchange";
}

export type FileFound =
  | { readonly is: "missing" }
  /** There, and not to be believed. */
  | { readonly is: "broken"; readonly why: string }
  /** `changed`: nanoseconds since the epoch when its content or name last changed. */
  | { readonly is: "value"; readonly value: unknown; readonly changed: bigint };

/** An open descriptor on the folder: whatever happens to its name, the same folder is meant. */
export class ExchangeFolder {
  readonly path: string;
  /** Undefined once closed: another file may have its number by then. */
  #descriptor: number | undefined;
  readonly #uid: number | undefined;

  private constructor(path: string, descriptor: number) {
    this.path = path;
    this.#descriptor = descriptor;
    this.#uid = process.geteuid?.();
  }

  /** For the run: made where it is missing. Throws `ExchangeError` when somebody else could answer in it. */
  static create(path: string): ExchangeFolder {
    try {
      mkdirSync(path, { recursive: true, mode: 0o700 });
    } catch (error) {
      throw new ExchangeError(`the folder cannot be made: ${errorCode(error)}`);
    }
    return ExchangeFolder.open(path);
  }

  static open(path: string): ExchangeFolder {
    const trimmed = path.replace(/(?<=.)\/+$/, "");
    let descriptor: number;
    try {
      descriptor = openSync(trimmed, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    } catch (error) {
      const code = errorCode(error);
      if (code === "ENOENT") throw new ExchangeError("no such folder");
      if (code === "ENOTDIR" || code === "ELOOP")
        throw new ExchangeError(
          lstatSync(trimmed).isSymbolicLink() ? "it is a symbolic link: name the folder itself" : "it is not a folder",
        );
      throw new ExchangeError(`the folder cannot be opened: ${code}`);
    }
    const exchange = new ExchangeFolder(path, descriptor);
    const stats = fstatSync(descriptor);
    const uid = exchange.#uid;
    if (uid !== undefined && stats.uid !== uid) exchange.#refuse("it belongs to another user, who could answer in it");
    if ((stats.mode & 0o022) !== 0) exchange.#refuse("others can write in it, and could answer: chmod go-w");
    return exchange;
  }

  #refuse(why: string): never {
    this.close();
    throw new ExchangeError(why);
  }

  /** Where `name` lies, by way of the open descriptor (proc(5)). */
  at(name: string): string {
    return `/proc/self/fd/${this.#use()}/${name}`;
  }

  /** False once the folder was removed. */
  get exists(): boolean {
    return fstatSync(this.#use()).nlink > 0;
  }

  /** In one step, readable by the owner only. */
  write(name: string, value: unknown): void {
    writeAtomic(this.at(name), `${safeJson(value)}\n`);
  }

  /** As `write`, but false when the file is there: what it says is still to be read. */
  writeNew(name: string, value: unknown): boolean {
    const temporary = this.at(`.${name}.${process.pid}`);
    try {
      writeFileSync(temporary, `${safeJson(value)}\n`, { mode: 0o600, flag: "wx" });
      linkSync(temporary, this.at(name));
      return true;
    } catch (error) {
      if (errorCode(error) === "EEXIST") return false;
      throw error;
    } finally {
      this.remove(`.${name}.${process.pid}`);
    }
  }

  /** Missing already is fine. */
  remove(name: string): void {
    try {
      unlinkSync(this.at(name));
    } catch (error) {
      const code = errorCode(error);
      if (code === "ENOENT" || code === "ENOTDIR") return;
      // Something that is no file stands where one belongs.
      if (code === "EISDIR" || code === "EPERM") rmSync(this.at(name), { recursive: true, force: true });
      else throw error;
    }
  }

  clear(): void {
    for (const name of [FILES.run, FILES.pending, FILES.response, FILES.done]) this.remove(name);
    const folder = lstatSync(this.at(FILES.all), { throwIfNoEntry: false });
    if (folder !== undefined && !folder.isDirectory()) this.remove(FILES.all);
    for (const name of this.names()) this.remove(`${FILES.all}/${name}`);
    mkdirSync(this.at(FILES.all), { recursive: true, mode: 0o700 });
  }

  /** Names of the files of open questions. */
  names(): readonly string[] {
    return attempt(() => readdirSync(this.at(FILES.all)).filter((name) => /^\d+\.json$/.test(name)), []);
  }

  question(name: string): FileFound {
    return this.#read(name, LARGEST_QUESTION);
  }

  response(): FileFound {
    return this.#read(FILES.response, LARGEST_RESPONSE);
  }

  /** A JSON file that only this user, or root, can have written. */
  #read(name: string, largest: number): FileFound {
    let descriptor: number;
    try {
      descriptor = openSync(this.at(name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY);
    } catch (error) {
      const code = errorCode(error);
      if (code === "ENOENT") return { is: "missing" };
      return { is: "broken", why: code === "ELOOP" ? "is a symbolic link" : `cannot be read: ${code}` };
    }
    try {
      const stats = fstatSync(descriptor, { bigint: true });
      if (!stats.isFile()) return { is: "broken", why: "is not a regular file" };
      if (this.#uid !== undefined && stats.uid !== BigInt(this.#uid) && stats.uid !== 0n)
        return { is: "broken", why: "belongs to another user" };
      if ((stats.mode & 0o022n) !== 0n) return { is: "broken", why: "can be written by others" };
      if (stats.size > BigInt(largest)) return { is: "broken", why: `is larger than ${largest} bytes` };
      const bytes = Buffer.alloc(Number(stats.size));
      const length = readSync(descriptor, bytes, 0, bytes.length, 0);
      return { is: "value", value: JSON.parse(bytes.toString("utf8", 0, length)), changed: stats.ctimeNs };
    } catch (error) {
      return { is: "broken", why: error instanceof SyntaxError ? "is not JSON" : `cannot be read: ${errorCode(error)}` };
    } finally {
      closeSync(descriptor);
    }
  }

  #use(): number {
    if (this.#descriptor === undefined) throw new ExchangeError("the folder is closed");
    return this.#descriptor;
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

/** JSON that is safe to print: what is invisible or directional is escaped, also in bytes that are no UTF-8. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replace(/[^\u0020-\u007e]/g, (unit) =>
    // Pairs of surrogates are escaped one by one: the same text.
    visible(unit) === unit ? unit : `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** What the files of an exchange folder hold. They come from outside: read through the functions here. */

/** `run.json` */
export interface RunFile extends Life {
  readonly nonce: string;
}

/** `response.json` */
export interface Response {
  readonly seq: number;
  readonly action: string;
  readonly pattern?: string;
  readonly nonce?: string;
}

export const ACTIONS = ["approve", "deny", "pattern", "deny_pattern", "trust", "quit"] as const;
type ActionWord = (typeof ACTIONS)[number];

export const actionWord = (text: string): ActionWord | undefined => ACTIONS.find((word) => word === text);

export function readRun(exchange: ExchangeFolder): RunFile | undefined {
  const found = exchange.question(FILES.run);
  if (found.is !== "value" || !isObject(found.value)) return undefined;
  const { nonce, pid, started, namespace } = found.value;
  if (typeof nonce !== "string" || typeof pid !== "number" || typeof started !== "number" || typeof namespace !== "string")
    return undefined;
  return { nonce, pid, started, namespace };
}

/** The response, or why it is none. Fields that are no text are as if they were missing. */
export function parseResponse(value: unknown): Response | undefined {
  if (!isObject(value)) return undefined;
  const { seq, action, pattern, nonce } = value;
  if (typeof seq !== "number" || !Number.isSafeInteger(seq)) return undefined;
  return {
    seq,
    action: typeof action === "string" ? action : "",
    ...(typeof pattern === "string" ? { pattern } : {}),
    ...(typeof nonce === "string" ? { nonce } : {}),
  };
}

/** `done.json`: the exit status, as a shell would give it. */
export function readDone(exchange: ExchangeFolder, run: RunFile | undefined): number | undefined {
  const found = exchange.question(FILES.done);
  if (found.is !== "value" || !isObject(found.value)) return undefined;
  const { exit_code: code, nonce } = found.value;
  if (typeof code !== "number" || (run !== undefined && nonce !== run.nonce)) return undefined;
  return code;
}

export const isDead = (run: RunFile): boolean => !isAlive(run);
