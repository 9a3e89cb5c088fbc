import { session } from "./session.ts";

/** What the page's own server could not do, in words for a person. */
export class ApiError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

type Query = Readonly<Record<string, string | number | undefined>>;

function addressOf(path: string, query: Query): string {
  const words = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
  );
  return `/api/${path}${words.length === 0 ? "" : `?${words.join("&")}`}`;
}

const ENDED = "The page's process has ended, or this tab is too old. Open the page again with: assent open";

async function call(path: string, query: Query, init: RequestInit): Promise<Response> {
  const headers = { "x-assent-token": session().token, ...(init.method === "POST" ? { "content-type": "application/json" } : {}) };
  let response: Response;
  try {
    response = await fetch(addressOf(path, query), { ...init, headers, cache: "no-store" });
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw new ApiError(0, ENDED);
  }
  if (response.ok) return response;
  if (response.status === 403) throw new ApiError(403, ENDED);
  const said: unknown = await response.json().catch(() => undefined);
  const why = typeof said === "object" && said !== null && "why" in said && typeof said.why === "string" ? said.why : "this failed";
  throw new ApiError(response.status, why);
}

/** What the server's endpoint of that name says. The caller names its type: page and server are of one build. */
export async function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  const response = await call(path, query, { method: "GET", ...(signal === undefined ? {} : { signal }) });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- page and server are of one build
  return (await response.json()) as T;
}

export async function post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  const response = await call(path, {}, { method: "POST", body: JSON.stringify(body), ...(signal === undefined ? {} : { signal }) });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- page and server are of one build
  return (await response.json()) as T;
}

/** The lines of an answer that comes bit by bit. `body`: what is posted; without it the endpoint is read. */
export async function* lines<T>(path: string, query: Query, body: unknown, signal: AbortSignal): AsyncGenerator<T> {
  const init = body === undefined ? { method: "GET", signal } : { method: "POST", body: JSON.stringify(body), signal };
  const response = await call(path, query, init);
  if (response.body === null) return;
  for await (const line of textLines(response.body)) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- page and server are of one build
    if (line !== "") yield JSON.parse(line) as T;
  }
}

async function* textLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const parts = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = parts.pop() ?? "";
      yield* parts;
    }
    if (rest !== "") yield rest;
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

type Listener = (value: unknown) => void;
const listeners = new Map<string, Set<Listener>>();
const connection = new Set<(open: boolean) => void>();

/** Calls `listener` with what the server tells as the event `name`. Returns what ends that. */
export function onNews(name: string, listener: Listener): () => void {
  const set = listeners.get(name) ?? new Set();
  listeners.set(name, set.add(listener));
  return () => void set.delete(listener);
}

/** Whether the server can be heard, now and whenever that changes. */
export function onConnection(listener: (open: boolean) => void): () => void {
  connection.add(listener);
  return () => void connection.delete(listener);
}

const RETRY_MS = 2000;

/** Listens for as long as the page is open. An `EventSource` cannot send a header, so the stream is read here. */
export async function listen(): Promise<never> {
  for (;;) {
    try {
      const response = await call("news", {}, { method: "GET" });
      for (const tell of connection) tell(true);
      // What happened while nobody listened is asked for anew.
      for (const set of listeners.values()) for (const listener of set) listener(undefined);
      let name = "";
      if (response.body !== null)
        for await (const line of textLines(response.body)) {
          if (line.startsWith("event: ")) name = line.slice(7);
          if (!line.startsWith("data: ")) continue;
          const value: unknown = JSON.parse(line.slice(6));
          for (const listener of listeners.get(name) ?? []) listener(value);
        }
    } catch {
      // Told below, and tried again.
    }
    for (const tell of connection) tell(false);
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
