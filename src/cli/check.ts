import { visible } from "../action/index.ts";
import { agentNamed, AGENTS, recognisedAgent, type Envelope } from "../agents/index.ts";
import { decide, type GuardOptions, type Input } from "../guard/index.ts";
import { thisMachine } from "../state/index.ts";
import { readStdin, writeStderr, writeStdout } from "./stdio.ts";

const USAGE = `usage: assent check --agent ${AGENTS.map(({ id }) => id).join("|")}|auto --event NAME|auto [--policy FILE]...
Reads a host's hook call on standard input and prints the answer. Exit 0 whatever the verdict; 2 for wrong usage.
`;

/** What the program that calls this brings along. */
type Engine = Pick<GuardOptions, "reader" | "own">;

interface Options {
  readonly agent: string;
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
  if (agent !== "auto" && agentNamed(agent) === undefined) return { wrong: `unknown agent \`${agent}\`` };
  return { agent, event: event === "auto" ? undefined : event, policyFiles };
}

const say = (message: string): void => writeStderr(`assent: ${visible(message)}\n`);

/** The folder the hook runs in; it may have been deleted. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    return "";
  }
}

const isObject = (value: unknown): value is Input => typeof value === "object" && value !== null && !Array.isArray(value);

/** The answer to one hook call. Everything that can go wrong ends in the host's safe answer. */
export function answer(options: Options, stdin: ReturnType<typeof readStdin>, engine: Engine): Envelope {
  let agent = agentNamed(options.agent) ?? recognisedAgent({}, options.event);
  const refuse = (why: string): Envelope => {
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
    if (options.agent === "auto") agent = recognisedAgent(payload, options.event);

    const machine = thisMachine();
    const reading = agent.read({ payload, event: options.event, env: machine.env, folder: currentFolder() });
    if (reading.is === "problem") return refuse(reading.why);
    if (reading.is === "nothing") {
      say(reading.why);
      return {};
    }
    const outcome = decide(reading.request, { machine, ...engine, policyFiles: options.policyFiles, audit: true });
    for (const warning of outcome.warnings) say(warning);
    return agent.write(outcome);
  } catch (error) {
    return refuse(`Assent failed: ${error instanceof Error ? error.message.slice(0, 200) : "unknown error"}`);
  }
}

/** `assent check`: one hook call. The answer is written in one piece, last. */
export function check(argv: readonly string[], engine: Engine): number {
  if (argv.includes("--help") || argv.includes("-h")) {
    writeStdout(USAGE);
    return 0;
  }
  const options = parse(argv);
  if ("wrong" in options) {
    writeStderr(`assent check: ${visible(options.wrong)}\n${USAGE}`);
    return 2;
  }
  writeStdout(`${JSON.stringify(answer(options, readStdin(), engine))}\n`);
  return 0;
}
