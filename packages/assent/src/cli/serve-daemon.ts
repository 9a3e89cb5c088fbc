import { statSync } from "node:fs";
import { type Machine, daemonFolder, thisMachine } from "@assent/guard/state";
import type { Protocol } from "@assent/hosts/agents";
import { commandPrograms, handedOn, NODE_FINDER } from "@assent/hosts/agents/install";
import { decide, findExtensions, forgetFindings, WatchFirst } from "@assent/guard/engine";
import { isInTime, type DaemonAnswer, type DaemonCall, daemonPlace, serve, sparePlace, Spares, SocketWay } from "../daemon/index.ts";
import { BESIDE, SPARE } from "./beside.ts";
import { judgeDaemon, type CheckEngine } from "./check.ts";
import { mayWait } from "./held.ts";
import { judgeStart } from "./hook.ts";
import { engine, unwatchedReader } from "./hook-engine.ts";
import { type ShellCaller, startOf } from "./shell-start.ts";
import { readLineWords, statusText } from "./status-line.ts";
import { textOf } from "./stdio.ts";
import { TeamThread } from "./team-thread.ts";

// `assent daemon --serve`, the judge that stays. It judges by the hook's own code, as a fresh hook would.
declare const __dirname: string;

const BIN = `${__dirname}/bin.cjs`;
/** In memory for good, or read by what is: a judge of which one is another goes. */
const PROGRAM = [
  process.execPath,
  __dirname,
  ...["bin", "hook", "more", "shell", "start"].map((name) => `${__dirname}/${name}.cjs`),
  `${__dirname}/knowledge.mjs`,
];
/** For one call: what takes longer, another process judges. */
const WITHIN = { milliseconds: 150, clock: () => performance.now() };

export async function main(): Promise<void> {
  // `3` says which descriptor is the lock.
  const [, , , , lock] = process.argv;
  try {
    const folder = daemonFolder(thisMachine());
    const way = (): SocketWay => new SocketWay(daemonPlace(folder), lock === undefined ? undefined : Number(lock));
    const spares = sparesFor(thisMachine(), folder);
    const beside = new TeamThread(`${__dirname}/team-sender.mjs`, thisMachine());
    await serve({ folder, program: PROGRAM, answer, warm: rehearse(), spares, beside, way });
  } catch {
    // Hooks judge by themselves.
    process.exitCode = 1;
  }
  process.exit();
}

const isThere = (file: string): boolean => statSync(file, { throwIfNoEntry: false }) !== undefined;

/** A supervisor that waits, where hosts start confined commands. Its environment is the command's, once there is one. */
function sparesFor({ home, env }: Machine, folder: string): Spares {
  const state = env["XDG_STATE_HOME"];
  return new Spares({
    node: process.execPath,
    words: [BIN, "run", BESIDE, SPARE],
    env: { HOME: home, ...(state === undefined ? {} : { XDG_STATE_HOME: state }) },
    socket: sparePlace(folder),
    // Where a person has said no meanwhile it would make the folder again.
    isWanted: () => isThere(folder) && commandPrograms(home).some(isThere),
  });
}

const REHEARSED = [
  "ls -la src | head -20",
  "cd src && grep -rn TODO . && git log --oneline -5 2>/dev/null",
  "npm test",
  "git status; git diff HEAD~1 -- src/index.ts",
  'for f in *.ts; do echo "$f"; done > out.txt',
  "sed -n '1,20p' a.ts | awk '{ print $1 }' && jq -r .name package.json",
];
const ROUNDS = 40;

/** Judges what agents ask for most, so that V8 has compiled it before they do. Nothing of it is kept or logged. */
function* rehearse(): Iterable<unknown> {
  const host = { shell: "any", decides: true, asks: true, bypassed: false, planning: false } as const;
  const facts = { does: "shell", field: "command" } as const;
  const looking = {
    reader: unwatchedReader,
    own: engine.own,
    policyFiles: [],
    audit: false,
    memory: "none",
    extensions: "off",
  } as const;
  for (let round = 0; round < ROUNDS; round += 1)
    for (const command of REHEARSED) {
      const request = { point: "hook", agent: "", tool: "", cwd: "/", input: { command }, facts, host } as const;
      try {
        yield decide(request, { ...looking, machine: thisMachine() });
      } catch {
        // A policy that a fresh process has to read first.
        return;
      }
    }
}

/** What is found by this process's own home and state folder. */
const OWN = daemonFolder(thisMachine());

/** `assent status --line`, which a host's status line asks for again and again. */
function answerLine(machine: Machine, folder: string, words: readonly string[], input: string): DaemonAnswer | undefined {
  const options = readLineWords(words);
  if (options === undefined) return undefined;
  return { status: 0, stdout: statusText(machine, folder, options, options.stdin === true ? input : undefined), stderr: "" };
}

/** What cannot be judged in time is given up on before anything is left behind of it. */
function inTimeOnly(call: DaemonCall, machine: Machine): Pick<CheckEngine, "reader" | "elsewhere"> {
  const commit = (): void => {
    // The user's own checks take as long as they take.
    if (!isInTime(call) || findExtensions(machine).length > 0) throw new WatchFirst();
  };
  return { reader: unwatchedReader, elsewhere: { within: WITHIN, commit } };
}

/** How a host's command is to be started. What its hook said of it is taken, so it is answered in time or not at all. */
function answerShell(call: DaemonCall, argv: readonly string[], env: Readonly<Record<string, string>>): DaemonAnswer | undefined {
  if (!isInTime(call)) return undefined;
  forgetFindings();
  let stderr = "";
  const caller: ShellCaller = {
    env,
    folder: () => call.folder,
    // Who stands where this one does is in no run.
    isInside: () => false,
    judge: (request, machine) => judgeStart(request, { ...machine, asker: call.parent }, inTimeOnly(call, machine)),
    say: (text) => void (stderr += text),
    givesUp: (error) => error instanceof WatchFirst,
  };
  return { status: startOf(argv, caller), stdout: "", stderr };
}

/** The first of a name counts, as it does for getenv(3). */
function variablesOf(environment: readonly string[]): Readonly<Record<string, string>> {
  const pairs = environment.map((text) => [text.slice(0, text.indexOf("=")), text.slice(text.indexOf("=") + 1)] as const);
  return Object.fromEntries(pairs.toReversed());
}

/** Where the host cannot ask and somebody is there, a fresh process judges: it can wait for an answer. */
const leavesQuestions =
  (machine: Machine): CheckEngine["protocol"] =>
  (id) => {
    const protocol = engine.protocol(id);
    const read: Protocol["read"] = (call) => {
      const reading = protocol.read(call);
      if (reading.is === "request" && mayWait(reading.request.host, machine)) throw new WatchFirst();
      return reading;
    };
    return { ...protocol, read };
  };

/** Undefined: this is not the place, or not the program, that the caller means. */
function answer(call: DaemonCall): DaemonAnswer | undefined {
  // What the launcher, the first word, would start a fresh process with.
  const [, ...words] = call.words;
  const start = words.findIndex((word) => word.startsWith("/"));
  if (start === -1) return undefined;
  const [node, bin, command, ...argv] = words.slice(start);
  // The program around commands has given the caller's variables other names already.
  const env = command === "shell" ? variablesOf(call.env) : handedOn(words.slice(0, start), call.env);
  if (
    env === undefined ||
    (node !== process.execPath && node !== `${__dirname}/${NODE_FINDER}`) ||
    bin !== BIN ||
    !call.folder.startsWith("/")
  )
    return undefined;
  // Not copied: a copy would ask for the account's home, which few calls need.
  const machine: Machine = Object.assign(thisMachine(env), { asker: call.parent });
  if (daemonFolder(machine) !== OWN) return undefined;
  const text = textOf(call.input);
  if (text === undefined) return undefined;
  if (command === "status") return answerLine(machine, call.folder, argv, text);
  if (command === "shell") return answerShell(call, argv, env);
  // Nobody waits for minutes here.
  if (command !== "check" || argv.some((word) => word.startsWith("--wait"))) return undefined;
  forgetFindings();
  // Others wait for this process: it asks people of a team, and does not wait for them.
  const held: CheckEngine["held"] = (outcome) => engine.held(outcome, machine, false);
  const own: CheckEngine = { ...engine, held, protocol: leavesQuestions(machine), ...inTimeOnly(call, machine) };
  return judgeDaemon(argv, text, own, machine, call.folder);
}
