import { adviceForModel, adviceForPerson } from "../action/index.ts";
import type { Policy, Decision, RequestVerdict, Verdict } from "../policy/index.ts";
import type { Host } from "./request.ts";

/** What the host is told: a verdict in the host's situation. */
export interface HostAnswer {
  readonly decision: Decision;
  /** For the person. */
  readonly reason: string;
  /** For the model, but for a question, which a person answers: never the words of a project nobody has trusted. */
  readonly modelReason: string;
}

/**
 * DESIGN "Speaking to hosts": how a verdict becomes an answer.
 * - A host's bypass mode skips asks; denies hold, unless the user's own policy says `"bypass": "host"`,
 *   and even then what protects Assent itself holds. What decides about agents is no question to be skipped: nobody is
 *   asked, so it is denied.
 * - An ask that rests only on a default is silence where the host has its own approval flow.
 * - An ask that nobody can answer is a denial that says so.
 * - A bypass of Assent's own allows what would be asked or left to the host: never what is denied, what is
 *   not understood, what protects Assent, nor anything while a policy file is broken or a breaker has tripped.
 * - While the host is planning, only what changes nothing is waved through.
 */
export function answerFor(verdict: RequestVerdict, policy: Policy | undefined, host: Host, bypass?: { readonly by: string }): HostAnswer {
  const say = (decision: Decision, prefix = "", why: Verdict = verdict): HostAnswer => {
    const shown = why.untrusted === true ? untrustedReason(why) : why.reason;
    const told = (reason: string, help: string | undefined): string => `${prefix}${reason}${help === undefined ? "" : ` (${help})`}`;
    const person = why.help === undefined ? undefined : adviceForPerson(why.help);
    // What is asked is read by the person who answers, though a model may read along.
    const model = why.help === undefined || decision === "ask" ? person : adviceForModel(why.help);
    return { decision, reason: told(why.reason, person), modelReason: told(shown, why.untrusted === true ? undefined : model) };
  };
  const held = heldPart(verdict);
  if (bypass !== undefined && isSkipped(verdict) && !host.planning) return say("allow", `questions are skipped (${bypass.by}): `);
  switch (verdict.decision) {
    case "deny":
      if (!host.bypassed || policy?.settings.bypass !== "host" || verdict.basis === "floor") return say("deny");
      return held === undefined ? say("none") : say("deny", "", { ...held, help: NOBODY });
    case "ask":
      if (host.bypassed) return held === undefined ? say("none") : say("deny", "", { ...held, help: NOBODY });
      if (host.decides && verdict.basis === "default") return say("none");
      return host.asks ? say("ask") : say("deny", "approval required: ");
    case "allow":
      return host.planning && !changesNothing(verdict) ? say("none") : say("allow");
    case "none":
      return host.bypassed && held !== undefined ? say("deny", "", { ...held, help: NOBODY }) : say("none");
  }
}

const NOBODY = {
  person: "nobody is asked in this mode: make this change yourself, or leave the mode first",
  model: "nobody is asked in this mode: ask the user to make this change, or to leave the mode first",
};

/** The part of a request that no bypass skips: a question that must be put to a person, or what protects Assent. */
function heldPart(verdict: RequestVerdict): Verdict | undefined {
  const isHeld = (part: Verdict): boolean =>
    ((part.decision === "ask" || part.decision === "none") && part.waivable === false) ||
    (part.decision === "deny" && part.basis === "floor");
  if (isHeld(verdict)) return verdict;
  return [...verdict.actions, ...verdict.unknowns].find((part) => isHeld(part.verdict))?.verdict;
}

function isSkipped(verdict: RequestVerdict): boolean {
  const { decision, basis, unknowns } = verdict;
  if (decision !== "ask" && decision !== "none") return false;
  return unknowns.length === 0 && basis !== "floor" && verdict.waivable === undefined && heldPart(verdict) === undefined;
}

/** Only where it is written, not what: a text in a project is not to control the model. */
function untrustedReason(verdict: Verdict): string {
  return `a rule of this project or a pack, line ${verdict.rule?.line ?? 0}`;
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
