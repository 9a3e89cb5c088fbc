import { createHash } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import type { Call, World } from "@assent/core/action";
import { type Policy, readingOf } from "@assent/core/policy";
import { objectId } from "./objects.ts";
import type { Started } from "./types.ts";

/** A program that an ask or deny rule names. */
interface NamedProgram {
  readonly path: string;
  readonly name: string;
  /** Device and inode, as `ObjectStat.id` spells them. */
  readonly id: string;
  readonly size: number;
  /** One file that is many programs, told apart by the name they are called by. */
  readonly many: boolean;
  hash?: string | undefined;
}

/** Bytes; a larger program is known by its inode only. */
const MOST_HASHED = 512 << 20;
const MANY = /^(?:busybox|toybox|coreutils|uutils|gnu-coreutils)/;
/** More names than this for one file: it is many programs. */
const FEW_NAMES = 4;
const PIECE = 1 << 20;

/**
 * Programs that rules forbid or ask about, known again under other names: as a hard link, through a bind mount, or as a
 * copy, by its content. A program that is changed by one bit is another one: only what it does can then be judged.
 */
export class ProgramAliases {
  readonly #named: readonly NamedProgram[];
  readonly #hashes = new Map<string, string>();

  constructor(policy: Policy, world: World) {
    const words = new Set(
      policy.rules.filter(({ effect }) => effect !== "allow").flatMap(({ matcher }) => readingOf(matcher).spelledPrograms(matcher)),
    );
    this.#named = [...words].flatMap((word) => named(word, world) ?? []);
  }

  /** Other paths by which rules know the file that is started. */
  namesOf({ id, size, path, argv, file }: Started): readonly string[] {
    if (this.#named.length === 0) return [];
    const called = argv[0]?.split("/").at(-1);
    return this.#named
      .filter((one) => one.path !== path && (!one.many || one.name === called))
      .filter((one) => one.id === id || (one.size === size && size > 0 && size <= MOST_HASHED && this.#sameContent(one, file)))
      .map((one) => one.path);
  }

  #sameContent(one: NamedProgram, file: string): boolean {
    one.hash ??= this.#hashOf(one.path);
    return one.hash !== undefined && one.hash === this.#hashOf(file);
  }

  /** By content, remembered as long as the file is not changed. */
  #hashOf(file: string): string | undefined {
    let fd: number | undefined;
    try {
      fd = openSync(file, "r");
      const { dev, ino, size, mtimeMs, ctimeMs } = fstatSync(fd);
      const key = `${dev}:${ino}:${size}:${mtimeMs}:${ctimeMs}`;
      const known = this.#hashes.get(key);
      if (known !== undefined) return known;
      const hash = createHash("sha256");
      const piece = Buffer.alloc(Math.min(PIECE, Math.max(1, size)));
      for (let got = readSync(fd, piece); got > 0; got = readSync(fd, piece)) hash.update(piece.subarray(0, got));
      const found = hash.digest("hex");
      this.#hashes.set(key, found);
      return found;
    } catch {
      return undefined;
    } finally {
      if (fd !== undefined) closeSync(fd);
    }
  }
}

/** The call, as if the program had been started by `path`. */
export function sameCommand(path: string, argv: readonly string[], call: Call): Call {
  return { ...call, args: [path, [path.split("/").at(-1) ?? path, ...argv.slice(1)]] };
}

function named(word: string, world: World): NamedProgram | undefined {
  const path = word.startsWith("~/") ? world.home + word.slice(1) : word.startsWith("/") ? word : world.lookup(word).path;
  if (path === undefined) return undefined;
  try {
    const stat = statSync(path, { bigint: true });
    if (!stat.isFile()) return undefined;
    const real = world.canonical(path);
    return {
      path: real,
      name: path.split("/").at(-1) ?? "",
      id: objectId(stat.dev, stat.ino),
      size: Number(stat.size),
      many: MANY.test(real.split("/").at(-1) ?? "") || stat.nlink > FEW_NAMES,
    };
  } catch {
    return undefined;
  }
}
