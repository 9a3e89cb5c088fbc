import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/**
 * Who may come in. Whoever asks has to name this address (a name that leads here by DNS is another site), to have the cookie
 * and, for all that tells or changes anything, to show a second secret in a header: cookies go to every port of an address, so
 * a server that an agent wrote gets ours from a browser that visits it, but it never learns what the page keeps for its own
 * origin. What changes something has to come from the page itself.
 */

/** What is asked for: the way in itself, a part of the page, or something that is told or done. */
export type EntryKind = "entrance" | "enter" | "page" | "api";

export interface RefusedEntry {
  readonly status: 400 | 403 | 405 | 413 | 415;
  readonly why: string;
}

/** Sessions beyond these end the oldest. */
const MOST_SESSIONS = 8;

interface Session {
  readonly cookie: Buffer;
  readonly token: Buffer;
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** How the page and its server write the second secret's header. */
export const TOKEN_HEADER = "x-assent-token";

export class Gate {
  readonly #host: string;
  readonly #origin: string;
  readonly #cookieName: string;
  #sessions: readonly Session[] = [];

  constructor(name: string, port: number) {
    this.#host = `${name}:${port}`;
    this.#origin = `http://${this.#host}`;
    this.#cookieName = `assent-${port}`;
  }

  /** Two secrets of a browser that came by a link: a cookie, as its header, and what the page's own origin keeps. */
  open(): { readonly setCookie: string; readonly token: string } {
    const [cookie, token] = [randomBytes(32).toString("base64url"), randomBytes(32).toString("base64url")];
    this.#sessions = [...this.#sessions, { cookie: digest(cookie), token: digest(token) }].slice(-MOST_SESSIONS);
    return { setCookie: `${this.#cookieName}=${cookie}; HttpOnly; SameSite=Strict; Path=/`, token };
  }

  /** Why this does not come in; undefined: it does. */
  check(wanted: EntryKind, method: string, headers: IncomingHttpHeaders): RefusedEntry | undefined {
    if (headers.host !== this.#host) return { status: 403, why: "this address belongs to Assent, under another name" };
    if (method !== "GET" && method !== "POST") return { status: 405, why: "only GET and POST are answered" };
    const changes = method === "POST";
    const { origin } = headers;
    if (changes ? origin !== this.#origin : origin !== undefined && origin !== this.#origin) return OTHER_SITE;
    const site = headers["sec-fetch-site"];
    // A redirect file is another site, and a person may type the address.
    const sites = wanted === "entrance" ? undefined : wanted === "page" ? ["same-origin", "none"] : ["same-origin"];
    if (typeof site === "string" && sites?.includes(site) === false) return OTHER_SITE;
    if (wanted === "page" || wanted === "api") {
      const session = this.#sessionOf(headers.cookie);
      if (session === undefined) return STRANGER;
      const token = headers[TOKEN_HEADER];
      if (wanted === "api" && !(typeof token === "string" && timingSafeEqual(digest(token), session.token))) return STRANGER;
    }
    return changes && headers["content-type"] !== "application/json" ? { status: 415, why: "only JSON is taken" } : undefined;
  }

  #sessionOf(cookies: string | undefined): Session | undefined {
    const values = (cookies ?? "")
      .split(";")
      .map((pair) => pair.trim())
      .flatMap((pair) => (pair.startsWith(`${this.#cookieName}=`) ? [digest(pair.slice(this.#cookieName.length + 1))] : []));
    return this.#sessions.find(({ cookie }) => values.some((value) => timingSafeEqual(value, cookie)));
  }
}

const OTHER_SITE: RefusedEntry = { status: 403, why: "another site asks" };
const STRANGER: RefusedEntry = { status: 403, why: "open this page with: assent open" };
