import { isShellPrefix } from "@assent/core/action";
import { type Agent, AGENTS, isAgentId, type KeyOfFile, type Registration, type Setup } from "@assent/hosts/agents";
import {
  carryOut,
  endedProgram,
  ensureShellPrefix,
  installedProgram,
  installPlace,
  isOwnStatusLine,
  planInstall,
  type Program,
  readInstalled,
  runProgram,
  settingsIn,
  statusLineCommand,
} from "@assent/hosts/agents/install";
import { isObject } from "@assent/core/data";
import { inspect } from "@assent/guard/inspect";
import { confinesAnything } from "@assent/core/policy";
import { type Machine, messageOf } from "@assent/guard/state";
import { engine } from "@assent/page/preview";
import { absolute } from "./place.ts";

/** What the hooks of this user start. */
export const programHere = (machine: Machine, isPlanned = false): Program => installedProgram(machine, engine.own[0] ?? "", isPlanned);

/**
 * What stands in a host's files; with the program around its commands where this user's policy confines and the host can do that,
 * and with its status line where that is ours already. `statusLine`: it is to be, or to be no more.
 */
export function registrationsHere(
  agent: Agent & { readonly setup: Setup },
  machine: Machine,
  project: string | undefined,
  statusLine?: boolean,
  program = programHere(machine),
): readonly Registration[] {
  const [first, ...others] = hooksHere(agent, machine, project, program);
  if (first === undefined || first.is !== "entries" || project !== undefined) return first === undefined ? [] : [first, ...others];
  const line = statusLineIn(agent.setup, first, machine, program);
  const isWanted = line?.is === "ours" ? statusLine !== false : line?.is === "none" && statusLine === true;
  return line !== undefined && isWanted ? [{ ...first, keys: [...(first.keys ?? []), line.key] }, ...others] : [first, ...others];
}

/** Whose status line a host shows; undefined: it has none. */
export interface StatusLineHere {
  readonly is: "none" | "ours" | "theirs";
  readonly key: KeyOfFile;
  readonly file: string;
}

export function statusLineHere(agent: Agent & { readonly setup: Setup }, machine: Machine): StatusLineHere | undefined {
  const program = programHere(machine);
  const [first] = hooksHere(agent, machine, undefined, program);
  return first === undefined ? undefined : statusLineIn(agent.setup, first, machine, program);
}

function statusLineIn({ statusLine }: Setup, { file }: Registration, machine: Machine, program: Program): StatusLineHere | undefined {
  if (statusLine === undefined) return undefined;
  const key = statusLine(statusLineCommand(program, machine));
  const now = key.path.reduce<unknown>((at, step) => (isObject(at) ? at[step] : undefined), settingsIn(file));
  return { is: now === undefined ? "none" : isOwnStatusLine(now) ? "ours" : "theirs", key, file };
}

function hooksHere(
  agent: Agent & { readonly setup: Setup },
  machine: Machine,
  project: string | undefined,
  program: Program,
): readonly Registration[] {
  const id = isAgentId(agent.id) ? agent.id : "generic";
  const place = installPlace(id, program, machine, project);
  const plain = agent.setup.registrations(place);
  if (project !== undefined || agent.protocol.wrapping === undefined || !confinesHere(machine)) return plain;
  const confining = { ...place, ended: endedProgram(id, program, machine) };
  const written = ensureShellPrefix(agent.id, machine, runProgram(program));
  if ("problem" in written) return plain;
  const wrapped = agent.setup.registrations({ ...confining, prefix: written.file });
  return wrapped.every(isFree) ? wrapped : agent.setup.registrations(confining);
}

/** Nobody else's program stands where ours would. */
function isFree(registration: Registration): boolean {
  if (registration.is !== "entries") return true;
  const settings = settingsIn(registration.file);
  return (registration.keys ?? []).every(({ path, must }) => {
    const now = path.reduce<unknown>((at, step) => (isObject(at) ? at[step] : undefined), settings);
    return must !== "be" || now === undefined || (typeof now === "string" && isShellPrefix(now));
  });
}

function confinesHere(machine: Machine): boolean {
  const { policy } = inspect({ machine, cwd: absolute("."), own: engine.own });
  return policy.settings.unknown === "confine" && confinesAnything(policy);
}

/** After confining was switched on or off: what was registered before is as it is to be now. What could not be changed is returned. */
export function updateWrapping(machine: Machine): readonly string[] {
  const installed = readInstalled(machine);
  return AGENTS.flatMap((agent) => {
    const { setup } = agent;
    if (setup === undefined || agent.protocol.wrapping === undefined) return [];
    try {
      return registrationsHere({ ...agent, setup }, machine, undefined).flatMap((registration) => {
        const planned = planInstall(agent.id, registration, installed);
        const known = planned.is === "change" && installed.some(({ file }) => file === planned.change.target);
        const done = known ? carryOut(planned.change, machine) : undefined;
        return done?.is === "failed" ? [`${registration.file}: ${done.why}`] : [];
      });
    } catch (error) {
      return [`${agent.id}: ${messageOf(error)}`];
    }
  });
}
