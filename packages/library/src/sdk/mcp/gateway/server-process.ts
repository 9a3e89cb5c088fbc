import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import { brief } from "@assent/core/action";
import { definedVariables, type Machine } from "@assent/guard/state";
import { ConfinedRunChannel, judgeVariables, supervisorStart } from "../../confined/run.ts";
import { RefusedCalls, refusedText } from "../../confined/refused.ts";
import { Lines } from "./message.ts";

/** How a server ended. */
export interface ServerEnd {
  /** The status to exit with. */
  readonly status: number;
  readonly why: string;
}

/** A server on standard input and output. */
export interface ServerProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** As the specification has it: the input is closed, then it is asked to end, then it is ended. */
  readonly end: () => void;
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly ended: Promise<ServerEnd>;
}

/** What a server is confined to that does not run as it is. */
export interface ServerConfinement {
  readonly machine: Machine;
  readonly policyFiles: readonly string[];
  /** Whose rules hold for this server besides those of everything. */
  readonly profile: string;
}

/** What is started, and how it is told to people. */
export interface ServerStart {
  readonly argv: readonly [string, ...string[]];
  /** Undefined: it runs as it is. */
  readonly confinement?: ServerConfinement | undefined;
  readonly onNotice: (text: string) => void;
}

const LAST_WORDS_MS = 2000;
/** As `assent run` ends that cannot supervise. */
const NOT_CONFINED = 125;

export function startServer({ argv, confinement, onNotice }: ServerStart): ServerProcess {
  return confinement === undefined ? startBare(argv) : startConfined(argv, confinement, onNotice);
}

function startBare([program, ...args]: ServerStart["argv"]): ServerProcess {
  const server = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise<ServerEnd>((resolve) => {
    server.once("error", (error) => resolve({ status: 127, why: `the server could not be started: ${error.message}` }));
    server.once("close", (code, signal) => resolve(endOf(code, signal ?? undefined)));
  });
  return serverOf(server, (signal) => void server.kill(signal), ended);
}

/**
 * A server under a run that asks nobody. Its standard input, output and error are its own: nothing of Assent is in between.
 * INVARIANT: where it cannot be supervised it is not started.
 */
function startConfined(argv: ServerStart["argv"], confinement: ServerConfinement, onNotice: (text: string) => void): ServerProcess {
  const { machine, policyFiles, profile } = confinement;
  const supervisor = supervisorStart(machine);
  if ("problem" in supervisor) throw new Error(`the server is not started, because it cannot be sandboxed: ${supervisor.problem}`);
  const { file, args, env } = supervisor;
  const server = spawn(file, args, { env, stdio: ["pipe", "pipe", "inherit", "pipe"] });
  const refused = new RefusedCalls();
  const order = { argv, cwd: process.cwd(), env: definedVariables(process.env), judge: judgeVariables(machine), policyFiles, profile };
  const channel = new ConfinedRunChannel(
    server,
    { ...order, confined: { agent: "mcp", command: argv.join(" ") } },
    {
      refused: (call) => {
        const { what, reason, help } = call;
        if (refused.add(call)) onNotice(`the server was refused: ${brief(what)}: ${reason}${help === undefined ? "" : ` (${help})`}`);
      },
      notice: onNotice,
    },
  );
  const closed = new Promise<void>((resolve) => {
    server.once("error", () => resolve());
    server.once("close", () => resolve());
  });
  const ended = channel.ended.then(async (end): Promise<ServerEnd> => {
    // What it has left behind ends with it.
    channel.close();
    await closed;
    if (end.is === "failed") {
      const what = end.started
        ? "the server was ended, because it could not be sandboxed any longer"
        : "the server could not be sandboxed, so it was not started";
      return { status: NOT_CONFINED, why: `${what}: ${end.why}` };
    }
    const { exit } = end;
    const { status, why } = exit.by === "exit" ? endOf(exit.code, undefined) : endOf(null, signalName(exit.signal));
    const told = status === 0 ? "" : refusedText(refused.list).replaceAll("\n", "; ");
    return { status, why: told === "" ? why : `${why} after this: ${told}` };
  });
  return serverOf(server, (signal) => channel.signal(signal), ended);
}

const signalName = (number: number): string => Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? "a signal";

function endOf(code: number | null, signal: string | undefined): ServerEnd {
  return code === null
    ? { status: 1, why: `the server was ended by ${signal ?? "a signal"}` }
    : { status: code, why: `the server has ended (exit code ${code})` };
}

function serverOf(server: ChildProcess, kill: ServerProcess["kill"], ended: Promise<ServerEnd>): ServerProcess {
  const { stdin, stdout } = server;
  if (stdin === null || stdout === null) throw new Error("the server has no standard input or output");
  for (const stream of [stdin, stdout]) stream.on("error", () => undefined);
  let timer: NodeJS.Timeout | undefined;
  const end = (): void => {
    stdin.end();
    timer ??= setTimeout(() => {
      kill("SIGTERM");
      timer = setTimeout(() => kill("SIGKILL"), LAST_WORDS_MS);
    }, LAST_WORDS_MS);
  };
  void ended.then(() => clearTimeout(timer));
  return { stdin, stdout, end, kill, ended };
}

const NEWLINE = Buffer.from("\n");

/** Writes lines; whoever sends faster than the other side reads waits. */
export function lineWriter(to: Writable, from: Readable): (line: Buffer | string) => void {
  return (line) => {
    if (to.destroyed || to.writableEnded) return;
    to.cork();
    to.write(line);
    const room = to.write(NEWLINE);
    to.uncork();
    if (room || from.isPaused()) return;
    from.pause();
    to.once("drain", () => from.resume());
  };
}

export function readLines(from: Readable, take: (line: Buffer) => void): void {
  const lines = new Lines();
  from.on("data", (chunk: Buffer) => {
    for (const line of lines.add(chunk)) if (line.length > 1 || (line.length === 1 && line[0] !== 13)) take(line);
  });
}
