import type { Context } from "../words/context.ts";
import { entryFor, type KnowledgeEntry, programOfPackage } from "../knowledge/entries.ts";
import { readDangers } from "../knowledge/read-spec.ts";
import { textOf, type Value } from "../words/value.ts";

/** The dangers that the words of a program mean. See `CommandSpec.dangers`. */
export function noteDangerWords(cx: Context, entry: KnowledgeEntry, words: readonly Value[], exec: number): void {
  const { dangers, helps } = entry;
  if (dangers !== undefined && !(helps !== undefined && onlyHelps(words))) note(cx, dangers, tokensOf(words), exec);
}

/** Many a tool takes no notice of the word; behind an option it may be a value, and behind `--` a name. */
function onlyHelps(words: readonly Value[]): boolean {
  const texts = words.map((word) => textOf(word) ?? "-");
  return /^--?help$/.test(texts.at(-1) ?? "") && !texts.includes("--") && texts.at(-2)?.startsWith("-") !== true;
}

/**
 * A tool that wipes a database or a cloud does so whoever starts it: `npx prisma migrate reset`, `php artisan migrate:fresh`,
 * `docker compose exec web rails db:drop`.
 */
export function noteHandedDangers(cx: Context, words: readonly Value[], exec: number): void {
  const tokens = tokensOf(words);
  const seen = new Set<string>();
  for (const [at, token] of tokens.entries()) {
    const tool = toolOf(token);
    // What a later one of the name says, the first says, too.
    if (seen.has(tool)) continue;
    seen.add(tool);
    const rows = entryFor(tool)?.dangers;
    if (rows !== undefined) note(cx, rows, tokens.slice(at + 1), exec);
  }
}

const tokensOf = (words: readonly Value[]): readonly string[] =>
  words.flatMap((word) => (textOf(word) ?? "").split(/[\s,;&|()'"`]+/).filter((token) => token !== ""));

function note(cx: Context, rows: string, tokens: readonly string[], exec: number): void {
  for (const { words, danger } of readDangers(rows)) if (says(tokens, words)) cx.addDanger(exec, danger);
}

/** The longest name of a package on npm; on others they are shorter. */
const LONGEST_NAME = 214;

/**
 * The name of the program: of `./node_modules/.bin/prisma`, `npm:prisma`, `prisma@5`, `twine==6.1`, `nixpkgs#awscli2`,
 * `example.org/x/tool/v2@latest`. INVARIANT: whatever the word is, it takes no longer than reading it.
 */
export function toolOf(word: string): string {
  const short = word.length > LONGEST_NAME ? word.slice(word.lastIndexOf("/") + 1) : word;
  if (short.length > LONGEST_NAME) return short;
  const name = short.replace(/^(?:npm:|jsr:|[^#\s]*#)|(?<=\w)(?:@|[=~<>!]=|\[)[^/\s]*$/g, "").replace(/(?<=\/[^/]+)\/v\d+$/, "");
  const program = name.replace(/^.*\//, "").toLowerCase();
  return programOfPackage(name) ?? programOfPackage(program) ?? program;
}

/** All of its words, in their order, whatever stands between. */
function says(tokens: readonly string[], [first, ...rest]: readonly RegExp[]): boolean {
  if (first === undefined) return true;
  const at = tokens.findIndex((token) => first.test(token));
  return at >= 0 && says(tokens.slice(at + 1), rest);
}
