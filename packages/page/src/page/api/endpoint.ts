import type { Machine } from "@assent/guard/state";
import type { PageStatus } from "../status.ts";

/** What the page process knows; one for all endpoints. */
export interface PageContext {
  readonly machine: Machine;
  /** Folders of Assent's own program. */
  readonly own: readonly string[];
  /** What protects in a folder, and what is on there. */
  readonly status: (folder: string) => Promise<PageStatus>;
}

export interface PageRequest {
  readonly query: URLSearchParams;
  /** What was posted, as JSON says it: nobody has checked it yet. Undefined with GET. */
  readonly body: unknown;
  /** Raised when the page no longer waits for the answer. */
  readonly signal: AbortSignal;
}

export type PageReply =
  | { readonly is: "json"; readonly value: unknown }
  /** What a person can do something about. */
  | { readonly is: "refused"; readonly status: 400 | 404 | 409; readonly why: string }
  /** A JSON value a line, as they come: for what takes long, or is long. The source is closed when the page goes away. */
  | { readonly is: "lines"; readonly lines: AsyncIterable<unknown> };

/**
 * One address of the page's server. `/api/NAME` answers only the page itself (`gate.ts`). What it returns goes to a browser:
 * texts that others wrote are cut to a length that can be shown (`shown` of `text.ts`).
 */
export interface Endpoint {
  readonly method: "GET" | "POST";
  readonly path: `/api/${string}`;
  /** Most bytes of a body; 64 KiB unless told. */
  readonly limit?: number;
  readonly answer: (request: PageRequest, context: PageContext) => PageReply | Promise<PageReply>;
}

/**
 * Something that changes while the page is open. `watch` is called when the first page opens and calls `tell` whenever there is
 * news, until the returned function is called, when the last page has closed. Pages get it as the event `name`.
 */
export interface NewsSource {
  readonly name: string;
  readonly watch: (context: PageContext, tell: (value: unknown) => void) => () => void;
}

export const json = (value: unknown): PageReply => ({ is: "json", value });
export const refused = (why: string, status: 400 | 404 | 409 = 400): PageReply => ({ is: "refused", status, why });
