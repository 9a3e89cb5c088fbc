import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { isObject, parseJson } from "@assent/core/data";
import type { Principal } from "@assent/core/policy";
import type { GuardCall } from "./call.ts";

/** A question that waits for its answer: plain data, for JSON. */
export interface PendingApproval {
  readonly v: 1;
  /** Names it in the store. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly expires: number;
  readonly calls: readonly GuardCall[];
  /** The tool that makes them, and what it was given. */
  readonly tool?: { readonly name: string; readonly input: unknown };
  /** Texts of the policies that made the guard stricter that asked. */
  readonly stricter: readonly string[];
  readonly principal?: Principal;
  readonly cwd: string;
  readonly subagent?: string;
  /** For whoever answers: one line. */
  readonly text: string;
  readonly agentSays: string;
  /** Over all the rest: what a store gives back is believed only with it. */
  readonly signature: string;
}

/**
 * Where questions wait. CONTRACT: `take` is atomic: of all that ask for one id, in whatever processes, exactly one gets it, once.
 * What is over (`expires`) is not given back, and may be forgotten.
 */
export interface ApprovalStore {
  put(pending: PendingApproval): Promise<void>;
  take(id: string): Promise<PendingApproval | undefined>;
  /** Those that wait, the oldest first. */
  list(of?: { readonly principal?: Principal; readonly before?: Date }): AsyncIterable<PendingApproval>;
  /** The secret by which what is kept here is signed, where the store can keep one from others; else the guard's own, of this process. */
  secret?(): Promise<Uint8Array>;
  close?(): Promise<void>;
}

/** The parts that are signed, in one order. */
const SIGNED = "v id created expires calls tool stricter principal cwd subagent text agentSays".split(" ");
const signedText = (pending: Omit<PendingApproval, "signature">): string =>
  JSON.stringify(SIGNED.map((name): unknown => Reflect.get(pending, name) ?? null));

const sign = (secret: Uint8Array, text: string): string => createHmac("sha256", secret).update(text).digest("base64url");

function isSame(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** A question as a store kept it; undefined: it is none. Believed only with its signature, which is over all of it. */
export function readPending(text: unknown): PendingApproval | undefined {
  if (typeof text !== "string") return undefined;
  const value = parseJson(text);
  return isPending(value) ? value : undefined;
}

const isPending = (value: unknown): value is PendingApproval =>
  isObject(value) && typeof value["id"] === "string" && typeof value["created"] === "number" && typeof value["expires"] === "number";

/** A new question, signed. `id`: 128 bits that nobody guesses. */
export function signPending(secret: Uint8Array, pending: Omit<PendingApproval, "v" | "id" | "signature">): PendingApproval {
  const whole = { v: 1, id: randomBytes(16).toString("base64url"), ...pending } as const;
  // As it comes out of a store: a URL is a text there.
  const kept = readPending(JSON.stringify(whole)) ?? { ...whole, signature: "" };
  return { ...kept, signature: sign(secret, signedText(kept)) };
}

/** INVARIANT: only what this secret signed is believed, whoever can write into the store. */
export function isSigned(secret: Uint8Array, pending: PendingApproval): boolean {
  return typeof pending.signature === "string" && isSame(pending.signature, sign(secret, signedText(pending)));
}

/** What is handed to whoever answers: the id, and what proves that this guard gave it out. */
export const tokenOf = (secret: Uint8Array, { id }: PendingApproval): string => `${id}.${sign(secret, `token ${id}`)}`;

/** The id of a token that was given out; undefined: it was not. */
export function idOf(secret: Uint8Array, token: string): string | undefined {
  if (typeof token !== "string") return undefined;
  const [id = "", proof = "", ...more] = token.split(".");
  return more.length === 0 && /^[\w-]{22}$/.test(id) && isSame(proof, sign(secret, `token ${id}`)) ? id : undefined;
}

/** Whether a question is one of those that are listed. */
export function isListed({ principal = {}, created }: PendingApproval, of: Parameters<ApprovalStore["list"]>[0] = {}): boolean {
  const wanted = Object.entries(of.principal ?? {}).filter(([, value]) => value !== undefined);
  const given = new Map(Object.entries(principal));
  const same = wanted.every(([name, value]) => JSON.stringify(given.get(name)) === JSON.stringify(value));
  return same && (of.before === undefined || created < of.before.getTime());
}

const MOST_IN_MEMORY = 10_000;

/** Questions that wait in this process, and are gone with it. */
export function memoryApprovals(): ApprovalStore {
  const secret = randomBytes(32);
  const waiting = new Map<string, PendingApproval>();
  const forget = (): void => {
    for (const [id, { expires }] of waiting) if (expires <= Date.now()) waiting.delete(id);
  };
  return {
    put: async (pending) => {
      if (waiting.size >= MOST_IN_MEMORY) forget();
      if (waiting.size >= MOST_IN_MEMORY) throw new Error(`${MOST_IN_MEMORY} questions are waiting already`);
      waiting.set(pending.id, pending);
      return await Promise.resolve();
    },
    take: async (id) => {
      const found = waiting.get(id);
      waiting.delete(id);
      return await Promise.resolve(found !== undefined && found.expires > Date.now() ? found : undefined);
    },
    list: async function* (of) {
      forget();
      for (const pending of waiting.values()) if (isListed(pending, of)) yield await Promise.resolve(pending);
    },
    secret: async () => await Promise.resolve(secret),
  };
}
