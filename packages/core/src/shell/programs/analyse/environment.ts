// Programs that show, fill or empty the environment.
import { applyEffect } from "../effects.ts";
import { startWithFile, takeAway } from "../environment.ts";
import { refuse, type Invocation } from "../invocation.ts";
import { plainVariable } from "../../languages/environment.ts";
import { textOf } from "../../words/value.ts";
import { has, valuesOf } from "../given.ts";

const SHOWS_OR_WRITES: ReadonlySet<string> = new Set(["list", "get", "set", "unset", "encrypt", "decrypt", "keypair", "rotate"]);

/** `dotenv COMMAND…`, `dotenv run COMMAND…`, `dotenvx run -- COMMAND…`, and subcommands that show or change what the file holds. */
export function dotenv(inv: Invocation): void {
  const words = inv.args.operands;
  const [word] = words;
  const first = word === undefined ? undefined : textOf(word);
  if (first !== undefined && SHOWS_OR_WRITES.has(first))
    return refuse(inv, `${inv.name} shows or changes variables, which may hold secrets`);
  let at = first === "run" ? 1 : 0;
  const next = words[1];
  if (at === 1 && next !== undefined && textOf(next) === "--") at = 2;
  const command = words.slice(at);
  const [program] = command;
  if (program === undefined) return;
  if (textOf(program)?.startsWith("-") === true) return refuse(inv, `${inv.name} has no known option \`${textOf(program)}\``);
  startWithFile(inv, command);
}

/** `envdir FOLDER COMMAND…` and `env-cmd -f FILE COMMAND…`. */
export function variablesOfFile(inv: Invocation): void {
  const words = inv.args.operands;
  const command = inv.name.endsWith("envdir") ? words.slice(1) : words;
  if (command.length === 0) return refuse(inv, `${inv.name} is given no command`);
  startWithFile(inv, command);
}

/** env(1): what it takes out of the environment. It runs before the words that set something. */
export function envRemoves(inv: Invocation): void {
  const all = has(inv, "-i", "-");
  takeAway(inv.state, (name) => all || valuesOf(inv, "-u").some((value) => (textOf(value) ?? name) === name));
}

/** A word of a variable's name that says it holds, or leads to, a secret. */
const SECRET = new RegExp(
  "(^|_)(pass|passwd|password|passphrase|pwd|pat|secrets?|tokens?|jwt|keys?|apikey|auth|authorization|credentials?|creds?|" +
    String.raw`cookies?|session|private|cert|signing|salt|dsn|url|uri|conn|connection|webhook|otp|pin)(_|\d*$)|(secret|token|password|passwd|apikey)s?$`,
  "i",
);

/** Without a name, everything is printed. */
export function printenv(inv: Invocation): void {
  const names = inv.args.operands.map((operand) => textOf(operand));
  if (names.length === 0 || names.some((name) => name === undefined || (!plainVariable(name) && SECRET.test(name))))
    applyEffect(inv, { is: "environment" });
}
