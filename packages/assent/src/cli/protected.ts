import { visible } from "@assent/core/action";
import { isDecision, isQuestion, isRefusal, query } from "@assent/guard/audit";
import { type Machine, stateFolder } from "@assent/guard/state";

/** What `assent status` knows when it answers "am I protected here?". */
export interface ProtectionFacts {
  readonly agents: readonly {
    readonly id: string;
    readonly name: string;
    readonly registered: "all" | "none" | "other";
    readonly off: string | null;
  }[];
  /** Policy files with mistakes, as people know them. */
  readonly broken: readonly string[];
  readonly preset: string;
  /** By whom questions are skipped. */
  readonly bypass: string | null;
  /** The user lets a host's own bypass mode waive denials. */
  readonly waives: boolean;
  readonly tripped: number;
  /** The version that hooks run, where it is not this one. */
  readonly older: string | null;
  /** Why nothing can run sandboxed, where sandboxing is on. */
  readonly cannotSandbox: string | null;
}

/** `partly`: something is left open, or somebody has to do something first. */
export interface ProtectionHere {
  readonly is: "yes" | "partly" | "no";
  /** One sentence, and where something is to be done the command. */
  readonly text: string;
}

const names = (all: readonly { readonly name: string }[]): string => all.map(({ name }) => name).join(", ");

/** INVARIANT: yes is said only where every agent that was found asks, its hooks are on, and every policy file is read. */
export function protectionOf({ agents, broken, preset, bypass, waives, tripped, older, cannotSandbox }: ProtectionFacts): ProtectionHere {
  const asking = agents.filter(({ registered, off }) => registered === "all" && off === null);
  const [silent] = agents.filter(({ registered }) => registered === "none");
  const [switched] = agents.filter(({ registered, off }) => registered !== "none" && off !== null);
  const [other] = agents.filter(({ registered, off }) => registered === "other" && off === null);
  if (agents.length === 0)
    return { is: "no", text: "no: no agent was found on this machine. `assent run COMMAND` protects a single command" };
  const open =
    switched !== undefined
      ? `hooks of ${switched.name} are switched off here: ${visible(switched.off ?? "")}`
      : silent !== undefined
        ? `${silent.name} does not ask Assent: assent install --agent ${silent.id}`
        : other === undefined
          ? undefined
          : `${other.name} asks another installation of Assent, or not in every way: assent install --agent ${other.id}`;
  if (asking.length === 0) return { is: "no", text: `no: ${open ?? "no agent asks Assent"}` };
  const [first] = broken;
  const but =
    first !== undefined
      ? `${visible(first)} has mistakes, so everything is asked: assent lint`
      : bypass !== null
        ? `questions are skipped, only refusals hold (${visible(bypass)}): assent bypass off`
        : preset === "none"
          ? 'the policy says `"preset": "none"`, so only written rules hold'
          : waives
            ? 'the policy says `"bypass": "host"`, so an agent that skips its questions skips refusals, too'
            : tripped > 0
              ? "a session was refused so often that it is asked about everything: assent breaker"
              : cannotSandbox !== null
                ? `sandboxing is on and cannot work here (${visible(cannotSandbox)}): assent doctor`
                : (open ?? (older === null ? undefined : `hooks run another version (${visible(older)}): assent install`));
  if (but === undefined)
    return { is: "yes", text: `yes: ${names(asking)} ${asking.length === 1 ? "asks" : "ask"} Assent before every tool` };
  return { is: "partly", text: `partly: ${names(asking)} ${asking.length === 1 ? "asks" : "ask"} Assent, but ${but}` };
}

/** Decisions of today, by what came of them. */
export interface Today {
  readonly checked: number;
  readonly sandboxed: number;
  readonly asked: number;
  readonly refused: number;
}

/** How long it counts before others of this process have their turn. Milliseconds. */
const STRETCH_MS = 15;

export async function decisionsOfToday(machine: Machine, now: number): Promise<Today> {
  const start = new Date(now).setHours(0, 0, 0, 0);
  const out = { checked: 0, sandboxed: 0, asked: 0, refused: 0 };
  let began = performance.now();
  for (const { entry } of query(stateFolder(machine), { since: start })) {
    if (performance.now() - began > STRETCH_MS) {
      await new Promise((resolve) => setImmediate(resolve));
      began = performance.now();
    }
    if (!isDecision(entry)) continue;
    const { count } = entry;
    out.checked += count;
    if (entry.confined === "yes") out.sandboxed += count;
    if (isQuestion(entry)) out.asked += count;
    else if (isRefusal(entry)) out.refused += count;
  }
  return out;
}
