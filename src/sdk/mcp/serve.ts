import { spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { Guard } from "../guard/open-guard.ts";
import { Gateway } from "./gateway.ts";
import { Lines } from "./message.ts";

export interface ServeOptions {
  readonly argv: readonly [string, ...string[]];
  readonly guard: Guard;
  readonly name: string;
  readonly input: Readable;
  readonly output: Writable;
  readonly onNotice: (text: string) => void;
}

const LAST_WORDS_MS = 2000;
const NEWLINE = Buffer.from("\n");

/** Runs a server and stands between it and the client on `input` and `output`. Gives the status to exit with. */
export async function serveGateway({ argv, guard, name, input, output, onNotice }: ServeOptions): Promise<number> {
  const [program, ...args] = argv;
  const server = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  const send = (to: Writable, from: Readable) => (line: Buffer | string) => {
    if (to.destroyed || to.writableEnded) return;
    to.cork();
    to.write(line);
    // Whoever sends faster than the other side reads waits.
    const room = to.write(NEWLINE);
    to.uncork();
    if (room || from.isPaused()) return;
    from.pause();
    to.once("drain", () => from.resume());
  };
  const gateway = new Gateway({
    guard,
    name,
    onNotice,
    toClient: send(output, server.stdout),
    toServer: send(server.stdin, input),
  });
  const relay = (from: Readable, take: (line: Buffer) => void): void => {
    const lines = new Lines();
    from.on("data", (chunk: Buffer) => {
      for (const line of lines.add(chunk)) take(line);
    });
  };
  relay(input, (line) => gateway.fromClient(line));
  relay(server.stdout, (line) => gateway.fromServer(line));
  for (const stream of [input, output, server.stdin, server.stdout]) stream.on("error", () => undefined);
  const end = (signal: NodeJS.Signals): void => void server.kill(signal);
  process.on("SIGTERM", end);
  process.on("SIGINT", end);
  let timer: NodeJS.Timeout | undefined;
  input.once("end", () => {
    server.stdin.end();
    // As the specification has it: the input is closed, then it is asked to end, then it is ended.
    timer = setTimeout(() => {
      server.kill("SIGTERM");
      timer = setTimeout(() => server.kill("SIGKILL"), LAST_WORDS_MS);
    }, LAST_WORDS_MS);
  });
  const { status, why } = await new Promise<{ readonly status: number; readonly why: string }>((resolve) => {
    server.once("error", (error) => resolve({ status: 127, why: `the server could not be started: ${error.message}` }));
    server.once("close", (code, signal) =>
      resolve(
        code === null
          ? { status: 1, why: `the server was ended by ${signal ?? "a signal"}` }
          : { status: code, why: `the server has ended (exit code ${code})` },
      ),
    );
  });
  clearTimeout(timer);
  process.off("SIGTERM", end);
  process.off("SIGINT", end);
  gateway.serverEnded(why);
  if (status !== 0) onNotice(why);
  input.destroy();
  return status;
}
