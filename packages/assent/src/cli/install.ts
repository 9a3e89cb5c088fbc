import { statSync } from "node:fs";
import { visible } from "@assent/core/action";
import { type Agent, type AgentId, AGENTS, agentNamed, isAgentId, type Registration, type Setup } from "@assent/hosts/agents";
import {
  carryOut,
  type Change,
  copiedVersion,
  copyFolder,
  installPlace,
  managedRegistrations,
  type OtherGuard,
  otherGuards,
  type Planned,
  planInstall,
  planUninstall,
  type Program,
  readInstalled,
  removeCopy,
  rulesyncFile,
  rulesyncRegistration,
  signOf,
  writeCopy,
} from "@assent/hosts/agents/install";
import { policyPlace } from "@assent/guard/policy-edit";
import { type Machine, thisMachine, realPath } from "@assent/guard/state";
import { isConfiningOffered, offerConfining, settingSentence } from "./confine.ts";
import { endOldDaemon, forgetDaemon, isDaemonOffered, offerDaemon } from "./daemon.ts";
import { engine } from "@assent/page/preview";
import { settleGuards } from "./guards.ts";
import { endWhatIsOn, removeAll, whatEnds, whatStays } from "./install-left.ts";
import { agreeToPage, fileLines, ON_THEN, pageOf, patchOf } from "./install-page.ts";
import { absolute, shorten } from "./place.ts";
import { complain } from "./policy-target.ts";
import { VERSION } from "./program-frame.ts";
import { RESCUE, writeRescue } from "./rescue.ts";
import { writeStdout } from "./stdio.ts";
import { confirmed } from "./terminal.ts";
import { programHere, registrationsHere, statusLineHere } from "./wrapping.ts";

export interface InstallOptions {
  readonly agent?: readonly string[];
  readonly local?: boolean;
  /** Where only an administrator can write. */
  readonly managed?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly mode?: "auto" | "direct" | "rulesync";
  readonly replaceGuards?: boolean;
  /** The host's status line is to show Assent's; false: no more. */
  readonly statusLine?: boolean;
}

type InstallableAgent = Agent & { readonly setup: Setup };
interface Job {
  readonly agent: InstallableAgent;
  readonly planned: readonly InstallStep[];
}

/** What is to become of a file, and how to find out again once another agent's part of it is written. */
type InstallStep = Planned & { readonly again: () => Planned };
const step = (plan: () => Planned): InstallStep => ({ ...plan(), again: plan });

/** `assent install`: registers Assent with the agents on this machine. Exit 0 done, 1 one of them failed, 2 wrong usage. */
export async function install(options: InstallOptions): Promise<number> {
  // A registration would be written, and nothing behind it would judge.
  if (process.platform === "win32") {
    complain("install", "Windows is not supported", "use WSL 2, with your agent and Assent inside it: docs/how-to/wsl.md");
    return 1;
  }
  if (options.managed === true) return await managed("install", options);
  const machine = thisMachine();
  const agents = chosen("install", options, (agent) => signOf(agent.setup, machine) !== undefined);
  if (agents === undefined) return 2;
  const project = projectOf("install", options, machine);
  const short = shortIn(machine);
  if (project === null) return 2;
  const synced = statSync(`${machine.home}/.rulesync`, { throwIfNoEntry: false })?.isDirectory() === true;
  if (options.mode === "rulesync" && !synced) {
    complain(
      "install",
      `${short(rulesyncFile(machine.home))}: the rulesync folder does not exist`,
      "leave --mode out to write the agents' own files",
    );
    return 2;
  }
  const rulesync = options.mode === "rulesync" || (options.mode !== "direct" && synced && project === undefined);
  if (agents.length === 0) {
    complain("install", "no agent was found on this machine", `name one: --agent ${AGENTS[0]?.id ?? ""}`);
    return 1;
  }
  const jobsWith = (program: Program): readonly Job[] =>
    agents.map((agent): Job => {
      const registrations = registrationsOf(agent, machine, project, rulesync, program, options.statusLine);
      return { agent, planned: registrations.map((each) => step(() => planInstall(agent.id, each, readInstalled(machine)))) };
    });
  const shown = options.statusLine !== true || tellStatusLines(agents, machine, rulesync || project !== undefined);
  const guards = agents.flatMap((agent) => guardsOf(agent, machine, project));
  if (rulesync) writeStdout("through rulesync, which is used here: ~/.rulesync/hooks.json\n");
  const status = await perform("install", jobsWith(programHere(machine, true)), options, machine, {
    page: (changes) => installPage(agents, changes, guards, machine, short),
    prepare: () => prepareCopy(machine, jobsWith),
  });
  if (status !== 0 || !shown) return status || 1;
  // What is the project's is everybody's there: only who registers there takes it out.
  const settled = await settleGuards(
    guards.filter(({ shared }) => !shared || options.local === true),
    options,
    machine,
  );
  if (options.dryRun !== true && options.yes !== true) {
    await offerConfining(machine);
    await offerDaemon(machine);
  }
  return settled;
}

/** Brings the copy that hooks start up to date. Undefined: it stands; else what is to be written where there can be none. */
async function prepareCopy(machine: Machine, jobsWith: (program: Program) => readonly Job[]): Promise<readonly Job[] | undefined> {
  const own = engine.own[0] ?? "";
  const before = copiedVersion(machine);
  const done = writeCopy(machine, own, VERSION);
  if ("problem" in done) {
    complain("install", `${shortIn(machine)(copyFolder(machine))}: ${visible(done.problem)}`, `hooks start ${visible(own)} itself`);
    removeCopy(machine);
    return jobsWith({ node: process.execPath, folder: own });
  }
  if (!done.changed) return undefined;
  if (before !== undefined) writeStdout(`hooks run ${VERSION} now${before === VERSION ? "" : ` (${before} until now)`}\n`);
  await endOldDaemon(machine);
  return undefined;
}

function installPage(
  agents: readonly InstallableAgent[],
  changes: readonly Change[],
  guards: readonly OtherGuard[],
  machine: Machine,
  short: (path: string) => string,
): string {
  const others = [...new Set(guards.map(({ name }) => name ?? "another hook"))].map((name) => visible(name));
  const next = [
    ...(guards.some(({ byHand }) => byHand === undefined) ? ["take out what else asks before commands"] : []),
    ...(isConfiningOffered(machine) ? ["run tests, builds and scripts sandboxed instead of asking you"] : []),
    ...(isDaemonOffered(machine) ? ["keep one process that answers hooks faster"] : []),
  ];
  return pageOf(
    [
      ["found", agents.map(({ name }) => name).join(", ")],
      [
        "adds",
        "Assent's hooks, to these files (a copy of what was there is kept):",
        ...fileLines(changes, short).map((file) => `  ${file}`),
      ],
      ["copies", `Assent to ${visible(short(copyFolder(machine)))}, which hooks start`],
      ["then", ...ON_THEN],
      ["without you", settingSentence(machine)],
      ...(others.length === 0 ? [] : [["asks too", others.join(", ")] as const]),
      ...(next.length === 0 ? [] : [["next", "you are asked about:", ...next.map((what) => `  ${what}`)] as const]),
      ["out again", "assent uninstall"],
    ],
    machine.env,
  );
}

/** Why a status line will not be shown: a person's own is never replaced. False where that is so. */
function tellStatusLines(agents: readonly InstallableAgent[], machine: Machine, elsewhere: boolean): boolean {
  const lines = agents.flatMap((agent) => {
    const line = elsewhere ? undefined : statusLineHere(agent, machine);
    return line === undefined ? [] : [{ ...line, id: agent.id }];
  });
  if (lines.length === 0)
    complain(
      "install",
      elsewhere ? "a status line is written into your own settings alone" : "none of these agents has a status line to write to",
      elsewhere ? "leave --local and --mode rulesync out" : "docs/how-to/status-line.md says how a shell shows it",
    );
  const theirs = lines.filter(({ is }) => is === "theirs");
  for (const { id, file, key } of theirs)
    complain(
      "install",
      `${id}: ${shortIn(machine)(file)} has a status line of yours (\`${key.path.join(".")}\`), and it stays`,
      "let your own print what `assent status --line --stdin` prints, or take it out first",
    );
  return lines.length > 0 && theirs.length === 0;
}

function guardsOf(agent: InstallableAgent, machine: Machine, project: string | undefined): readonly OtherGuard[] {
  const id: AgentId = isAgentId(agent.id) ? agent.id : "generic";
  return otherGuards(agent, installPlace(id, programHere(machine), machine, undefined), machine, project);
}

/** `assent uninstall`: takes out what `install` put in, byte for byte where nobody else has changed the file since. */
export async function uninstall(options: Omit<InstallOptions, "mode"> & { readonly all?: boolean }): Promise<number> {
  if (options.managed === true) return await managed("uninstall", options);
  const machine = thisMachine();
  const agents = chosen("uninstall", options, () => true);
  if (agents === undefined) return 2;
  const project = policyPlace("local", machine, absolute("."))?.root;
  const installed = readInstalled(machine);
  const isWhole = options.agent === undefined && options.local !== true;
  const jobs = agents.map((agent): Job => {
    const places = options.local === true ? [project] : [undefined, ...(project === undefined ? [] : [project])];
    const registrations = places.flatMap((place) => [
      ...registrationsOf(agent, machine, place, false, programHere(machine)),
      ...(place === undefined ? registrationsOf(agent, machine, place, true, programHere(machine)) : []),
    ]);
    const files = new Set(registrations.flatMap((each) => (each.is === "file" ? [each.file, realPath(each.file)] : [])));
    const elsewhere =
      options.local === true
        ? []
        : installed.filter((each) => each.agent === agent.id && !files.has(each.file)).map(({ file }) => anyFile(file));
    // What names a file goes before the file.
    const all = new Map([...elsewhere, ...registrations].map((registration) => [`${registration.file}\0${registration.is}`, registration]));
    const planned = [...all.values()]
      .toSorted((a, b) => placeOf(a) - placeOf(b))
      .map((registration) => step(() => planUninstall(agent.id, registration, readInstalled(machine))));
    return { agent, planned: onePerFile(planned) };
  });
  const status = await perform(
    "uninstall",
    jobs.filter(({ planned }) => options.agent !== undefined || planned.some(({ is }) => is !== "same")),
    options,
    machine,
    { page: (changes) => uninstallPage(changes, machine, isWhole) },
  );
  if (status !== 0 || !isWhole || options.dryRun === true) return status;
  // No hook is left that could ask it.
  await forgetDaemon(machine);
  const problems = endWhatIsOn(machine, Date.now());
  for (const problem of problems) complain("uninstall", visible(problem));
  const stays = whatStays(machine).map((each) => `  ${visible(each)}\n`);
  if (stays.length === 0) return problems.length > 0 ? 1 : 0;
  if (options.all !== true) writeStdout(`what stays, until \`assent uninstall --all\`:\n${stays.join("")}`);
  else if (!(await removeRest(stays.join(""), options.yes === true, machine))) return 1;
  return problems.length > 0 ? 1 : 0;
}

/** False: it is still there, which has been said. */
async function removeRest(stays: string, isAgreed: boolean, machine: Machine): Promise<boolean> {
  const agreed = isAgreed || (await confirmed(`what stays:\n${stays}`, "Remove this for good?"));
  if (agreed === true) {
    const problem = removeAll(machine);
    if (problem === undefined) writeStdout("removed; start agents that still run again\n");
    else complain("uninstall", visible(problem));
    return problem === undefined;
  }
  complain("uninstall", "nothing else was removed", agreed === undefined ? "this is not a terminal: add --yes" : undefined);
  return false;
}

function uninstallPage(changes: readonly Change[], machine: Machine, isWhole: boolean): string {
  const ends = isWhole ? whatEnds(machine, Date.now()) : [];
  const stays = isWhole ? whatStays(machine) : [];
  return pageOf(
    [
      ["takes out", "Assent's hooks, of these files:", ...fileLines(changes, shortIn(machine)).map((file) => `  ${file}`)],
      ...(ends.length === 0 ? [] : [["ends", ends.join(", ")] as const]),
      ...(stays.length === 0
        ? []
        : [["stays", ...stays.map((each) => visible(each)), "(assent uninstall --all removes that, too)"] as const]),
    ],
    machine.env,
  );
}

/** `--managed`: the hooks where no repository and no user takes them out. The one place that is no user's, so it is root's to write. */
async function managed(command: "install" | "uninstall", options: InstallOptions): Promise<number> {
  const wrong =
    options.local === true
      ? "--managed is for everybody on this machine, --local for one project: leave one of them out"
      : options.mode === "rulesync"
        ? "rulesync writes no managed settings: leave --mode out"
        : process.platform === "linux"
          ? undefined
          : "the places of managed settings are known here for Linux alone";
  if (wrong !== undefined) {
    complain(command, wrong);
    return 2;
  }
  const own = thisMachine();
  // Under `sudo` the variables can still be the user's, and what is kept would then be root's in the user's home.
  const machine: Machine = { ...own, home: own.account ?? own.home, env: { ...own.env, XDG_STATE_HOME: undefined } };
  const named = options.agent !== undefined && options.agent.length > 0;
  const agents = chosen(
    command,
    options,
    ({ setup }) => setup.managed !== undefined && (command === "uninstall" || signOf(setup, machine) !== undefined),
  );
  if (agents === undefined) return 2;
  for (const { id, name, setup } of agents)
    if (setup.managed === undefined)
      complain(
        command,
        `${id}: no place is known where ${name} takes hooks from an administrator`,
        "`assent install` registers it for you",
      );
  const ready = agents.filter(({ setup }) => setup.managed !== undefined);
  if (ready.length === 0) {
    const example = AGENTS.find(({ setup }) => setup?.managed !== undefined)?.id ?? "";
    if (!named) complain(command, "no agent that has such a place was found on this machine", `name one: --agent ${example}`);
    return 1;
  }
  if (machine.uid !== 0 && options.dryRun !== true) {
    complain(
      command,
      "only an administrator can write there",
      `sudo ${process.argv[1] === undefined ? "assent" : visible(`${process.execPath} ${process.argv[1]}`)} ` +
        `${command} --managed${ready.map(({ id }) => ` --agent ${id}`).join("")}`,
    );
    return 1;
  }
  const program = { node: process.execPath, folder: engine.own[0] ?? "" };
  const jobs = ready.map((agent): Job => {
    const id: AgentId = isAgentId(agent.id) ? agent.id : "generic";
    const plan = command === "install" ? planInstall : planUninstall;
    const planned = managedRegistrations(id, agent.setup, program, machine).map((registration) =>
      step(() => plan(agent.id, registration, readInstalled(machine))),
    );
    return { agent, planned };
  });
  const status = await perform(command, jobs, options, machine, { page: (changes) => managedPage(command, changes, machine) });
  if (command === "install" && status === 0)
    writeStdout("what users registered for themselves is asked as well: `assent uninstall` takes it out of their own settings\n");
  return status;
}

const managedPage = (command: "install" | "uninstall", changes: readonly Change[], machine: Machine): string =>
  pageOf(
    [
      [command === "install" ? "adds" : "takes out", ...fileLines(changes, shortIn(machine))],
      ...(command === "install" ? [["then", ...ON_THEN] as const] : []),
    ],
    machine.env,
  );

/** What was kept goes when it has its place again. */
const placeOf = (registration: Registration): number => (registration.is !== "file" ? 0 : registration.keeps === undefined ? 1 : 2);

const anyFile = (file: string): Registration => ({ is: "entries", file, format: file.endsWith(".toml") ? "toml" : "json", entries: [] });

function onePerFile(planned: readonly InstallStep[]): readonly InstallStep[] {
  const seen = new Set<string>();
  return planned.filter((each) => {
    if (each.is !== "change") return true;
    const fresh = !seen.has(each.change.target);
    seen.add(each.change.target);
    return fresh;
  });
}

/** Undefined: an agent is not known, which has been said. */
function chosen(
  command: string,
  { agent: names }: InstallOptions,
  wanted: (agent: InstallableAgent) => boolean,
): readonly InstallableAgent[] | undefined {
  const ready = AGENTS.flatMap((agent) => (agent.setup === undefined ? [] : [{ ...agent, setup: agent.setup }]));
  if (names === undefined || names.length === 0) return ready.filter(wanted);
  const found: InstallableAgent[] = [];
  for (const name of names.flatMap((list) => list.split(",")).filter((each) => each !== "")) {
    const agent = ready.find(({ id }) => id === name);
    if (agent === undefined) {
      const generic = agentNamed(name) !== undefined;
      const help = generic ? "docs/agents.md describes how a host calls `assent check`" : `one of: ${ready.map(({ id }) => id).join(", ")}`;
      complain(command, generic ? `${name} has nothing to register` : `unknown agent \`${visible(name)}\``, help);
      return undefined;
    }
    if (!found.includes(agent)) found.push(agent);
  }
  return found;
}

/** Null: there is none, which has been said. */
function projectOf(command: string, { local }: InstallOptions, machine: Machine): string | undefined | null {
  if (local !== true) return undefined;
  const root = policyPlace("local", machine, absolute("."))?.root;
  if (root !== undefined) return root;
  complain(command, "not in a git repository, so no project was found to register in", "leave --local out for all your projects");
  return null;
}

function registrationsOf(
  agent: InstallableAgent,
  machine: Machine,
  project: string | undefined,
  rulesync: boolean,
  program: Program,
  statusLine?: boolean,
): readonly Registration[] {
  const id: AgentId = isAgentId(agent.id) ? agent.id : "generic";
  const place = installPlace(id, program, machine, project);
  const synced = rulesync ? rulesyncRegistration(agent.setup, place) : undefined;
  return synced === undefined ? registrationsHere(agent, machine, project, statusLine, program) : [synced];
}

const shortIn = (machine: Machine) => (path: string) => visible(shorten(path, absolute("."), machine.home));

interface Showing {
  /** What a person reads before they are asked. */
  readonly page: (changes: readonly Change[]) => string;
  /** Before anything is written; what is to be written instead, where that is something else now. */
  readonly prepare?: () => Promise<readonly Job[] | undefined>;
}

const changesOf = (jobs: readonly Job[]): readonly (InstallStep & { readonly is: "change" })[] =>
  jobs.flatMap(({ planned }) => planned.flatMap((each) => (each.is === "change" ? [each] : [])));

async function perform(
  command: "install" | "uninstall",
  jobs: readonly Job[],
  options: InstallOptions,
  machine: Machine,
  { page, prepare }: Showing,
): Promise<number> {
  const short = shortIn(machine);
  let changes = changesOf(jobs);
  let failed = jobs.some(({ planned }) => planned.some(({ is }) => is === "refused"));
  for (const { agent, planned } of jobs) {
    const refused = planned.filter((each) => each.is === "refused");
    for (const { file, why, line, column } of refused)
      complain(
        command,
        `${agent.id}: ${short(file)}${line === undefined ? "" : `:${line}:${column ?? 1}`}: ${visible(why)}`,
        "correct the file, then try again; it was left as it is",
      );
    if (refused.length === 0 && planned.every(({ is }) => is === "same"))
      writeStdout(`${agent.id}: ${command === "install" ? "up to date" : "not registered"}\n`);
  }
  if (jobs.length === 0) writeStdout("nothing is registered\n");
  if (changes.length === 0) {
    if (options.dryRun !== true && !failed) await prepare?.();
    return failed ? 1 : 0;
  }
  const difference = changes.map(({ change }) => patchOf(change, short)).join("");
  if (options.dryRun === true) {
    writeStdout(difference);
    for (const {
      change: { agent, file, next },
    } of changes)
      writeStdout(`${agent}: would ${next === undefined ? "remove" : "write"} ${short(file)}\n`);
    return failed ? 1 : 0;
  }
  if (options.yes !== true) {
    const asked = command === "install" ? "Write this?" : "Take this out?";
    const said = await agreeToPage(page(changes.map(({ change }) => change)), difference, asked);
    if (said === undefined) {
      complain(command, "this is not a terminal, so nobody can be asked", "look at it with --dry-run, then say --yes");
      return 1;
    }
    if (!said) {
      writeStdout("nothing was changed\n");
      return 1;
    }
  }
  const instead = await prepare?.();
  if (instead !== undefined) changes = changesOf(instead);
  const refusedAgents = new Set(jobs.filter(({ planned }) => planned.some(({ is }) => is === "refused")).map(({ agent }) => agent.id));
  const written = new Set<string>();
  for (const { change: first, again } of changes) {
    const anew = written.has(first.target) ? again() : undefined;
    if (anew?.is === "same") continue;
    const change = anew?.is === "change" ? anew.change : first;
    written.add(change.target);
    // Half a registration helps nobody.
    if (command === "install" && refusedAgents.has(change.agent)) continue;
    const done = carryOut(change, machine);
    if (done.is === "failed") {
      failed = true;
      complain(command, `${change.agent}: ${short(change.file)}: ${visible(done.why)}`);
      continue;
    }
    const copy = done.backup === undefined ? "" : `  (copy: ${short(done.backup)})`;
    writeStdout(`${change.agent}: ${change.next === undefined ? "removed" : "wrote"} ${short(change.file)}${copy}\n`);
  }
  const unwritten = writeRescue(machine);
  if (unwritten !== undefined)
    complain(command, `the script for the day on which Assent cannot start was not written: ${visible(unwritten)}`);
  else if (command === "install") writeStdout(`if Node or Assent is ever missing, this takes the hooks out again: ${RESCUE}\n`);
  // Nobody has to agree to what an administrator put there.
  if (command === "install" && options.managed !== true) for (const { agent, planned } of jobs) tellNext(agent, planned);
  return failed ? 1 : 0;
}

function tellNext({ id, setup }: InstallableAgent, planned: readonly Planned[]): void {
  if (!planned.some(({ is }) => is === "change")) return;
  if (setup.after !== undefined) writeStdout(`${id}: ${setup.after}\n`);
  if (setup.unrun !== undefined) writeStdout(`${id}: ${setup.unrun}\n`);
}
