import { CARRIER, INTERPRETER, LAUNCHER } from "#knowledge/traits";
import { isOneOf } from "./tables/obeying-programs.ts";
import { type Argument, brief, type CodeAction, type ExecAction, printArgument, type World } from "../action/index.ts";
import { baseName, isWithin, resolvePath } from "../path/index.ts";
import { agentCall } from "./tables/agent-commands.ts";
import type { FloorPaths } from "./floor-paths.ts";
import { floorPlace } from "./floor-place.ts";
import { isRescue, onlyForPeople } from "./rescue-file.ts";
import { type Verdict, verdictOf } from "./match/verdict.ts";

/** A call of Assent's own command line, however it is spelt. */
interface AssentCall {
  /** `unclear`: an argument is only known at run time, or the subcommand is none we know. */
  readonly does: "loosens" | "harmless" | "unclear";
  /** The arguments, for people. */
  readonly words: string;
  /** It is `assent run`. */
  readonly runs?: true;
}

/** They only look, or judge what they start. */
const HARMLESS: ReadonlySet<string> = new Set(
  `check explain log rules lint demo doctor test verify help version completion completions schema run mcp serve status show list
    replay stats receipt diff`.split(/\s+/),
);

/** What loosens Assent, by its first word; the second words are those that do, `*` is any, `?` any but those that look. */
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
  wrap: ["?"],
  unwrap: ["*"],
  clip: ["*"],
  seen: ["*"],
  approvals: ["*"],
  open: ["*"],
  daemon: ["?"],
  team: ["?"],
  suggest: ["*"],
  auto: ["on", "everywhere", "subagents", "set", "sandbox", "ask"],
  confine: ["on", "log"],
  runs: ["clean"],
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
const LOOSE_BEGINNINGS = [
  "log-only|background|no-|allow|yes|y$|trust|grant|profile|policy",
  "learn|strace|output|clear|respond|auto|answer|best-effort|unsafe|insecure",
];
const LOOSE_OPTION = new RegExp(`^--?(?:${LOOSE_BEGINNINGS.join("|")})|^-[A-Za-z]*o`);

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
  if (isAssent(start.text) || (action.resolved !== undefined && (isOwn(action.resolved, own) || isOwn(real(action.resolved), own)))) {
    // `front NODE BIN.CJS run WORDS`, `spare FOLDER/ front NODE …` start what their words say (stubs/front.c).
    const argv = action.argv.slice(action.resolved?.includes("/spare") ? 2 : 1);
    const [next] = argv;
    const call =
      next?.known && /\/(front|spare)-/.test(action.resolved ?? "") ? assentCall({ ...action, argv, resolved: next.text }, own) : undefined;
    return call ?? classify(action.argv.slice(1));
  }
  // A command that knowledge covers starts nothing it does not say; of the others any could be a wrapper.
  const name = commandName(start.text);
  const runner = LAUNCHER.has(name) || name === "command" || name === "exec";
  if (!runner && action.knowledge !== undefined && !isOneOf(INTERPRETER, name) && !CARRIER.has(name)) return undefined;
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
function loosensIn(text: string): boolean {
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
  const writes = writesIn(at === 0 ? [command] : plain, plain);
  if (writes !== undefined) return { does: writes, words };
  if (HARMLESS.has(command)) return { does: "harmless", words };
  if (loosening(command)?.includes("*") === false && LOOKS.has(plain[at + 1] ?? "")) return { does: "harmless", words };
  // A global option may have taken the first word for its value, so every word counts.
  const loosens = plain.some((word, i) => {
    const second = word === undefined ? undefined : loosening(word);
    return second !== undefined && (second.includes("*") || second.includes("?") || second.includes(plain[i + 1] ?? ""));
  });
  return { does: loosens ? "loosens" : "unclear", words };
}

/** Of commands that otherwise only look: options that change a policy, and those that write the file they are given. */
const REWRITES: Readonly<Record<string, string>> = { lint: "--fix" };
const REPORTS: Readonly<Record<string, string>> = { lint: "--sarif", test: "--junit" };

/** What such options make of the call. `commands`: words that may be the subcommand, as a global option may have taken the first. */
function writesIn(commands: readonly (string | undefined)[], words: readonly (string | undefined)[]): AssentCall["does"] | undefined {
  const optionsOf = (table: Readonly<Record<string, string>>): readonly string[] =>
    commands.flatMap((command) => (command !== undefined && Object.hasOwn(table, command) ? [table[command] ?? ""] : []));
  const reports = optionsOf(REPORTS);
  if (reports.length === 0) return undefined;
  if (optionsOf(REWRITES).some((option) => words.includes(option))) return "loosens";
  // What is only known at run time may be one of these.
  if (words.includes(undefined)) return "unclear";
  const written = words.some((word, at) =>
    reports.some((option) => (word === option ? words[at + 1] !== "-" : word?.startsWith(`${option}=`) === true && word !== `${option}=-`)),
  );
  return written ? "unclear" : undefined;
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

/** Whatever loosens Assent is denied when an agent asks for it, however it is spelt. */
export function judgeFloorExec(action: ExecAction, floor: FloorPaths, world: World): Verdict | undefined {
  if (namesRescue(action)) return onlyForPeople();
  const call = assentCall(action, floor.own, (word) => world.canonical(resolvePath(world.cwd, word)));
  if (call === undefined) return judgeAgent(action) ?? judgeNamed(action, floor, world);
  if (call.does === "harmless") return undefined;
  // Inside a run it joins that run, or starts nothing.
  if (call.runs === true && action.call !== undefined) return undefined;
  return call.does === "loosens"
    ? verdictOf("deny", "floor.command", { reason: `\`assent ${call.words}\` would let an agent do more than now` })
    : verdictOf("ask", "floor.unclear", { reason: `it is not clear what \`assent ${call.words}\` changes` });
}

const RESCUE_IN_CODE = /\.local\/share\/assent\/+(?:\S*\/)?rescue\b/;

function namesRescue({ argv, resolved, knowledge, builtin }: ExecAction): boolean {
  if (resolved !== undefined && isRescue(resolved)) return true;
  const [program] = argv;
  if (builtin === true && !(program?.known === true && /^(?:\.|source|exec|command|eval)$/.test(program.text))) return false;
  return argv.slice(0, MOST_NAMED).some((word) => {
    const text = word.known ? word.text : printArgument(word);
    return isRescue(text) || (knowledge === undefined && RESCUE_IN_CODE.test(text));
  });
}

/** An agent's own command line changes its settings, starts it with nobody to watch it, or prints its login. */
function judgeAgent(action: ExecAction): Verdict | undefined {
  const { words, does } = agentCall(action) ?? {};
  if (words === undefined) return undefined;
  if (does === "prints") {
    const help = { person: "run it yourself, in a terminal of your own", model: "do without it, or ask the user to run it" };
    return verdictOf("deny", "protect.secrets", { reason: `\`${words}\` prints a key or a token`, help });
  }
  return verdictOf("ask", "floor.agent-command", {
    reason: `it changes an agent's settings, or starts an agent that asks nobody: \`${words}\``,
  });
}

/** True where a word names a file that decides about agents: whatever the program does with it, no bypass answers for it. */
export function namesSetting(action: ExecAction, floor: FloorPaths, world: World): boolean {
  return action.argv.slice(1, MOST_NAMED).some((argument) => {
    if (!argument.known || argument.text.length > 4096) return false;
    const { text } = argument;
    const words = text.includes("=") ? [text, text.slice(text.indexOf("=") + 1)] : [text];
    return words.some((word) => looksLikePath(word) && floorPlace(resolvePath(world.cwd, word), floor, world) !== undefined);
  });
}

const MOST_NAMED = 200;

/** Code that calls what loosens Assent. */
export function judgeFloorCode({ detail }: CodeAction): Verdict | undefined {
  if (detail === undefined || !(RESCUE_IN_CODE.test(detail) || loosensIn(detail))) return undefined;
  return verdictOf("deny", "floor.command", { reason: `this code would let an agent do more than now: ${brief(detail, 60)}` });
}

/** A program of which nothing is known is given a file of Assent's. Under supervision what it does is judged. */
function judgeNamed(action: ExecAction, floor: FloorPaths, world: World): Verdict | undefined {
  if (action.knowledge !== undefined || action.builtin === true || action.call !== undefined) return undefined;
  for (const argument of action.argv.slice(1)) {
    if (!argument.known) continue;
    const { text } = argument;
    for (const word of text.includes("=") ? [text, text.slice(text.indexOf("=") + 1)] : [text]) {
      const place = looksLikePath(word) ? floorPlace(resolvePath(world.cwd, word), floor, world) : undefined;
      if (place?.is === "denied")
        return verdictOf("ask", "floor.named", { reason: `it is not clear what \`${brief(action.program, 40)}\` does with ${place.what}` });
    }
  }
  return undefined;
}

const looksLikePath = (word: string): boolean => word.includes("/") || word.startsWith(".");
