import type { Machine } from "@assent/guard/state";
import { rulesForRefused, type RunRefusals } from "@assent/supervisor/supervise/learn";
import { readEvents, type RunRecord } from "@assent/supervisor/supervise/undo";
import { engine } from "@assent/page/preview";

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
