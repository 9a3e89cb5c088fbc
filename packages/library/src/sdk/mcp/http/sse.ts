import { onOneLine } from "../gateway/message.ts";

/** One event of a stream (WHATWG HTML, server-sent events). */
export interface ServerEvent {
  readonly id: string | undefined;
  readonly event: string | undefined;
  /** Undefined: it has none, as the first event of a stream that can be resumed. */
  readonly data: Buffer | undefined;
}

const LF = 10;
const CR = 13;

/** Events from a stream of bytes. */
export class EventReader {
  /** How long the server wants to be left alone before the stream is opened again. Milliseconds. */
  retry: number | undefined;
  #parts: Buffer[] = [];
  #data: Buffer[] = [];
  #id: string | undefined;
  #event: string | undefined;
  /** The last chunk ended with a CR, to which an LF would belong. */
  #afterReturn = false;

  /** The events that are whole now. */
  add(chunk: Buffer): readonly ServerEvent[] {
    const events: ServerEvent[] = [];
    let start = this.#afterReturn && chunk[0] === LF ? 1 : 0;
    this.#afterReturn = false;
    let feed = chunk.indexOf(LF, start);
    let back = chunk.indexOf(CR, start);
    while (feed >= 0 || back >= 0) {
      const end = back < 0 || (feed >= 0 && feed < back) ? feed : back;
      const event = this.#line(Buffer.concat([...this.#parts, chunk.subarray(start, end)]));
      this.#parts = [];
      if (event !== undefined) events.push(event);
      start = end + 1;
      if (end === back) {
        if (start === chunk.length) this.#afterReturn = true;
        else if (chunk[start] === LF) start += 1;
      }
      if (feed >= 0 && feed < start) feed = chunk.indexOf(LF, start);
      if (back >= 0 && back < start) back = chunk.indexOf(CR, start);
    }
    if (start < chunk.length) this.#parts.push(chunk.subarray(start));
    return events;
  }

  #line(line: Buffer): ServerEvent | undefined {
    if (line.length === 0) return this.#dispatch();
    const colon = line.indexOf(":");
    if (colon === 0) return undefined;
    const field = (colon < 0 ? line : line.subarray(0, colon)).toString("latin1");
    const value = colon < 0 ? Buffer.alloc(0) : line.subarray(line[colon + 1] === 32 ? colon + 2 : colon + 1);
    if (field === "data") this.#data.push(value);
    else if (field === "event") this.#event = value.toString("utf8");
    else if (field === "id" && !value.includes(0)) this.#id = value.toString("utf8");
    else if (field === "retry" && /^\d{1,7}$/.test(value.toString("latin1"))) this.retry = Number(value.toString("latin1"));
    return undefined;
  }

  #dispatch(): ServerEvent | undefined {
    const [first] = this.#data;
    // Line ends between parts of a JSON text mean as much as a blank.
    const joined = this.#data.length === 1 ? first : Buffer.concat(this.#data.flatMap((part) => [part, Buffer.from(" ")]));
    const event = { id: this.#id, event: this.#event, data: joined === undefined || joined.length === 0 ? undefined : joined };
    this.#data = [];
    this.#id = undefined;
    this.#event = undefined;
    return event.data === undefined && event.id === undefined ? undefined : event;
  }
}

/** An event as it is sent. */
export function eventText({ id, event, data }: Omit<ServerEvent, "data"> & { readonly data: Buffer | string | undefined }): Buffer {
  const head = `${event === undefined ? "" : `event: ${plain(event)}\n`}${id === undefined ? "" : `id: ${plain(id)}\n`}data: `;
  const line = onOneLine(data ?? "");
  return Buffer.concat([Buffer.from(head, "utf8"), typeof line === "string" ? Buffer.from(line, "utf8") : line, Buffer.from("\n\n")]);
}

const plain = (text: string): string => text.replaceAll(/[\r\n\0]/g, "");
