import { type Action, type CodeAction, type ExecAction, quote, type World } from "../../action/index.ts";
import { baseName } from "../../path/index.ts";
import { lowerShell } from "../index.ts";
import { aboutEntry, entriesBelow, entryFor, grammarOf, type KnowledgeEntry, type Grammar } from "../knowledge/entries.ts";
import type { Kind, Option } from "../knowledge/read-spec.ts";
import type { Examples } from "../knowledge/spec.ts";

/**
 * What knowledge says that a command could become when more words follow: for those who judge a rule
 * instead of a request. A name nobody knows stands in every open place.
 */
const FRESH = "zqx1";
const MOST_LINES = 400;

/** Source that starts a program, in the languages whose readers look for that. */
const STARTING: Readonly<Record<string, string>> = {
  awk: `BEGIN { system("${FRESH}") }`,
  sed: `1e ${FRESH}`,
};

interface FoundEntry {
  readonly grammar: Grammar;
  /** Words of `argv` that name the program and its subcommand. */
  readonly words: number;
}

/** The entry for the program and, as far as `argv` names one, the subcommand. */
function find(argv: readonly string[]): FoundEntry | undefined {
  const spec = entryFor(baseName(argv[0] ?? ""));
  if (spec === undefined) return undefined;
  let found: FoundEntry = { grammar: grammarOf(spec), words: 1 };
  for (;;) {
    const { grammar, words } = found;
    const candidates = grammar.subcommands?.named.get(argv[words] ?? "") ?? [];
    const fits = candidates
      .filter((candidate) => candidate.words.every((word, at) => argv[words + at] === word))
      .toSorted((a, b) => b.words.length - a.words.length)[0];
    if (fits === undefined) return found;
    found = { grammar: grammarOf(fits.spec, grammar), words: words + fits.words.length };
  }
}

/** True when the program, at the place that `argv` reaches, goes on with subcommands: `git`, `gh pr`. */
export function hasSubcommands(argv: readonly string[]): boolean {
  const found = find(argv);
  if (found?.grammar.subcommands === undefined) return false;
  const rest = argv.slice(found.words);
  const [first] = rest;
  if (first === undefined) return true;
  const candidates = found.grammar.subcommands.named.get(first) ?? [];
  return candidates.some(({ words }) => words.length > rest.length && rest.every((word, at) => words[at] === word));
}

/** True where the tables have an entry for the program. */
export const isKnown = (program: string): boolean => entryFor(baseName(program)) !== undefined;

/** True where the tables list the option for the program, or for the subcommand that `argv` names. */
export const takesOption = (argv: readonly string[], option: string): boolean => find(argv)?.grammar.options.has(option) === true;

/** How many leading words name the program and its subcommand; 0 for a program without an entry. */
export function namingWords(argv: readonly string[]): number {
  return find(argv)?.words ?? 0;
}

function valueOf(kind: Kind): string {
  if (kind.is === "number") return "1";
  if (kind.is === "env") return `${FRESH.toUpperCase()}=1`;
  return STARTING[kind.is] ?? FRESH;
}

/** One way in which a command line can go on, and what the added words are. */
interface Continuation {
  readonly argv: readonly string[];
  readonly by: "operand" | "option" | "subcommand";
}

function withOption(argv: readonly string[], option: Option): readonly Continuation[] {
  const name = option.names.find((one) => one.startsWith("-")) ?? option.names[0] ?? "";
  // What follows such an option is a command of its own: `fd -x`, `parallel`.
  const by = option.consequences.some(({ then }) => then === "rest") ? "operand" : "option";
  if (option.argument === "none") return [{ argv: [...argv, name, FRESH], by }];
  const value = valueOf(option.kind);
  if (option.argument === "optional") return [{ argv: [...argv, name.startsWith("--") ? `${name}=${value}` : `${name}${value}`], by }];
  const given = [...argv, name, value, ...(option.second === undefined ? [] : [valueOf(option.second)])];
  return [
    { argv: given, by },
    { argv: [...given, FRESH], by },
  ];
}

/** Command lines that begin with `argv` and go on in the ways that knowledge lists, one after the other. */
function continuations(argv: readonly string[]): readonly Continuation[] {
  const found = find(argv);
  const lines: Continuation[] = [
    { argv: [...argv, FRESH], by: "operand" },
    { argv: [...argv, FRESH, FRESH], by: "operand" },
  ];
  if (found === undefined) return lines;
  const { grammar, words } = found;
  for (const { kind } of grammar.slots ?? []) if (kind.is in STARTING) lines.push({ argv: [...argv, valueOf(kind)], by: "operand" });
  // Expressions of their own are read by analysers; find(1) is the one that starts programs.
  if (grammar.style === "none") lines.push({ argv: [...argv, "-exec", FRESH, ";"], by: "operand" });
  if (argv.length === words)
    for (const all of grammar.subcommands?.named.values() ?? [])
      for (const sub of all) for (const more of [[], [FRESH]]) lines.push({ argv: [...argv, ...sub.words, ...more], by: "subcommand" });
  for (const option of new Set(grammar.options.values())) lines.push(...withOption(argv, option));
  return lines.slice(0, MOST_LINES);
}

/** The examples of the tables for a program and its subcommands, as command lines with the verdict of the default preset. */
export function examplesOf(program: string): readonly { readonly line: string; readonly verdict: keyof Examples }[] {
  const spec = entryFor(baseName(program));
  if (spec === undefined) return [];
  const out: { line: string; verdict: keyof Examples }[] = [];
  const collect = (entry: KnowledgeEntry): void => {
    const { examples } = aboutEntry(entry);
    for (const verdict of ["allow", "none", "ask", "deny"] as const)
      for (const line of examples?.[verdict] ?? []) out.push({ line, verdict });
    for (const below of entriesBelow(entry)) collect(below.entry);
  };
  collect(spec);
  return out;
}

/** What an open command could be made to run. */
export type Running =
  /** Source or a script of which the command line alone decides. */
  | "code"
  /** Another program, which is judged by itself. */
  | "command"
  /** A package of a registry, fetched when it is not there. */
  | "package";

export interface SurveyedRun {
  readonly runs: Running;
  readonly argv: readonly string[];
}

const sameCode = (a: CodeAction, b: CodeAction): boolean => a.language === b.language && a.source === b.source && a.detail === b.detail;

function startsFresh(action: Action): boolean {
  return action.kind === "exec" && action.argv[0]?.known === true && action.argv[0].text === FRESH;
}

/** Code of the command itself, not of another that it starts. */
function ownCode(actions: readonly Action[]): readonly CodeAction[] {
  const first = actions.findIndex((action): action is ExecAction => action.kind === "exec");
  return actions.filter(
    (action): action is CodeAction =>
      action.kind === "code" && action.foreign !== true && action.origin.by === "command" && action.origin.exec === first,
  );
}

/**
 * Whether what follows `argv` decides what runs: `python3` runs any code, `xargs` any command, `npx` any package.
 * Derived from the tables: every option and operand is tried. What `argv` runs by itself (`node build.js`, `npm test`) does not count.
 */
export function runsAnything(argv: readonly string[], world: World): readonly SurveyedRun[] {
  // Through the shell, so that its builtins (`eval`, `source`) are known, too.
  const lower = (line: readonly string[]): readonly Action[] => lowerShell(line.map(quote).join(" "), { world }).actions;
  const base = ownCode(lower(argv));
  const out: SurveyedRun[] = [];
  const add = (runs: Running, line: readonly string[]): void => {
    if (!out.some((run) => run.runs === runs)) out.push({ runs, argv: line });
  };
  for (const { argv: line, by } of continuations(argv)) {
    const actions = lower(line);
    const code = ownCode(actions).filter((one) => !base.some((before) => sameCode(before, one)));
    // Who runs the project's code by itself opens nothing by another file of it (`make -f other.mk`).
    const open = code.filter(({ source }) => source !== "project" && !(source === "file" && base.some((one) => one.source === "project")));
    if (open.some(({ language }) => !CLOSED.has(language))) add("code", line);
    if (fetchesProgram(line, argv.length)) add("package", line);
    // An option that starts a program makes no wrapper: only the place where the operands stand does.
    if (by === "operand" && actions.some(startsFresh)) add("command", line);
  }
  return out;
}

/** True when a command line carries source of its own (`python3 -c …`), and does not just name what runs (`python3 -m pytest`). */
export function carriesCode(argv: readonly string[], world: World): boolean {
  const code = ownCode(lowerShell(argv.map(quote).join(" "), { world }).actions);
  return code.some(({ language, source }) => source === "inline" && language !== "python-module" && !CLOSED.has(language));
}

/** Languages without a way out, and what the project has settled. */
const CLOSED: ReadonlySet<string> = new Set(["project", "jq", "yq"]);

/** The next word names a program that is fetched and run, and what follows is its own. */
function fetchesProgram(line: readonly string[], given: number): boolean {
  const found = find(line);
  if (found === undefined || line.length === found.words || found.grammar.style !== "posix") return false;
  // `npx tsc` has named it.
  if (line.slice(found.words, given).some((word) => !word.startsWith("-"))) return false;
  const { effects } = found.grammar;
  return effects.some(({ is }) => is === "code") && effects.some((effect) => effect.is === "remote" && effect.operation === "read");
}
