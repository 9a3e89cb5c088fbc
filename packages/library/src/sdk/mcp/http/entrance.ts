import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

/** Where a gateway listens, and to whom. */
export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** Who does not have it is not served. */
  readonly token?: string | undefined;
  /** Further names under which clients reach it. */
  readonly hosts: readonly string[];
  /** Pages of a browser that may use it. */
  readonly origins: readonly string[];
}

/** The one path that is served. */
export const PATH = "/mcp";

export const isLoopback = (host: string): boolean => host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);

const hash = (text: string): Buffer => createHash("sha256").update(text).digest();

/**
 * Who may come in. A page in a browser can send requests to this machine, under a name of its own that leads here (DNS
 * rebinding): so the name must be ours, and a request that a page makes says so in `Origin`.
 */
export class Entrance {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;
  readonly #token: Buffer | undefined;

  constructor({ host, hosts, origins, token }: ListenOptions) {
    const own = isLoopback(host) ? ["localhost", "127.0.0.1", "::1", host] : [host];
    this.#hosts = new Set([...own, ...hosts].map((name) => name.toLowerCase()));
    this.#origins = new Set(origins.map((origin) => origin.toLowerCase()));
    this.#token = token === undefined ? undefined : hash(token);
  }

  /** Answers who may not come in, and a browser that only asks whether it may. */
  admits(request: IncomingMessage, response: ServerResponse): boolean {
    const { host, origin, authorization } = request.headers;
    const name = nameIn(host);
    if (name === undefined || !this.#hosts.has(name)) return refuse(response, 403, `this name is not served (--allow-host): ${host ?? ""}`);
    if (origin !== undefined) {
      if (!this.#origins.has(origin.toLowerCase()))
        return refuse(response, 403, `pages of this origin are not served (--allow-origin): ${origin}`);
      response.setHeader("access-control-allow-origin", origin);
      response.setHeader("access-control-expose-headers", "mcp-session-id, www-authenticate");
      response.setHeader("vary", "origin");
      if (request.method === "OPTIONS") {
        const headers = "authorization, content-type, mcp-session-id, mcp-protocol-version, last-event-id";
        response.writeHead(204, { "access-control-allow-methods": "GET, POST, DELETE", "access-control-allow-headers": headers }).end();
        return false;
      }
    }
    if (this.#token !== undefined && !timingSafeEqual(this.#token, hash(/^Bearer +(.+)$/i.exec(authorization ?? "")?.[1] ?? ""))) {
      response.setHeader("www-authenticate", "Bearer");
      return refuse(response, 401, "the bearer token is missing or wrong");
    }
    if (request.url?.split("?", 1)[0] !== PATH) return refuse(response, 404, `only ${PATH} is served`);
    return true;
  }
}

function nameIn(host: string | undefined): string | undefined {
  if (host === undefined || !URL.canParse(`http://${host}`)) return undefined;
  return new URL(`http://${host}`).hostname.replace(/^\[(.*)\]$/, "$1").toLowerCase();
}

/** An answer that is no message of the protocol's own, in its form. */
export function refuse(response: ServerResponse, status: number, why: string): false {
  const body = JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32_000, message: `Assent: ${why}` } });
  if (!response.headersSent) response.writeHead(status, { "content-type": "application/json" });
  response.end(body);
  return false;
}
