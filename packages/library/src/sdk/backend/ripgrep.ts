import { execFile } from "node:child_process";
import { realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { isWithin } from "@assent/core/path";
import type { Regex } from "@assent/core/pattern";

/**
 * ripgrep only says in which files a text occurs that every match must contain; those are then searched as all files would
 * be without it. So what it finds is never shown unjudged, its own language of patterns does not matter, and neither does
 * what it is shown while links change. No regular expression is ever given to it, and the text stands where none of its options can.
 */
const OPTIONS = [
  "--no-config",
  "--no-follow",
  "--no-ignore",
  "--hidden",
  "--text",
  "--encoding=none",
  "--no-messages",
  "--no-mmap",
  "--color=never",
  "--files-with-matches",
  "--null",
  "--fixed-strings",
];
const PATIENCE_MS = 20_000;
const MOST_OUTPUT = 64 << 20;

export interface SearchWanted {
  readonly text: string;
  readonly ignoreCase: boolean;
}

/** Files below a folder that contain a text; undefined where ripgrep could not say. */
export async function filesWith(
  program: string,
  { text, ignoreCase }: SearchWanted,
  folder: string,
  skipped: Iterable<string>,
): Promise<ReadonlySet<string> | undefined> {
  const without = [...skipped].map((name) => `--glob=!${name}`);
  const args = [...OPTIONS, ...without, ignoreCase ? "--ignore-case" : "--case-sensitive", `--regexp=${text}`, "--", "."];
  return await new Promise((resolve) => {
    const options = { cwd: folder, env: {}, timeout: PATIENCE_MS, maxBuffer: MOST_OUTPUT, encoding: "utf8" } as const;
    execFile(program, args, options, (error, out) => {
      // 1: there are none; anything else may have left files out.
      if (error !== null && error.code !== 1) resolve(undefined);
      else resolve(new Set(out.split("\0").flatMap((name) => (name === "" ? [] : [join(folder, name)]))));
    });
  });
}

/** The `rg` on PATH, unless the agent, or others, could have put it there. */
export function findRipgrep(path: string | undefined, writable: readonly string[]): string | undefined {
  for (const folder of (path ?? "").split(":")) {
    if (!isAbsolute(folder)) continue;
    try {
      const file = realpathSync.native(join(folder, "rg"));
      const ours = [file, dirname(file)].every((at) => {
        const { mode, uid } = statSync(at);
        return (mode & 0o022) === 0 && (uid === 0 || uid === process.getuid?.());
      });
      return ours && !writable.some((root) => isWithin(file, root)) ? file : undefined;
    } catch {
      // Not here.
    }
  }
  return undefined;
}

const SHORTEST = 2;

/** A text that whatever matches contains; undefined where there is none to speak of. */
export function textIn(regex: Regex): SearchWanted | undefined {
  const found: SearchWanted[] = [];
  let run = "";
  let fold = false;
  const end = (): void => {
    if (run.length >= SHORTEST) found.push({ text: run, ignoreCase: fold });
    run = "";
    fold = false;
  };
  const visit = (part: Regex): void => {
    const char = charOf(part);
    if (char !== undefined) {
      run += char.text;
      fold ||= char.fold;
      return;
    }
    if (part.is === "all") {
      part.parts.forEach(visit);
      return;
    }
    end();
    if (part.is === "repeat" && part.min > 0) {
      visit(part.part);
      end();
    }
  };
  visit(regex);
  end();
  return found.toSorted((a, b) => b.text.length - a.text.length)[0];
}

/** ASCII that is printed: about the rest, programs differ in what is one character and its other case. */
function charOf(part: Regex): { readonly text: string; readonly fold: boolean } | undefined {
  if (part.is !== "set" || part.negated || part.ranges.length !== 1) return undefined;
  const [low, high] = part.ranges[0] ?? [0, 1];
  return low === high && low >= 0x20 && low < 0x7f ? { text: String.fromCharCode(low), fold: part.fold } : undefined;
}
