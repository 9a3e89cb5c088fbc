import type { Decision, RequestVerdict } from "../action/index.ts";
import type { Policy } from "../policy/index.ts";
import type { Bypass } from "../state/index.ts";
import type { Host } from "./request.ts";

/** What the host is told: a verdict in the host's situation. */
export interface Answer {
  readonly decision: Decision;
  /** For the person. */
  readonly reason: string;
  /** For the model: never the words of a project nobody has trusted. */
  readonly modelReason: string;
}

/**
 * DESIGN "Speaking to hosts": how a verdict becomes an answer.
 * - A host's bypass mode waives asks; denies hold, unless the user's own policy says `"bypass": "host"`,
 *   and even then what protects Assent itself holds.
 * - An ask that rests only on a default is silence where the host has its own approval flow.
 * - An ask that nobody can answer is a denial that says so.
 * - A bypass of Assent's own allows what would be asked or left to the host (ledger A44): never what is denied, what is
 *   not understood, what protects Assent, nor anything while a policy file is broken or a breaker has tripped.
 * - While the host is planning, only what changes nothing is waved through.
 */
export function answerFor(verdict: RequestVerdict, policy: Policy | undefined, host: Host, bypass?: Bypass): Answer {
  const say = (decision: Decision, prefix = ""): Answer => {
    const help = verdict.help === undefined ? "" : ` (${verdict.help})`;
    const shown = verdict.untrusted === true ? untrustedReason(verdict) : verdict.reason;
    return {
      decision,
      reason: `${prefix}${verdict.reason}${help}`,
      modelReason: `${prefix}${shown}${verdict.untrusted === true ? "" : help}`,
    };
  };
  if (bypass !== undefined && isWaived(verdict) && !host.planning) return say("allow", `questions are waived (${bypass.by}): `);
  switch (verdict.decision) {
    case "deny":
      return host.bypassed && policy?.settings.bypass === "host" && verdict.basis !== "floor" ? say("none") : say("deny");
    case "ask":
      if (host.bypassed) return say("none");
      if (host.decides && verdict.basis === "default") return say("none");
      return host.asks ? say("ask") : say("deny", "approval required: ");
    case "allow":
      return host.planning && !changesNothing(verdict) ? say("none") : say("allow");
    case "none":
      return say("none");
  }
}

function isWaived({ decision, basis, builtin, unknowns }: RequestVerdict): boolean {
  if (decision !== "ask" && decision !== "none") return false;
  return unknowns.length === 0 && basis !== "floor" && (builtin === undefined || !HELD.test(builtin));
}

const HELD = /^(?:broken-policy|failure|breaker|automation|refused)/;

/** Only where it is written, not what: a text in a project is not to steer the model. */
function untrustedReason(verdict: RequestVerdict): string {
  return `a rule of this project's policy, line ${verdict.rule?.line ?? 0}`;
}

function changesNothing(verdict: RequestVerdict): boolean {
  return verdict.actions.every(({ action }) => {
    switch (action.kind) {
      case "exec":
        return action.knowledge !== undefined || action.builtin === true;
      case "file":
        return action.operation === "read" || action.operation === "list" || action.upkeep === true;
      case "remote":
        return action.operation === "read";
      case "net":
        return action.operation !== "listen";
      default:
        return false;
    }
  });
}
