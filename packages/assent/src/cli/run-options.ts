import { visible } from "@assent/core/action";
import { readWait } from "@assent/team/team/remote";
import type { RunResult } from "@assent/supervisor/supervise";

/** Options of `assent run`, as commander gives them (packages/assent/src/cli/program-run.ts). */
export interface RunFlags {
  readonly profile?: string;
  /** False with -P, --no-prompt. */
  readonly prompt: boolean;
  readonly logOnly?: boolean;
  readonly json?: boolean;
  readonly output?: string;
  readonly strace?: string;
  /** Where a page about the run goes. */
  readonly summary?: string;
  readonly learn?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly backgroundDir?: string;
  readonly backgroundWait?: string;
  /** Folder, number, action. */
  readonly backgroundRespond?: readonly string[];
  readonly backgroundPattern?: string;
  readonly skill?: boolean;
  /** So long it waits for people of the team: `5m`. */
  readonly wait?: string;
  readonly bestEffort?: boolean;
  readonly undo: boolean;
  readonly policy: readonly string[];
  readonly quiet?: boolean;
  readonly debug?: boolean;
  readonly clearRun?: boolean;
  readonly list?: boolean;
  readonly rules?: string;
  readonly clear?: string;
  /** The ticket of a command that a host starts confined; the command is the one word behind `--`. */
  readonly confined?: string;
}

/** What contradicts itself, as commander cannot say it; undefined when nothing does. */
export function contradiction(flags: RunFlags): string | undefined {
  const { learn, dryRun, yes, json, output, logOnly, backgroundPattern, backgroundRespond } = flags;
  // Whatever else is said could loosen it.
  if (flags.confined !== undefined) return "--confined TICKET -- COMMAND stands alone";
  if ((dryRun === true || yes === true) && learn !== true) return `${dryRun === true ? "--dry-run" : "--yes"} goes with --learn`;
  if (output !== undefined && json !== true && logOnly !== true) return "--output goes with --log-only or --json";
  if (backgroundPattern !== undefined && backgroundRespond === undefined) return "--background-pattern goes with --background-respond";
  if (backgroundRespond !== undefined && backgroundRespond.length !== 3)
    return "--background-respond takes a folder, a number and an action";
  if (flags.wait !== undefined && readWait(flags.wait) === 0)
    return `--wait: \`${visible(flags.wait)}\` is not a time: write 90s, 5m or 1h`;
  if (flags.wait !== undefined && !flags.prompt) return "--wait asks people of the team, and --no-prompt asks nobody";
  return undefined;
}

/** Options without a value, and what commander makes of them (program-run.ts; a test holds the two together). */
const SWITCHES: Readonly<Record<string, Partial<RunFlags>>> = {
  "-P": { prompt: false },
  "--no-prompt": { prompt: false },
  "-q": { quiet: true },
  "--quiet": { quiet: true },
  "--no-undo": { undo: false },
  "--log-only": { logOnly: true },
  "--best-effort": { bestEffort: true },
};

/** The words of `assent run` where they say no more than most do. Undefined: commander reads them, and says what is wrong with them. */
export function plainWords(given: readonly string[]): Plain<RunFlags> | undefined {
  const flags: RunFlags = { prompt: true, undo: true, policy: [] };
  const [option, confined, separator, ...command] = given;
  if (option === "--confined" && confined !== undefined && separator === "--" && command.length === 1)
    return { words: command, flags: { ...flags, confined }, literal: true };
  return readPlain(given, flags, SWITCHES);
}

export interface Plain<Flags> {
  readonly words: readonly string[];
  readonly flags: Flags;
  /** `--` stood in front of the words. */
  readonly literal: boolean;
}

/** A command's words behind nothing but options without a value: commander takes longer to load than these to read. */
export function readPlain<Flags>(
  given: readonly string[],
  none: Flags,
  switches: Readonly<Record<string, Partial<Flags>>>,
): Plain<Flags> | undefined {
  let flags = none;
  for (let at = 0; at < given.length; at++) {
    const word = given[at] ?? "";
    const literal = word === "--";
    const words = given.slice(literal ? at + 1 : at);
    if (literal) return words.length === 0 ? undefined : { words, flags, literal };
    // An option of ours may stand behind the program.
    if (!word.startsWith("-"))
      return /^--[^]/.test(words.find((one) => one.startsWith("--")) ?? "") ? undefined : { words, flags, literal };
    const more = Object.hasOwn(switches, word) ? switches[word] : undefined;
    if (more === undefined) return undefined;
    flags = { ...flags, ...more };
  }
  return undefined;
}

/** What `assent run` exits with besides the program's own status. */
export const STATUS = {
  wrongUsage: 2,
  /** A question would have blocked. */
  noBlock: 3,
  /** Assent itself cannot start the run, as `timeout`, `env` and `nice` use it. */
  cannotSupervise: 125,
  cannotExecute: 126,
  quit: 130,
} as const;

/** The status as a shell would give it: the program's own, 128 + n where signal n ended it. */
export function statusOf({ exit, ended }: RunResult): number {
  if (ended === "quit") return STATUS.quit;
  if (ended === "no-block") return STATUS.noBlock;
  return exit.by === "exit" ? exit.code : 128 + exit.signal;
}
