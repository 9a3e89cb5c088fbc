import { type Argument, brief, type ExecAction, printArgument } from "../action/index.ts";
import { baseName } from "../path/index.ts";
import {
  AGENT_ALIASES,
  AGENT_OPTIONS,
  AGENT_PROGRAMS,
  AGENT_WITHIN,
  CHANGING_WORDS,
  PRINTING_WORDS,
  PROGRAM_OF_PACKAGE,
} from "./agent-table.ts";

/**
 * The agents' own command lines, where they change what an agent starts or may do: `NAME mcp add`, `NAME features disable
 * hooks`, `NAME --add-mcp`. And an agent that is started with its hooks or its questions switched off. Which programs they
 * are, and what only one of them understands, stands in the agents' own files.
 */

const RUNNERS: ReadonlySet<string> = new Set("npx npm pnpm pnpx yarn bunx bun node nodejs deno dlx uvx pipx".split(" "));

/** What of an agent is changed, and how: `mcp add`, `plugin install`, `config set`, `features disable`. */
const AREA = new RegExp(
  "^(?:mcp|mcp-server|mcp-servers|plugin|plugins|config|settings|setting|hook|hooks|extension|extensions|ext|permission|" +
    "permissions|skill|skills|agents?|features?|marketplace|trust|tools?|custom-modes?|modes?|profiles?|rules?|toolbox)$",
);
const CHANGE = new RegExp(
  "^(?:add|add-json|add-from-[a-z-]+|import|remove|rm|delete|del|install|i|uninstall|un|enable|disable|set|unset|update|" +
    "upgrade|link|unlink|new|create|edit|write|put|reset|reset-[a-z-]+|toggle|allow|trust|approve|migrate|restore|login|" +
    "configure|turn-off|off|on)$",
);

/** Options that change settings, or start an agent that nobody watches, beyond those that one agent alone has. */
const OPTION = new RegExp(
  "^(?:--dangerously-.*|--allow-dangerously-.*|--skip-permissions.*|--allow-all(?:-.*)?|--no-hooks|--disable-hooks|" +
    "--hooks-dir|--force-allow|--auto-approve-.*|--trust-folder)(?:=.*)?$",
);
/** Of a value: it names hooks, or switches approvals off. */
const VALUE = /hooks?\b|bypassPermissions|danger-full-access|approval[-_]policy|approval[-_]mode|mcp_?servers|^yolo$|^never$/i;
const VALUED = /^(?:-c|--config|--disable|--enable|--permission-mode|--approval-mode|--ask-for-approval|-a|--auto|--sandbox|-s)$/;

/** The words of a call of an agent's command line, for people, and what it does; undefined for any other. */
export function agentCall(action: ExecAction): { readonly words: string; readonly does: "changes" | "prints" } | undefined {
  const [start, ...rest] = action.argv;
  if (start === undefined || !start.known) return undefined;
  const own = nameOf(start.text);
  const [name, args] = RUNNERS.has(own) ? packageIn(rest) : [own, rest];
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

const read = <Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

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
    if (program !== undefined) return [program, args.slice(at + 1)];
  }
  return [undefined, []];
}

function changes(name: string, args: readonly Argument[]): boolean {
  const words = args.map(text);
  const operands = words.filter((word) => word === undefined || !word.startsWith("-"));
  const first = operands[0]?.toLowerCase();
  if (first !== undefined && read(CHANGING_WORDS, name)?.includes(first) === true) return true;
  for (const [at, word] of words.entries()) {
    if (word === "--" && !Object.hasOwn(AGENT_WITHIN, name)) break;
    if (word !== undefined && (OPTION.test(word) || AGENT_OPTIONS.includes(word.replace(/=.*$/s, "")))) return true;
    const [option = "", attached] = word?.startsWith("-") === true ? word.split(/=(.*)/s) : [];
    const value = attached ?? words[at + 1];
    if (VALUED.test(option) && value !== undefined && VALUE.test(value)) return true;
    // An option between the two words, or its value, hides nothing.
    const next = words.slice(at + 1, at + 5).find((each) => each === undefined || !each.startsWith("-"));
    if (next === undefined || !CHANGE.test(next.toLowerCase())) continue;
    if (word === undefined || AREA.test(word.toLowerCase())) return true;
  }
  return false;
}
