import { baseName, joinPath, parentOf } from "@assent/core/path";
import { escapeSegment } from "@assent/core/pattern";

/** Names that programs make up for what they write beside a file to take its place, another one each time. */

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const PART = /[A-Za-z0-9]+/g;

/**
 * A path segment as a pattern: what is random in it is `*`, everything else literal. A name that is random as a whole
 * gives `*` only where `wholly` says so.
 *
 * @example segmentPattern("npm-x8Zk2Lq9.json", false) // "npm-*.json"
 */
export function segmentPattern(name: string, wholly: boolean): string {
  let changed = false;
  const marked = name
    .replace(UUID, () => {
      changed = true;
      return "\0";
    })
    .replace(PART, (part) => {
      if (!isRandom(part)) return part;
      changed = true;
      return "\0";
    });
  if (!changed) return escapeSegment(name);
  const pattern = escapeSegment(marked).replace(/\0(?:[-_.]?\0)*/g, "*");
  // Two letters at least say what the name is for.
  if (/[A-Za-z]{2}/.test(marked.replaceAll("\0", ""))) return pattern;
  return wholly ? pattern : escapeSegment(name);
}

/** Letters and digits in a mix that no one types: `a8f3kx`, `AbC1zQ`, `9f86d081`, `1732167792`. */
function isRandom(part: string): boolean {
  if (/^\d+$/.test(part)) return part.length >= 5;
  if (/^[0-9a-f]+$/.test(part) || /^[0-9A-F]+$/.test(part)) return part.length >= 8 && changes(part) >= 2;
  if (part.length < 6 || part.length > 64) return false;
  // `sha256`, `python3`, `x86` change once; a random part of six and more mostly twice.
  const lower = /[a-z]/.test(part);
  const upper = /[A-Z]/.test(part);
  const digit = /\d/.test(part);
  return digit && (lower || upper) && (changes(part) >= 3 || (lower && upper && changes(part) >= 2));
}

/** How often letters and digits alternate. */
function changes(part: string): number {
  let count = 0;
  for (let i = 1; i < part.length; i++) if (isDigit(part, i) !== isDigit(part, i - 1)) count++;
  return count;
}

const isDigit = (text: string, at: number): boolean => text.charCodeAt(at) >= 48 && text.charCodeAt(at) <= 57;

/** mkstemp(3) makes up six characters, Python's tempfile eight behind `tmp`, mktemp(1) ten behind `tmp.`. */
const MADE_UP = /^(?:(.*tmp)[a-z0-9_]{8}|(tmp\.)[A-Za-z0-9]{10}|(.*[A-Za-z].*)[A-Za-z0-9_]{6})((?:\.\w{1,8})?)$/;

/** Of a file that a program has made up a name for, all such names. `private`: it was made for its user alone, and only if nothing was there. */
export function madeUpName(name: string, isPrivate: boolean): string {
  const pattern = segmentPattern(name, false);
  const [, python, mktemp, prefix = python ?? mktemp ?? "", ending = ""] = isPrivate ? (MADE_UP.exec(name) ?? []) : [];
  if (prefix === "") return pattern;
  return `${escapeSegment(prefix)}${"?".repeat(name.length - prefix.length - ending.length)}${escapeSegment(ending)}`;
}

/** git's lockfile.c, vim ('backupext', swap files), Emacs, patch(1), npm's write-file-atomic. */
const ENDING = /^(?:~|#|[.-](?:lock|tmp|temp|new|part|bak|orig|rej|sw[a-p]x?)(?:[.-]?\w{1,16})?|-(?:journal|wal|shm))$/i;

export interface FileBehind {
  readonly file: string;
  /** The name says so by itself: hidden, and in part made up. */
  readonly sure: boolean;
}

/** Whose new text a file of this name may be written for, and of SQLite what undoes it: `F~`, `F.lock`, `F.tmp.4711`, `.F.x8Zk2L`, `.F.swp`, `#F#`. */
export function filesBehind(path: string, isExclusive = false): readonly FileBehind[] {
  const name = baseName(path);
  const hidden = /^(?:\.#?|#)(.+)$/.exec(name)?.[1];
  return [name, ...(hidden === undefined ? [] : [hidden])].flatMap((text) =>
    [...text.matchAll(/[.~#-]/g)].toReversed().flatMap(({ index }): readonly FileBehind[] => {
      const ending = text.slice(index);
      const isMadeUp = /^[.-]\w{6,16}$/.test(ending) && (isExclusive || isRandom(ending.slice(1)));
      if (index === 0 || !(ENDING.test(ending) || isMadeUp)) return [];
      return [{ file: joinPath(parentOf(path), text.slice(0, index)), sure: text === hidden && isMadeUp }];
    }),
  );
}
