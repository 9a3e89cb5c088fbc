import { LAUNCHER } from "#knowledge/traits";
import { type Argument, brief, type ExecAction, printArgument } from "../../action/index.ts";
import { baseName } from "../../path/index.ts";
import {
  AGENT_ALIASES,
  AGENT_OPTIONS,
  AGENT_PROGRAMS,
  AGENT_WITHIN,
  CHANGING_WORDS,
  OWN_OPTIONS,
  PRINTING_WORDS,
  PROGRAM_OF_PACKAGE,
  VALUED_OPTIONS,
} from "./agent-table.ts";

/**
 * The agents' own command lines, where they change what an agent starts or may do: `NAME mcp add`, `NAME features disable
 * hooks`, `NAME --add-mcp`. And an agent that is started with its hooks or its questions switched off. Which programs they
 * are, and what only one of them understands, stands in the agents' own files.
 */

/** What of an agent is changed, and how: `mcp add`, `plugin install`, `config set`, `features disable`. */
const AREA = new RegExp(
  "^(?:mcp|mcp-server|mcp-servers|plugin|plugins|config|settings|setting|hook|hooks|extension|extensions|ext|permission|" +
    "permissions|skill|skills|agents?|features?|marketplace|trust|tools?|custom-modes?|modes?|profiles?|rules?|toolbox|sources?|auto-mode)$",
);
const CHANGE = new RegExp(
  "^(?:add|add-json|add-from-[a-z-]+|import|eval|remove|rm|delete|del|install|i|uninstall|un|enable|disable|set|unset|update|" +
    "upgrade|link|unlink|new|create|edit|write|put|reset|reset-[a-z-]+|toggle|allow|trust|approve|migrate|restore|login|" +
    "configure|init|turn-off|off|on)$",
);

/** Options that by their own words change settings, or start an agent with less around it or with nobody to watch, whichever it is. */
const LOOSENING =
  "trust(?:ed)?|policy|guard|yolo|extension|plugin|settings|permissions?|approve|approval|consent|bypass|insecure|mcp-config|acp|" +
  "autonomous|autonomy|responses|allow|allowed-tools|accept|hooks?|recipe|scripts?|script-file|endpoints?|[a-z]+-url";
const LOOSENING_OPTION = new RegExp(
  "^--(?:dangerously-.*|no-hooks|(?:remote|on)-[a-z-]+|" +
    "(?:skills|config|data|augment-cache|runner)-dir|" +
    `(?!(?:no|deny|strict|require|include|non-interactive)-|approve-reads$|.*-help$)(?:[a-z-]+-)?(?:${LOOSENING})(?:-[a-z-]+)?)$`,
);
export const isLoosening = (option: string): boolean => LOOSENING_OPTION.test(option) && !VALUED_OPTIONS.includes(option);

/** Of a value: it names hooks, or switches approvals off. */
const VALUE = new RegExp(
  "hooks?\\b|bypassPermissions|danger-full-access|approvals?[-_](?:policy|mode|reviewer)|mcp_?servers|" +
    "^(?:yolo|never|auto|medium|high|autopilot|(?:auto[-_]?|accept-?)edits?|dont-?ask)$",
  "i",
);

/** The words of a call of an agent's command line, for people, and what it does; undefined for any other. */
export function agentCall(action: ExecAction): { readonly words: string; readonly does: "changes" | "prints" } | undefined {
  const [start, ...rest] = action.argv;
  if (start === undefined || !start.known) return undefined;
  const own = nameOf(start.text);
  const [name, args] = LAUNCHER.has(own) ? packageIn(rest) : [own, rest];
  if (name === undefined || !isAgent(name, args)) return undefined;
  const does = prints(name, args) ? "prints" : changes(name, args) ? "changes" : undefined;
  return does === undefined ? undefined : { words: brief([name, ...args.map(printArgument)].join(" "), 60), does };
}

/** It prints a key or a token that it was given to keep. */
function prints(name: string, args: readonly Argument[]): boolean {
  const words = args.map(text);
  return read(PRINTING_WORDS, name)?.some((all) => all.split(" ").every((word) => words.includes(word))) === true;
}

/** Of a program that is an agent by one subcommand alone, the rest is everyday life. */
const isAgent = (name: string, args: readonly Argument[]): boolean =>
  AGENT_PROGRAMS.includes(name) || (Object.hasOwn(AGENT_WITHIN, name) && text(args[0]) === AGENT_WITHIN[name]);

const nameOf = (word: string): string =>
  baseName(word)
    .toLowerCase()
    .replace(/\.(?:js|mjs|cjs|cmd|exe|sh)$/, "");
const text = (argument: Argument | undefined): string | undefined => (argument?.known === true ? argument.text : undefined);

/** By the names of a host's programs: `kilo|kilocode`. */
const read = <Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.entries(table).find(([names]) => names.split("|").includes(name))?.[1];

/** Any package of an agent counts, wherever it stands: what runs it is an agent's. */
function packageIn(args: readonly Argument[]): readonly [name: string | undefined, args: readonly Argument[]] {
  for (const [at, argument] of args.entries()) {
    const word = text(argument);
    if (word === undefined || word.length > 4096) continue;
    const value = word.startsWith("--package=") ? word.slice(10) : word;
    const inside = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(value)?.[1];
    const plain = (inside ?? value)
      .replace(/^npm:/, "")
      .replace(/(.)@[^/]*$/, "$1")
      .toLowerCase();
    const program = read(PROGRAM_OF_PACKAGE, plain) ?? (inside === undefined && AGENT_ALIASES.includes(plain) ? plain : undefined);
    // `npm exec --package=NAME -- PROGRAM`
    if (program !== undefined) return [program, args.slice(at + (text(args[at + 1]) === "--" ? 2 : 1))];
  }
  return [undefined, []];
}

/** yargs takes `--safeMode` for `--safe-mode`. */
const spelled = (word: string): string =>
  word.replace(/^--[^=]*/, (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));

/** An abbreviation is one where it cannot be another word, nor whole words of a longer one: `--sandbox` is not `--sandbox-image`. */
const LEAST_ABBREVIATED = 8;

function isOption(word: string, options: readonly string[]): boolean {
  const name = word.replace(/=.*$/s, "");
  if (options.includes(name) || (name.length === 3 && options.includes(name.slice(1)))) return true;
  if (name.startsWith("--"))
    return name.length >= LEAST_ABBREVIATED && options.some((option) => option.startsWith(name) && option[name.length] !== "-");
  // `-dy`, but for who has options such as `-ne`.
  const isClustered = /^-[A-Za-z]{2,5}$/.test(name) && !options.some((option) => /^-[a-z]{2}/.test(option));
  return isClustered && [...name].some((letter) => options.includes(`-${letter}`));
}

/** `--approval-mode=yolo`, `-anever`: the option and the value that is attached to it. */
function partsOf(word = ""): readonly [option: string, value: string | undefined] {
  const [, name, value]: readonly (string | undefined)[] = /^(--[^=]+)=(.*)$/s.exec(word) ?? /^(-[A-Za-z])=?(.+)$/s.exec(word) ?? [];
  return [name ?? word, value];
}

function changes(name: string, args: readonly Argument[]): boolean {
  const words = args.map((argument) => (argument.known ? spelled(argument.text) : undefined));
  const changing = read(CHANGING_WORDS, name) ?? [];
  const isChanging = (word: string | undefined): boolean => word !== undefined && changing.includes(word.toLowerCase());
  // A word behind an option may be its value.
  const first = words.find((word, at) => isChanging(word) || !(word?.startsWith("-") || words[at - 1]?.startsWith("-")));
  if (isChanging(first) && !(words.length === 2 && words[1] === "--help")) return true;
  const options = [...AGENT_OPTIONS, ...(read(OWN_OPTIONS, name) ?? [])];
  for (const [at, word] of words.entries()) {
    if (word === "--" && !Object.hasOwn(AGENT_WITHIN, name)) break;
    const [option, attached] = partsOf(word);
    if (word !== undefined && (isOption(word, options) || isLoosening(option))) return true;
    const value = attached ?? words[at + 1];
    if (VALUED_OPTIONS.includes(option) && value !== undefined && VALUE.test(value)) return true;
    // An option between the two words, or its value, hides nothing.
    const next = words.slice(at + 1, at + 5).find((each) => each === undefined || !each.startsWith("-"));
    if (next === undefined || !CHANGE.test(next.toLowerCase())) continue;
    if (word === undefined || AREA.test(word.toLowerCase())) return true;
  }
  return false;
}
