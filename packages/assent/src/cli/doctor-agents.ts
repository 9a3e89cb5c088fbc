import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { visible } from "@assent/core/action";
import { type Agent, type AgentId, AGENTS, isAgentId, type InstallPlace, type Registration, type Setup } from "@assent/hosts/agents";
import {
  installPlace,
  managedRegistrations,
  otherGuards,
  planInstall,
  readInstalled,
  rulesyncRegistration,
  serversOf,
  settingsIn,
  shellControl,
  signOf,
  controlOf,
} from "@assent/hosts/agents/install";
import { SELF_TEST_COMMANDS, shellQuoted } from "@assent/core/data";
import { projectOf } from "@assent/guard/engine";
import type { Machine } from "@assent/guard/state";
import { engine, judgeOnly } from "@assent/page/preview";
import { guardLine, guardWayOut } from "./guards.ts";
import { shorten } from "./place.ts";
import { programHere, registrationsHere, statusLineHere } from "./wrapping.ts";

/** One line of the report. `required`: it should be otherwise. `note`: it is as it is. */
export interface AgentCheck {
  readonly id: string;
  readonly title: string;
  readonly ok: boolean;
  readonly required: boolean;
  readonly why: string;
  readonly note?: true;
}

type Ready = Agent & { readonly setup: Setup };

const VERSION_MS = 10_000;
const HOOK_MS = 30_000;

/** What is to be said about the agents on this machine: each that was found or registered. */
export function agentChecks(machine: Machine, folder: string): readonly AgentCheck[] {
  const checks = AGENTS.flatMap((agent) => (agent.setup === undefined ? [] : checksOf({ ...agent, setup: agent.setup }, machine, folder)));
  return checks.length === 0 ? [] : [...checks, ...shellChecks(machine, folder)];
}

/** An agent that is on this machine, or in whose settings Assent stands. */
export interface FoundAgent {
  readonly id: string;
  readonly name: string;
  readonly registered: Registered;
}

/** What switches the hooks of a registered agent off in a folder; undefined: nothing that its settings say. */
export function hooksOff(id: string, machine: Machine, folder: string): string | undefined {
  const agent = AGENTS.find((one) => one.id === id);
  if (agent?.setup === undefined) return undefined;
  const ready = { ...agent, setup: agent.setup };
  const held = isManaged(ready, machine);
  const found = controlOf(agent.setup, machine, folder, projectOf(folder, machine)).find(
    ({ does, unhooking }) => does === "off" && (unhooking !== undefined || !held),
  );
  return found === undefined ? undefined : `${shorten(found.file, folder, machine.home)}: ${found.what}`;
}

/** Read from settings alone: nothing is started. */
export function foundAgents(machine: Machine): readonly FoundAgent[] {
  return AGENTS.flatMap((agent): FoundAgent[] => {
    const { id, name, setup } = agent;
    if (setup === undefined) return [];
    const registered = registration({ ...agent, setup }, installPlace(idOf(agent), programHere(machine), machine, undefined), machine);
    return registered === "none" && signOf(setup, machine) === undefined ? [] : [{ id, name, registered }];
  });
}

/** Variables that a shell takes over from the folder reach every host that is started from it. */
function shellChecks(machine: Machine, folder: string): readonly AgentCheck[] {
  return shellControl(machine, folder, projectOf(folder, machine)).map(({ file, does, what }) => {
    const check = { id: "shell.settings", title: "a shell here: settings", required: false };
    const why = `${shorten(file, folder, machine.home)}: ${what}`;
    return does === "starts" ? { ...check, ok: true, why, note: true } : { ...check, ok: false, why };
  });
}

function checksOf(agent: Ready, machine: Machine, folder: string): readonly AgentCheck[] {
  const { id, name, setup } = agent;
  const sign = signOf(setup, machine);
  const place = installPlace(idOf(agent), programHere(machine), machine, undefined);
  const registered = registration(agent, place, machine);
  if (sign === undefined && registered === "none") return [];
  const check = (what: string, ok: boolean, why: string, required = true): AgentCheck => ({
    id: `${id}.${what}`,
    title: `${name}: ${what}`,
    ok,
    required,
    why,
  });
  const note = (what: string, why: string): AgentCheck => ({ ...check(what, true, why), note: true });
  const short = (path: string): string => shorten(path, folder, machine.home);
  const version = versionOf(setup, machine);
  const checks = [
    version === undefined
      ? note("version", `not known${sign === undefined ? "" : ` (found ${short(sign)})`}`)
      : check(
          "version",
          !isOlder(version, setup.minimum),
          setup.minimum === undefined ? version : `${version}, made for ${setup.minimum} and later`,
          false,
        ),
    check(
      "registered",
      registered === "all",
      `${REGISTERED[registered]}${registered === "all" ? "" : `: \`assent install --agent ${id}\``}`,
      registered !== "none",
    ),
  ];
  const held = isManaged(agent, machine);
  const controlling = controlOf(setup, machine, folder, projectOf(folder, machine));
  // A hook that nobody calls answers nobody.
  const isOff = controlling.some(({ does, unhooking }) => does === "off" && (unhooking !== undefined || !held));
  if (registered === "all" && !isOff) checks.push(answering(agent, place, machine, folder, check));
  if (held) checks.push(note("managed", `its hooks stand in ${setup.managed?.file ?? ""}, where no repository takes them out`));
  for (const { file, find } of setup.weaknesses?.(machine) ?? []) {
    const value = settingsIn(file);
    for (const what of value === undefined ? [] : find(value)) checks.push(check("settings", false, `${short(file)}: ${what}`, false));
  }
  for (const { file, does, what, unhooking } of controlling) {
    const said = `${short(file)}: ${what}`;
    if (does === "starts") checks.push(note("starts", said));
    else if (does !== "off") checks.push(check("settings", false, said, false));
    else if (unhooking !== undefined) checks.push(check("settings", false, `${said}. Take it out`));
    else if (held) checks.push(note("settings", `${said}; those of the administrator run all the same`));
    else checks.push(check("settings", false, `${said}. Take it out${wayOut(agent)}`));
  }
  if (registered !== "none")
    for (const guard of otherGuards(agent, place, machine, projectOf(folder, machine))) {
      const said = `${guardLine(guard, machine)} is asked before commands, too`;
      if (guard.name === undefined) checks.push(note("guards", `${said}; if it asks or refuses, so that both do`));
      else {
        const way =
          guard.byHand === undefined ? "`assent install --replace-guards` takes it out" : `to take it out: ${guardWayOut(guard, machine)}`;
        checks.push(check("guards", false, `${said}, so that both ask: ${way}`, false));
      }
    }
  for (const what of serverProblems(setup, machine, folder)) checks.push(check("settings", false, what, false));
  const line = statusLineHere(agent, machine);
  if (line?.is === "ours") checks.push(note("status line", "shows what `assent status --line` says"));
  else if (line?.is === "theirs") checks.push(note("status line", `yours, in ${short(line.file)}; Assent's is \`assent status --line\``));
  if (registered === "all") checks.push(note("confines", setup.confines ?? "nothing: what cannot be known is asked, or left to it"));
  for (const what of setup.cannot) checks.push(note("cannot", what));
  if (setup.unrun !== undefined) checks.push(note("not run", setup.unrun));
  return checks;
}

/** Servers whose start would be refused if an agent asked for it. */
function serverProblems(setup: Setup, machine: Machine, folder: string): readonly string[] {
  return serversOf(setup, machine, folder, projectOf(folder, machine)).flatMap(({ file, key, argv, variables }) => {
    const line = [...variables.map(([name, value]) => `${name}=${shellQuoted(value)}`), ...argv.map(shellQuoted)].join(" ");
    const { verdict } = judgeOnly({ tool: "Bash", input: { command: line }, cwd: folder }, machine, []);
    if (verdict.decision !== "deny" && !(verdict.decision === "ask" && STRICT.has(verdict.basis))) return [];
    return [
      `${shorten(file, folder, machine.home)}: \`${key}\` starts what would not go ahead if an agent asked for it: ${verdict.reason}`,
    ];
  });
}

const STRICT: ReadonlySet<string> = new Set(["floor", "rule"]);

const wayOut = ({ id, setup }: Ready): string =>
  setup.managed === undefined
    ? ""
    : `, or keep the hooks where no repository reaches them: \`sudo assent install --managed --agent ${id}\``;

/** Registered where only an administrator can write. */
function isManaged(agent: Ready, machine: Machine): boolean {
  const registrations = managedRegistrations(idOf(agent), agent.setup, { node: process.execPath, folder: engine.own[0] ?? "" }, machine);
  return registrations.length > 0 && registrations.every((each) => planInstall(agent.id, each, []).is === "same");
}

const idOf = ({ id }: Agent): AgentId => (isAgentId(id) ? id : "generic");

type Registered = "all" | "none" | "other";
const REGISTERED: Readonly<Record<Registered, string>> = {
  all: "in its settings",
  none: "no; to do it",
  other: "not as this installation would do it; to do it again",
};

function registration(agent: Ready, place: InstallPlace, machine: Machine): Registered {
  const installed = readInstalled(machine);
  const same = (registrations: readonly Registration[]): boolean =>
    registrations.every((each) => planInstall(agent.id, each, installed).is === "same");
  const synced = rulesyncRegistration(agent.setup, place);
  if (same(agent.setup.registrations(place)) || isManaged(agent, machine) || (synced !== undefined && same([synced]))) return "all";
  if (!installed.some((each) => each.agent === agent.id)) return "none";
  // Where the policy confines, more is registered.
  return same(registrationsHere(agent, machine, undefined)) ? "all" : "other";
}

/** Every host's way to say no, or to say that somebody must be asked. */
const REFUSAL =
  /"(?:permissionDecision|decision|status|permission|behavior)":"(?:deny|ask|block)"|"(?:block|cancel|ask)":true|"overrideInput":/;

/** Through the registered command, as a host that was started from a desktop would: what loosens Assent is refused, `pwd` is not. */
function answering(
  { setup, protocol }: Ready,
  place: InstallPlace,
  machine: Machine,
  folder: string,
  check: (what: string, ok: boolean, why: string) => AgentCheck,
): AgentCheck {
  const missing = pluginOf(setup, place).find((file) => statSync(file, { throwIfNoEntry: false }) === undefined);
  if (missing !== undefined) return check("answers", false, `${missing} is missing: install Assent again`);
  const ask = (command: string): { readonly refused: boolean; readonly why: string } => {
    const { payload, env = {} } = setup.sample(command, folder);
    const event = setup.events[0] ?? "";
    const shell = { command: "/bin/sh", args: ["-c", place.command(event)] };
    const { command: program, args } = (setup.starts === "programs" ? place.program(event) : undefined) ?? shell;
    const { status, stdout, stderr, error } = spawnSync(program, args, {
      cwd: folder,
      input: JSON.stringify(payload),
      env: { HOME: machine.home, ...env },
      encoding: "utf8",
      timeout: HOOK_MS,
    });
    const failed = error !== undefined || /Assent failed|is damaged|Node or Assent is missing/.test(stderr);
    if (failed) return { refused: true, why: `the hook failed: ${visible((error?.message ?? stderr).split("\n")[0] ?? "")}` };
    return { refused: status !== 0 || REFUSAL.test(stdout), why: `exit ${status ?? "?"}` };
  };
  const start = process.hrtime.bigint();
  const denied = ask(SELF_TEST_COMMANDS.refused);
  const milliseconds = Math.round(Number(process.hrtime.bigint() - start) / 1e6);
  const allowed = ask(SELF_TEST_COMMANDS.allowed);
  if (denied.why.startsWith("the hook")) return check("answers", false, denied.why);
  if (!denied.refused) return check("answers", false, `a request that must be refused was not (${denied.why})`);
  const also = allowed.refused ? "; `pwd` is refused as well, by your policy" : "; `pwd` goes ahead";
  return check("answers", true, `refused \`assent uninstall\` in ${milliseconds} ms${also} (${protocol.id})`);
}

/** Modules of the program that the host loads. */
function pluginOf(setup: Setup, place: InstallPlace): readonly string[] {
  const modules: string[] = [];
  setup.registrations({
    ...place,
    module: (name) => {
      modules.push(place.module(name));
      return place.module(name);
    },
  });
  return modules;
}

function versionOf({ version }: Setup, { env, home }: Machine): string | undefined {
  if (version === undefined) return undefined;
  const [program, ...args] = version;
  const { stdout, stderr, status } = spawnSync(program, args, {
    encoding: "utf8",
    timeout: VERSION_MS,
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: env["PATH"], HOME: home, NO_COLOR: "1" },
  });
  return status === 0 ? /\d+\.\d+(?:\.\d+)*/.exec(`${stdout}${stderr}`)?.[0] : undefined;
}

function isOlder(version: string, minimum: string | undefined): boolean {
  if (minimum === undefined) return false;
  const [own, wanted] = [version, minimum].map((text) => text.split(".").map(Number));
  for (const [at, number] of (wanted ?? []).entries()) {
    const mine = own?.[at] ?? 0;
    if (mine !== number) return mine < number;
  }
  return false;
}
