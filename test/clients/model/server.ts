import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { anthropic } from "./anthropic.ts";
import { chat } from "./chat.ts";
import type { Dialect, Heard, Reply, Wire } from "./dialect.ts";
import { object } from "./dig.ts";
import { gemini } from "./gemini.ts";
import { responses } from "./responses.ts";
import { converse, type Script } from "./script.ts";

const DIALECTS: readonly Dialect[] = [anthropic, chat, responses, gemini];

/** One request to the model, and what it answered. */
export interface Exchange {
  readonly path: string;
  readonly script: string | undefined;
  readonly heard: { readonly offers: readonly string[]; readonly turns: Heard["turns"] } | undefined;
  readonly reply: Reply | undefined;
  /** Set when the script could not go on. */
  readonly problem: string | undefined;
}

/** A model that speaks every protocol and follows scripts. It keeps what it was sent. */
export class FakeModel {
  readonly exchanges: Exchange[] = [];
  readonly bodies: string[] = [];
  private readonly scripts: Readonly<Record<string, Script>>;
  private readonly server: Server;

  constructor(scripts: Readonly<Record<string, Script>>) {
    this.scripts = scripts;
    this.server = createServer((request, response) => void this.serve(request, response));
  }

  async listen(): Promise<number> {
    await new Promise<void>((done) => this.server.listen(0, "127.0.0.1", done));
    const address = this.server.address();
    if (address === null || typeof address === "string") throw new Error("the fake model got no port");
    return address.port;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const part of request.setEncoding("utf8")) body += String(part);
    const path = new URL(request.url ?? "/", "http://model").pathname;
    const dialect = request.method === "POST" ? DIALECTS.find((one) => one.speaks(path)) : undefined;
    if (dialect === undefined) {
      this.exchanges.push({ path: `${request.method} ${path}`, script: undefined, heard: undefined, reply: undefined, problem: undefined });
      other(path, response);
      return;
    }
    this.bodies.push(body);
    const heard = dialect.hear(object(body), path);
    const { script, reply, problem } = converse(this.scripts, heard);
    this.exchanges.push({ path, script, heard: { offers: [...heard.offers.keys()], turns: heard.turns }, reply, problem });
    send(response, dialect.answer(reply, String(this.exchanges.length).padStart(24, "0")), heard.streams);
  }
}

function send(response: ServerResponse, wire: Wire, streams: boolean): void {
  if (!streams) {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(wire.whole));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  for (const { name, data } of wire.events)
    response.write(`${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`);
  if (wire.end !== undefined) response.write(`data: ${wire.end}\n\n`);
  response.end();
}

/** What clients ask for besides the conversation: which models there are, how long a text is. Anything else is not there. */
function other(path: string, response: ServerResponse): void {
  const found = path.endsWith("/models")
    ? { object: "list", data: [{ id: "fake-model", object: "model", created: 1, owned_by: "fake" }] }
    : path.endsWith("/count_tokens")
      ? { input_tokens: 10 }
      : path.endsWith(":countTokens")
        ? { totalTokens: 10 }
        : undefined;
  response.writeHead(found === undefined ? 404 : 200, { "content-type": "application/json" }).end(JSON.stringify(found ?? {}));
}
