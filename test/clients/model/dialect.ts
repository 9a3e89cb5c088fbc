/** One thing said in a conversation, whatever the protocol. */
export type Turn =
  | { readonly by: "user"; readonly text: string }
  | { readonly by: "model"; readonly call: string | undefined; readonly text: string }
  | { readonly by: "tool"; readonly text: string };

/** How a protocol offers a tool: as a function, as one that takes plain text, as the search for more tools; or inside a named group. */
export interface Offer {
  readonly kind: "function" | "text" | "search";
  readonly group?: string;
}

/** What a client sends to its model. */
export interface Heard {
  readonly offers: ReadonlyMap<string, Offer>;
  readonly turns: readonly Turn[];
  /** Whether the answer is to come as a stream of events. */
  readonly streams: boolean;
}

/** What the model answers: a tool to call, or its last words. */
export type Reply =
  | { readonly call: string; readonly input: Readonly<Record<string, unknown>>; readonly offer: Offer }
  | { readonly say: string };

/** An answer as it goes over the wire: one JSON document, or events with their names where the protocol has names. */
export interface Wire {
  readonly events: readonly { readonly name?: string; readonly data: unknown }[];
  /** The stream's last line, where the protocol has one. */
  readonly end?: string;
  readonly whole: unknown;
}

/** One protocol between a client and its model. */
export interface Dialect {
  readonly name: string;
  speaks(path: string): boolean;
  hear(body: Readonly<Record<string, unknown>>, path: string): Heard;
  answer(reply: Reply, id: string): Wire;
}
