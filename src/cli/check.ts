import { visible } from "../action/index.ts";
import { AGENT_IDS, type AgentId, isAgentId, type Protocol, type Reply } from "../agents/index.ts";
import { decide, type GuardOptions, type Input } from "../guard/index.ts";
import { type Machine, thisMachine } from "../state/index.ts";
import { askOuter } from "../supervise/outer/index.ts";
import { readStdin, writeStderr, writeStdout } from "./stdio.ts";

const USAGE = `usage: assent check --agent ${AGENT_IDS.join("|")}|auto --event NAME|auto [--policy FILE]...
Reads a host's hook call on standard input and prints the answer. Exit 0 whatever the verdict, for hosts that read the answer; 2 for wrong usage.
`;

/** What the program that calls this brings along: each agent's protocol is a part of its own, loaded when that agent calls. */
export interface CheckEngine extends Pick<GuardOptions, "reader" | "own"> {
  readonly protocol: (id: AgentId) => Protocol;
  readonly recognise: (payload: Input, event: string | undefined, env: Machine["env"]) => AgentId;
}

interface Options {
  readonly agent: AgentId | "auto";
  readonly event: string | undefined;
  readonly policyFiles: readonly string[];
}

function parse(argv: readonly string[]): Options | { readonly wrong: string } {
  let agent = "auto";
  let event = "auto";
  const policyFiles: string[] = [];
  for (let at = 0; at < argv.length; at += 1) {
    const [, name = "", joined] = /^(--[a-z]+)(?:=([\s\S]*))?$/.exec(argv[at] ?? "") ?? [];
    if (name !== "--agent" && name !== "--event" && name !== "--policy") return { wrong: `unknown argument \`${argv[at] ?? ""}\`` };
    if (joined === undefined) at += 1;
    const value = joined ?? argv[at];
    if (value === undefined || value === "") return { wrong: `${name} needs a value` };
    if (name === "--agent") agent = value;
    else if (name === "--event") event = value;
    else policyFiles.push(value);
  }
  if (agent !== "auto" && !isAgentId(agent)) return { wrong: `unknown agent \`${agent}\`` };
  return { agent, event: event === "auto" ? undefined : event, policyFiles };
}

const tell = (message: string): void => writeStderr(`assent: ${visible(message)}\n`);

/** The folder the hook runs in; it may have been deleted. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    return "";
  }
}

/** Where a hook call comes from. */
interface Place {
  readonly machine: Machine;
  readonly folder: string;
}

const here = (): Place => ({ machine: thisMachine(), folder: currentFolder() });

const isObject = (value: unknown): value is Input => typeof value === "object" && value !== null && !Array.isArray(value);

/** The answer to one hook call. Everything that can go wrong ends in the host's safe answer. */
export function answer(options: Options, stdin: ReturnType<typeof readStdin>, engine: CheckEngine, place = here(), say = tell): Reply {
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
      say(reading.why);
      return agent.silence;
    }
    const outcome = decide(reading.request, { machine, ...engine, policyFiles: options.policyFiles, audit: true });
    for (const warning of outcome.warnings) say(warning);
    return agent.write(outcome);
  } catch (error) {
    return refuse(`Assent failed: ${error instanceof Error ? error.message.slice(0, 200) : "unknown error"}`);
  }
}

/** `assent check`: one hook call. The answer is written in one piece, last. */
export function check(argv: readonly string[], engine: CheckEngine): number {
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
  const outer = "text" in stdin ? askOuter({ ask: "hook", argv, input: stdin.text, env: steering() }) : undefined;
  if (outer?.is === "hook") {
    writeStderr(outer.stderr);
    writeStdout(outer.stdout);
    return outer.status;
  }
  const said = outer === undefined ? stdin : { problem: outer.is === "problem" ? outer.why : "the supervisor answered something else" };
  const { envelope, stderr, exit } = answer(options, said, engine);
  if (stderr !== undefined) writeStderr(`${visible(stderr)}\n`);
  if (envelope !== undefined) writeStdout(`${JSON.stringify(envelope)}\n`);
  return exit;
}

/** What hosts tell their hooks by variables. */
function steering(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined && STEERING.test(entry[0])),
  );
}

const STEERING = /^(?:(?:CLAUDE|COPILOT|FACTORY|GEMINI|QWEN)_PROJECT_DIR|AGENT_TOOL_NAME|AMP_THREAD_ID|AGENT)$/;

const NO_POLICY = "`--policy` is not taken from inside a run: name the file when the run is started, `assent run --policy FILE`";

/** The answer to a hook call from inside a run, given outside it. Variables of the hook count only where hosts speak by them. */
export function innerCheck(
  call: { readonly argv: readonly string[]; readonly input: string; readonly env: Readonly<Record<string, string>>; readonly cwd: string },
  engine: CheckEngine,
): { readonly stdout: string; readonly stderr: string; readonly status: number } {
  const options = parse(call.argv);
  if ("wrong" in options) return { stdout: "", stderr: `assent check: ${visible(options.wrong)}\n${USAGE}`, status: 2 };
  const machine = thisMachine();
  const told = Object.fromEntries(Object.entries(call.env).filter(([name]) => STEERING.test(name)));
  const lines: string[] = [];
  const place: Place = { machine: { ...machine, env: { ...machine.env, ...told } }, folder: call.cwd };
  // It would be read with the rights of this side, and what is wrong with it told.
  const stdin = options.policyFiles.length === 0 ? { text: call.input } : { problem: NO_POLICY };
  const said = answer(options, stdin, engine, place, (line) => lines.push(`assent: ${visible(line)}\n`));
  if (said.stderr !== undefined) lines.push(`${visible(said.stderr)}\n`);
  return { stdout: said.envelope === undefined ? "" : `${JSON.stringify(said.envelope)}\n`, stderr: lines.join(""), status: said.exit };
}
