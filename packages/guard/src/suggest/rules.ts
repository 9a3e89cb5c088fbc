import { type Action, type ExecAction, type FileOperation, printAction, sayAction, visible, type World } from "@assent/core/action";
import { NOWHERE, type Outcome, policyFile, type PolicyReader, type PolicySource } from "../engine/index.ts";
import { isWithin, parentOf, relativePath } from "@assent/core/path";
import {
  type Effect,
  isUnoffered,
  judge,
  type JudgedAction,
  netRule,
  type Policy,
  type RequestVerdict,
  type Rule,
  type Verdict,
} from "@assent/core/policy";
import { carriesCode, hasSubcommands, namingWords, runsAnything } from "@assent/core/shell/survey";

/** Rules a person might write to allow one part of a request, the most sensible first. Each still has to prove itself. */
function suggestions({ action: part, verdict }: JudgedAction, all: readonly Action[], world: World): readonly string[] {
  const exec = part.origin.by === "command" ? all[part.origin.exec] : undefined;
  return [...ownRules(part, world, verdict.basis === "protection"), ...(exec?.kind === "exec" ? commandRules(exec) : [])];
}

/** `narrow`: what is protected is opened by its name, never with what lies beside it. */
function ownRules(action: Action, world: World, narrow: boolean): readonly string[] {
  switch (action.kind) {
    case "exec":
      return commandRules(action);
    case "file":
      return fileRules(action.operation, action.target, action.recursive === true, world).slice(narrow ? -1 : 0);
    case "net": {
      const { host, port, operation } = action;
      if (host === undefined) return [];
      const exact = netRule(host, port);
      return operation === "fetch" && (port === undefined || port === 443 || port === 80) ? [`WebFetch(domain:${host})`, exact] : [exact];
    }
    case "tool":
      // `Name(*)` means the tool, whatever its name looks like.
      return [action.name, `${action.name}(*)`];
    default:
      return [];
  }
}

const VERBS: Readonly<Record<FileOperation, string>> = {
  read: "Read",
  list: "List",
  edit: "Edit",
  write: "Edit",
  delete: "Delete",
  execute: "Exec",
  rename: "Write",
  mkdir: "Write",
  link: "Write",
  metadata: "Write",
};
/** Whoever allows one of these in a folder usually means the folder; what destroys is allowed one by one. */
const BY_FOLDER: ReadonlySet<FileOperation> = new Set(["read", "list", "edit", "write"]);

function fileRules(
  operation: FileOperation,
  target: Extract<Action, { kind: "file" }>["target"],
  recursive: boolean,
  world: World,
): readonly string[] {
  const verb = VERBS[operation];
  switch (target.kind) {
    case "path": {
      const exact = `${verb}(${pathText(target.path, world)}${recursive ? "/**" : ""})`;
      const folder = parentOf(target.path);
      return BY_FOLDER.has(operation) && !recursive && isPlace(folder, world) ? [`${verb}(${pathText(folder, world)}/**)`, exact] : [exact];
    }
    case "tree":
      return [`${verb}(${pathText(target.path, world)}/**)`];
    case "glob":
      return [`${verb}(${pathText(target.pattern, world)})`];
    case "unknown":
      return [];
  }
}

/** A folder inside a project or home, or two levels deep elsewhere: nothing that holds everything. */
function isPlace(folder: string, { projectRoot, home }: World): boolean {
  for (const base of [projectRoot, home]) if (isWithin(folder, base)) return folder !== base;
  return folder.split("/").length > 2;
}

function pathText(path: string, { projectRoot, home }: World): string {
  if (isWithin(path, projectRoot) && path !== projectRoot) return relativePath(projectRoot, path);
  return isWithin(path, home) && path !== home ? `~${path.slice(home.length)}` : path;
}

/** Words of which `Bash(...)` can be made: it knows no quotes, and `*` and `:*` mean something there. */
const isPlain = (word: string): boolean => /^[^\s'"`$\\*?[\](){};&|<>!#~]+$/.test(word) && !word.endsWith(":*");
/** What looks like the name of a subcommand, a script or a target. */
const isName = (word: string | undefined): word is string => word !== undefined && /^[a-z][\w:.-]*$/i.test(word) && !/\.\w+$/.test(word);
/** Subcommands that say nothing without the next word. */
const SELECTS: ReadonlySet<string> = new Set(["run", "run-script", "exec", "x", "dlx", "task"]);

/** Rules for a command: by its subcommand, then with its options, then as it stands. Never one that lets anything run. */
export function commandRules({ argv }: ExecAction): readonly string[] {
  const end = argv.findIndex((argument) => !argument.known);
  const words = (end === -1 ? argv : argv.slice(0, end)).map((argument) => (argument.known ? argument.text : ""));
  const [program] = words;
  if (program === undefined) return [];
  const open: (readonly string[])[] = [];
  const known = namingWords(words);
  let depth = known;
  if (known <= 1) depth = isName(words[1]) ? 2 : 1;
  else if (SELECTS.has(words[known - 1] ?? "") && isName(words[known])) depth += 1;
  if (depth > 1) open.push(words.slice(0, depth));
  let flags = depth;
  while (words[flags]?.startsWith("-") === true) flags += 1;
  // In front of a subcommand options say nothing yet.
  if (flags > depth && !hasSubcommands(words.slice(0, depth))) {
    if (known > 0) open.push(words.slice(0, flags));
    // `python3 -m pytest`
    if (isName(words[flags])) open.push(words.slice(0, flags + 1));
  }
  // A script by its path, and the file that an interpreter is given.
  if (program.includes("/")) open.push([program]);
  const [, script = ""] = words;
  if (script !== "" && !script.startsWith("-")) open.push([program, script]);
  const exact = end === -1 ? [words] : [];
  return [
    ...open.filter((line) => line.every(isPlain) && isBounded(line)).map((line) => `Bash(${line.join(" ")}:*)`),
    ...exact.filter((line) => line.every(isPlain) && isBounded(line)).map((line) => `Bash(${line.join(" ")})`),
    ...(known === 0 && isPlain(program) && isBounded([program]) ? [`Bash(${program}:*)`] : []),
  ];
}

/** By the words, which are plain: several rules of one request begin with the same. */
const surveyed = new Map<string, ReturnType<typeof runsAnything>>();
/** Of a page that shows many requests, no more is kept. */
const MOST_SURVEYED = 200;

function surveyLine(line: readonly string[]): ReturnType<typeof runsAnything> {
  const key = line.join(" ");
  let found = surveyed.get(key);
  if (found === undefined) {
    if (surveyed.size >= MOST_SURVEYED) surveyed.clear();
    surveyed.set(key, (found = runsAnything(line, NOWHERE)));
  }
  return found;
}

/** The rule names what runs: no wrapper, no code on the command line, nothing left open that decides what runs. */
function isBounded(line: readonly string[]): boolean {
  const [program = "", first = ""] = line;
  const alone = surveyLine([program]);
  if (alone.length === 0) return true;
  if (alone.some(({ runs }) => runs === "command") && namingWords(line) < 2) return false;
  if (alone.some(({ runs }) => runs === "code") && namingWords(line) < 2 && (first === "" || carriesCode(line, NOWHERE))) return false;
  return surveyLine(line).length === 0;
}

/** Reads rules as a user's policy file would: undefined where a text is no rule. */
export type RuleReader = (rules: readonly string[]) => readonly Rule[] | undefined;

/** Rules of one effect as a person would add them to their own file. */
export const rulesOf =
  (reader: PolicyReader, effect: Effect): RuleReader =>
  (rules) => {
    const text = JSON.stringify({ permissions: { [effect]: rules } });
    const policy = reader.read(
      [{ layer: "user", file: "suggestion", mayGrant: true, content: { is: "text", text } }],
      { text: "", pins: new Map() },
      () => [],
    );
    return policy.broken === undefined ? policy.rules : undefined;
  };

/**
 * The fewest rules found that would make the outcome allow, each naming an unapproved part and nothing else.
 * Every suggestion is tried on the real judge before it is made; none is made where none helps.
 */
export function changesFor(outcome: Outcome, read: RuleReader): readonly string[] {
  const { verdict, basis } = outcome;
  if (basis === undefined || verdict.decision === "allow" || verdict.actions.some((part) => isUnoffered(part.verdict.builtin))) return [];
  const { lowered, context } = basis;
  const wanted: string[] = [];
  const add = (options: readonly string[], solved: (rules: readonly string[]) => boolean): boolean => {
    if (solved(wanted)) return true;
    const found = options.find((option) => !wanted.includes(option) && solved([...wanted, option]));
    if (found !== undefined) wanted.push(found);
    return found !== undefined;
  };
  const tried = (rules: readonly string[]): RequestVerdict | undefined => underRules(outcome, rules, read);
  const settled = (find: (judged: RequestVerdict) => Verdict | undefined) => (rules: readonly string[]) => {
    const judged = tried(rules);
    return judged !== undefined && find(judged)?.decision === "allow";
  };
  for (const [at, judged] of verdict.actions.entries()) {
    if (judged.verdict.decision === "allow") continue;
    if (
      !add(
        suggestions(judged, lowered.actions, context.world),
        settled((again) => again.actions[at]?.verdict),
      )
    )
      return [];
  }
  for (const [at, { unknown, verdict: own }] of verdict.unknowns.entries()) {
    if (own.decision === "allow") continue;
    const exec = unknown.exec === undefined ? undefined : lowered.actions[unknown.exec];
    if (
      exec?.kind !== "exec" ||
      !add(
        commandRules(exec),
        settled((again) => again.unknowns[at]?.verdict),
      )
    )
      return [];
  }
  // A later rule may have answered what an earlier one was for.
  let needed: readonly string[] = wanted;
  for (const rule of wanted) {
    const fewer = needed.filter((other) => other !== rule);
    if (tried(fewer)?.decision === "allow") needed = fewer;
  }
  return tried(needed)?.decision === "allow" ? needed : [];
}

/** The same request judged again as if the user's file allowed this too. Undefined where a text is no rule, or judging had failed. */
export function underRules({ basis }: Outcome, rules: readonly string[], read: RuleReader): RequestVerdict | undefined {
  const extra = rules.length === 0 ? [] : read(rules);
  if (extra === undefined || basis === undefined) return undefined;
  const policy: Policy = { ...basis.policy, rules: [...basis.policy.rules, ...extra] };
  return judge(basis.lowered, policy, basis.context);
}

/** One part of a request that two policies judge differently. */
export interface ChangedPart {
  /** As the JSON forms and the log name it. */
  readonly text: string;
  /** As people are told. */
  readonly said: string;
  readonly before: Verdict;
  readonly after: Verdict;
}

/** The same files, with another one in place of the user's own. */
export function withUserFile(file: string): (found: readonly PolicySource[]) => readonly PolicySource[] {
  return (found) => {
    const managed = found.filter(({ layer }) => layer === "managed");
    const rest = found.filter(({ layer }) => layer !== "managed" && layer !== "user");
    return [...managed, policyFile(file, "user"), ...rest];
  };
}

/** Verdicts that differ in what they say or in the rule they rest on. */
export function differ(a: Verdict, b: Verdict): boolean {
  return (
    a.decision !== b.decision ||
    a.basis !== b.basis ||
    a.builtin !== b.builtin ||
    a.rule?.text !== b.rule?.text ||
    (a.rule === undefined && a.reason !== b.reason)
  );
}

/** The parts of one request that two policies judge differently. Both outcomes are of the same request, so the parts are the same. */
export function changedParts(before: Outcome, after: Outcome): readonly ChangedPart[] {
  const actions = before.verdict.actions.flatMap(({ action, verdict }, at): ChangedPart[] => {
    const other = after.verdict.actions[at]?.verdict;
    if (other === undefined || !differ(verdict, other)) return [];
    return [{ text: printAction(action), said: sayAction(action), before: verdict, after: other }];
  });
  const unknowns = before.verdict.unknowns.flatMap(({ unknown, verdict }, at): ChangedPart[] => {
    const other = after.verdict.unknowns[at]?.verdict;
    if (other === undefined || !differ(verdict, other)) return [];
    const text = `unknown: ${visible(unknown.reason)}`;
    return [{ text, said: text, before: verdict, after: other }];
  });
  return [...actions, ...unknowns];
}
