import { closeSync, constants, fstatSync, openSync, statSync } from "node:fs";
import { errorCode } from "../state/index.ts";
import { AUDIT_FILE, bytesOf } from "./files.ts";

const MOST_BYTES = 16 << 20;
const BREAK = 0x0a;

/** What is added to the log from now on, across the files it is put aside in. */
export class Follower {
  readonly #file: string;
  #open: { readonly descriptor: number; readonly inode: number; at: number } | undefined;

  constructor(folder: string) {
    this.#file = `${folder}/${AUDIT_FILE}`;
    this.#begin("end");
  }

  /** Whole lines since the last call. */
  lines(): readonly string[] {
    const found = this.#rest();
    const now = statSync(this.#file, { throwIfNoEntry: false });
    if (now === undefined || now.ino === this.#open?.inode) return found;
    // Put aside meanwhile: its last lines first, then the next file.
    const last = this.#rest();
    this.close();
    this.#begin("start");
    return [...found, ...last, ...this.#rest()];
  }

  close(): void {
    if (this.#open !== undefined) closeSync(this.#open.descriptor);
    this.#open = undefined;
  }

  #begin(where: "start" | "end"): void {
    try {
      const descriptor = openSync(this.#file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      const { ino, size } = fstatSync(descriptor);
      this.#open = { descriptor, inode: ino, at: where === "end" ? size : 0 };
    } catch (error) {
      if (errorCode(error) !== "ENOENT") throw error;
    }
  }

  #rest(): readonly string[] {
    if (this.#open === undefined) return [];
    const { descriptor, at } = this.#open;
    const { size } = fstatSync(descriptor);
    const bytes = bytesOf(descriptor, at, Math.min(size, at + MOST_BYTES));
    const end = bytes.lastIndexOf(BREAK) + 1;
    this.#open.at = at + end;
    return bytes.toString("utf8", 0, end).split("\n").slice(0, -1);
  }
}
