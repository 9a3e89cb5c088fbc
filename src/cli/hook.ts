import type { AgentId, Protocol } from "../agents/index.ts";
import { decide, type PolicyReader, type Request, WatchFirst } from "../engine/index.ts";
import type { RequestVerdict } from "../policy/index.ts";
import type { Machine } from "../state/index.ts";
import { answer, check, type CheckEngine, type HookEngine, judgeWatched, type HookOutput } from "./check.ts";

// Entry of dist/hook.cjs: `assent check` and nothing else; load-hook.ts loads it. The reader of policy files and the
// agents' protocols lie beside it in bundles of their own.
declare const require: {
  (id: "./reader.cjs"): PolicyReader;
  (id: "./session.cjs"): { readonly sessionWarning: NonNullable<CheckEngine["greet"]> };
  (id: "./confiner.cjs"): typeof import("./confiner.ts");
  (id: "./edit-keeper.cjs"): typeof import("./edit-keeper.ts");
  (id: "./held.cjs"): typeof import("./held.ts");
  (id: "./agent-auto.cjs"): Pick<CheckEngine, "recognise">;
  (id: "./watch.cjs"): { readonly watch: (folder: string, argv: readonly string[], input: string) => HookOutput | undefined };
  (id: string): { readonly protocol: Protocol };
};
declare const __dirname: string;

/** The name is only known at run time: the bundler leaves the call as it is. */
const agentPart = (name: string): string => `./agent-${name}.cjs`;

export const engine: CheckEngine = {
  reader: () => require("./reader.cjs"),
  protocol: (id) => {
    const part = agentPart(id);
    return require(part).protocol;
  },
  greet: (...given) => require("./session.cjs").sessionWarning(...given),
  recognise: (...given) => require("./agent-auto.cjs").recognise(...given),
  own: [__dirname],
  held: (...given) => require("./held.cjs").held(...given),
  keepEdit: (...given) => require("./edit-keeper.cjs").keep(...given),
  confine: (...given) => require("./confiner.cjs").confine(...given, { node: process.execPath, folder: __dirname }),
};

/** Here nobody watches: files that strangers may have written are left to the other thread. */
export const unwatchedReader: CheckEngine["reader"] = () => ({
  read(sources, ...given) {
    if (sources.some(({ layer }) => layer === "project")) throw new WatchFirst();
    return engine.reader().read(sources, ...given);
  },
});

const unwatched: HookEngine = {
  ...engine,
  watch: (argv, input) => require("./watch.cjs").watch(__dirname, argv, input),
  reader: unwatchedReader,
};

export function main(argv: readonly string[]): void {
  process.exitCode = check(argv, unwatched);
}

/** In the other thread. */
export const watched = (argv: readonly string[], input: string): HookOutput => judgeWatched(argv, input, engine);

/** For what a host starts through a program of ours without our hook having heard of it; the machine finds programs as the host does. */
export const judgeStart = (request: Request, machine: Machine, more: Partial<CheckEngine> = {}): RequestVerdict =>
  decide(request, { machine, ...engine, ...more, policyFiles: [], audit: true, confine: () => ({ command: "" }) }).verdict;

/** Judges one envelope as `main` would: the build warms the code cache with it. */
export function rehearse(envelope: string, agent: AgentId | "auto"): void {
  answer({ agent, event: undefined, policyFiles: [] }, { text: envelope }, engine, undefined, () => undefined);
}
