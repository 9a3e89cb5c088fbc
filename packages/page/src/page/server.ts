import { readFileSync } from "node:fs";
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import { randomBytes } from "node:crypto";
import { isObject } from "@assent/core/data";
import { errorCode, type Machine } from "@assent/guard/state";
import type { Endpoint, NewsSource, PageContext } from "./api/endpoint.ts";
import { Gate, type RefusedEntry } from "./gate.ts";
import { removeOldLinks, useLink } from "./link.ts";
import { News } from "./news.ts";
import { shown } from "./text.ts";

/**
 * Where the page is. Its name is one that nobody can guess: what another server leaves in a browser for `127.0.0.1` and a port (a
 * service worker that answers in place of whoever has that port later, cookies, storage) is for that name alone. Browsers take
 * every name below `localhost` for this machine, without asking anybody (RFC 6761, 6.3), by either of its addresses: both are
 * held, so that nobody else waits at the other one.
 */
interface PageAddress {
  readonly servers: readonly Server[];
  readonly port: number;
}

const TRIES = 20;
const REQUEST_MS = 30_000;
const MOST_CONNECTIONS = 128;

/** Safari asks the system's resolver, which may not know such names. */
const pageName = ({ platform }: Machine): string =>
  platform === "darwin" ? "127.0.0.1" : `${BigInt(`0x${randomBytes(12).toString("hex")}`).toString(36)}.localhost`;

async function listenHere(): Promise<PageAddress> {
  for (let tries = 1; ; tries++) {
    const [first, port] = await listenAt("127.0.0.1", 0);
    try {
      const [second] = await listenAt("::1", port);
      return { servers: [first, second], port };
    } catch (error) {
      const code = errorCode(error);
      // A machine without IPv6 has nobody there either.
      if (code === "EAFNOSUPPORT" || code === "EADDRNOTAVAIL") return { servers: [first], port };
      first.close();
      if (code !== "EADDRINUSE" || tries === TRIES) throw error;
    }
  }
}

async function listenAt(host: string, wanted: number): Promise<readonly [Server, number]> {
  const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS, maxHeaderSize: 16 << 10 });
  server.maxConnections = MOST_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port: wanted, ipv6Only: host === "::1" }, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the page's server has no port");
  return [server, address.port];
}

/** The parts of the page as they are built, by address. */
const FILES: Readonly<Record<string, { readonly file: string; readonly type: string; readonly wanted: "entrance" | "page" }>> = {
  "/enter": { file: "enter.html", type: "text/html", wanted: "entrance" },
  "/enter.js": { file: "enter.js", type: "text/javascript", wanted: "entrance" },
  "/": { file: "page.html", type: "text/html", wanted: "page" },
  "/page.js": { file: "page.js", type: "text/javascript", wanted: "page" },
  "/page.css": { file: "page.css", type: "text/css", wanted: "page" },
  "/icon.svg": { file: "icon.svg", type: "image/svg+xml", wanted: "entrance" },
};

/** On every answer. Nothing inline, nothing from elsewhere, in nobody's frame, kept by nobody. */
const HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=(), clipboard-read=()",
  "cache-control": "no-store",
} as const;

/** Bytes of a body, where an endpoint says nothing else. */
const SMALL = 64 << 10;
/** Without an open page the process ends. */
export const IDLE_MS = 10 * 60_000;

export interface PageServerOptions {
  readonly context: PageContext;
  /** The page's own folder in the state folder, where links lie. */
  readonly place: string;
  /** Where the built parts of the page lie. */
  readonly assets: string;
  readonly endpoints: readonly Endpoint[];
  readonly news: readonly NewsSource[];
  readonly idleMs?: number;
}

export interface PageServer {
  /** The address is this name and this port. */
  readonly name: string;
  readonly port: number;
  /** No page was open for long, or it was closed. */
  readonly ended: Promise<void>;
  readonly close: () => void;
}

/** Answers this machine alone, under a name and a port of its own, until no page has been open for a while. */
export async function servePage(options: PageServerOptions): Promise<PageServer> {
  return new Serving(await listenHere(), options);
}

class Serving implements PageServer {
  readonly name: string;
  readonly port: number;
  readonly ended: Promise<void>;
  readonly #servers: readonly Server[];
  readonly #options: PageServerOptions;
  readonly #gate: Gate;
  readonly #news: News;
  readonly #endpoints: ReadonlyMap<string, Endpoint>;
  #idle: NodeJS.Timeout | undefined;

  constructor({ servers, port }: PageAddress, options: PageServerOptions) {
    this.name = pageName(options.context.machine);
    this.port = port;
    this.#servers = servers;
    this.#options = options;
    this.#gate = new Gate(this.name, port);
    this.#endpoints = new Map(options.endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint]));
    this.#news = new News(options.news, options.context, () => this.#wait());
    this.ended = Promise.all(servers.map((server) => new Promise((resolve) => server.once("close", resolve)))).then(() => undefined);
    for (const server of servers) {
      server.on("request", (request, response) => void this.#answer(request, response));
      server.on("clientError", (_, socket) => socket.destroy());
    }
    this.#wait();
  }

  close = (): void => {
    clearTimeout(this.#idle);
    this.#news.close();
    for (const server of this.#servers) {
      server.close();
      server.closeAllConnections();
    }
  };

  /** Ends when no page has been open for long. */
  #wait(): void {
    clearTimeout(this.#idle);
    if (this.#news.open === 0) this.#idle = setTimeout(this.close, this.#options.idleMs ?? IDLE_MS);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    try {
      await this.#route(request, response);
    } catch (error) {
      const why = error instanceof BodyError ? error.message : `this failed: ${error instanceof Error ? error.message : String(error)}`;
      if (response.headersSent) response.destroy();
      else sendJson(response, error instanceof BodyError ? error.status : 500, { why: shown(why) });
    }
  }

  async #route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "", headers } = request;
    const [path, query] = splitOnce(url, "?");
    const file = Object.hasOwn(FILES, path) ? FILES[path] : undefined;
    const wanted = file?.wanted ?? (path === "/enter/in" ? "enter" : "api");
    const stopped = this.#gate.check(wanted, method, headers);
    if (stopped !== undefined) return refuse(response, stopped);
    if (file !== undefined) return this.#file(method, file, response);
    if (wanted === "enter") return await this.#enter(request, response);
    if (method === "GET" && path === "/api/news") return this.#stream(response);
    const endpoint = this.#endpoints.get(`${method} ${path}`);
    if (endpoint === undefined) return sendJson(response, 404, { why: "this page does not exist" });
    await this.#call(endpoint, query, request, response);
  }

  #file(method: string, { file, type }: { readonly file: string; readonly type: string }, response: ServerResponse): void {
    if (method !== "GET") return refuse(response, { status: 405, why: "only GET is answered here" });
    const bytes = readFileSync(`${this.#options.assets}/${file}`);
    response.writeHead(200, { "content-type": `${type}; charset=utf-8`, "content-length": bytes.length }).end(bytes);
  }

  async #enter(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== "POST") return refuse(response, { status: 405, why: "only POST is answered here" });
    const { place, context } = this.#options;
    const body = await readBody(request, SMALL);
    const secret = isObject(body) ? body["secret"] : undefined;
    const folder = typeof secret === "string" ? useLink(place, secret, context.machine) : undefined;
    removeOldLinks(place);
    if (folder === undefined) return refuse(response, { status: 403, why: "this link was used before, or is too old: assent open" });
    const { setCookie, token } = this.#gate.open();
    response.setHeader("set-cookie", setCookie);
    sendJson(response, 200, { token, folder });
    this.#wait();
  }

  #stream(response: ServerResponse): void {
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    if (!this.#news.add(response)) response.end();
  }

  async #call(endpoint: Endpoint, query: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = endpoint.method === "POST" ? await readBody(request, endpoint.limit ?? SMALL) : undefined;
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const reply = await endpoint.answer({ query: new URLSearchParams(query), body, signal: gone.signal }, this.#options.context);
    switch (reply.is) {
      case "json":
        return sendJson(response, 200, reply.value);
      case "refused":
        return sendJson(response, reply.status, { why: shown(reply.why) });
      case "lines":
        response.writeHead(200, { "content-type": "application/x-ndjson; charset=utf-8" });
        for await (const line of reply.lines) {
          if (gone.signal.aborted) return;
          if (!response.write(`${JSON.stringify(line)}\n`)) await drained(response, gone.signal);
        }
        response.end();
    }
  }
}

/** Until the connection takes more, or is gone. */
async function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const go = (): void => {
      response.off("drain", go);
      signal.removeEventListener("abort", go);
      resolve();
    };
    response.once("drain", go);
    signal.addEventListener("abort", go);
  });
}

class BodyError extends Error {
  readonly code = "body";
  readonly status: 400 | 413;

  constructor(status: 400 | 413, message: string) {
    super(message);
    this.status = status;
  }
}

async function readBody(request: IncomingMessage, limit: number): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) throw new BodyError(400, "this is not JSON");
    size += chunk.length;
    if (size > limit) throw new BodyError(413, `more than ${limit} bytes`);
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    throw new BodyError(400, "this is not JSON");
  }
}

function splitOnce(text: string, at: string): readonly [string, string] {
  const found = text.indexOf(at);
  return found === -1 ? [text, ""] : [text.slice(0, found), text.slice(found + 1)];
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  const bytes = Buffer.from(JSON.stringify(value ?? null), "utf8");
  // What is left of a body that was too long is not read.
  if (status === 413) response.setHeader("connection", "close");
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", "content-length": bytes.length }).end(bytes);
}

function refuse(response: ServerResponse, { status, why }: RefusedEntry): void {
  response.setHeader("connection", "close");
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(`Assent: ${why}\n`);
}
