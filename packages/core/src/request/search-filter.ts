import type { TreeFilter, World } from "../action/index.ts";
import { baseName, joinPath } from "../path/index.ts";
import { expandBraces } from "../pattern/index.ts";
import { typeNames } from "../shell/index.ts";
import type { Input, Lowerable, SearchFacts } from "./request.ts";

/** What a host's search leaves out (rg(1), git-grep(1)); undefined where nothing is certain. */
export function searchFilter(facts: SearchFacts, { input }: Pick<Lowerable, "input">, world: World): TreeFilter | undefined {
  // A person's own settings of ripgrep may say anything.
  if (world.env("RIPGREP_CONFIG_PATH") !== undefined) return undefined;
  if (facts.regex !== undefined && !isPlainRegex(valueOf(input, facts.regex))) return undefined;
  const glob = valueOf(input, facts.glob);
  const kept = glob === undefined || glob === "" ? [] : keptNames(glob);
  // For git grep it is a pathspec: a name is that of a folder, too.
  if (kept === undefined || (facts.regex !== undefined && !kept.every((name) => /[*?]/.test(name)))) return undefined;
  // A glob that keeps goes before the lists, and so does a type.
  if (kept.length > 0) return { only: kept };
  const type = valueOf(input, facts.type);
  if (type !== undefined && type !== "") {
    const names = typeof type === "string" ? typeNames(type) : undefined;
    return names === undefined ? undefined : { only: names };
  }
  const lifted = valueOf(input, facts.lifts);
  if ((lifted !== undefined && lifted !== false) || isSet(facts, world)) return undefined;
  return { ignored: false };
}

const valueOf = (input: Input, field: string | undefined): unknown =>
  field !== undefined && Object.hasOwn(input, field) ? (input[field] ?? undefined) : undefined;

/** The names that globs keep, separated by blanks or commas; none where all of them begin with `!`. */
function keptNames(glob: unknown): readonly string[] | undefined {
  if (typeof glob !== "string" || /[\\[\]#:()]/.test(glob)) return undefined;
  const globs = glob.split(/\s+/).flatMap((one) => (one.includes("{") ? [one] : one.split(",")));
  const names: string[] = [];
  for (const one of globs.filter((text) => text !== "" && !text.startsWith("!"))) {
    const alternatives = expandBraces(one);
    if (!alternatives.ok) return undefined;
    names.push(...alternatives.value.map(baseName));
  }
  return names.every((name) => name !== "" && !name.includes("**")) ? names : undefined;
}

/** What every grep takes for a regular expression: text, `.*`, signs behind a backslash, alternatives. */
const isPlainRegex = (text: unknown): boolean =>
  typeof text === "string" &&
  /^(?!-)(?:[^-()[\]{}*+?\\^$|\n\0]|-|\\[.()*+?]|\.\*)+(?:\|(?:[^()[\]{}*+?\\^$|\n\0]|\\[.()*+?]|\.\*)+)*$/.test(text);

function isSet({ setting }: SearchFacts, world: World): boolean {
  return (
    setting?.files.some((file) =>
      [world.home, world.projectRoot, world.cwd].some((folder) => {
        const path = joinPath(folder, file);
        return world.kind(path) !== "missing" && world.text?.(path)?.includes(setting.word) !== false;
      }),
    ) === true
  );
}
