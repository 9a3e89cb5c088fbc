import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { visible } from "@assent/core/action";
import { errorLine, INVALID_REQUEST } from "../gateway/gateway.ts";
import { readClient, type Said } from "../gateway/message.ts";
import { bodyOf, TooLargeError } from "./body.ts";
import { Entrance, PATH, refuse, type ListenOptions } from "./entrance.ts";

/** What was posted: a message, or a batch of them. */
export interface Posted {
  readonly said: readonly Said[];
  readonly batch: boolean;
}

/** What is behind the gateway. */
export interface Behind {
  readonly post: (posted: Posted, request: IncomingMessage, response: ServerResponse) => void;
  readonly get: (request: IncomingMessage, response: ServerResponse) => void;
  readonly delete: (request: IncomingMessage, response: ServerResponse) => void;
  readonly close: () => Promise<void>;
}

/** A gateway that listens. */
export interface Listening {
  readonly url: string;
  readonly close: () => Promise<void>;
}

const LONGEST_BODY = 64 << 20;
const KEEP_ALIVE_MS = 65_000;

/** Serves clients over streamable HTTP. Throws where it cannot listen. */
export async function listen(options: ListenOptions, behind: Behind): Promise<Listening> {
  const entrance = new Entrance(options);
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: KEEP_ALIVE_MS }, (request, response) => {
    response.on("error", () => undefined);
    if (!entrance.admits(request, response)) return;
    if (request.method === "POST") void receive(request, response, behind);
    else if (request.method === "GET") behind.get(request, response);
    else if (request.method === "DELETE") behind.delete(request, response);
    else {
      response.setHeader("allow", "GET, POST, DELETE");
      refuse(response, 405, "only GET, POST and DELETE are served");
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, resolve);
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on a port has such an address
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${options.host.includes(":") ? `[${options.host}]` : options.host}:${port}${PATH}`,
    close: async () => {
      await behind.close();
      server.close();
      server.closeAllConnections();
    },
  };
}

async function receive(request: IncomingMessage, response: ServerResponse, behind: Behind): Promise<void> {
  if (!/^application\/json *(?:;|$)/i.test(request.headers["content-type"] ?? "")) {
    refuse(response, 415, "the content type is application/json");
    return;
  }
  let bytes: Buffer;
  try {
    bytes = await bodyOf(request, LONGEST_BODY);
  } catch (error) {
    if (error instanceof TooLargeError) {
      refuse(response, 413, `a message has at most ${LONGEST_BODY} bytes`);
      request.destroy();
    }
    // Else the client has gone.
    return;
  }
  const read = readClient(bytes);
  if ("wrong" in read) {
    const why = `the message was not passed on: ${visible(read.wrong)}`;
    response.writeHead(400, { "content-type": "application/json" }).end(errorLine(read.id, INVALID_REQUEST, why));
    return;
  }
  behind.post(read, request, response);
}

/** A stream of events can be answered to this request. */
export const takesStream = ({ headers }: IncomingMessage): boolean => /text\/event-stream|\*\/\*/.test(headers.accept ?? "");

const STREAM_HEAD = { "content-type": "text/event-stream", "cache-control": "no-cache, no-transform", "x-accel-buffering": "no" };
/** Milliseconds in which the first event mostly comes. */
const HEAD_WAITS_MS = 25;

/** Begins a stream of events. The head goes with the first one where that comes soon: by itself it would wake the client twice. */
export function beginStream(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
  response.writeHead(200, { ...STREAM_HEAD, ...headers });
  const timer = setTimeout(() => response.flushHeaders(), HEAD_WAITS_MS);
  response.once("close", () => clearTimeout(timer));
}
