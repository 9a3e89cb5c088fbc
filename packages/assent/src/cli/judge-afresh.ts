import { adviceForModel } from "@assent/core/action";
import { REFERENCE } from "@assent/hosts/agents";
import { decide, type Host } from "@assent/guard/engine";
import type { Machine } from "@assent/guard/state";
import { engine } from "@assent/page/preview";
import { PERSON, whyOf } from "./run-refusals.ts";

/** Somebody typed it, or the ticket is gone. */
const ANYBODY: Host = { shell: "bash", decides: false, asks: false, bypassed: false, planning: false, confines: true };

/** Why a command without a ticket is not started; undefined: it may be, confined. */
export function judgeAfresh(command: string, cwd: string, machine: Machine): { readonly why: string; readonly way: string } | undefined {
  const { verdict } = decide(
    {
      tool: "Bash",
      facts: REFERENCE.protocol.tools["Bash"],
      input: { command },
      cwd,
      host: ANYBODY,
      point: "confined",
      agent: "unknown",
    },
    { machine, ...engine, policyFiles: [], audit: true },
  );
  if (verdict.decision === "allow") return undefined;
  const own = verdict.help === undefined ? undefined : adviceForModel(verdict.help);
  const help = own === undefined ? PERSON : /\bask the user\b/.test(own) ? own : `${own}; or ${PERSON}`;
  return { why: `${verdict.reason} (${whyOf(verdict)})`, way: help };
}
