import { readdirSync } from "node:fs";
import { readJson5 } from "@assent/core/edit/json5";
import { type Converted, type Lost, type NativeScope, settle } from "@assent/import/import";
import { errorCode, readRegular } from "@assent/guard/state";
import type { NativePlace, NativeSurroundings } from "../rules/contract.ts";
import type { NativeFormat } from "./index.ts";
import { allowsOf } from "./record.ts";
import { isExported } from "../rules/write.ts";

const MAX_BYTES = 1 << 20;

/** One file of a host, read. */
export interface NativeFile {
  readonly agent: string;
  readonly file: string;
  readonly scope: NativeScope;
  /** Settled: our own judge agrees with each. */
  readonly rules: readonly Converted[];
  readonly lost: readonly Lost[];
}

export interface Gathered {
  readonly files: readonly NativeFile[];
  /** Files that cannot be read as what they should be. The others are not affected. */
  readonly broken: readonly {
    readonly agent: string;
    readonly file: string;
    readonly line?: number;
    readonly column?: number;
    readonly why: string;
  }[];
}

/**
 * Reads what hosts keep on this machine; with `named`, those files in their place. What `assent export` wrote (`owned`)
 * is no news.
 */
export function gather(
  formats: readonly NativeFormat[],
  around: NativeSurroundings,
  owned: (file: string) => readonly string[],
  named?: readonly NativePlace[],
): Gathered {
  const files: NativeFile[] = [];
  const broken: Gathered["broken"][number][] = [];
  for (const format of formats) {
    let taken = false;
    for (const place of named ?? format.places(around)) {
      if (named === undefined && format.first === true && taken && place.beside !== true) continue;
      const paths = pathsOf(place);
      if (typeof paths === "string") {
        broken.push({ agent: format.id, file: place.path, why: paths });
        continue;
      }
      for (const file of paths) {
        const found = readRegular(file, MAX_BYTES);
        if (found.is === "missing" && named === undefined) continue;
        if (found.is !== "text") {
          broken.push({ agent: format.id, file, why: found.is === "missing" ? "does not exist" : found.why });
          continue;
        }
        if (isExported(found.text)) continue;
        const read = place.read(found.text, { scope: place.scope, home: around.home, project: around.project });
        if ("problem" in read) broken.push({ agent: format.id, file, line: read.line, column: read.column, why: read.problem });
        else {
          const own = { deny: owned(file), allow: owned(allowsOf(file)), ask: [] as readonly string[] };
          const rules = read.rules.filter(({ effect, text }) => !own[effect].includes(text));
          files.push({ agent: format.id, file, scope: place.scope, ...settled(rules, read.lost) });
          taken ||= place.beside !== true;
        }
      }
    }
  }
  return { files, broken };
}

/** Whose rules a file holds, where its text alone says so. */
export function formatOf(formats: readonly NativeFormat[], path: string): NativeFormat | undefined {
  const found = readRegular(path, MAX_BYTES);
  if (found.is !== "text") return undefined;
  const { text } = found;
  const { root } = readJson5(text);
  return formats.find(({ holds, holdsText }) => (root !== undefined && holds?.(root) === true) || holdsText?.(text) === true);
}

function settled(rules: readonly Converted[], lost: readonly Lost[]): Pick<NativeFile, "rules" | "lost"> {
  const kept: Converted[] = [];
  const losses = [...lost];
  for (const one of rules) {
    const { rule, loss } = settle(one);
    if (rule !== undefined) kept.push(rule);
    if (loss !== undefined) losses.push({ text: one.text, line: one.line, effect: one.effect, ...loss });
  }
  return { rules: kept, lost: losses.toSorted((a, b) => a.line - b.line) };
}

/** The file, or those of the folder; a text says why the folder cannot be listed. */
function pathsOf({ path, all }: NativePlace): readonly string[] | string {
  if (all === undefined) return [path];
  try {
    return readdirSync(path)
      .filter((name) => name.endsWith(all) && !name.startsWith("."))
      .toSorted()
      .map((name) => `${path}/${name}`);
  } catch (error) {
    const code = errorCode(error);
    return code === "ENOENT" || code === "ENOTDIR" ? [] : `cannot be listed: ${code}`;
  }
}
