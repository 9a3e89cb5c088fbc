import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { isObject } from "@assent/core/data";
import { type Exchange, Gateway, type GatewayOptions } from "../gateway/gateway.ts";
import { isId, keyOf, type Message, requestId } from "../gateway/message.ts";
import { lineWriter, readLines, type ServerProcess, type ServerStart, startServer } from "../gateway/server-process.ts";
import { refuse } from "./entrance.ts";
import { beginStream, type Behind, type Posted, takesStream } from "./listen.ts";
import { eventText } from "./sse.ts";

const MOST_SESSIONS = 64;
/** A session nobody uses. */
const IDLE_MS = 60 * 60 * 1000;
const LOOK_EVERY_MS = 60_000;

export const newSessionId = (): string => randomBytes(24).toString("hex");

/** Servers on standard input and output for clients that come by HTTP: each session has a server of its own. */
export function sessionsOf(command: Omit<ServerStart, "onNotice">, options: GatewayOptions): Behind {
  const sessions = new Map<string, ServerSession>();
  const servers = new Set<ServerProcess>();
  const timer = setInterval(() => {
    for (const session of sessions.values()) if (session.idleFor() > IDLE_MS) session.end();
  }, LOOK_EVERY_MS);
  timer.unref();

  const open = (): ServerSession => {
    const server = startServer({ ...command, onNotice: options.onNotice });
    const id = newSessionId();
    const session = new ServerSession(id, server, options);
    servers.add(server);
    sessions.set(id, session);
    void server.ended.then(({ why, status }) => {
      servers.delete(server);
      sessions.delete(id);
      session.ended(why);
      if (status !== 0) options.onNotice(why);
    });
    return session;
  };
  const find = (request: IncomingMessage, response: ServerResponse): ServerSession | undefined => {
    const id = request.headers["mcp-session-id"];
    const session = typeof id === "string" ? sessions.get(id) : undefined;
    // A client that is told 404 opens another session.
    if (session === undefined)
      refuse(response, id === undefined ? 400 : 404, id === undefined ? "the session id is missing" : "unknown session");
    return session;
  };

  return {
    post: (posted, request, response) => {
      if (!takesStream(request)) {
        refuse(response, 406, "the client must accept text/event-stream");
        return;
      }
      if (!opens(posted)) {
        find(request, response)?.post(posted, response);
        return;
      }
      if (sessions.size >= MOST_SESSIONS) refuse(response, 503, `there are ${MOST_SESSIONS} sessions already`);
      else open().post(posted, response);
    },
    get: (request, response) => {
      if (takesStream(request)) find(request, response)?.listen(response);
      else refuse(response, 406, "the client must accept text/event-stream");
    },
    delete: (request, response) => {
      const session = find(request, response);
      if (session === undefined) return;
      session.end();
      response.writeHead(200).end();
    },
    close: async () => {
      clearInterval(timer);
      const all = [...servers];
      for (const server of all) server.end();
      await Promise.all(all.map(async ({ ended }) => await ended));
    },
  };
}

export const opens = ({ said }: Posted): boolean => said.some(({ message }) => message["method"] === "initialize");

/** The answer to a POST, as long as requests in it are open. */
interface Stream {
  readonly response: ServerResponse;
  readonly open: Set<string>;
}

/** What is kept for a client that does not listen at the moment. */
const MOST_WAITING = 1000;

/** One client by HTTP, one server on standard input and output. Events have no numbers: a stream that breaks is not resumed. */
class ServerSession {
  readonly #id: string;
  readonly #server: ServerProcess;
  readonly #gateway: Gateway;
  readonly #toServer: (line: Buffer | string) => void;
  /** Where a request is answered. */
  readonly #streams = new Map<string, Stream>();
  /** Requests, by the token with which progress is told. */
  readonly #tokens = new Map<string, string>();
  #listener: ServerResponse | undefined;
  #waiting: (Buffer | string)[] = [];
  #used = performance.now();

  constructor(id: string, server: ServerProcess, options: GatewayOptions) {
    this.#id = id;
    this.#server = server;
    this.#gateway = new Gateway(options);
    // The clients of a session come one by one: none of them is made to wait for the server.
    this.#toServer = lineWriter(server.stdin, server.stdout);
    readLines(server.stdout, (line) => this.#fromServer(line));
  }

  /** Milliseconds since anything was said, with nobody waiting for anything. */
  idleFor(): number {
    return this.#streams.size > 0 || this.#listener !== undefined ? 0 : performance.now() - this.#used;
  }

  post({ said }: Posted, response: ServerResponse): void {
    this.#used = performance.now();
    const keys = said.flatMap(({ message }) => {
      const id = requestId(message);
      return id === undefined ? [] : [keyOf(id)];
    });
    const stream: Stream = { response, open: new Set(keys) };
    const head = { "mcp-session-id": this.#id };
    if (keys.length > 0) beginStream(response, head);
    for (const { message } of said) this.#register(message, stream);
    if (keys.length > 0) this.#catchUp();
    response.on("close", () => {
      this.#gateway.gone(via);
      for (const key of stream.open) if (this.#streams.get(key) === stream) this.#streams.delete(key);
    });
    const send = (line: string): void => void response.write(eventText({ id: undefined, event: undefined, data: line }));
    const wrong: string[] = [];
    const via: Exchange = {
      toServer: ({ line }) => this.#toServer(line),
      answer: (id, line) => {
        if (id === null) wrong.push(line);
        else if (keys.length > 0) {
          send(line);
          this.#done(keyOf(id));
        }
      },
      ask: keys.length === 0 ? undefined : send,
      over: (id) => this.#done(keyOf(id)),
    };
    for (const one of said) {
      const { message } = one;
      this.#gateway.fromClient(one, via);
      // The server will not answer what was cancelled.
      if (message["method"] === "notifications/cancelled" && isObject(message["params"])) {
        const { requestId: cancelled } = message["params"];
        if (isId(cancelled)) this.#done(keyOf(cancelled));
      }
    }
    if (keys.length > 0) return;
    if (wrong[0] === undefined) response.writeHead(202, head).end();
    else response.writeHead(400, { ...head, "content-type": "application/json" }).end(wrong[0]);
  }

  /** The client's stream for what the server says by itself. */
  listen(response: ServerResponse): void {
    if (this.#listener !== undefined) {
      refuse(response, 409, "the session has such a stream already");
      return;
    }
    this.#listener = response;
    beginStream(response, { "mcp-session-id": this.#id });
    response.on("close", () => {
      if (this.#listener === response) this.#listener = undefined;
      this.#used = performance.now();
    });
    this.#catchUp();
  }

  #catchUp(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const line of waiting) this.#say(line, undefined);
  }

  end(): void {
    this.#server.end();
  }

  /** The server has ended. */
  ended(why: string): void {
    this.#gateway.serverEnded(why);
    for (const key of this.#streams.keys()) this.#done(key);
    this.#listener?.end();
  }

  #register(message: Message, stream: Stream): void {
    const id = requestId(message);
    if (id === undefined) return;
    this.#streams.set(keyOf(id), stream);
    const meta = isObject(message["params"]) ? message["params"]["_meta"] : undefined;
    const token = isObject(meta) ? meta["progressToken"] : undefined;
    if (isId(token)) this.#tokens.set(keyOf(token), keyOf(id));
  }

  #done(key: string): void {
    const stream = this.#streams.get(key);
    this.#streams.delete(key);
    for (const [token, request] of this.#tokens) if (request === key) this.#tokens.delete(token);
    stream?.open.delete(key);
    if (stream?.open.size === 0) stream.response.end();
  }

  #fromServer(line: Buffer): void {
    for (const { line: passed, message, answers } of this.#gateway.fromServer(line)) {
      // What is no message would only be an error in the client.
      if (message === undefined) continue;
      if (answers === undefined) this.#say(passed, this.#about(message));
      else {
        // Its client may have gone.
        const stream = this.#streams.get(keyOf(answers));
        stream?.response.write(eventText({ id: undefined, event: undefined, data: passed }));
        this.#done(keyOf(answers));
      }
    }
  }

  /** The stream of the request that a message is about. */
  #about(message: Message): ServerResponse | undefined {
    const params = isObject(message["params"]) ? message["params"] : {};
    const token = message["method"] === "notifications/progress" ? params["progressToken"] : undefined;
    const key = isId(token) ? this.#tokens.get(keyOf(token)) : undefined;
    return key === undefined ? undefined : this.#streams.get(key)?.response;
  }

  /** Not every client keeps a stream for it: then it goes where one is open, or waits for the next. */
  #say(line: Buffer | string, about: ServerResponse | undefined): void {
    const open = [...this.#streams.values()].at(-1)?.response;
    const to = about ?? this.#listener ?? open;
    if (to !== undefined) to.write(eventText({ id: undefined, event: undefined, data: line }));
    else if (this.#waiting.length < MOST_WAITING) this.#waiting.push(line);
  }
}
