import { closeSync, constants, readdirSync } from "node:fs";
import { errorCode } from "@assent/guard/state";
import { KernelError, O_PATH, pathBytes, pathText } from "../kernel/index.ts";
import { cTextAddress, openSafe, readLinkAt, type SafePlace } from "./safe.ts";
import { kindOf, type ObjectStat, statAt } from "./stat.ts";

/** Something that lies in a folder, while that folder is held open. */
export interface Sighted {
  readonly path: string;
  readonly stat: ObjectStat;
  readonly place: SafePlace;
  /** Of a symlink, as `pathText` spells it. */
  readonly text?: string;
}

interface LookOptions {
  /** What is not to be looked into; it is told as `blind`. */
  readonly closed: (path: string) => boolean;
  /** More than so many are not looked at: `TooManyError`. */
  readonly most: number;
}

/** There is more than may be looked at. */
export class TooManyError extends Error {}

/**
 * All that lies in a folder, parents before what is in them. No link is followed, no other file system entered, nothing opened but
 * folders. `blind`: a folder that cannot be listed, or is not to be.
 */
export function* lookAround(root: string, { closed, most }: LookOptions): Generator<Sighted | { readonly blind: string }> {
  const waiting = [root];
  let seen = 0;
  let device: string | undefined;
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const names = namesIn(folder);
    const parentFd = names === undefined ? -1 : openSafe(folder, O_PATH | constants.O_DIRECTORY);
    if (names === undefined || parentFd < 0) {
      yield { blind: folder };
      continue;
    }
    try {
      seen += names.length;
      if (seen > most) throw new TooManyError(`more than ${most.toLocaleString("en-US")} files`);
      for (const name of names) {
        const path = `${folder}/${pathText(name)}`;
        const place: SafePlace = { parentFd, name, nameAt: cTextAddress(name), path };
        const stat = statAt(parentFd, place.nameAt);
        // It went meanwhile.
        if (typeof stat === "number") continue;
        const kind = kindOf(stat.mode);
        const link = kind === "symlink" ? readLinkAt(place) : undefined;
        if (typeof link === "number") throw new KernelError("readlinkat", -link);
        yield { path, stat, place, ...(link === undefined ? {} : { text: pathText(link) }) };
        if (kind !== "directory") continue;
        const own = stat.id.slice(0, stat.id.lastIndexOf(":"));
        device ??= own;
        if (own !== device || closed(path)) yield { blind: path };
        else waiting.push(path);
      }
    } finally {
      closeSync(parentFd);
    }
  }
}

/** Undefined: it cannot be listed. */
function namesIn(folder: string): readonly Buffer[] | undefined {
  try {
    return readdirSync(pathBytes(folder), { encoding: "buffer" });
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    return undefined;
  }
}
