import { KEEPS } from "#knowledge/traits";
import { namesCode, readVariable } from "../knowledge/environment.ts";
import { isArray, type ShellState } from "../words/state.ts";
import { isHole, textOf, type Stream, type Value } from "../words/value.ts";

/** A variable of the environment whose name says that its text opens something. */
const SECRET = new RegExp(
  String.raw`(^|_)(pass|passwd|password|passphrase|pat|secrets?|tokens?|jwt|apikey|credentials?|creds?|cookie|dsn)(_|\d*$)|(^|` +
    "_)(api|access|secret|private|signing|encryption|service|master|auth)_?keys?(_|$)|(secret|token|password|passwd|" +
    "apikey)s?$|(^|_)database_url$",
  "i",
);

export const isSecretName = (name: string): boolean => SECRET.test(name);

/** The secret variable of the environment that a command is handed in its words or its input, if any. */
export function secretHanded(state: ShellState, words: readonly Value[], input: Stream | undefined): string | undefined {
  const [name] = words;
  if (name !== undefined && KEEPS.has(textOf(name) ?? "")) return undefined;
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

/** Folders of programs that only an administrator changes, and the PATH that is there already. */
const SYSTEM_PATH = /^(?:\/(?:usr\/(?:local\/)?)?s?bin|\/opt\/homebrew\/s?bin|\$\{?(?:env:)?PATH\}?)$/;

/**
 * What a variable with this value does to a program of which nothing else is known: to a server that a settings file starts,
 * or to what a server's tool is asked to run. Undefined: nothing that the tables know, or only more of its own code.
 */
export function whatVariableControls(name: string, value: string): string | undefined {
  const known = readVariable(name, value);
  if (typeof known === "string" || known.guessed === true || known.unfit === true || isSecretName(name)) return undefined;
  if (name === "PATH" && value.split(":").every((folder) => SYSTEM_PATH.test(folder))) return undefined;
  // Its own code in its own folder.
  if (namesCode(name) && value.split(":").every((part) => !/^[/~$]|(?:^|\/)\.\.(?:\/|$)/.test(part))) return undefined;
  return known.controls;
}
