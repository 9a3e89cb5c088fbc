import type { IncomingMessage } from "node:http";
import { isObject, parseObject } from "@assent/core/data";
import { requestId, type Id, type Said } from "../gateway/message.ts";
import { answerOf, eachEvent, headerOf, isJson, isStream, networkError, refusalOf, Upstream, type RemoteOptions } from "./upstream.ts";

export interface RemoteWays {
  /** A message of the server; gives what it answers. */
  readonly message: (line: Buffer) => readonly (Id | undefined)[];
  /** A request that will not be answered. */
  readonly failed: (id: Id, why: string) => void;
  readonly notice: (text: string) => void;
}

const ACCEPT = "application/json, text/event-stream";
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;
const MOST_RESUMES = 5;
const LAST_WORDS_MS = 2000;

/**
 * A server over streamable HTTP, for a client that has one stream in each direction: messages are posted, each answer is
 * read to its end, what the server says by itself comes by a stream of its own. A stream that breaks is resumed where the
 * server numbers its events; a session the server has forgotten is opened again.
 */
export class Remote {
  readonly #upstream: Upstream;
  readonly #ways: RemoteWays;
  readonly #abort = new AbortController();
  #session: string | undefined;
  #version: string | undefined;
  /** What opened the session, to open it again. */
  #opening: Said[] = [];
  #renewing: Promise<void> | undefined;
  #listening: AbortController | undefined;
  /** A request must not overtake a notification. */
  #turn: Promise<void> = Promise.resolve();
  readonly #sent = new Set<Promise<void>>();

  constructor(options: RemoteOptions, ways: RemoteWays) {
    this.#upstream = new Upstream(options);
    this.#ways = ways;
  }

  send(said: Said): void {
    const { message } = said;
    const id = requestId(message);
    const before = this.#turn;
    const sent = before.then(async () => await this.#post(said, id));
    this.#sent.add(sent);
    void sent.then(() => this.#sent.delete(sent));
    if (id === undefined || message["method"] === "initialize") this.#turn = sent;
  }

  /** The client is gone: what it has asked for may still be answered, then its session ends. */
  async close(): Promise<void> {
    this.#listening?.abort();
    const late = new AbortController();
    await Promise.race([Promise.all(this.#sent), pause(LAST_WORDS_MS, late.signal)]);
    late.abort();
    this.#abort.abort();
    if (this.#session !== undefined) {
      try {
        const asked = { method: "DELETE", headers: this.#headers(), signal: AbortSignal.timeout(LAST_WORDS_MS) } as const;
        (await this.#upstream.request(asked)).resume();
      } catch {
        // It will find out by itself.
      }
    }
    this.#upstream.close();
  }

  #headers(): Record<string, string> {
    return {
      accept: ACCEPT,
      ...(this.#session === undefined ? {} : { "mcp-session-id": this.#session }),
      ...(this.#version === undefined ? {} : { "mcp-protocol-version": this.#version }),
    };
  }

  async #post(said: Said, id: Id | undefined, again = false): Promise<void> {
    const { method } = said.message;
    const opens = method === "initialize";
    if (opens) {
      this.#opening = [said];
      this.#session = undefined;
      this.#version = undefined;
    }
    const fail = (why: string): void => {
      if (this.#abort.signal.aborted) return;
      if (id === undefined) this.#ways.notice(why);
      else this.#ways.failed(id, why);
    };
    try {
      const response = await this.#send(said.line);
      const { statusCode = 0 } = response;
      if (statusCode === 404 && this.#session !== undefined && !opens && !again) {
        response.resume();
        await this.#renew();
        await this.#post(said, id, true);
        return;
      }
      if (statusCode < 200 || statusCode > 299) {
        fail(await refusalOf(response));
        return;
      }
      if (opens) this.#session = headerOf(response, "mcp-session-id");
      if (id === undefined) response.resume();
      else await this.#answer(response, id, opens);
      if (method === "notifications/initialized") {
        this.#opening = [...this.#opening.slice(0, 1), said];
        this.#listen();
      }
    } catch (error) {
      fail(networkError(error));
    }
  }

  async #send(body: Buffer): Promise<IncomingMessage> {
    const headers = { ...this.#headers(), "content-type": "application/json" };
    return await this.#upstream.request({ method: "POST", headers, body, signal: this.#abort.signal });
  }

  async #answer(response: IncomingMessage, id: Id, opens: boolean): Promise<void> {
    let answered = false;
    const take = (line: Buffer): void => {
      if (opens) this.#version ??= versionIn(line);
      if (this.#ways.message(line).includes(id)) answered = true;
    };
    if (isJson(response)) take(await answerOf(response));
    else if (isStream(response)) {
      let last: string | undefined;
      for (let left = MOST_RESUMES, from = response; ; left -= 1) {
        let retry: number | undefined;
        try {
          retry = await eachEvent(from, ({ id: eventId, data }) => {
            last = eventId ?? last;
            if (data !== undefined) take(data);
          });
        } catch (error) {
          if (last === undefined) throw error;
        }
        if (answered || last === undefined || left === 0 || this.#abort.signal.aborted) break;
        await pause(retry ?? FIRST_WAIT_MS, this.#abort.signal);
        from = await this.#stream(last, this.#abort.signal);
      }
    } else {
      response.resume();
      throw new Error("its answer is neither JSON nor a stream of events");
    }
    if (!answered) throw new Error("it ended the answer before it gave one");
  }

  /** The stream of what the server says by itself, or the rest of one that broke. */
  async #stream(last: string | undefined, signal: AbortSignal): Promise<IncomingMessage> {
    const headers = { ...this.#headers(), accept: "text/event-stream", ...(last === undefined ? {} : { "last-event-id": last }) };
    const response = await this.#upstream.request({ method: "GET", headers, signal });
    if (response.statusCode === 200 && isStream(response)) return response;
    response.resume();
    throw new NoStreamError(`the server answered ${response.statusCode ?? 0}`, response.statusCode ?? 0);
  }

  #listen(): void {
    this.#listening?.abort();
    const listening = new AbortController();
    this.#listening = listening;
    const { signal } = listening;
    const listen = async (): Promise<void> => {
      let last: string | undefined;
      for (let wait = FIRST_WAIT_MS; !signal.aborted; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
        let retry: number | undefined;
        try {
          retry = await eachEvent(await this.#stream(last, signal), ({ id, data }) => {
            last = id ?? last;
            wait = FIRST_WAIT_MS;
            if (data !== undefined) this.#ways.message(data);
          });
        } catch (error) {
          // There is none (405), or the session is gone; the next request opens another one.
          if (error instanceof NoStreamError && error.status < 500) return;
        }
        await pause(retry ?? wait, signal);
      }
    };
    void listen();
  }

  /** Opens the session again, as its client once did. */
  async #renew(): Promise<void> {
    this.#renewing ??= this.#open().finally(() => (this.#renewing = undefined));
    await this.#renewing;
  }

  async #open(): Promise<void> {
    const [initialize, initialized] = this.#opening;
    if (initialize === undefined) throw new Error("it has forgotten the session");
    this.#session = undefined;
    const response = await this.#send(initialize.line);
    if (response.statusCode !== 200) throw new Error(await refusalOf(response));
    this.#session = headerOf(response, "mcp-session-id");
    if (isStream(response)) await eachEvent(response, () => undefined);
    else await answerOf(response);
    if (initialized !== undefined) (await this.#send(initialized.line)).resume();
    this.#ways.notice("the server had forgotten the session; it was opened again");
    this.#listen();
  }
}

class NoStreamError extends Error {
  readonly status: number;
  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

function versionIn(line: Buffer): string | undefined {
  const result = parseObject(line.toString("utf8"))?.["result"];
  const version = isObject(result) ? result["protocolVersion"] : undefined;
  return typeof version === "string" && /^[\w.-]{1,40}$/.test(version) ? version : undefined;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
  });
}
