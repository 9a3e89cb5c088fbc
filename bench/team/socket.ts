import { connect, type TLSSocket } from "node:tls";

export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
  /** Seconds. */
  readonly retryAfter: number | undefined;
}

export interface Target {
  readonly port: number;
  readonly ca: string;
  /** The address of this machine to connect from: one has 28,000 ports. */
  readonly from?: string;
}

interface Asked {
  readonly resolve: (answer: RawAnswer) => void;
  readonly reject: (why: Error) => void;
}

/** Of what was resumed and what was not. */
export const handshakes = { full: 0, resumed: 0, failed: 0 };
const CONNECT_MS = 60_000;
const IDLE_MS = 4000;

/**
 * HTTP/1.1 over one TLS connection, one request at a time, with as little work as that needs: what generates load must not be what is
 * measured. Connects when there is something to send, and again when it was closed.
 */
export class RawConnection {
  readonly #target: () => Target;
  #socket: TLSSocket | undefined;
  #waiting: Asked | undefined;
  #onEvents: ((text: string) => void) | undefined;
  #onEnd: (() => void) | undefined;
  #text = "";
  #used = 0;
  session: Buffer | undefined;

  constructor(target: () => Target, session?: Buffer) {
    this.#target = target;
    this.session = session;
  }

  get isBusy(): boolean {
    return this.#waiting !== undefined;
  }

  /** And was used just now: the server closes what is idle for five seconds, and machines do so a second before. */
  get isOpen(): boolean {
    return this.#socket !== undefined && !this.#socket.destroyed && performance.now() - this.#used < IDLE_MS;
  }

  ask(method: string, path: string, headers: string, body = ""): Promise<RawAnswer> {
    return method === "GET"
      ? this.#write(`GET ${path}`, `${headers}\r\n`)
      : this.post(path, `${headers}content-type: application/json\r\n`, body);
  }

  /** With a content type among the headers. */
  post(path: string, headers: string, body: string): Promise<RawAnswer> {
    return this.#write(`POST ${path}`, `${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  #write(what: string, rest: string): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      if (this.#onEvents === undefined && !this.isOpen) this.close();
      this.#waiting = { resolve, reject };
      this.#open().write(`${what} HTTP/1.1\r\nhost: localhost:${this.#target().port}\r\n${rest}`);
    });
  }

  /** A stream of events: what comes after the head goes to `onEvents`. Resolves with the head of the answer. */
  hear(path: string, headers: string, onEvents: (text: string) => void, onEnd: () => void): Promise<RawAnswer> {
    this.#onEvents = onEvents;
    this.#onEnd = onEnd;
    return this.ask("GET", path, `${headers}accept: text/event-stream\r\n`);
  }

  close(): void {
    this.#onEnd = undefined;
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #open(): TLSSocket {
    if (this.#socket !== undefined && !this.#socket.destroyed) return this.#socket;
    const { port, ca, from } = this.#target();
    const made = connect({
      port,
      host: "127.0.0.1",
      ...(from === undefined ? {} : { localAddress: from }),
      ca,
      servername: "localhost",
      ...(this.session === undefined ? {} : { session: this.session }),
    });
    this.#socket = made;
    this.#text = "";
    made.setNoDelay(true);
    made.setTimeout(CONNECT_MS, () => made.destroy(new Error("no answer in a minute")));
    made.once("secureConnect", () => (handshakes[made.isSessionReused() ? "resumed" : "full"] += 1));
    made.on("session", (session: Buffer) => (this.session = session));
    made.setEncoding("utf8");
    made.on("data", (part: string) => this.#read(part));
    let why = new Error("the connection was closed");
    made.on("error", (error: Error) => {
      why = error;
    });
    made.on("close", () => {
      if (this.#socket !== made) return;
      this.#socket = undefined;
      const waiting = this.#waiting;
      const onEnd = this.#onEnd;
      this.#waiting = undefined;
      if (waiting !== undefined) {
        handshakes.failed += made.authorized ? 0 : 1;
        waiting.reject(why);
      } else onEnd?.();
    });
    return made;
  }

  #read(part: string): void {
    if (this.#waiting === undefined) {
      this.#onEvents?.(part);
      return;
    }
    this.#text += part;
    const end = this.#text.indexOf("\r\n\r\n");
    if (end < 0) return;
    const head = this.#text.slice(0, end);
    const status = Number(head.slice(9, 12));
    const { resolve } = this.#waiting;
    const isStream = this.#onEvents !== undefined && status === 200;
    const [, length = ""] = /\r\ncontent-length: (\d+)/i.exec(head) ?? [];
    const rest = this.#text.slice(end + 4);
    const isChunked = length === "" && !isStream && status !== 204;
    if (isChunked ? !rest.endsWith("0\r\n\r\n") : !isStream && Buffer.byteLength(rest) < Number(length)) return;
    const [, after] = /\r\nretry-after: (\d+)/i.exec(head) ?? [];
    this.#waiting = undefined;
    this.#used = performance.now();
    this.#text = "";
    if (isStream) this.#socket?.setTimeout(0);
    resolve({ status, head, body: rest, retryAfter: after === undefined ? undefined : Number(after) });
    if (isStream && rest !== "") this.#onEvents?.(rest);
  }
}

export const bearer = (token: string): string => `authorization: Bearer ${token}\r\n`;
