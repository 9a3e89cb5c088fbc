import { query } from "@assent/guard/audit";
import { agentNamed } from "@assent/hosts/agents";
import { decide, type DecideOptions, type Outcome } from "@assent/guard/engine";
import { allOf, gatherHistory, type History, type Past } from "@assent/guard/suggest";
import { type Machine, stateFolder } from "@assent/guard/state";
import { engine } from "./engine.ts";

const DAY_MS = 86_400_000;

/** The requests of the last days, each once. Yields after each record of the log. */
export function* readPastRequests(machine: Machine, days: number): Generator<undefined, History> {
  const found = query(stateFolder(machine), { since: Date.now() - days * DAY_MS });
  return yield* gatherHistory(
    (function* entries() {
      for (const { entry } of found) yield entry;
    })(),
  );
}

/** As `readPastRequests`, at once. */
export const pastRequests = (machine: Machine, days: number): History => allOf(readPastRequests(machine, days));

/** By what else a past request is judged. */
export type PastOptions = Pick<DecideOptions, "files" | "select" | "adapt" | "world">;

/** Judges what was asked then as it would be judged now, the file system as it is now. */
export function judgePast({ agent, tool, input, cwd }: Past, machine: Machine, other: PastOptions = {}): Outcome {
  const tools = agentNamed(agent)?.protocol.tools ?? {};
  const facts = Object.hasOwn(tools, tool) ? tools[tool] : undefined;
  return decide(
    {
      tool,
      facts,
      input,
      cwd,
      host: { shell: "any", decides: true, asks: true, bypassed: false, planning: false, confines: true },
      point: "replay",
      agent,
    },
    { machine, ...engine, audit: false, memory: "none", extensions: "off", ...other },
  );
}
