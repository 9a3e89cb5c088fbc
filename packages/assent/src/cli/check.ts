import { visible } from "@assent/core/action";
import type { AgentId, Protocol, Reply } from "@assent/hosts/agents";
import { attempt, isObject } from "@assent/core/data";
import { decide, type DecideOptions, type Input, type Outcome, type PolicyReader, type Request, WatchFirst } from "@assent/guard/engine";
import { AGENT_IDS, TOLD_VARIABLES } from "@assent/core/policy";
import { type Machine, thisMachine } from "@assent/guard/state";
import { askOuter } from "@assent/supervisor/supervise/outer";
import { readStdin, writeStderr, writeStdout } from "./stdio.ts";

const USAGE = `usage: assent check --agent ${AGENT_IDS.join("|")}|auto --event NAME|auto [--policy FILE]... [--wait 5m]
Answers a host's hook call on standard input (docs/agents.md). Exit 0 whatever the verdict.
`;

/** What the program that calls this brings along: each agent's protocol is a part of its own, loaded when that agent calls. */
export interface CheckEngine
  extends
    Pick<DecideOptions, "reader" | "own" | "confine" | "keepEdit" | "elsewhere">,
    Partial<Pick<DecideOptions, "files" | "policyFiles" | "select" | "adapt" | "audit">> {
  readonly protocol: (id: AgentId) => Protocol;
  /** Says the way on that works. */
  readonly advise: (outcome: Outcome, reader: PolicyReader) => Outcome;
  /** Puts what is refused only because its host cannot ask, or with `--wait` does not, where somebody may answer it meanwhile. */
  readonly held: (outcome: Outcome, machine: Machine, waits?: boolean | string) => Outcome;
  /** What is to be told to the person when a session starts; absent: nothing is looked for. */
  readonly greet?: (id: string, machine: Machine, folder: string) => string | undefined;
  readonly recognise: (payload: Input, event: string | undefined, env: Machine["env"]) => AgentId;
}

/** And what the hook's own process brings. */
export interface HookEngine extends CheckEngine {
  /** Judges in another thread; undefined: it had no answer in time. */
  readonly watch: (argv: readonly string[], input: string) => HookOutput | undefined;
}

/** Input that somebody may have made so that judging it takes long is judged under watch: another thread costs some 30 ms. */
const LARGE = 16 << 10;

interface CheckOptions {
  readonly agent: AgentId | "auto";
  readonly event: string | undefined;
  readonly policyFiles: readonly string[];
  /** So long it waits for people of the team: `5m`. */
  readonly wait?: string | undefined;
}

function parse(argv: readonly string[]): CheckOptions | { readonly wrong: string } {
  let agent = "auto";
  let event = "auto";
  let wait: string | undefined;
  const policyFiles: string[] = [];
  for (let at = 0; at < argv.length; at += 1) {
    const [, name, joined] = /^--(agent|event|policy|wait)(?:=(.*))?$/s.exec(argv[at] ?? "") ?? [];
    if (name === undefined) return { wrong: `unknown argument \`${argv[at] ?? ""}\`` };
    if (joined === undefined) at += 1;
    const value = joined ?? argv[at];
    if (value === undefined || value === "") return { wrong: `--${name} needs a value` };
    if (name === "agent") agent = value;
    else if (name === "event") event = value;
    else if (name === "wait") wait = value;
    else policyFiles.push(value);
  }
  const known = agent === "auto" ? agent : AGENT_IDS.find((id) => id === agent);
  if (known === undefined) return { wrong: `unknown agent \`${agent}\`` };
  return { agent: known, event: event === "auto" ? undefined : event, policyFiles, wait };
}

const tell = (message: string): void => writeStderr(`assent: ${visible(message)}\n`);

/** The folder the hook runs in; it may have been deleted. */
const currentFolder = (): string => attempt(() => process.cwd(), "");

/** Where a hook call comes from. */
interface CallPlace {
  readonly machine: Machine;
  readonly folder: string;
}

const here = (): CallPlace => ({ machine: thisMachine(), folder: currentFolder() });

/** The answer to one hook call. Everything that can go wrong ends in the host's safe answer. */
export function answer(options: CheckOptions, stdin: ReturnType<typeof readStdin>, engine: CheckEngine, place = here(), say = tell): Reply {
  const { machine, folder } = place;
  const recognised = (payload: Input): AgentId => engine.recognise(payload, options.event, machine.env);
  let agent = engine.protocol(options.agent === "auto" ? recognised({}) : options.agent);
  const refuse = (why: string): Reply => {
    say(why);
    return agent.refuse(why, options.event);
  };
  try {
    if ("problem" in stdin) return refuse(stdin.problem);
    let payload: unknown;
    try {
      payload = JSON.parse(stdin.text);
    } catch {
      return refuse(stdin.text.trim() === "" ? "standard input is empty" : "standard input is not JSON");
    }
    if (!isObject(payload)) return refuse("standard input is not a JSON object");
    if (options.agent === "auto") agent = engine.protocol(recognised(payload));

    const reading = agent.read({ payload, event: options.event, env: machine.env, folder });
    if (reading.is === "problem") return refuse(reading.why);
    if (reading.is === "nothing") {
      const event = payload["hook_event_name"] ?? options.event;
      if (event === "SessionStart" && engine.greet !== undefined) return greeting(agent, payload, engine.greet, place);
      say(reading.why);
      return agent.noOpinion;
    }
    const outcome = decide(engine.confine === undefined ? withoutConfining(reading.request) : reading.request, {
      machine,
      policyFiles: options.policyFiles,
      audit: true,
      ...engine,
    });
    for (const warning of outcome.warnings) say(warning);
    const { decision } = outcome.answer;
    const advised = decision === "deny" || decision === "ask" ? engine.advise(outcome, engine.reader()) : outcome;
    return agent.write(decision === "deny" || options.wait ? engine.held(advised, machine, options.wait) : advised);
  } catch (error) {
    if (error instanceof WatchFirst) throw error;
    return refuse(`Assent failed: ${error instanceof Error ? error.message.slice(0, 200) : "unknown error"}`);
  }
}

/** Nobody here can start a command confined: inside a run it is confined already. */
const withoutConfining = (request: Request): Request => ({ ...request, host: { ...request.host, confines: false } });

/** Settings that weaken what protects are told to the person. */
function greeting(agent: Protocol, { cwd }: Input, greet: NonNullable<CheckEngine["greet"]>, { machine, folder }: CallPlace): Reply {
  const said = greet(agent.id, machine, typeof cwd === "string" ? cwd : folder);
  return said === undefined ? agent.noOpinion : { envelope: { systemMessage: said }, exit: 0 };
}

/** `assent check`: one hook call. The answer is written in one piece, last. */
export function check(argv: readonly string[], engine: HookEngine): number {
  if (argv.includes("--help") || argv.includes("-h")) {
    writeStdout(USAGE);
    return 0;
  }
  const options = parse(argv);
  if ("wrong" in options) {
    writeStderr(`assent check: ${visible(options.wrong)}\n${USAGE}`);
    return 2;
  }
  const stdin = readStdin();
  // Inside a run the supervisor answers: there neither policy nor state nor log are in the agent's reach.
  const outer = "text" in stdin ? askOuter({ ask: "hook", argv, input: stdin.text, env: controlling() }) : undefined;
  if (outer?.is === "hook") {
    writeStderr(outer.stderr);
    writeStdout(outer.stdout);
    return outer.status;
  }
  const said = outer === undefined ? stdin : { problem: outer.is === "problem" ? outer.why : "the supervisor answered something else" };
  const { stdout, stderr, status } = "text" in said ? inTime(argv, options, said.text, engine) : spoken(options, said, engine);
  if (stderr !== "") writeStderr(stderr);
  if (stdout !== "") writeStdout(stdout);
  return status;
}

/** What a hook prints, and its exit code. */
export interface HookOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly status: number;
}

function spoken(options: CheckOptions, stdin: ReturnType<typeof readStdin>, engine: CheckEngine, place = here()): HookOutput {
  const lines: string[] = [];
  const { envelope, stderr, exit } = answer(options, stdin, engine, place, (line) => lines.push(`assent: ${visible(line)}\n`));
  if (stderr !== undefined) lines.push(`${visible(stderr)}\n`);
  return { stdout: envelope === undefined ? "" : `${JSON.stringify(envelope)}\n`, stderr: lines.join(""), status: exit };
}

const LATE = "judging this takes too long; a smaller command, or one for fewer files, can be judged";

/** An answer well before a host stops waiting and lets the tool run. */
function inTime(argv: readonly string[], options: CheckOptions, text: string, engine: HookEngine): HookOutput {
  if (text.length <= LARGE) {
    try {
      return spoken(options, { text }, engine);
    } catch (error) {
      if (!(error instanceof WatchFirst)) throw error;
    }
  }
  return engine.watch(argv, text) ?? spoken(options, { problem: LATE }, engine);
}

/** What the other thread does: everything but writing. */
export function judgeWatched(argv: readonly string[], text: string, engine: CheckEngine): HookOutput {
  const options = parse(argv);
  if ("wrong" in options) throw new Error(options.wrong);
  return spoken(options, { text }, engine);
}

/** Judges for a client of the daemon, where that one stands. Throws where a fresh process is to do it. */
export function judgeDaemon(argv: readonly string[], text: string, engine: CheckEngine, machine: Machine, folder: string): HookOutput {
  const options = parse(argv);
  if ("wrong" in options) throw new WatchFirst();
  return spoken(options, { text }, engine, { machine, folder });
}

/** What hosts tell their hooks by variables. */
function controlling(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && Object.hasOwn(TOLD_VARIABLES, entry[0]),
    ),
  );
}

const NO_POLICY = "`--policy` is not taken from inside a run: name the file when the run is started, `assent run --policy FILE`";

/** The answer to a hook call from inside a run, given outside it. Variables of the hook count only where hosts speak by them. */
export function innerCheck(
  call: { readonly argv: readonly string[]; readonly input: string; readonly env: Readonly<Record<string, string>>; readonly cwd: string },
  engine: CheckEngine,
  machine = thisMachine(),
): HookOutput {
  const options = parse(call.argv);
  if ("wrong" in options) return { stdout: "", stderr: `assent check: ${visible(options.wrong)}\n${USAGE}`, status: 2 };
  const told = Object.fromEntries(Object.entries(call.env).filter(([name]) => Object.hasOwn(TOLD_VARIABLES, name)));
  const place: CallPlace = { machine: { ...machine, env: { ...machine.env, ...told } }, folder: call.cwd };
  // It would be read with the rights of this side, and what is wrong with it told.
  const stdin = options.policyFiles.length === 0 ? { text: call.input } : { problem: NO_POLICY };
  return spoken(options, stdin, engine, place);
}
