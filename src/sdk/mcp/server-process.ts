import { spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
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

const LAST_WORDS_MS = 2000;

export function startServer([program, ...args]: readonly [string, ...string[]]): ServerProcess {
  const server = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  for (const stream of [server.stdin, server.stdout]) stream.on("error", () => undefined);
  let timer: NodeJS.Timeout | undefined;
  const end = (): void => {
    server.stdin.end();
    timer ??= setTimeout(() => {
      server.kill("SIGTERM");
      timer = setTimeout(() => server.kill("SIGKILL"), LAST_WORDS_MS);
    }, LAST_WORDS_MS);
  };
  const ended = new Promise<ServerEnd>((resolve) => {
    const over = (how: ServerEnd): void => {
      clearTimeout(timer);
      resolve(how);
    };
    server.once("error", (error) => over({ status: 127, why: `the server could not be started: ${error.message}` }));
    server.once("close", (code, signal) =>
      over(
        code === null
          ? { status: 1, why: `the server was ended by ${signal ?? "a signal"}` }
          : { status: code, why: `the server has ended (exit code ${code})` },
      ),
    );
  });
  return { stdin: server.stdin, stdout: server.stdout, end, kill: (signal) => void server.kill(signal), ended };
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
