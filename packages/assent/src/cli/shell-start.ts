import { adviceForModel, brief, visible } from "@assent/core/action";
import { isAgentId, type Wrapping } from "@assent/hosts/agents";
import { protocolOf } from "@assent/hosts/agents/protocols";
import { type Json, readJson5, toValue } from "@assent/core/edit/json5";
import { isObject } from "@assent/core/data";
import { type Host, projectOf, type Request } from "@assent/guard/engine";
import { isConfined, type RequestVerdict, startsOf } from "@assent/core/policy";
import { joinPath } from "@assent/core/path";
import { type Machine, readRegular, takeTicket, thisMachine, type Ticket, ticketIdOf, writeTicket } from "@assent/guard/state";
import { isInside } from "@assent/supervisor/supervise/outer";
import { judgeStart } from "./hook.ts";
import { heldGateway, ownGateway } from "./own-gateway.ts";
import { loaderVariable } from "./loader-variables.ts";
import { writeStderr } from "./stdio.ts";

// `assent shell AGENT -- TEXT`, which the program around a host's commands asks (stubs/shell.c).
declare const __dirname: string;

/** Who asks how a text is to be started, and who judges it where no hook has: this process, or the judge that stays. */
export interface ShellCaller {
  /** As the launcher hands it on (caller-environment.ts). */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly folder: () => string;
  readonly isInside: () => boolean;
  readonly judge: (request: Request, machine: Machine) => RequestVerdict;
  readonly say: (text: string) => void;
  /** Another process is to do it. */
  readonly givesUp?: (error: unknown) => boolean;
}

/** What the program around it is told, by the exit status: which shell runs it as it is, that it is confined, or neither. */
const BASH = 0;
const ZSH = 11;
const CONFINED = 10;
const REFUSED = 1;

/**
 * How a text that a host starts is to be started. What the hook said is in its ticket. INVARIANT: without one, only what is allowed by
 * itself is started as it is.
 */
export function startOf([agent = "", separator, text, ...more]: readonly string[], caller: ShellCaller): number {
  const refuse = (why: string): number => refuseFor(caller, why);
  const variable = (name: string): string | undefined => callerVariable(caller, name);
  const confined = (machine: Machine, ticket: Ticket): number => leaveTicket(caller, machine, ticket);
  const loads = (starts: readonly string[], folders: readonly string[], machine: Machine): string | undefined =>
    loaded(caller, starts, folders, machine);
  try {
    if (!isAgentId(agent) || separator !== "--" || text === undefined || more.length > 0) return refuse("it was called with other words");
    const { wrapping } = protocolOf(agent);
    if (wrapping === undefined) return refuse(`nothing is known of how ${agent} starts commands`);
    const bare = variable("SHELL")?.endsWith("/zsh") === true ? ZSH : BASH;
    // In a run everything is supervised.
    if (caller.isInside()) return bare;
    const machine = machineOf(caller);
    const cwd = caller.folder();
    const session = variable(wrapping.session) ?? "";
    const { path, variable: named } = wrapping.folder;
    const framed = wrapping.commandIn(text, variable(named) ?? joinPath(machine.home, path));
    const command = framed?.command;
    const around = framed === undefined ? {} : { given: framed.command, aside: framed.aside };
    const ticket = command === undefined ? undefined : ticketFor(machine, session, command, cwd);
    if (ticket?.bare === true) {
      const { bare: _, starts, ...rest } = ticket;
      // A person who was asked has said that it may start as it is.
      if (starts === undefined || loads(starts, [ticket.cwd, ticket.root], machine) === undefined) return bare;
      return confined(machine, { ...rest, ...around, command: text });
    }
    if (ticket !== undefined) {
      const { first: _first, rest: _rest, starts = [], ...one } = ticket;
      const parts = loads(starts, [ticket.cwd, ticket.root], machine) === undefined ? inFrame(ticket, framed) : {};
      return confined(machine, { ...one, ...parts, ...around, command: text });
    }
    if (command === undefined && isOwn(text, wrapping.settings, machine)) return bare;
    const judged = (line: string): RequestVerdict => judgeLine(line, { tool: wrapping.tool, agent, session, cwd, machine, caller });
    const itself = { agent, ...(session === "" ? {} : { session }), ...around, command: text, cwd, root: cwd, time: 0 };
    const refuseVerdict = ({ reason, help, rule }: RequestVerdict): number => {
      const way = help === undefined ? "" : ` (${adviceForModel(help)})`;
      if (command !== undefined) return refuse(`${reason}${way}`);
      // What is no command of a tool may be a server, whose client is told (run-confined.ts).
      const by = rule === undefined || reason.includes(rule.text) ? "" : `, by the rule '${rule.text}'`;
      return confined(machine, { ...itself, refused: visible(brief(`\`${brief(text, 100)}\`: ${reason}${by}${way}`, 500)) });
    };
    const words = command === undefined ? ownGateway(text, { files: wrapping.servers, machine, own: __dirname, cwd }) : undefined;
    if (words !== undefined) {
      const gateway = heldGateway(words, judged, (verdict) => loads(startsOf(verdict), [cwd], machine) === undefined);
      return "refused" in gateway ? refuseVerdict(gateway.refused) : confined(machine, { ...itself, gateway: gateway.words });
    }
    const verdict = judged(command ?? text);
    if (isConfined(verdict)) return confined(machine, itself);
    if (verdict.decision === "allow") return loads(startsOf(verdict), [cwd], machine) === undefined ? bare : confined(machine, itself);
    return refuseVerdict(verdict);
  } catch (error) {
    if (caller.givesUp?.(error) === true) throw error;
    return refuse(`Assent failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Both lines within what the host starts around its command. */
function inFrame(
  { first, rest: [before, after] = [] }: Pick<Ticket, "first" | "rest">,
  framed: ReturnType<Wrapping["commandIn"]>,
): Partial<Ticket> {
  if (first === undefined || before === undefined || after === undefined || framed === undefined) return {};
  return { first: framed.around(first), rest: framed.around(`${before}\0${after}`).split("\0") };
}

interface Starting {
  readonly tool: string;
  readonly agent: string;
  readonly session: string;
  readonly cwd: string;
  readonly machine: Machine;
  readonly caller: ShellCaller;
}

function judgeLine(command: string, { tool, agent, session, cwd, machine, caller }: Starting): RequestVerdict {
  const about = { tool, facts: { does: "shell", field: "command" }, input: { command } } as const;
  const by = { cwd, host: NOBODY, point: "shell", agent, ...(session === "" ? {} : { session }) } as const;
  return caller.judge({ ...about, ...by }, machine);
}

/** The caller's environment makes one of these programs load what an agent may have written. */
function loaded(caller: ShellCaller, starts: readonly string[], folders: readonly string[], machine: Machine): string | undefined {
  const written = [...folders, ...folders.map((folder) => projectOf(folder, machine)), ...machine.temp];
  return loaderVariable({ variable: (name) => callerVariable(caller, name), starts, written });
}

export function main(): void {
  const judge: ShellCaller["judge"] = (request, machine) => judgeStart(request, machine);
  const caller = { env: process.env, folder: () => process.cwd(), isInside, judge, say: writeStderr };
  process.exit(startOf(process.argv.slice(3), caller));
}

/** Nobody is asked here: the host has asked, or nobody. */
const NOBODY: Host = { shell: "any", decides: false, asks: false, bypassed: false, planning: false, confines: true };

function refuseFor({ say }: ShellCaller, why: string): number {
  say(`assent: the command was not started: ${visible(brief(why, 500))}\n`);
  return REFUSED;
}

/** As the launcher hands it on (caller-environment.ts). */
const callerVariable = ({ env }: ShellCaller, name: string): string | undefined =>
  env[String.fromCharCode(name.charCodeAt(0) ^ 0x40) + name.slice(1)];

/** Policy and state are where the launcher says; where programs are found, as the caller finds them. */
function machineOf(caller: ShellCaller): Machine {
  return thisMachine({ ...caller.env, PATH: callerVariable(caller, "PATH"), TMPDIR: callerVariable(caller, "TMPDIR") });
}

function ticketFor(machine: Machine, session: string, command: string, cwd: string): Ticket | undefined {
  const ticket = takeTicket(machine, ticketIdOf(session, command));
  return ticket?.command === command && ticket.cwd === cwd ? ticket : undefined;
}

/** For `run --confined =`, which knows the text alone. */
function leaveTicket(caller: ShellCaller, machine: Machine, ticket: Ticket): number {
  const written = writeTicket(machine, ticket, Date.now(), ticketIdOf("", ticket.command));
  return "problem" in written ? refuseFor(caller, written.problem) : CONFINED;
}

const MAX_SETTINGS = 4 << 20;

/** A command that a person's own settings name: a hook, a status line. */
function isOwn(text: string, settings: readonly string[], { home }: Machine): boolean {
  return settings.some((path) => {
    const found = readRegular(path.startsWith("/") ? path : joinPath(home, path), MAX_SETTINGS);
    const root = found.is === "text" ? readJson5(found.text).root : undefined;
    return root !== undefined && names(toValue(root), text);
  });
}

function names(value: Json, text: string): boolean {
  if (Array.isArray(value)) return value.some((item: Json) => names(item, text));
  if (!isObject(value)) return false;
  return value["command"] === text || Object.values(value as Readonly<Record<string, Json>>).some((inner) => names(inner, text));
}
