import {
  type AndOr,
  type Command,
  type CommandNode,
  forEachChild,
  type Pipeline,
  type Redirection,
  type Statement,
  type SyntaxNode,
  type Word,
} from "unbash";
import type { InTwo } from "../../action/index.ts";
import { parseShell } from "../words/parse.ts";

/** Words by which a shell changes itself, or does not come back; `command` and `builtin` start these. */
const CHANGES_SHELL: ReadonlySet<string> = new Set(
  (
    ". alias autoload bg bind break builtin caller cd chdir command complete compgen compopt continue coproc declare dirs disown emulate " +
    "enable eval exec exit export fc fg float getopts hash help history integer jobs kill let local logout mapfile noglob nocorrect popd " +
    "print pushd read readarray readonly return set setopt shift shopt source suspend times trap typeset ulimit umask unalias unhash unset " +
    "unsetopt wait zmodload"
  ).split(" "),
);
/** What knows of more than the status: the pipe before, the last word, jobs, the shell's number. */
const KNOWS_MORE = /PIPESTATUS|pipestatus|\$\$|\$\{\$|\$_|\$\{_|\$!|\$\{!|BASH_|LINENO|\bhistory\b|\bfc\b/;
const MOST = 8;

/**
 * Every way to cut a line in two behind a command, shortest first part first, so that both, one after the other in shells of their own,
 * do what the line does in one: what stands before the cut changes nothing of the shell but its folder (`cd WORD`) and options (`set -e`),
 * and both parts begin with these.
 */
export function inTwo(source: string): readonly InTwo[] {
  const parsed = parseShell(source);
  if (!parsed.ok || parsed.script.errors !== undefined || KNOWS_MORE.test(source)) return [];
  const { commands } = parsed.script;
  const steps = commands.flatMap((statement) => stepsOf(statement));
  let lead = 0;
  while (lead < steps.length && isLead(steps[lead])) lead++;
  const cuts: InTwo[] = [];
  const first = steps[lead];
  if (first === undefined || (lead > 0 && first.by === "||")) return [];
  const exits = steps.slice(0, lead).some(({ is }) => is === "set");
  // bash(1), `set -u`: an unset variable ends the shell, whatever follows, and no status says so.
  const unset = steps.slice(0, lead).some(({ is, node }) => is === "set" && /\s-[eo]*u/.test(source.slice(node.pos, node.end)));
  for (let at = lead; at < steps.length - 1 && at - lead < MOST; at++) {
    const step = steps[at];
    if (step?.is !== "looks" || (unset && expands(step.node))) break;
    // Whether a folder that could not be entered ended the chain, or `set -e` the line, is not in the status of several.
    const alone = first.by === undefined ? !exits : step.statement === first.statement && step.by === "&&" && !exits;
    if (at > lead && !alone) break;
    cuts.push({ first: source.slice(0, step.node.end), rest: [source.slice(0, first.node.pos), source.slice(step.node.end)] });
  }
  return cuts;
}

interface Step {
  readonly is: "cd" | "set" | "looks" | "other";
  readonly node: SyntaxNode & { readonly pos: number; readonly end: number };
  readonly statement: Statement;
  /** What joins it to the step before it in the same statement. */
  readonly by: "&&" | "||" | undefined;
}

const isLead = (step: Step | undefined): boolean => (step?.is === "cd" || step?.is === "set") && step.by !== "||";

function stepsOf(statement: Statement): readonly Step[] {
  const { command } = statement;
  const parts: readonly AndOr["commands"][number][] = command.type === "AndOr" ? command.commands : [command];
  return parts.map((node, at): Step => {
    const by = command.type === "AndOr" && at > 0 ? command.operators[at - 1] : undefined;
    return { is: statement.background === true ? "other" : kindOf(node), node, statement, by };
  });
}

function kindOf(node: Pipeline | CommandNode): Step["is"] {
  if (node.type === "Pipeline") return node.prefixes.length === 0 && node.commands.every((one) => looks(one)) ? "looks" : "other";
  if (node.type !== "Command") return "other";
  const [word, ...more] = wordsOf(node);
  if (word === "cd") return more.length === 1 && more[0] !== undefined && /^[^-]/.test(more[0]) && isPlain(node) ? "cd" : "other";
  if (word === "set")
    return more.every((one) => one !== undefined && /^(?:-[euo]+|pipefail)$/.test(one)) && isPlain(node) ? "set" : "other";
  return looks(node) ? "looks" : "other";
}

/** Its words as far as they are literal. */
const wordsOf = ({ name, args }: Command): readonly (string | undefined)[] =>
  [name, ...args].map((word) => (word !== undefined && word.type === "Word" && isLiteral(word) ? word.value : undefined));

const isLiteral = ({ parts = [] }: Word): boolean =>
  parts.every(({ type }) => type === "Literal" || type === "SingleQuoted") ||
  parts.every((part) => part.type === "DoubleQuoted" && part.parts.every(({ type }) => type === "Literal"));

const isPlain = ({ prefix, redirects }: Command): boolean => prefix.length === 0 && redirects.length === 0;

/** A program, or a builtin that leaves the shell as it was, with words that change nothing of it either. */
function looks(node: CommandNode): boolean {
  if (node.type !== "Command" || node.prefix.length > 0) return false;
  const [word, option] = wordsOf(node);
  if (word === undefined || !/^[\w./+-]+$|^[:[]$/.test(word)) return false;
  if (CHANGES_SHELL.has(word) || (word === "printf" && option?.startsWith("-") !== false)) return false;
  return node.redirects.every(isQuiet) && !changesShell(node);
}

/** `2>&1`, `>/dev/null`: nothing is read from further lines, and no descriptor stays open. */
const isQuiet = (redirect: Redirection): boolean => redirect.type === "Redirect" && redirect.descriptor?.type !== "FileDescriptorVariable";

/** `${x:=1}` and arithmetic may set a variable, which the second part would not know. */
function changesShell(node: SyntaxNode): boolean {
  if (node.type === "ParameterExpansion" || node.type === "ArithmeticExpansion" || node.type === "ArithmeticCommandExpansion") return true;
  // A shell of its own, but for `${ LIST; }` (bash 5.3).
  if (node.type === "CommandExpansion" && node.text.startsWith("${")) return true;
  if (node.type === "CommandExpansion" || node.type === "ProcessSubstitution") return false;
  let found = false;
  forEachChild(node, (child) => {
    found ||= changesShell(child);
  });
  return found;
}

/** Whether some of a line may go on when the line has ended: it is put into the background, or cannot be read. */
export function leavesJobs(source: string): boolean {
  const parsed = parseShell(source);
  return !parsed.ok || hasJob(parsed.script);
}

function hasJob(node: SyntaxNode): boolean {
  let found = node.type === "Coproc" || (node.type === "Statement" && node.background === true);
  forEachChild(node, (child) => {
    found ||= hasJob(child);
  });
  return found;
}

/** Whether it has a variable, in a shell of its own as well. */
function expands(node: SyntaxNode): boolean {
  if (node.type.endsWith("Expansion")) return true;
  let found = false;
  forEachChild(node, (child) => {
    found ||= expands(child);
  });
  return found;
}
