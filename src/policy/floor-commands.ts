import { type Argument, brief, type ExecAction, printArgument } from "../action/index.ts";
import { baseName, isWithin } from "../path/index.ts";

/** A call of Assent's own command line, however it is spelt. */
export interface AssentCall {
  /** `unclear`: an argument is only known at run time, or the subcommand is none we know. */
  readonly does: "loosens" | "harmless" | "unclear";
  /** The arguments, for people. */
  readonly words: string;
  /** It is `assent run`. */
  readonly runs?: true;
}

/** They only look, or judge what they start. */
const HARMLESS: ReadonlySet<string> = new Set(
  "check explain log rules lint demo doctor test verify help version completion completions schema run mcp serve status show list replay stats receipt diff".split(
    " ",
  ),
);

/** What loosens Assent, by its first word; the second words are those that do, `*` is any. */
const LOOSENS: Readonly<Record<string, readonly string[]>> = {
  trust: ["*"],
  untrust: ["*"],
  uninstall: ["*"],
  install: ["*"],
  import: ["*"],
  export: ["*"],
  edit: ["*"],
  rule: ["*"],
  init: ["*"],
  allow: ["*"],
  consent: ["*"],
  grants: ["add", "new", "set", "allow"],
  grant: ["*"],
  profile: ["clear", "edit", "import"],
  profiles: ["*"],
  wrap: ["install", "wrap", "unwrap"],
  clip: ["*"],
  approve: ["*"],
  suggest: ["*"],
  answer: ["*"],
  auto: ["on", "everywhere", "subagents", "set"],
  bypass: ["on", "toggle", "set"],
  breaker: ["reset", "off", "set"],
  agents: ["trust", "forget", "add", "set"],
  mode: ["*"],
  preset: ["*"],
};

const loosening = (word: string): readonly string[] | undefined => (Object.hasOwn(LOOSENS, word) ? LOOSENS[word] : undefined);

/** Options of `assent run` that only look or make it stricter. None of them takes a value, but for `--rules`. */
const HARMLESS_OPTION = /^(?:-[Pqh]+|--(?:no-prompt|json|quiet|debug|skill|list|rules(?:=.*)?|help))$/;

/**
 * Options that leave things unjudged, choose other rules, let the agent answer its own questions, or write a file that
 * nobody judged.
 */
const LOOSE_OPTION =
  /^--?(?:log-only|background|no-|allow|yes|y$|trust|grant|profile|policy|learn|strace|output|clear|respond|auto|answer|best-effort|unsafe|insecure)|^-[A-Za-z]*o/;

/** These start the program that one of their arguments names. */
const RUNNERS: ReadonlySet<string> = new Set(
  "node nodejs bun bunx deno tsx ts-node npx pnpx npm pnpm yarn corepack volta mise asdf fnm nvm nodenv vp dlx env command exec".split(" "),
);

/** These take text for a command or for code. */
const CARRIERS = /^(?:python\d?(?:\.\d+)?|perl|ruby|php|lua|osascript|script|expect|unbuffer|ssh|tmux|screen)$/;

/** What a package manager says for taking a package away. */
const REMOVES: ReadonlySet<string> = new Set("uninstall remove rm un r unlink".split(" "));
/** And for putting another in its place. */
const INSTALLS: ReadonlySet<string> = new Set("install i add update up upgrade link ln".split(" "));
const EVERYWHERE: ReadonlySet<string> = new Set(["-g", "--global", "global", "--location=global"]);

const SCRIPT_END = /(?:\.(?:js|mjs|cjs|ts|mts|cmd|exe|ps1))$/;

/**
 * The call of Assent that this command is, if it is one. `own` are the folders Assent is installed in, `real` gives the
 * file that a word leads to.
 */
export function assentCall(
  action: ExecAction,
  own: readonly string[],
  real: (word: string) => string = (word) => word,
): AssentCall | undefined {
  const start = action.argv[0];
  if (start === undefined || !start.known) return undefined;
  if (isAssent(start.text) || (action.resolved !== undefined && (isOwn(action.resolved, own) || isOwn(real(action.resolved), own))))
    return classify(action.argv.slice(1));
  // A command that knowledge covers starts nothing it does not say; of the others any could be a wrapper.
  const name = commandName(start.text);
  const runner = RUNNERS.has(name);
  if (!runner && action.knowledge !== undefined && !CARRIERS.test(name)) return undefined;
  for (let i = 1; i < action.argv.length; i++) {
    const argument = action.argv[i];
    if (argument === undefined || !argument.known) continue;
    const { text } = argument;
    if (!isAssent(text) && !isOwn(text, own) && !(runner && i <= MOST_LOOKED_AT && text.length < LONGEST && isOwn(real(text), own))) {
      if (loosensIn(text)) return { does: "loosens", words: brief(text, 60) };
      continue;
    }
    const before = action.argv.slice(1, i).flatMap((word) => (word.known ? [word.text.toLowerCase()] : []));
    if (runner && before.some((word) => REMOVES.has(word))) return { does: "loosens", words: "(uninstalled)" };
    if (runner && before.some((word) => INSTALLS.has(word)) && isEverywhere(action.argv))
      return { does: "loosens", words: "(another in its place)" };
    const call = classify(action.argv.slice(i + 1));
    // For a program that is no runner `assent` may be any word: only what would loosen counts.
    if (runner || call.does === "loosens") return call;
  }
  return undefined;
}

/** Arguments of a runner that may be links to Assent. */
const MOST_LOOKED_AT = 8;

const isEverywhere = (argv: readonly Argument[]): boolean => argv.some((word) => word.known && EVERYWHERE.has(word.text.toLowerCase()));

/** True for a text that calls what loosens Assent, as a command of a shell or in the calls of another language. */
export function loosensIn(text: string): boolean {
  if (!/assent/i.test(text)) return false;
  const words = text.split(/[^\w@./:=+-]+/).filter((word) => word !== "");
  return words.some((word, at) => isAssent(word) && loosensFrom(words, at + 1));
}

/** The subcommand is the first word that is no option, or the next one where that could be an option's value. */
function loosensFrom(words: readonly string[], start: number): boolean {
  for (let at = start, value = false; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (word.startsWith("-")) {
      value = true;
      continue;
    }
    const call = words.slice(at, at + 8).map((text): Argument => ({ known: true, text }));
    if (loosening(word.toLowerCase()) !== undefined || word === "run") return classify(call).does === "loosens";
    if (!value) return false;
    value = false;
  }
  return false;
}

function commandName(word: string): string {
  const name = baseName(word).toLowerCase();
  return name.includes(".") ? name.replace(SCRIPT_END, "") : name;
}

/** The longest path there is; what is longer names no program. */
const LONGEST = 4096;

/** `assent`, `assent@1`, `/x/bin/assent`, `--package=assent`, `node_modules/assent/dist/cli.js`. */
function isAssent(word: string): boolean {
  if (word.length > LONGEST) return false;
  const lower = word.toLowerCase();
  if (!lower.includes("assent")) return false;
  const value = lower.startsWith("-") ? lower.slice(lower.indexOf("=") + 1) : lower;
  if (value.startsWith("-")) return false;
  return commandName(value.replace(/(.)@[^/]*$/, "$1").replace(/^npm:/, "")) === "assent" || /(?:^|\/)node_modules\/assent\//.test(value);
}

function isOwn(word: string, own: readonly string[]): boolean {
  return word.startsWith("/") && own.some((folder) => isWithin(word, folder));
}

function classify(args: readonly Argument[]): AssentCall {
  const words = brief(args.map(printArgument).join(" "), 60);
  const plain = args.map((argument) => (argument.known ? argument.text.toLowerCase() : undefined));
  const at = plain.findIndex((word) => word === undefined || !word.startsWith("-"));
  const command = at < 0 ? "help" : plain[at];
  if (command === undefined) return { does: "unclear", words };
  if (command === "run") return { does: runDoes(args.slice(at + 1)), words, runs: true };
  // It writes a file, or says how far the log has been sent.
  if (command === "log" && plain.includes("export")) return { does: "unclear", words };
  if (HARMLESS.has(command)) return { does: "harmless", words };
  if (loosening(command)?.includes("*") === false && LOOKS.has(plain[at + 1] ?? "")) return { does: "harmless", words };
  // A global option may have taken the first word for its value, so every word counts.
  const loosens = plain.some((word, i) => {
    const second = word === undefined ? undefined : loosening(word);
    return second !== undefined && (second.includes("*") || second.includes(plain[i + 1] ?? ""));
  });
  return { does: loosens ? "loosens" : "unclear", words };
}

/** `assent auto status` and its like change nothing. */
const LOOKS: ReadonlySet<string> = new Set(["", "status", "list", "show"]);

/** The options of `assent run` end at `--` or at the program. */
function runDoes(args: readonly Argument[]): AssentCall["does"] {
  for (let i = 0; i < args.length; i++) {
    const argument = args[i];
    if (argument === undefined || !argument.known) return "unclear";
    const { text } = argument;
    if (text === "--" || !text.startsWith("-")) return "harmless";
    if (!HARMLESS_OPTION.test(text)) return LOOSE_OPTION.test(text) ? "loosens" : "unclear";
    // Its value.
    if (text === "--rules") i++;
  }
  return "harmless";
}
