import { isBelow, relativePath } from "../path/index.ts";
import { BoundedMap } from "./result.ts";
import { walk } from "./walk.ts";
import { literalWord, matchesWord, shellGlob, type WordGlob } from "./word.ts";

/** What a shell expands a path pattern to. */

interface Part {
  readonly glob: WordGlob;
  readonly deep: boolean;
}

interface ShellPattern {
  /** The folder all matches lie in: the part in front of the first wildcard. */
  readonly folder: string;
  /** What follows, one glob a segment; `**` is marked by `deep`. */
  readonly rest: readonly Part[];
  /** Nothing but wildcards: the pattern means all that is in `folder`. */
  readonly everything: boolean;
}

const patterns = new BoundedMap<string, ShellPattern>(1024);

/** A shell pattern taken apart, e.g. `/p/src/*.ts` is `*.ts` in `/p/src`. */
export function shellPattern(pattern: string): ShellPattern {
  return patterns.get(pattern, () => {
    const segments = pattern
      .split("/")
      .slice(1)
      .map((segment) => ({ glob: shellGlob(segment), deep: segment === "**" }));
    const first = segments.findIndex(({ glob }) => glob.literal === undefined);
    const literals = (first < 0 ? segments : segments.slice(0, first)).map(({ glob }) => glob.literal ?? "");
    const rest = first < 0 ? [] : segments.slice(first);
    const everything =
      rest.length > 0 &&
      rest.every(({ glob }) =>
        glob.units.every(
          (unit) =>
            unit.is === "run" || unit.is === "one" || (unit.is === "set" && unit.negated) || (unit.is === "char" && unit.code === 46),
        ),
      );
    return { folder: `/${literals.join("/")}`, rest, everything };
  });
}

/** True when the shell could expand `pattern` to `path`, or, with `recursive`, to a folder that `path` lies in. */
export function expandsTo(pattern: string, path: string, recursive: boolean): boolean {
  const { folder, rest } = shellPattern(pattern);
  if (rest.length === 0) return path === folder;
  if (!isBelow(path, folder)) return false;
  return walk(recursive ? [...rest, BELOW] : rest, relativePath(folder, path).split("/"), EXPANSION);
}

/** Whatever lies in a folder that matches. */
const BELOW: Part = { glob: literalWord(""), deep: true };

const EXPANSION = {
  isRun: ({ deep }: Part): boolean => deep,
  accepts: ({ glob }: Part, name: string): boolean => expandsToName(glob, name),
  passes: (run: Part, name: string): boolean => run === BELOW || name.charCodeAt(0) !== 46,
};

/** A wildcard does not stand for the dot that hides a name, nor does `**` enter a hidden folder. */
export function expandsToName(glob: WordGlob, name: string): boolean {
  if (name.charCodeAt(0) === 46 && glob.start.charCodeAt(0) !== 46) return false;
  return matchesWord(glob, name);
}
