import type { Machine } from "@assent/guard/state";
import { rulesForRefused, type RunRefusals } from "../supervise/learn/index.ts";
import { readEvents, type RunRecord } from "../supervise/undo/index.ts";
import { engine } from "./engine.ts";

/** What a run was refused, with the rules that would have allowed it. */
export function refusalsOf(run: RunRecord, machine: Machine): RunRefusals {
  return rulesForRefused(readEvents(run.folder), {
    isElsewhere: run.guard !== undefined,
    machine,
    cwd: run.cwd,
    profile: run.profile ?? "",
    policyFiles: run.policyFiles ?? [],
    ofAgent: run.confined !== undefined,
    ...engine,
  });
}
