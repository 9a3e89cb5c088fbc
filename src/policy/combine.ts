import { type JudgedAction, type JudgedUnknown, type RequestVerdict, stricterOf, type Verdict, verdictOf } from "./verdict.ts";
import type { Policy } from "./types.ts";
import { underBroken } from "./verdicts.ts";

const NOTHING = verdictOf("allow", "nothing");

export interface Combining {
  readonly policy: Policy;
  /** A host decides where we have no opinion. */
  readonly host: boolean;
}

/** A request has the strictest verdict of its parts; one without opinion beside allowed ones is not allowed. */
export function combine(actions: readonly JudgedAction[], unknowns: readonly JudgedUnknown[], { policy, host }: Combining): RequestVerdict {
  let strictest: Verdict | undefined;
  for (const { verdict } of actions) strictest = strictest === undefined ? verdict : stricterOf(strictest, verdict);
  for (const { verdict } of unknowns) strictest = strictest === undefined ? verdict : stricterOf(strictest, verdict);
  // What was allowed because of an answer says so.
  if (strictest?.decision === "allow")
    strictest = [...actions, ...unknowns].find(({ verdict }) => verdict.grant !== undefined)?.verdict ?? strictest;
  return { ...whole(strictest, actions, policy, host), actions, unknowns };
}

function whole(strictest: Verdict | undefined, actions: readonly JudgedAction[], policy: Policy, host: boolean): Verdict {
  const { preset } = policy.settings;
  if (strictest === undefined) return empty(policy);
  if (strictest.decision === "none" && (preset === "none" || !host) && isMixed(actions)) {
    return {
      ...strictest,
      decision: "ask",
      // agentperm spoke up here whatever the host; otherwise this is a default like any other.
      basis: preset === "none" ? "protection" : "default",
      reason: `compound includes unrecognized segment: ${strictest.reason}`,
    };
  }
  return strictest.decision === "allow" ? underBroken(strictest, policy) : strictest;
}

/** No command, no file: a comment, an assignment. */
function empty(policy: Policy): Verdict {
  const { preset } = policy.settings;
  if (preset === "none") return { ...NOTHING, decision: "none", basis: "default" };
  if (policy.broken !== undefined) return underBroken(NOTHING, policy);
  return preset === "strict" ? { ...NOTHING, decision: "ask", basis: "default", help: "let the user confirm" } : NOTHING;
}

/**
 * True when one command is allowed and another has no verdict. A command and what it does are one: that its own
 * reads are allowed makes `./build.sh` no compound.
 */
function isMixed(actions: readonly JudgedAction[]): boolean {
  const silent = new Set(actions.flatMap((judged, i) => (judged.verdict.decision === "none" ? [rootOf(judged, i)] : [])));
  return actions.some((judged, i) => judged.verdict.decision === "allow" && !silent.has(rootOf(judged, i)) && !isByTheWay(judged));
}

/** The place of the command an action belongs to: its own, where it is none's effect. */
function rootOf({ action }: JudgedAction, at: number): number {
  return action.origin.by === "command" ? action.origin.exec : at;
}

/** `2>/dev/null` and `< file` are no segment of their own. */
function isByTheWay({ action }: JudgedAction): boolean {
  return action.kind === "file" && action.origin.by === "shell";
}
