import type { Action, CallName } from "../../action/index.ts";
import { type Answer, escapePath } from "../../pattern/index.ts";
import type { MatchContext, Side } from "../match-context.ts";
import type { Matcher } from "./index.ts";
import { type JudgingKind, never, FRESH, nothing } from "./kind.ts";

/** A system call under supervision, argument by argument. `open`: more arguments may follow (`...`). */
export interface CallMatcher {
  readonly kind: "call";
  readonly name: CallName;
  readonly args: readonly CallPattern[];
  readonly open: boolean;
}

/**
 * One argument of a call pattern.
 * - `any`: `_`, a text or a list.
 * - `text`: exactly this text; a path also by the links in it.
 * - `glob`: literal text and wildcards in turn: 1 is `*`, which never matches a slash, 2 is `**`.
 *   `home`: it began with `~`, and the parts go on from there.
 * - `regex`: the whole text matches this regular expression.
 * - `list`: element by element; `open`: more may follow.
 */
export type CallPattern =
  | { readonly is: "any" }
  | { readonly is: "text"; readonly text: string }
  | { readonly is: "glob"; readonly parts: readonly (string | 1 | 2)[]; readonly home?: boolean }
  | { readonly is: "regex"; readonly source: string }
  | { readonly is: "list"; readonly items: readonly CallPattern[]; readonly open: boolean };

export const call: JudgingKind<CallMatcher> = {
  ofCommands: false,
  match: matchCall,
  keys: {
    programs: nothing,
    words: nothing,
    files: nothing,
    host: nothing,
    tool: nothing,
    others: never,
    call: ({ name }) => name,
  },
  pathScope: nothing,
  isEveryCommand: never,
  covers: coversCall,
  names: {
    literal: ({ name, args }) => args.some((pattern, at) => at !== MODE[name] && isLiteral(pattern)),
    isWholeCommand: never,
    paths: ({ args }) => args.map(pathTextOf),
    host: nothing,
  },
  samples: ({ name, args }) => (name === "exec" ? samplesOf(args[1]) : []),
};

/** Where calls are seen and nobody can compare them, a rule that narrows may apply: it is never lost in silence. */
function matchCall(matcher: CallMatcher, { call: seen }: Action, side: Side, { matchCall: compare }: MatchContext): Answer {
  if (seen === undefined || seen.name !== matcher.name) return "no";
  if (compare === undefined) return side === "narrow" ? "no" : "maybe";
  return compare(matcher, seen, side) ? "yes" : "no";
}

function coversCall(outer: CallMatcher, inner: Matcher): boolean {
  return inner.kind === "call" && inner.name === outer.name && coversList(outer.args, outer.open, inner.args, inner.open);
}

/** Argument by argument; what is open in `inner` must be open in `outer`. */
function coversList(outer: readonly CallPattern[], open: boolean, inner: readonly CallPattern[], innerOpen: boolean): boolean {
  if (open ? inner.length < outer.length : innerOpen || inner.length !== outer.length) return false;
  return outer.every((pattern, at) => {
    const other = inner[at];
    if (other === undefined) return false;
    if (pattern.is === "any") return true;
    if (pattern.is === "list" && other.is === "list") return coversList(pattern.items, pattern.open, other.items, other.open);
    return JSON.stringify(pattern) === JSON.stringify(other);
  });
}

/** Arguments that say how, not what. */
const MODE: Readonly<Partial<Record<CallName, number>>> = { open: 1, chmod: 1, mknod: 1, connect: 1, bind: 1, listen: 1, send: 1 };

function isLiteral(pattern: CallPattern): boolean {
  switch (pattern.is) {
    case "text":
      return /[^/.]/.test(pattern.text);
    case "glob":
      return pattern.parts.some((part) => typeof part === "string" && /[^/.]/.test(part));
    case "list":
      return pattern.items[0] !== undefined && isLiteral(pattern.items[0]);
    case "any":
    case "regex":
      return false;
  }
}

/** The path pattern (`pattern/path.ts`) that an argument stands for; undefined for what is none. Only `*` and `**` are wildcards in a call. */
export function pathTextOf(pattern: CallPattern): string | undefined {
  if (pattern.is === "text") return escaped(pattern.text.replace(/(?<=.)\/+$/, ""), true);
  if (pattern.is !== "glob") return undefined;
  const parts = pattern.parts.map((part, at) => (part === 1 ? "*" : part === 2 ? "**" : escaped(part, at === 0 && pattern.home !== true)));
  return `${pattern.home === true ? "~" : ""}${parts.join("")}`;
}

function escaped(text: string, start: boolean): string {
  const out = escapePath(text);
  return start && out.startsWith("~") ? `\\${out}` : out;
}

/** The argv of `exec(_, [git, push, ...])`. */
function samplesOf(argv: CallPattern | undefined): readonly (readonly string[])[] {
  if (argv?.is !== "list" || argv.items[0]?.is !== "text") return [];
  const words = argv.items.map((item) => (item.is === "text" ? item.text : FRESH));
  return argv.open ? [words, [...words, FRESH]] : [words];
}
