import type { ServerResponse } from "node:http";
import type { NewsSource, PageContext } from "./api/endpoint.ts";

/** A page that reads so slowly is gone. Bytes. */
const MOST_WAITING = 4 << 20;
const MOST_STREAMS = 32;
/** A connection that is gone is noticed by writing to it. */
const BEAT_MS = 20_000;

/** Server-sent events (HTML Living Standard, 9.2) to all open pages. */
export class News {
  readonly #streams = new Set<ServerResponse>();
  readonly #sources: readonly NewsSource[];
  readonly #context: PageContext;
  readonly #changed: (open: number) => void;
  #stop: (() => void) | undefined;

  /** `changed`: told how many pages are open, whenever that changes. */
  constructor(sources: readonly NewsSource[], context: PageContext, changed: (open: number) => void) {
    this.#sources = sources;
    this.#context = context;
    this.#changed = changed;
  }

  get open(): number {
    return this.#streams.size;
  }

  /** Keeps the response open. False: there are too many. */
  add(response: ServerResponse): boolean {
    if (this.#streams.size >= MOST_STREAMS) return false;
    this.#streams.add(response);
    response.once("close", () => {
      this.#streams.delete(response);
      if (this.#streams.size === 0) this.close();
      this.#changed(this.#streams.size);
    });
    response.write(": hello\n\n");
    this.#stop ??= this.#start();
    this.#changed(this.#streams.size);
    return true;
  }

  #start(): () => void {
    const beat = setInterval(() => this.#send(": still here\n\n"), BEAT_MS);
    const stops = this.#sources.map(({ name, watch }) =>
      watch(this.#context, (value) => this.#send(`event: ${name}\ndata: ${JSON.stringify(value ?? null)}\n\n`)),
    );
    return () => {
      clearInterval(beat);
      for (const stop of stops) stop();
    };
  }

  #send(text: string): void {
    for (const stream of this.#streams) {
      if (stream.writableLength > MOST_WAITING) stream.destroy();
      else stream.write(text);
    }
  }

  close(): void {
    this.#stop?.();
    this.#stop = undefined;
    for (const stream of this.#streams) stream.destroy();
  }
}
