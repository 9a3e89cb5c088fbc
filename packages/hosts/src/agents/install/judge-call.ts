import { fileURLToPath } from "node:url";
import { isObject } from "@assent/core/data";
import { decide, type Input } from "@assent/guard/engine";
import { read } from "@assent/guard/engine/reader";
import { type Machine, thisMachine } from "@assent/guard/state";
import { advise, rulesOf } from "@assent/guard/suggest";
import { askOuter } from "@assent/supervisor/supervise/outer";
import { confine } from "./confiner.ts";
import type { Envelope, Protocol } from "../host/protocol.ts";

/** Judging in the process of a host that loads JavaScript: no process a call. Files are read again when they change. */

// The folder of the built program; `dist/chunks` lies in it.
const own = [fileURLToPath(new URL(".", import.meta.url)).replace(/\/(?:chunks\/)?$/, "")];

/** What the registration says: where state lies when that is not below the home folder, and the node that runs Assent. */
export interface Registered {
  readonly state?: string;
  /** Without it nothing is confined: what runs this module is the host's. */
  readonly node?: string;
}

/**
 * Hosts built with Bun, and some others, take the `.env` of a project into their environment: what could control the judge
 * is not taken from there, as the registered command of other hosts drops it.
 */
export function machineFor(env: Readonly<Record<string, string | undefined>>, { state }: Registered = {}): Machine {
  const kept = Object.entries(env).filter(([name]) => !CONTROLLING.has(name) && !(name === "TMPDIR" && process.platform === "linux"));
  return thisMachine(Object.fromEntries(state === undefined ? kept : [...kept, ["XDG_STATE_HOME", state]]));
}

const CONTROLLING: ReadonlySet<string> = new Set(["ASSENT_POLICY", "XDG_STATE_HOME", "XDG_CACHE_HOME"]);

/** The answer to one call, as `assent check` would give it. Everything that can go wrong ends in a refusal. */
export function judgeCall(protocol: Protocol, payload: Input, event: string, cwd: string, registered?: Registered): Envelope {
  const refuse = (why: string): Envelope => protocol.refuse(why, event).envelope ?? {};
  try {
    const outer = askOuter({ ask: "hook", argv: ["--agent", protocol.id, "--event", event], input: JSON.stringify(payload), env: {} });
    // Inside a supervised run the supervisor answers: there neither policy nor state are in the agent's reach.
    if (outer !== undefined) return outer.is === "hook" ? envelopeIn(outer.stdout) : refuse("the supervisor around this did not answer");
    const machine = machineFor(process.env, registered);
    const reading = protocol.read({ payload, event, env: machine.env, folder: cwd });
    if (reading.is === "nothing") return protocol.noOpinion.envelope ?? {};
    if (reading.is === "problem") return refuse(reading.why);
    const options = { machine, reader: () => ({ read }), own, audit: true };
    const { request } = reading;
    const [folder = ""] = own;
    const { node } = registered ?? {};
    const outcome =
      node === undefined
        ? decide({ ...request, host: { ...request.host, confines: false } }, options)
        : decide(request, { ...options, confine: (...given) => confine(...given, { node, folder }) });
    return protocol.write(advise(outcome, rulesOf(options.reader(), "allow"))).envelope ?? {};
  } catch (error) {
    return refuse(`Assent failed: ${error instanceof Error ? error.message.slice(0, 200) : "unknown error"}`);
  }
}

function envelopeIn(text: string): Envelope {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) throw new Error("the supervisor's answer is not an object");
  return value;
}

export const text = (value: unknown): string => (typeof value === "string" ? value : "");
