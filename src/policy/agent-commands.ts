import { type Argument, brief, type ExecAction, printArgument } from "../action/index.ts";
import { baseName } from "../path/index.ts";

/**
 * The agents' own command lines, where they change what an agent starts or may do: `claude mcp add`, `codex features
 * disable hooks`, `code --add-mcp`. And an agent that is started with its hooks or its questions switched off.
 */

/** By program. */
const PROGRAMS: ReadonlySet<string> = new Set(
  (
    "claude codex gemini qwen copilot cursor cursor-agent opencode kilo kilocode amp droid cline crush goose aider kiro kiro-cli q pi auggie junie " +
    "windsurf code code-insiders codium vscodium code-server trae agy antigravity cn zed zeditor roo vibe kimi grok warp warp-cli devin continue gh"
  ).split(" "),
);

/** By package, for `npx` and its like; the version and what stands in front of the last `/` are left out. */
const PACKAGES: ReadonlySet<string> = new Set(
  (
    "@anthropic-ai/claude-code @openai/codex @google/gemini-cli @qwen-code/qwen-code @github/copilot opencode-ai @kilocode/cli @sourcegraph/amp " +
    "@ampcode/cli droid cline @charmland/crush @earendil-works/pi-coding-agent @mariozechner/pi-coding-agent @augmentcode/auggie @jetbrains/junie " +
    "@continuedev/cli @anthropic-ai/claude-code-linux-x64"
  ).split(" "),
);

/** A package of one of these names that stands for itself; others are words like any. */
const BINARIES: ReadonlySet<string> = new Set("claude codex gemini qwen copilot opencode kilo kilocode amp auggie".split(" "));

const RUNNERS: ReadonlySet<string> = new Set("npx npm pnpm pnpx yarn bunx bun node nodejs deno dlx uvx pipx".split(" "));

/** What of an agent is changed, and how: `mcp add`, `plugin install`, `config set`, `features disable`. */
const AREA =
  /^(?:mcp|mcp-server|mcp-servers|plugin|plugins|config|settings|setting|hook|hooks|extension|extensions|ext|permission|permissions|skill|skills|agents?|features?|marketplace|trust|tools?|custom-modes?|modes?|profiles?|rules?|toolbox)$/;
const CHANGE =
  /^(?:add|add-json|add-from-[a-z-]+|import|remove|rm|delete|del|install|i|uninstall|un|enable|disable|set|unset|update|upgrade|link|unlink|new|create|edit|write|put|reset|reset-[a-z-]+|toggle|allow|trust|approve|migrate|restore|login|configure|turn-off|off|on)$/;

/** They are changes without a word in front. */
const ALONE: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["goose", new Set(["configure"])],
  ["pi", new Set(["install", "remove", "uninstall", "update"])],
  ["droid", new Set(["config"])],
  ["gemini", new Set(["trust"])],
]);

/** Options that change settings, or start an agent that nobody watches. */
const OPTION =
  /^(?:--add-mcp|--install-extension|--uninstall-extension|--dangerously-.*|--allow-dangerously-.*|--skip-permissions.*|--settings|--setting-sources|--bare|--pure|--yolo|--allow-all(?:-.*)?|--no-hooks|--disable-hooks|--hooks-dir|--mcp-config|--additional-mcp-config|--plugin-dir|--force-allow|--auto-approve(?:-.*)?|--yes-always|--trust-all-tools|--trust-folder)(?:=.*)?$/;
/** Of a value: it names hooks, or switches approvals off. */
const VALUE = /hooks?\b|bypassPermissions|danger-full-access|approval[-_]policy|approval[-_]mode|mcp_?servers|^yolo$|^never$/i;
const VALUED = /^(?:-c|--config|--disable|--enable|--permission-mode|--approval-mode|--ask-for-approval|-a|--auto|--sandbox|-s)$/;

/** For `gh` alone this is everyday life: only its own copilot is looked at. */
const COPILOT = "gh";

/** The words of a call that changes what decides about agents, for people; undefined for any other. */
export function agentCall(action: ExecAction): string | undefined {
  const [start, ...rest] = action.argv;
  if (start === undefined || !start.known) return undefined;
  const own = nameOf(start.text);
  const [name, args] = RUNNERS.has(own) ? packageIn(rest) : [own, rest];
  if (name === undefined || !PROGRAMS.has(name) || (name === COPILOT && text(args[0]) !== "copilot")) return undefined;
  return changes(name, args) ? brief([name, ...args.map(printArgument)].join(" "), 60) : undefined;
}

const nameOf = (word: string): string =>
  baseName(word)
    .toLowerCase()
    .replace(/\.(?:js|mjs|cjs|cmd|exe|sh)$/, "");
const text = (argument: Argument | undefined): string | undefined => (argument?.known === true ? argument.text : undefined);

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
    if (PACKAGES.has(plain) || (inside === undefined && BINARIES.has(plain))) return ["claude", args.slice(at + 1)];
  }
  return [undefined, []];
}

function changes(name: string, args: readonly Argument[]): boolean {
  const words = args.map(text);
  const operands = words.filter((word) => word === undefined || !word.startsWith("-"));
  const first = operands[0]?.toLowerCase();
  if (first !== undefined && ALONE.get(name)?.has(first) === true) return true;
  for (const [at, word] of words.entries()) {
    if (word === "--" && name !== COPILOT) break;
    if (word !== undefined && OPTION.test(word)) return true;
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
