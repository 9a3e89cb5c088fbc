import { statSync } from "node:fs";
import type { Machine } from "../../state/index.ts";
import type { InstallPlace, Registration, Setup } from "../agent.ts";
import type { AgentId } from "../ids.ts";

/** Where Assent itself lies. */
export interface Program {
  /** Absolute path of the node that runs hooks. */
  readonly node: string;
  /** Folder of the built program. */
  readonly folder: string;
}

/** Variables that could steer or break the judge, in an environment that an agent may have shaped. */
const DROPPED = ["NODE_OPTIONS", "NODE_PATH", "LD_PRELOAD", "NODE_EXTRA_CA_CERTS", "ASSENT_POLICY"];

function stateHome({ env }: Pick<Machine, "env">): string | undefined {
  const state = env["XDG_STATE_HOME"];
  return state?.startsWith("/") === true ? state : undefined;
}

/** For `sh`. */
const quoted = (text: string): string => (/^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/**
 * What a host's shell runs. Every part is absolute, so that it also works for a host that was started from a desktop. Most
 * hosts go on when a hook cannot be started or crashes, and stop at exit code 2.
 */
export function hookCommand(agent: AgentId, event: string, program: Program, machine: Pick<Machine, "home" | "env">): string {
  const state = stateHome(machine);
  const words = [
    "/usr/bin/env",
    ...[...DROPPED, ...(state === undefined ? ["XDG_STATE_HOME"] : [])].flatMap((name) => ["-u", name]),
    ...(state === undefined ? [] : [`XDG_STATE_HOME=${state}`]),
    `HOME=${machine.home}`,
    program.node,
    `${program.folder}/bin.cjs`,
    "check",
    "--agent",
    agent,
    "--event",
    event,
  ];
  return `${words.map(quoted).join(" ")} || { [ $? -eq 2 ] || echo 'Assent failed, so this is refused; run: assent doctor' >&2; exit 2; }`;
}

export function installPlace(agent: AgentId, program: Program, machine: Machine, project: string | undefined): InstallPlace {
  const state = stateHome(machine);
  return {
    registered: state === undefined ? {} : { state },
    home: machine.home,
    env: machine.env,
    platform: machine.platform,
    project,
    command: (event) => hookCommand(agent, event, program, machine),
    module: (name) => `${program.folder}/${name}`,
  };
}

/** Registration through rulesync, which writes the hosts' files itself. */
export function rulesyncRegistration({ events, rulesync }: Setup, { home, command }: InstallPlace): Registration | undefined {
  if (rulesync === undefined) return undefined;
  const { block, matcher, timeout } = rulesync;
  return {
    is: "entries",
    file: rulesyncFile(home),
    format: "json",
    keys: [{ path: ["version"], value: 1, must: "there" }],
    entries: rulesync.events.map((event, at) => ({
      list: [block, "hooks", event],
      value: { type: "command", matcher, command: command(events[at] ?? event), timeout },
    })),
    only: block,
  };
}

export const rulesyncFile = (home: string): string => `${home}/.rulesync/hooks.json`;

/** What shows that a host is on this machine: a program on PATH, or a folder of its settings. */
export function signOf({ signs }: Setup, { home, env }: Pick<Machine, "home" | "env">): string | undefined {
  for (const name of signs.programs) {
    const found = onPath(name, env["PATH"]);
    if (found !== undefined) return found;
  }
  return signs.folders
    .map((folder) => `${home}/${folder}`)
    .find((folder) => statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true);
}

export function onPath(name: string, path = ""): string | undefined {
  for (const folder of path.split(":")) {
    if (!folder.startsWith("/")) continue;
    try {
      const stats = statSync(`${folder}/${name}`, { throwIfNoEntry: false });
      if (stats?.isFile() === true && (stats.mode & 0o111) !== 0) return `${folder}/${name}`;
    } catch {
      // A folder that cannot be looked into holds nothing that could be started.
    }
  }
  return undefined;
}
