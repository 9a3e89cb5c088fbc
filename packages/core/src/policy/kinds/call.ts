import {
  type Action,
  type Call,
  CALL_ARGUMENTS,
  CALL_NAMES,
  type CallArgument,
  type CallArgumentKind,
  type CallName,
  NODE_KINDS,
  sortedFlags,
  TWO_PATHS,
} from "../../action/index.ts";
import {
  type Answer,
  escapePath,
  type Mistake,
  mistake,
  ok,
  patternCovers,
  type PatternBase,
  pathPattern,
  type Result,
} from "../../pattern/index.ts";
import { withoutOptions } from "../match/exec-words.ts";
import type { MatchContext, Side } from "../match/match-context.ts";
import { distance, likest, shortSlip } from "../match/suggest.ts";
import { type CallItems, readItems, withoutHome } from "./call-arguments.ts";
import type { Matcher } from "./index.ts";
import { FRESH, type JudgingKind, never, none, nothing } from "./kind.ts";
import { type Doubt, type ParsedText, programsIn, type ReadingKind } from "./reading.ts";

/**
 * Call patterns: `open(/home/me/**, _)`, `exec(_, [git, status, ...])`, `connect(*.npmjs.org, 443)`.
 * They speak of system calls, which only supervision sees. Every argument is compared as a value; a pattern is never
 * held against the text of a whole call.
 *
 * | in an argument | means |
 * |---|---|
 * | `_` | any text, any list |
 * | `...` | any arguments, or none, from here on |
 * | `*`, `**` | any run of characters without, or with, slashes |
 * | `/X/` | the regular expression X for the whole text (`pattern/regex.ts`) |
 * | `'…'`, `"…"` | literal text |
 * | `\` | the next character as it is; `\n`, `\t`, `\r`, `\xNN` (a byte), `\u{…}` |
 * | `[a, b]` | a list, element by element |
 */
export interface CallMatcher {
  readonly kind: "call";
  readonly name: CallName;
  readonly args: readonly CallPattern[];
  /** More arguments may follow (`...`). */
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

export const callReading: ReadingKind<CallMatcher> = {
  written: {
    scope: undefined,
    line: (text) => {
      const name = callNameOf(text);
      return name === undefined ? undefined : parseCall(name, text);
    },
    object: undefined,
    block: nothing,
  },
  exampleActions: (_, example) => {
    const seen = typeof example === "string" ? readCall(example) : undefined;
    return seen === undefined ? undefined : [{ kind: "system", area: "call", origin: { by: "tool" }, call: seen }];
  },
  exampleHelp: 'an example of this rule is a call: "open(/home/you/notes.txt, create+write)"',
  fileActions: none,
  whyNever: nothing,
  isEverything,
  doubtWide,
  prefixes: none,
  programs: ({ name, args }) => (name === "exec" ? programsIn(samplesOf(args[1])) : []),
  spelledPrograms: ({ name, args: [program] }) => (name === "exec" && program?.is === "text" ? [program.text] : []),
  coverGroup: () => "call",
  refusals: () => ({ why: "no host sees system calls" }),
};

/** Where calls are seen and nobody can compare them, a rule that narrows may apply: it is never lost in silence. */
function matchCall(matcher: CallMatcher, action: Action, side: Side, { matchCall: compare }: MatchContext): Answer {
  const { call: seen } = action;
  if (seen === undefined || seen.name !== matcher.name) return "no";
  if (compare === undefined) return side === "narrow" ? "no" : "maybe";
  if (compare(matcher, seen, side)) return "yes";
  // `[git, push, ...]` of a deny is `git -C x push`, too.
  const spellings = side === "wide" && action.kind === "exec" ? withoutOptions(action) : [];
  const isMeant = spellings.some((words) => {
    const argv = words.map((word) => (word.known ? word.text : word.prefix));
    return compare(matcher, { ...seen, args: seen.args.map((given) => (typeof given === "string" ? given : argv)) }, side);
  });
  return isMeant ? "yes" : "no";
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

const isCallName = (name: string): name is CallName => CALL_NAMES.some((one) => one === name);

/** The call that a text begins with. */
function callNameOf(text: string): CallName | undefined {
  const name = /^([a-z]+)\(/.exec(text)?.[1];
  return name !== undefined && isCallName(name) ? name : undefined;
}

/** Names that the same calls have elsewhere. */
const OTHER_NAMES: Readonly<Record<string, CallName>> = {
  openat: "open",
  openat2: "open",
  creat: "create",
  unlink: "delete",
  unlinkat: "delete",
  mkdirat: "mkdir",
  renameat: "rename",
  renameat2: "rename",
  linkat: "link",
  symlinkat: "symlink",
  mknodat: "mknod",
  ftruncate: "truncate",
  fchmod: "chmod",
  fchmodat: "chmod",
  fchown: "chown",
  fchownat: "chown",
  lchown: "chown",
  utimes: "utime",
  utimensat: "utime",
  execve: "exec",
  execveat: "exec",
  sendto: "send",
  sendmsg: "send",
};

/** For a name that is taken for a tool's: the call its writer may have meant. */
export function doubtCallName(name: string, scoped: boolean): string | undefined {
  const other = Object.hasOwn(OTHER_NAMES, name) ? OTHER_NAMES[name] : undefined;
  const near = scoped && /^[a-z]{3,}$/.test(name) ? nearCall(name) : undefined;
  const meant = other ?? (!scoped && isCallName(name) ? name : near);
  return meant === undefined ? undefined : signature(meant);
}

function nearCall(name: string): CallName | undefined {
  const near = name.length === 3 ? shortSlip(name, CALL_NAMES) : likest(name, CALL_NAMES);
  const elsewhere = Object.keys(OTHER_NAMES).find((one) => name.length > 3 && distance(name, one) === 1);
  return CALL_NAMES.find((one) => one === near) ?? (elsewhere === undefined ? undefined : OTHER_NAMES[elsewhere]);
}

const signature = (name: CallName): string => `${name}(${CALL_ARGUMENTS[name].map((argument) => argument.name).join(", ")})`;

/** Room for every argument list that is not a file of its own. */
const LONGEST = 1 << 20;

/** Reads `name(…)`; `text` begins with the name. */
function parseCall(name: CallName, text: string): Result<ParsedText<CallMatcher>> {
  if (text.length > LONGEST) return mistake(`the rule is longer than ${LONGEST} characters`);
  const read = readItems(text, name.length + 1, ")", TWO_PATHS.has(name));
  if (!read.ok) return read;
  const { items, open, end, ignored } = read.value;
  const rest = text.slice(end).trim();
  if (rest !== "") return mistake(`\`${rest}\` after \`)\``, `write \`${text.slice(0, end)}\``);
  const kinds = CALL_ARGUMENTS[name];
  if (items.length > kinds.length || (!open && items.length < kinds.length)) return wrongCount(name, read.value);
  const args: CallPattern[] = [];
  let warning = ignored ? "what follows `...` is ignored" : undefined;
  for (const [at, { pattern, bare }] of items.entries()) {
    const { kind = "text", name: of = "" } = kinds[at] ?? {};
    const checked = bare ? bareArgument(pattern, kind) : ok(pattern);
    if (!checked.ok) return checked;
    const wrong = misplaced(checked.value, kind, name, of);
    if (wrong !== undefined) return wrong;
    warning ??= doubtOf(checked.value, kind, name, bare);
    args.push(checked.value);
  }
  const matcher: CallMatcher = { kind: "call", name, args, open };
  return ok(warning === undefined ? { matcher } : { matcher, warning });
}

/** The call that a pattern without anything open describes: what `printCall` gives, read back. */
export function readCall(text: string): Call | undefined {
  const name = callNameOf(text.trim());
  const read = name === undefined ? undefined : parseCall(name, text.trim());
  if (read?.ok !== true || read.value.matcher.open) return undefined;
  const { matcher } = read.value;
  const args = matcher.args.map(literalOf);
  return args.every((argument) => argument !== undefined) ? { name: matcher.name, args } : undefined;
}

function literalOf(pattern: CallPattern): CallArgument | undefined {
  if (pattern.is === "text") return pattern.text;
  if (pattern.is !== "list" || pattern.open) return undefined;
  const items = pattern.items.map((item) => (item.is === "text" ? item.text : undefined));
  return items.every((item) => item !== undefined) ? items : undefined;
}

function wrongCount(name: CallName, { items, open }: CallItems): Mistake {
  const wanted = CALL_ARGUMENTS[name].length;
  const count = `${wanted} argument${wanted === 1 ? "" : "s"}`;
  const help =
    items.length < wanted && !open ? `write \`_\` for any, or \`...\` at the end: \`${signature(name)}\`` : `write \`${signature(name)}\``;
  return mistake(`\`${name}\` has ${count}, the pattern ${items.length}`, help);
}

/** Bare text is read as what stands in its place: the words of a mode in their order, a mode in four digits, a host in lower case. */
function bareArgument(pattern: CallPattern, kind: CallArgumentKind): Result<CallPattern> {
  if (pattern.is === "glob") {
    if (kind === "path" || (kind === "place" && isSocket(pattern))) return checkPath(pattern);
    if (kind === "place")
      return ok({ ...pattern, parts: pattern.parts.map((part) => (typeof part === "string" ? part.toLowerCase() : part)) });
    return ok(withoutHome(pattern));
  }
  if (pattern.is !== "text") return ok(pattern);
  const { text } = pattern;
  switch (kind) {
    case "path": {
      // A path that is relative, or not in its shortest form, is a pattern: it is completed where it is used.
      const glob: CallPattern = { is: "glob", parts: [text] };
      return text.startsWith("/") ? ok(pattern) : checkPath(glob);
    }
    case "place":
      return ok({ is: "text", text: text.startsWith("/") ? text : text.toLowerCase() });
    case "flags": {
      const sorted = sortedFlags(text);
      return sorted === undefined
        ? mistake(
            `\`${text}\` is not a mode of \`open\``,
            "a mode is `create`, `truncate`, `write`, `read-write` joined by `+`, or `read`; `_` is any",
          )
        : ok({ is: "text", text: sorted });
    }
    case "octal": {
      const digits = /^(?:0o?)?([0-7]{1,5})$/.exec(text)?.[1];
      return digits === undefined
        ? mistake(`\`${text}\` is not a mode`, "a mode is octal: `0644`")
        : ok({ is: "text", text: digits.replace(/^0+(?=.)/, "").padStart(4, "0") });
    }
    case "number":
      return /^-?\d{1,20}$/.test(text) ? ok(pattern) : mistake(`\`${text}\` is not a number`, "write `_` for any");
    case "node":
      return NODE_KINDS.some((one) => one === text)
        ? ok(pattern)
        : mistake(`\`${text}\` is not a kind of node`, `known are ${NODE_KINDS.map((one) => `\`${one}\``).join(", ")}`);
    case "text":
    case "list":
      return ok(pattern);
  }
}

const isSocket = ({ parts, home }: Extract<CallPattern, { is: "glob" }>): boolean =>
  home === true || (typeof parts[0] === "string" && parts[0].startsWith("/"));

/** The path pattern that it stands for must be one. */
function checkPath(pattern: CallPattern): Result<CallPattern> {
  const text = pathTextOf(pattern);
  const read = text === undefined ? undefined : pathPattern(text);
  return read === undefined || read.ok ? ok(pattern) : read;
}

function misplaced(pattern: CallPattern, kind: CallArgumentKind, name: CallName, of: string): Mistake | undefined {
  if (kind === "list" && pattern.is !== "list" && pattern.is !== "any")
    return mistake(`the ${of} of \`${name}\` is a list`, "write `[git, status, ...]`, or `_` for any");
  if (kind !== "list" && pattern.is === "list")
    return mistake(
      `the ${of} of \`${name}\` is not a list`,
      kind === "place" ? "an address is written without brackets: `::1`" : "write it without brackets, or in quotes",
    );
  return undefined;
}

/** Nothing is wrong, but it never matches what its writer has in mind. */
function doubtOf(pattern: CallPattern, kind: CallArgumentKind, name: CallName, bare: boolean): string | undefined {
  if (kind !== "path") return undefined;
  if (pattern.is === "regex" && /^[\w~]/.test(pattern.source))
    return `\`/${pattern.source}/\` is a regular expression that no absolute path matches; a folder is written \`/${pattern.source}/**\``;
  if (pattern.is === "text" && !bare && !pattern.text.startsWith("/"))
    return `\`${pattern.text}\` in quotes is literal, and paths are absolute`;
  if (name === "exec" && pattern.is === "glob" && pattern.parts.length === 1 && pattern.home !== true) {
    const [program] = pattern.parts;
    if (typeof program === "string" && !program.includes("/"))
      return `a program is known by its path, and \`${program}\` means the file of that name in the project; write \`**/${program}\``;
  }
  return undefined;
}

function isEverything({ args }: CallMatcher): boolean {
  return args.every(({ is }) => is === "any");
}

/** It leaves open where. */
function doubtWide(matcher: CallMatcher, base: PatternBase): Doubt | undefined {
  const { name, args } = matcher;
  const example = CALL_ARGUMENTS[name].map(({ kind }) => CALL_EXAMPLES[kind] ?? "_").join(", ");
  const help = `say which: \`${name === "exec" ? "exec(_, [git, status, ...])" : `${name}(${example})`}\``;
  if (isEverything(matcher))
    return { of: "everything", message: `allows every \`${name}\` that no rule or protection speaks against`, help };
  const [mode] = args.slice(1);
  if (name === "exec" || (name === "open" && mode?.is === "text" && mode.text === "read")) return undefined;
  const open = args.some((pattern, at) => {
    const kind = CALL_ARGUMENTS[name][at]?.kind;
    if (kind === "place") return pattern.is === "any" || (pattern.is === "glob" && pattern.parts.every((part) => typeof part !== "string"));
    const text = kind === "path" ? pathTextOf(pattern) : undefined;
    return (
      (kind === "path" && pattern.is === "any") ||
      (pattern.is === "glob" && text !== undefined && ["/**", "~/**"].some((all) => patternCovers(text, all, base)))
    );
  });
  const where = CALL_ARGUMENTS[name][0]?.kind === "place" ? "for every host" : "for files anywhere, not only in the project";
  return open ? { of: "everywhere", message: `allows this ${where}`, help } : undefined;
}

const CALL_EXAMPLES: Readonly<Record<string, string>> = { place: "*.example.com", path: "src/**" };
