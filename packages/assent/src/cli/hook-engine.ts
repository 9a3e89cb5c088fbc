import { confine } from "@assent/hosts/agents/install";
import { protocolOf, recognise } from "@assent/hosts/agents/protocols";
import { WatchFirst } from "@assent/guard/engine";
import { read } from "@assent/guard/engine/reader";
import { copySource } from "@assent/guard/state";
import type { CheckEngine } from "./check.ts";
import { keep } from "./edit-keeper.ts";
import { withAdvice } from "./held-advice.ts";
import { held } from "./held.ts";
import { sessionWarning } from "./session.ts";

declare const __dirname: string;

/** What hooks judge with, in a process of their own or in the one that stays. The build evaluates most of it when it is needed (`DEFERRED`). */
export const engine: CheckEngine = {
  reader: () => ({ read }),
  protocol: protocolOf,
  greet: sessionWarning,
  recognise,
  own: [__dirname, ...copySource(__dirname)],
  held,
  advise: withAdvice,
  keepEdit: keep,
  confine: (...given) => confine(...given, { node: process.execPath, folder: __dirname }),
};

/** Here nobody watches: files that strangers may have written are left to the other thread. */
export const unwatchedReader: CheckEngine["reader"] = () => ({
  read(sources, ...given) {
    if (sources.some(({ layer }) => layer === "project")) throw new WatchFirst();
    return engine.reader().read(sources, ...given);
  },
});
