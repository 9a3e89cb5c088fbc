import { namesCode, readVariable } from "./knowledge/environment.ts";
import { isSecretName } from "./secret-words.ts";

/** Folders of programs that only an administrator changes, and the PATH that is there already. */
const SYSTEM_PATH = /^(?:\/(?:usr\/(?:local\/)?)?s?bin|\/opt\/homebrew\/s?bin|\$\{?(?:env:)?PATH\}?)$/;

/**
 * What a variable with this value does to a program of which nothing else is known: to a server that a settings file starts,
 * or to what a server's tool is asked to run. Undefined: nothing that the tables know, or only more of its own code.
 */
export function whatVariableSteers(name: string, value: string): string | undefined {
  const known = readVariable(name, value);
  if (typeof known === "string" || known.guessed === true || known.unfit === true || isSecretName(name)) return undefined;
  if (name === "PATH" && value.split(":").every((folder) => SYSTEM_PATH.test(folder))) return undefined;
  // Its own code in its own folder.
  if (namesCode(name) && value.split(":").every((part) => !/^[/~$]|(?:^|\/)\.\.(?:\/|$)/.test(part))) return undefined;
  return known.steers;
}
