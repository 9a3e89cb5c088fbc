import type { AgentId } from "@assent/hosts/agents";
import { decide, type Request } from "@assent/guard/engine";
import type { RequestVerdict } from "@assent/core/policy";
import type { Machine } from "@assent/guard/state";
import { isFleetHere } from "./fleet-here.ts";
import { answer, check, type CheckEngine, type HookEngine, judgeWatched, type HookOutput } from "./check.ts";
import { startFleetJoin } from "./fleet-start.ts";
import { engine, unwatchedReader } from "./hook-engine.ts";
import { watch } from "./watch.ts";

// `assent check`.
declare const __dirname: string;

const unwatched: HookEngine = {
  ...engine,
  watch: (argv, input) => watch(__dirname, argv, input),
  reader: unwatchedReader,
};

export function main(argv: readonly string[]): void {
  process.exitCode = check(argv, unwatched);
  // The answer is written.
  if (isFleetHere()) startFleetJoin(__dirname);
}

/** In the other thread. */
export const watched = (argv: readonly string[], input: string): HookOutput => judgeWatched(argv, input, engine);

/** For what a host starts through a program of ours without our hook having heard of it; the machine finds programs as the host does. */
export const judgeStart = (request: Request, machine: Machine, more?: Partial<CheckEngine>): RequestVerdict =>
  decide(request, { machine, ...engine, ...more, policyFiles: [], audit: true, confine: () => ({ command: "" }) }).verdict;

/** Judges one envelope as `main` would: the build warms the code cache with it. */
export function rehearse(envelope: string, agent: AgentId | "auto"): void {
  answer({ agent, event: undefined, policyFiles: [] }, { text: envelope }, engine, undefined, () => undefined);
}
