import type { AgentId } from "@assent/hosts/agents";
import { decide, type Request } from "@assent/guard/engine";
import type { RequestVerdict } from "@assent/core/policy";
import type { Machine } from "@assent/guard/state";
import { isFleetHere } from "./fleet-here.ts";
import { answer, check, type CheckEngine, type HookEngine, judgeWatched, type HookOutput } from "./check.ts";
import { engine, unwatchedReader } from "./hook-engine.ts";

// Entry of dist/hook.cjs: `assent check` and nothing else; load-hook.ts loads it. The reader of policy files and the
// agents' protocols lie beside it in bundles of their own.
declare const require: {
  (id: "./watch.cjs"): { readonly watch: (folder: string, argv: readonly string[], input: string) => HookOutput | undefined };
  (id: "./fleet-start.cjs"): typeof import("./fleet-start.ts");
};
declare const __dirname: string;

const unwatched: HookEngine = {
  ...engine,
  watch: (argv, input) => require("./watch.cjs").watch(__dirname, argv, input),
  reader: unwatchedReader,
};

export function main(argv: readonly string[]): void {
  process.exitCode = check(argv, unwatched);
  // The answer is written.
  if (isFleetHere()) require("./fleet-start.cjs").startFleetJoin(__dirname);
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
