import type { Protocol } from "@assent/hosts/agents";
import { type PolicyReader, WatchFirst } from "@assent/guard/engine";
import { copySource } from "@assent/guard/state";
import type { CheckEngine } from "./check.ts";

declare const require: {
  (id: "./reader.cjs"): PolicyReader;
  (id: "./session.cjs"): { readonly sessionWarning: NonNullable<CheckEngine["greet"]> };
  (id: "./confiner.cjs"): Pick<typeof import("@assent/hosts/agents/install"), "confine">;
  (id: "./edit-keeper.cjs"): typeof import("./edit-keeper.ts");
  (id: "./held.cjs"): typeof import("./held.ts");
  (id: "./held-advice.cjs"): typeof import("./held-advice.ts");
  (id: "./agent-auto.cjs"): Pick<CheckEngine, "recognise">;
  (id: string): { readonly protocol: Protocol };
};
declare const __dirname: string;

/** The name is only known at run time: the bundler leaves the call as it is. */
const agentPart = (name: string): string => `./agent-${name}.cjs`;

/** What hooks judge with, in a process of their own or in the one that stays: parts are loaded when they are needed. */
export const engine: CheckEngine = {
  reader: () => require("./reader.cjs"),
  protocol: (id) => {
    const part = agentPart(id);
    return require(part).protocol;
  },
  greet: (...given) => require("./session.cjs").sessionWarning(...given),
  recognise: (...given) => require("./agent-auto.cjs").recognise(...given),
  own: [__dirname, ...copySource(__dirname)],
  held: (...given) => require("./held.cjs").held(...given),
  advise: (...given) => require("./held-advice.cjs").withAdvice(...given),
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
