import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { errorLine, type Exchange, Gateway, type GatewayOptions } from "../gateway/gateway.ts";
import { type Id, requestId } from "../gateway/message.ts";
import { refuse } from "./entrance.ts";
import { beginStream, type Behind, type Posted, takesStream } from "./listen.ts";
import { newSessionId, opens } from "./sessions.ts";
import { eventText, type ServerEvent } from "./sse.ts";
import { answerOf, eachEvent, headerOf, isJson, isStream, networkError, type RemoteOptions, Upstream } from "./upstream.ts";

/** A client's session, and the server's behind it. */
interface Session {
  readonly id: string;
  readonly gateway: Gateway;
  /** Undefined: the server keeps none. */
  upstream: string | undefined;
}

const MOST_SESSIONS = 1000;
/** What a client says to the server besides messages. */
const UP = ["mcp-protocol-version", "last-event-id", "accept", "content-type"] as const;
/** What a server says to the client besides messages. */
const DOWN = ["www-authenticate", "retry-after", "allow"] as const;

/**
 * A server over streamable HTTP for clients that come by HTTP, request by request: status, streams and the numbers of
 * their events are the server's own, so that a client resumes with the server what it began with it.
 */
export class Proxy implements Behind {
  readonly #options: GatewayOptions;
  readonly #upstream: Upstream;
  /** A client's own credentials go on to the server, unless they are for the gateway. */
  readonly #passesCredentials: boolean;
  readonly #sessions = new Map<string, Session>();

  constructor(server: RemoteOptions, options: GatewayOptions, passesCredentials: boolean) {
    this.#options = options;
    this.#upstream = new Upstream(server);
    this.#passesCredentials = passesCredentials;
  }

  readonly post = (posted: Posted, request: IncomingMessage, response: ServerResponse): void => {
    const opening = opens(posted);
    const session = opening
      ? { id: newSessionId(), gateway: new Gateway(this.#options), upstream: undefined }
      : this.#find(request, response);
    if (session === undefined) return;
    const { gateway } = session;
    const { said, batch } = posted;
    const ids = said.flatMap(({ message }) => requestId(message) ?? []);
    const reply = new Reply(response, opening ? undefined : session.id, batch);
    const passed: Buffer[] = [];
    const abort = new AbortController();
    const state = { judging: true, exchanging: false };
    const send = async (): Promise<void> => {
      const body = batch ? Buffer.from(`[${passed.map(String).join(",")}]`, "utf8") : passed[0];
      if (body === undefined) return;
      state.exchanging = true;
      await this.#exchange(body, request, { session, reply, ids, opening, signal: abort.signal });
      state.exchanging = false;
    };
    const via: Exchange = {
      toServer: ({ line }) => {
        passed.push(line);
        // A batch goes on as a whole; a call that a person was asked about, after the yes.
        if (!batch || !state.judging) void send();
      },
      answer: (id, line) => {
        reply.add(line);
        if (!state.judging || !batch) reply.end(id === null ? 400 : 200);
      },
      // A batch goes on as a whole, and at once.
      ask: batch || !takesStream(request) || ids.length === 0 ? undefined : (line) => reply.stream(line),
      over: () => reply.end(),
    };
    response.on("close", () => {
      gateway.gone(via);
      if (state.exchanging) abort.abort();
    });
    for (const one of said) gateway.fromClient(one, via);
    state.judging = false;
    if (passed.length > 0) {
      if (batch) void send();
    } else if (batch || ids.length === 0) reply.end();
  };

  readonly get = (request: IncomingMessage, response: ServerResponse): void => {
    const session = this.#find(request, response);
    if (session === undefined) return;
    const abort = new AbortController();
    response.on("close", () => abort.abort());
    void (async () => {
      try {
        const from = await this.#upstream.request({ method: "GET", headers: this.#headers(request, session), signal: abort.signal });
        if (isStream(from) && from.statusCode === 200) await this.#relay(from, session, new Reply(response, session.id, false));
        else await plain(from, response);
      } catch (error) {
        if (!response.headersSent) refuse(response, 502, networkError(error));
        else response.destroy();
      }
    })();
  };

  readonly delete = (request: IncomingMessage, response: ServerResponse): void => {
    const session = this.#find(request, response);
    if (session === undefined) return;
    void (async () => {
      try {
        const from = await this.#upstream.request({
          method: "DELETE",
          headers: this.#headers(request, session),
          signal: AbortSignal.timeout(10_000),
        });
        if (from.statusCode !== 405) this.#sessions.delete(session.id);
        await plain(from, response);
      } catch (error) {
        this.#sessions.delete(session.id);
        refuse(response, 502, networkError(error));
      }
    })();
  };

  readonly close = async (): Promise<void> => {
    this.#sessions.clear();
    this.#upstream.close();
    await Promise.resolve();
  };

  #find(request: IncomingMessage, response: ServerResponse): Session | undefined {
    const id = request.headers["mcp-session-id"];
    const session = typeof id === "string" ? this.#sessions.get(id) : undefined;
    // A client that is told 404 opens another session.
    if (session === undefined)
      refuse(response, id === undefined ? 400 : 404, id === undefined ? "the session id is missing" : "unknown session");
    return session;
  }

  #headers(request: IncomingMessage, { upstream }: Session): Record<string, string> {
    const { authorization } = request.headers;
    return {
      ...chosen(request.headers, UP),
      ...(this.#passesCredentials && authorization !== undefined ? { authorization } : {}),
      ...(upstream === undefined ? {} : { "mcp-session-id": upstream }),
    };
  }

  async #exchange(
    body: Buffer,
    request: IncomingMessage,
    { session, reply, ids, opening, signal }: { session: Session; reply: Reply; ids: readonly Id[]; opening: boolean; signal: AbortSignal },
  ): Promise<void> {
    const { gateway } = session;
    try {
      const from = await this.#upstream.request({ method: "POST", headers: this.#headers(request, session), body, signal });
      const { statusCode = 502 } = from;
      const fine = statusCode >= 200 && statusCode < 300;
      if (fine && opening) {
        session.upstream = headerOf(from, "mcp-session-id");
        this.#open(session);
        reply.session(session.id);
      }
      if (fine && isStream(from)) await this.#relay(from, session, reply);
      else if (fine && isJson(from)) {
        for (const { line } of gateway.fromServer(await answerOf(from))) reply.add(line);
        reply.end(statusCode);
      } else if (reply.begun) throw new Error(`it answered ${statusCode}`);
      else await plain(from, reply.response);
    } catch (error) {
      // What it has not answered, it will not.
      if (signal.aborted) return;
      reply.fail(ids, networkError(error));
    }
  }

  async #relay(from: IncomingMessage, { gateway }: Session, reply: Reply): Promise<void> {
    let told: number | undefined;
    let numbered = false;
    reply.open();
    const take = ({ id, event, data }: ServerEvent, retry: number | undefined): void => {
      numbered ||= id !== undefined;
      if (retry !== told && retry !== undefined) reply.retry(retry);
      told = retry;
      if (data === undefined) reply.event({ id, event, data });
      else for (const { line } of gateway.fromServer(data)) reply.event({ id, event, data: line });
    };
    try {
      await eachEvent(from, take);
      reply.end();
    } catch (error) {
      // Its client can go on where it broke.
      if (!numbered) throw error;
      reply.response.destroy();
    }
  }

  #open(session: Session): void {
    this.#sessions.set(session.id, session);
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > MOST_SESSIONS && oldest !== undefined) this.#sessions.delete(oldest);
  }
}

function chosen(headers: IncomingHttpHeaders, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name];
      return typeof value === "string" ? [[name, value] as const] : [];
    }),
  );
}

/** An answer without messages in it: as it is. */
async function plain(from: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await answerOf(from, 1 << 20);
  const type = headerOf(from, "content-type");
  response
    .writeHead(from.statusCode ?? 502, { ...chosen(from.headers, DOWN), ...(type === undefined ? {} : { "content-type": type }) })
    .end(body);
}

const INTERNAL_ERROR = -32_603;

/** The answer to one request of HTTP: JSON as long as that is enough, else a stream of events. */
class Reply {
  readonly response: ServerResponse;
  readonly #lines: (Buffer | string)[] = [];
  #session: string | undefined;
  #streams = false;
  readonly #batch: boolean;

  constructor(response: ServerResponse, session: string | undefined, batch: boolean) {
    this.response = response;
    this.#batch = batch;
    this.#session = session;
  }

  get begun(): boolean {
    return this.response.headersSent;
  }

  session(id: string): void {
    this.#session = id;
  }

  /** From here on it is a stream. */
  open(): void {
    if (this.#streams || this.response.headersSent) return;
    this.#streams = true;
    beginStream(this.response, this.#head());
    for (const line of this.#lines.splice(0)) this.event({ id: undefined, event: undefined, data: line });
  }

  /** A message that needs a stream: others follow. */
  stream(line: string): void {
    this.open();
    this.event({ id: undefined, event: undefined, data: line });
  }

  add(line: Buffer | string): void {
    if (this.#streams) this.event({ id: undefined, event: undefined, data: line });
    else this.#lines.push(line);
  }

  event(event: Omit<ServerEvent, "data"> & { readonly data: Buffer | string | undefined }): void {
    this.response.write(eventText(event));
  }

  retry(ms: number): void {
    this.response.write(`retry: ${ms}\n\n`);
  }

  /** Whatever is left of it will not come. */
  fail(ids: readonly Id[], why: string): void {
    if (this.response.headersSent && !this.#streams) return;
    for (const id of ids) this.add(errorLine(id, INTERNAL_ERROR, why));
    if (ids.length === 0) this.#lines.push(errorLine(null, INTERNAL_ERROR, why));
    this.end(502);
  }

  end(status = 200): void {
    if (this.response.writableEnded) return;
    if (this.#streams) {
      this.response.end();
      return;
    }
    const [first] = this.#lines;
    if (first === undefined) this.response.writeHead(202, this.#head()).end();
    else {
      const body = !this.#batch && this.#lines.length === 1 ? first : `[${this.#lines.map(String).join(",")}]`;
      this.response.writeHead(status, { ...this.#head(), "content-type": "application/json" }).end(body);
    }
  }

  #head(): Record<string, string> {
    return this.#session === undefined ? {} : { "mcp-session-id": this.#session };
  }
}
