import type { Principal } from "@assent/core/policy";
import type { GuardInside } from "../adapters/guards.ts";
import { askInRun, refusedInRun } from "./in-run.ts";
import { askerOf, givenTo, type GuardPlaceInCode, type GuardRoot, judgeCalls, type JudgedCalls } from "./judging.ts";
import type { CallDecision, CallOutcome, Given, GuardCallOptions, GuardOptions } from "./types.ts";

/** What only the guard itself does. */
interface OwnWork<P extends Principal> {
  readonly conclude: (judged: JudgedCalls, options: GuardCallOptions<P>) => Promise<CallOutcome<P>>;
  readonly tell: (decision: CallDecision) => void;
}

/** A guard as backends take it. */
export function insideOf<P extends Principal>(
  root: GuardRoot,
  place: GuardPlaceInCode,
  { shadow, onAsk }: Given<Pick<GuardOptions<P>, "shadow" | "onAsk">>,
  { conclude, tell }: OwnWork<P>,
): GuardInside {
  return {
    root,
    place,
    shadow: shadow === true,
    asks: onAsk !== undefined,
    judge: (calls, asked, way) => judgeCalls(calls, root, place, asked, way),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the principal is the guard's own
    conclude: async (judged, asked) => await conclude(judged, { cwd: place.cwd, ...asked } as GuardCallOptions<P>),
    tell,
    given: () => givenTo(root, place, askerOf(place)),
    askInRun: async (question, about, signal) => await askInRun<P>(question, about, place, { onAsk, tell }, signal),
    tellInRun: (judged, about) => tell(refusedInRun(judged, about, place)),
  };
}
