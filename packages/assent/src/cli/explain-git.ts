import type { ExecAction, FileAction } from "@assent/core/action";
import type { Outcome } from "@assent/guard/engine";
import { isConfined, judgeFloorFile } from "@assent/core/policy";
import { messageOf } from "@assent/guard/state";
import { foreseeGit } from "@assent/supervisor/supervise";

/** An outcome, and what git would put into files that decide what an agent may do. */
export interface Foreseen {
  readonly outcome: Outcome;
  /** Lines, for a person. */
  readonly difference: readonly string[];
  /** The agent may start it sandboxed, and git is not started there. */
  readonly stops: boolean;
}

/**
 * The question that a run puts before git changes agents' settings, servers or a policy. Each command is looked at as if it were the
 * first: what comes after it in a line may find another tree.
 */
export function withForesight(outcome: Outcome): Foreseen {
  const { request, verdict, basis } = outcome;
  const none: Foreseen = { outcome, difference: [], stops: false };
  if (basis === undefined || verdict.decision === "deny") return none;
  const { floor, world } = basis.context;
  const isAsked = (path: string): boolean => {
    const write: FileAction = { kind: "file", operation: "write", target: { kind: "path", path }, origin: { by: "shell" } };
    return judgeFloorFile(write, [path, world.canonical(path)], floor, world)?.decision === "ask";
  };
  const gits = verdict.actions.flatMap(({ action }) => (isGitCommand(action) ? action : []));
  const line = request.cwd;
  let found: readonly NonNullable<ReturnType<typeof foreseeGit>>[];
  try {
    found = gits.flatMap((exec) => (exec.folders ?? [line]).flatMap((cwd) => foreseeGit(exec, { cwd, line }, isAsked) ?? []));
  } catch (error) {
    const warning = `what git changes of agents' settings could not be looked at: ${messageOf(error)}`;
    return { ...none, outcome: { ...outcome, warnings: [...outcome.warnings, warning] } };
  }
  const asked = found.find((change) => change.verdict !== undefined)?.verdict;
  if (asked === undefined) return none;
  const stops = isConfined(verdict);
  return {
    outcome: stops ? { ...outcome, verdict: { ...asked, actions: verdict.actions, unknowns: verdict.unknowns } } : outcome,
    difference: found.flatMap(({ difference }) => difference),
    stops,
  };
}

const isGitCommand = (action: Outcome["verdict"]["actions"][number]["action"]): action is ExecAction =>
  action.kind === "exec" && action.program === "git";
