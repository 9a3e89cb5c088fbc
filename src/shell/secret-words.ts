import { isArray, type ShellState } from "./state.ts";
import { isHole, textOf, type Stream, type Value } from "./value.ts";

/** A variable of the environment whose name says that its text opens something. */
const SECRET =
  /(^|_)(pass|passwd|password|passphrase|pat|secrets?|tokens?|jwt|apikey|credentials?|creds?|cookie|dsn)(_|\d*$)|(^|_)(api|access|secret|private|signing|encryption|service|master|auth)_?keys?(_|$)|(secret|token|password|passwd|apikey)s?$|(^|_)database_url$/i;

export const isSecretName = (name: string): boolean => SECRET.test(name);

/** Commands that only look at their words, or keep them in variables. */
const KEEPING = new Set([
  "test",
  "[",
  ":",
  "true",
  "false",
  "export",
  "declare",
  "typeset",
  "local",
  "readonly",
  "unset",
  "read",
  "shift",
  "set",
]);

/** The secret variable of the environment that a command is handed in its words or its input, if any. */
export function secretHanded(state: ShellState, words: readonly Value[], input: Stream | undefined): string | undefined {
  const [name] = words;
  if (name !== undefined && KEEPING.has(textOf(name) ?? "")) return undefined;
  const values = input?.is === "text" ? [...words, input.value] : words;
  for (const { atoms } of values)
    for (const atom of atoms) {
      const variable = typeof atom !== "string" && isHole(atom) ? variableOf(state, atom.why) : undefined;
      if (variable !== undefined && SECRET.test(variable) && !state.variables.has(variable)) return variable;
    }
  return undefined;
}

/** How expansion describes text that is a variable's, or a part of it. */
function variableOf(state: ShellState, why: string): string | undefined {
  const [, whole, part, pointer] = /^(?:\$(\w+)(?: or its default)?|a part of \$(\w+)|the variable that \$(\w+) names)$/.exec(why) ?? [];
  if (pointer === undefined) return whole ?? part;
  const held = state.variables.get(pointer);
  return held === undefined || isArray(held) ? undefined : textOf(held);
}
