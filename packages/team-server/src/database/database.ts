import type * as v from "valibot";

/** What is said on it to all processes of the server (NOTIFY). What is lost costs the time of a look. */
export const TEAM_CHANNEL = "assent_team";

export type Param = string | number | boolean | null | Date | readonly (string | number | null)[];

/** A statement that comes all the time: a connection reads and plans it once. The name is of this text alone. */
export interface OftenAsked {
  readonly name: string;
  readonly text: string;
}

/** Statements with their parameters. A value never becomes a part of a statement's text. */
export interface Queryable {
  /** The rows, each as its schema has it. */
  rows<T>(schema: v.GenericSchema<unknown, T>, sql: string | OftenAsked, params?: readonly Param[]): Promise<readonly T[]>;
  /** How many rows it changed. */
  run(sql: string, params?: readonly Param[]): Promise<number>;
  /** Several statements of our own, without parameters. */
  script(sql: string): Promise<void>;
}

/**
 * The one contract over both databases. What they give back differs in nothing that a schema sees: whole numbers are numbers,
 * times are dates, bytes are asked for as text (`encode`).
 */
export interface Database extends Queryable {
  readonly kind: "embedded" | "postgresql";
  /** All of it or nothing. Rejects where it is not known whether it was done: doing it again must be harmless. */
  transaction<T>(work: (within: Queryable) => Promise<T>): Promise<T>;
  /**
   * Hears what is said on a channel (NOTIFY) until it is closed. Some of it may be lost: `onAgain` says that it hears from now on,
   * so that whoever needs to know looks by himself.
   */
  listen(channel: "assent_team", onNotice: (payload: string) => void, onAgain: () => void): Promise<{ close(): Promise<void> }>;
  close(): Promise<void>;
}
