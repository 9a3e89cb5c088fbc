import type { Lowered, World } from "../action/index.ts";
import { runUncalled } from "./interpret/command.ts";
import { Context, type ShellKind } from "./words/context.ts";
import { settleIgnoreLists } from "./programs/ignore-lists.ts";
import { settleStores } from "./programs/analyse/git-revisions.ts";
import { settleLinks } from "./programs/links.ts";
import { parseShell } from "./words/parse.ts";
import { doubtScript } from "./interpret/portable.ts";
import { RUNNER } from "./interpret/runner.ts";
import { ShellState } from "./words/state.ts";
import { settleSurroundings } from "./programs/surroundings.ts";
import { judgeTraps } from "./interpret/traps.ts";
import { literal, NOTHING } from "./words/value.ts";
import { runScript } from "./interpret/walk.ts";

export interface LowerOptions {
  readonly world: World;
  /** The shell the host runs; `any` (the default) means bash or zsh: what they read differently is unknown. */
  readonly shell?: ShellKind;
}

/** Lowers a shell command line to the actions it would take, and to what could not be known. Never throws on input. */
export function lowerShell(source: string, options: LowerOptions): Lowered {
  const cx = new Context(options.world, options.shell ?? "any");
  const parsed = parseShell(source);
  if (!parsed.ok) {
    cx.unknown(parsed.reason, {
      span: { start: parsed.at, end: Math.min(parsed.at + 1, source.length) },
      help: "rewrite the command in plain shell",
    });
    return { actions: [], unknowns: cx.unknowns };
  }
  const state = new ShellState([{ is: "at", path: options.world.cwd }]);
  state.portable = cx.shell === "sh";
  doubtScript(cx, state, parsed.script, undefined);
  runScript(cx, state, parsed.script.commands, NOTHING, source);
  const judged = judgeTraps(cx, 0);
  runUncalled(cx);
  judgeTraps(cx, judged);
  return settle(cx);
}

/** Lowers one program call with known words, as a host that starts programs without a shell would. */
export function lowerArgv(argv: readonly string[], options: LowerOptions): Lowered {
  const cx = new Context(options.world, options.shell ?? "any");
  RUNNER.argv(cx, new ShellState([{ is: "at", path: options.world.cwd }]), argv.map(literal), NOTHING);
  judgeTraps(cx, 0);
  return settle(cx);
}

/** What can only be said once the whole line is known. */
function settle(cx: Context): Lowered {
  settleLinks(cx);
  settleStores(cx);
  settleSurroundings(cx);
  settleIgnoreLists(cx);
  cx.sayLimits();
  return { actions: cx.actions, unknowns: cx.unknowns };
}

export { whatVariableControls } from "./programs/secret-words.ts";
export { inTwo, leavesJobs } from "./interpret/in-two.ts";
export { isInertGitKey } from "./programs/analyse/git-config.ts";
export { isForge, readWith } from "./programs/public-hosts.ts";
export { gitEntries, isGitsOwnKey } from "./programs/git-keys.ts";
export type { ShellKind } from "./words/context.ts";
export { typeNames } from "./programs/walk-filter.ts";
