import type { ServerResponse } from "node:http";
import { errorLine } from "../gateway.ts";
import type { Id } from "../message.ts";
import { STREAM_HEAD } from "./listen.ts";
import { eventText, type ServerEvent } from "./sse.ts";

const INTERNAL_ERROR = -32_603;

/** The answer to one request of HTTP: JSON as long as that is enough, else a stream of events. */
export class Reply {
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
    this.response.writeHead(200, { ...STREAM_HEAD, ...this.#head() }).flushHeaders();
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
