import { isShellPrefix } from "../action/index.ts";
import { type Agent, AGENTS, isAgentId, type Registration, type Setup } from "../agents/index.ts";
import {
  carryOut,
  endedProgram,
  ensureShellPrefix,
  installPlace,
  planInstall,
  readInstalled,
  settingsIn,
} from "../agents/install/index.ts";
import { isObject } from "../data/index.ts";
import { inspect } from "../inspect/index.ts";
import { confinesAnything } from "../policy/index.ts";
import { type Machine, messageOf } from "../state/index.ts";
import { engine } from "./engine.ts";
import { absolute } from "./place.ts";

const program = (): { readonly node: string; readonly folder: string } => ({ node: process.execPath, folder: engine.own[0] ?? "" });

/** What stands in a host's files; with the program around its commands where this user's policy confines and the host can do that. */
export function registrationsHere(
  agent: Agent & { readonly setup: Setup },
  machine: Machine,
  project: string | undefined,
): readonly Registration[] {
  const id = isAgentId(agent.id) ? agent.id : "generic";
  const place = installPlace(id, program(), machine, project);
  const plain = agent.setup.registrations(place);
  if (project !== undefined || agent.protocol.wrapping === undefined || !confinesHere(machine)) return plain;
  const confining = { ...place, ended: endedProgram(id, program(), machine) };
  const written = ensureShellPrefix(agent.id, machine, program());
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
