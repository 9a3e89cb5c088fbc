import { INERT, PREFIX, SHELL, WRAPPER } from "#knowledge/traits";
import type { ExecAction, Lowered } from "../action/index.ts";
import { baseName } from "../path/index.ts";
import { type Verdict, verdictOf } from "./match/verdict.ts";
import { argv0 } from "./verdicts.ts";

/**
 * What agentperm knew of the shell itself: all that speaks under `"preset": "none"`
 * where no rule does.
 */

const PREDICATES: ReadonlySet<string> = new Set(["[", "[[", "((", "test"]);

const inert = (reason: string): Verdict => verdictOf("allow", "shell.intrinsic", { reason });

const PREDICATE = inert("a test, which changes nothing");
const BUILTIN = inert("a part of the shell that changes nothing");
const LOOKUP = inert("it only looks up where a command is");
const UNWRAPPED = inert("the command that it starts is listed by itself");

/** `[ … ]`, `[[ … ]]` and `(( … ))` are never a command of their own. */
export function judgePredicate(action: ExecAction): Verdict | undefined {
  return action.builtin === true && PREDICATES.has(nameOf(action)) ? PREDICATE : undefined;
}

/** Behind the rules: lookups, wrappers, inert builtins. `at` is the place of the command among the actions. */
export function judgeBuiltin(action: ExecAction, at: number, { actions }: Lowered): Verdict | undefined {
  const name = nameOf(action);
  if (name === "command" && isLookup(action)) return LOOKUP;
  if (PREFIX.has(name)) return action.knowledge === undefined ? opaque(action) : UNWRAPPED;
  if (SHELL.has(name)) {
    // With a script of its own it is a program like any other.
    const runsScript = actions.some((other) => other.kind === "code" && other.origin.by === "command" && other.origin.exec === at);
    return action.knowledge !== undefined && !runsScript ? UNWRAPPED : undefined;
  }
  if (WRAPPER.has(name)) return opaque(action);
  return action.builtin === true && INERT.has(name) ? BUILTIN : undefined;
}

/** A wrapper with an option nobody listed may run something else than it seems to. */
export function judgeWrapper(action: ExecAction): Verdict | undefined {
  const name = nameOf(action);
  return PREFIX.has(name) || SHELL.has(name) || WRAPPER.has(name) ? opaque(action) : undefined;
}

function nameOf(action: ExecAction): string {
  const word = action.argv[0];
  return word?.known === true ? baseName(word.text) : action.program;
}

function isLookup(action: ExecAction): boolean {
  const option = action.argv[1];
  return option?.known === true && /^-p?[vV]+$/.test(option.text);
}

function opaque(action: ExecAction): Verdict {
  return verdictOf("ask", "shell.wrapper", { reason: `'${argv0(action.argv)}' starts another command in a way that Assent cannot follow` });
}
