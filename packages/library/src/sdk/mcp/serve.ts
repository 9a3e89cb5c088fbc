import type { Readable, Writable } from "node:stream";
import { errorLine, Gateway, INVALID_REQUEST, type Exchange, type GatewayOptions } from "./gateway/gateway.ts";
import { onOneLine, readClient, type Said } from "./gateway/message.ts";
import { listen } from "./http/listen.ts";
import { Proxy } from "./http/proxy.ts";
import { Remote } from "./http/remote.ts";
import { sessionsOf } from "./http/sessions.ts";
import type { ListenOptions } from "./http/entrance.ts";
import type { RemoteOptions } from "./http/upstream.ts";
import { lineWriter, readLines, type ServerConfinement, startServer } from "./gateway/server-process.ts";

/** The client, and what is judged by. */
export interface ServeOptions extends GatewayOptions {
  readonly input: Readable;
  readonly output: Writable;
}

/** The gateway of a client on `input` and `output`. */
function clientSide(
  options: ServeOptions,
  from: Readable,
  toServer: (said: Said) => void,
): { readonly gateway: Gateway; readonly via: Exchange } {
  const { input, output } = options;
  const gateway = new Gateway(options);
  const toClient = lineWriter(output, from);
  for (const stream of [input, output]) stream.on("error", () => undefined);
  const via: Exchange = { toServer, ask: toClient, answer: (_, line) => toClient(line), over: () => undefined };
  readLines(input, (line) => {
    const read = readClient(line);
    if ("wrong" in read) toClient(errorLine(read.id, INVALID_REQUEST, `the message was not passed on: ${read.wrong}`));
    else for (const said of read.said) gateway.fromClient(said, via);
  });
  return { gateway, via };
}

/** Calls what a signal asks for; gives back how to stop listening. */
function onSignals(end: (signal: NodeJS.Signals) => void): () => void {
  const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, end);
  return () => {
    for (const signal of signals) process.off(signal, end);
  };
}

/** Runs a server and stands between it and the client. Gives the status to exit with. */
export async function serveGateway(options: ServeOptions & CommandBehind): Promise<number> {
  const { input, output, onNotice } = options;
  const server = startServer(options);
  const toServer = lineWriter(server.stdin, input);
  const { gateway } = clientSide(options, server.stdout, ({ line }) => toServer(line));
  const toClient = lineWriter(output, server.stdout);
  readLines(server.stdout, (line) => {
    for (const passed of gateway.fromServer(line)) toClient(passed.line);
  });
  const quiet = onSignals((signal) => server.kill(signal));
  input.once("end", server.end);
  const { status, why } = await server.ended;
  quiet();
  gateway.serverEnded(why);
  if (status !== 0) onNotice(why);
  input.destroy();
  return status;
}

/** Stands between a client on `input` and `output` and a server that is reached by HTTP. Gives the status to exit with. */
export async function serveRemote(options: ServeOptions & { readonly server: RemoteOptions }): Promise<number> {
  const { input, output, onNotice } = options;
  const toClient = lineWriter(output, input);
  const remote: Remote = new Remote(options.server, {
    message: (line) => {
      const all = gateway.fromServer(line);
      for (const passed of all) toClient(onOneLine(passed.line));
      return all.map(({ answers }) => answers);
    },
    failed: (id, why) => gateway.fail(id, why, via),
    notice: onNotice,
  });
  const { gateway, via } = clientSide(options, input, (said) => remote.send(said));
  return await new Promise<number>((resolve) => {
    const quiet = onSignals(() => end());
    const end = (): void => {
      quiet();
      input.destroy();
      void remote.close().then(() => resolve(0));
    };
    input.once("end", end);
  });
}

/** A server that is a command. */
interface CommandBehind {
  readonly argv: readonly [string, ...string[]];
  /** Undefined: it runs as it is. */
  readonly confinement?: ServerConfinement | undefined;
}

/** The server of a gateway that clients reach by HTTP. */
export type ServerBehind = CommandBehind | { readonly server: RemoteOptions };

/** Listens until a signal ends it. Gives the status to exit with. */
export async function serveHttp(
  options: GatewayOptions & { readonly listen: ListenOptions; readonly behind: ServerBehind },
): Promise<number> {
  const { behind, onNotice } = options;
  const serves = "argv" in behind ? sessionsOf(behind, options) : new Proxy(behind.server, options, options.listen.token === undefined);
  const listening = await listen(options.listen, serves);
  onNotice(`listens on ${listening.url}`);
  await new Promise<void>((resolve) => {
    const quiet = onSignals(() => {
      quiet();
      resolve();
    });
  });
  await listening.close();
  return 0;
}
