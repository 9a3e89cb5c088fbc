import { shellWord } from "@assent/core/data";
import { statSync } from "node:fs";
import { leftFolder, type Machine, reportsFolder, daemonFolder } from "@assent/guard/state";
import type { InstallPlace, Registration, Setup } from "../host/agent.ts";
import { agentNamed, type AgentId } from "../all.ts";
import { ALWAYS_HANDED_ON, launcherName } from "./launcher.ts";
import { assigned, type Program, starts, stateHome, type Whose } from "./program.ts";

const ALWAYS = Object.keys(ALWAYS_HANDED_ON);

const called = (agent: AgentId, event: string, { node, folder }: Program, word = "check"): readonly string[] => [
  node,
  `${folder}/bin.cjs`,
  word,
  "--agent",
  agent,
  "--event",
  event,
];

/** One that is not set stays so. */
const handOn = (name: string): string => `\${${name}+"${name}=$${name}"}`;

/**
 * The static client and its first words: it asks the judge that stays, where one does, and becomes the launcher where none answers. Absent
 * where there is none for this system, where it does not start, and where it is not known whose hook it is.
 */
function askProgram({ folder, from = folder }: Program, platform: string, machine: Whose): readonly [string, string, string] | undefined {
  const [ask, launch] = (["ask", "launch"] as const).map((name) => launcherName(platform, process.arch, name));
  if (machine === "everybody" || ask === undefined || launch === undefined) return undefined;
  const [client, launcher] = [`${folder}/${ask}`, `${folder}/${launch}`];
  return starts(`${from}/${ask}`) && starts(`${from}/${launch}`) ? [client, `${daemonFolder(machine)}/`, launcher] : undefined;
}

/** Clears the environment of all, so that nothing of it controls what follows. */
const CLEARED = "/usr/bin/env -i";

/** The words before the program and its own, for `sh`. */
function beginning(program: Program, platform: string, machine: Whose, variables: readonly string[]): readonly string[] {
  const client = askProgram(program, platform, machine);
  const assignments = assigned(machine).map(shellWord);
  if (client !== undefined) return [...client.map(shellWord), ...assignments];
  return [CLEARED, ...assignments, ...variables.map(handOn)];
}

const GONE = "Node or Assent is missing or broken, so this is refused. In a terminal of your own: sh ~/.local/share/assent/rescue";

/**
 * What a host's shell runs. Every part is absolute, so that it also works for a host that was started from a desktop, and no
 * variable of the host reaches it but those named: others could load code into Node or the loader. Most hosts go on when a
 * hook cannot be started or crashes, and stop at exit code 2.
 */
export function hookCommand(
  agent: AgentId,
  event: string,
  program: Program,
  machine: Whose,
  variables: readonly string[] = [],
  platform = "",
): string {
  const words = [...beginning(program, platform, machine, [...ALWAYS, ...variables]), ...called(agent, event, program).map(shellWord)];
  return `${words.join(" ")} || { [ $? -eq 2 ] || echo '${GONE}' >&2; exit 2; }`;
}

/** What a host's shell runs to print a status line. It is told the folder on standard input. */
export function statusLineCommand(program: Program, machine: Machine): string {
  return [
    ...beginning(program, machine.platform, machine, ALWAYS),
    ...[program.node, `${program.folder}/bin.cjs`, "status", "--line", "--stdin"].map(shellWord),
  ].join(" ");
}

/** The launcher and its arguments. It does by itself what `env -i` and the shell do above, and no loader runs before it. */
function hookProgram(
  agent: AgentId,
  event: string,
  program: Program,
  platform: string,
  machine: Whose,
  word?: string,
): ReturnType<InstallPlace["program"]> {
  const name = launcherName(platform, process.arch);
  if (name === undefined) return undefined;
  const client = word === undefined ? askProgram(program, platform, machine) : undefined;
  if (client !== undefined) {
    const [command, ...first] = client;
    return { command, args: [...first, ...assigned(machine), ...called(agent, event, program)] };
  }
  const command = `${program.folder}/${name}`;
  return starts(`${program.from ?? program.folder}/${name}`)
    ? { command, args: [...assigned(machine), ...called(agent, event, program, word)] }
    : undefined;
}

/** The same, started only where there is something to tell or to end: the folders say so. */
export function endedProgram(
  agent: AgentId,
  program: Program,
  machine: Machine,
): (event: string, what: "command" | "session") => ReturnType<InstallPlace["program"]> {
  return (event, what) => {
    const name = launcherName(machine.platform, process.arch, "when");
    const hook = hookProgram(agent, event, program, machine.platform, machine, "ended");
    if (name === undefined || hook === undefined) return undefined;
    const folder = what === "command" ? reportsFolder(machine) : leftFolder(machine);
    return { command: `${program.folder}/${name}`, args: [folder, hook.command, ...hook.args] };
  };
}

export function installPlace(
  agent: AgentId,
  program: Program,
  machine: Machine,
  project: string | undefined,
  whose: Whose = machine,
): InstallPlace {
  const state = stateHome(machine);
  const variables = Object.keys(agentNamed(agent)?.facts.variables.told ?? {});
  return {
    registered: { ...(state === undefined ? {} : { state }), node: program.node },
    home: machine.home,
    env: machine.env,
    platform: machine.platform,
    project,
    command: (event, exits) => hookCommand(agent, event, program, whose, variables, exits === "any" ? "" : machine.platform),
    program: (event) => hookProgram(agent, event, program, machine.platform, whose),
    module: (name) => `${program.folder}/${name}`,
  };
}

/** The registration where only an administrator can write, for everybody on the machine; none where the host has no such place. */
export function managedRegistrations(
  agent: AgentId,
  { managed, registrations }: Setup,
  program: Program,
  machine: Machine,
): readonly Registration[] {
  if (managed === undefined || machine.platform !== "linux") return [];
  const place = installPlace(agent, program, machine, undefined, "everybody");
  if (managed.registrations !== undefined) return managed.registrations(place);
  const [own] = registrations(place);
  if (own === undefined) return [];
  const { file, keys = [], also = [] } = managed;
  const open = { file, mode: 0o644 } as const;
  const first: Registration = own.is === "file" ? { ...own, ...open } : { ...own, ...open, keys: [...(own.keys ?? []), ...keys] };
  return [first, ...also.map((other): Registration => ({ is: "entries", entries: [], mode: 0o644, ...other }))];
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
