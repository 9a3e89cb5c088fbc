import type { AgentId, Protocol } from "../agents/index.ts";
import type { PolicyReader } from "../guard/index.ts";
import { answer, check, type CheckEngine } from "./check.ts";

// Entry of dist/hook.cjs: `assent check` and nothing else; load-hook.ts loads it. The reader of policy files and the
// agents' protocols lie beside it in bundles of their own.
declare const require: {
  (id: "./reader.cjs"): PolicyReader;
  (id: "./agent-auto.cjs"): Pick<CheckEngine, "recognise">;
  (id: string): { readonly protocol: Protocol };
};
declare const __dirname: string;

/** The name is only known at run time: the bundler leaves the call as it is. */
const agentPart = (name: string): string => `./agent-${name}.cjs`;

const engine: CheckEngine = {
  reader: () => require("./reader.cjs"),
  protocol: (id) => {
    const part = agentPart(id);
    return require(part).protocol;
  },
  recognise: (...given) => require("./agent-auto.cjs").recognise(...given),
  own: [__dirname],
};

export function main(argv: readonly string[]): void {
  process.exitCode = check(argv, engine);
}

/** Judges one envelope as `main` would: the build warms the code cache with it. */
export function rehearse(envelope: string, agent: AgentId | "auto" = "claude"): void {
  answer({ agent, event: undefined, policyFiles: [] }, { text: envelope }, engine, undefined, () => undefined);
}
