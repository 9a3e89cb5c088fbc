import { getConnInfo } from "@hono/node-server/conninfo";
import type { Context, MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import type * as v from "valibot";
import { PROTOCOL, readMessage } from "@assent/team/team/protocol";
import type { Database } from "../database/index.ts";
import {
  ABOUT_HEADER,
  isAdmin,
  isFreshSession,
  type KnownMachine,
  type LastKnownMachine,
  MachineTokens,
  personOf,
  type SeenMachines,
  type TeamPerson,
} from "../enrol/index.ts";
import { COOKIE, type OwnCookies, ownCookies } from "./cookies.ts";
import { againPage, noRolePage, signedOutPage } from "./frame.ts";

/** What routes find in a request's context once it was let in. */
export interface WebVariables {
  readonly Variables: { person: TeamPerson; session: string; machine: KnownMachine };
}
export type WebContext = Context<WebVariables>;
type Next = () => Promise<void>;
export type WebGate = (context: WebContext, next: Next) => Promise<Response | undefined>;

export const UNKNOWN_MACHINE = "no machine has this token";
const FORM_BYTES = 4096;
const SMALL_BYTES = 4096;

export interface WebOptions {
  readonly db: Database;
  readonly now: () => Date;
  /** The address that people and machines use (`https://…`); absent: the one by which a request came. */
  readonly origin?: string | undefined;
  /** People may sign in by a provider. */
  readonly hasProvider?: boolean | undefined;
  /** Who was heard last, and when. */
  readonly seen?: SeenMachines | undefined;
}

/** Who is let in, for all routes. Nothing acts but a POST, and nothing of the page but one that came from the page. */
export interface WebGates {
  /** A machine, by its token. */
  readonly machine: WebGate;
  /** The machine whose token this is; undefined: nobody's. */
  readonly machineOf: (authorization: string | undefined) => Promise<KnownMachine | undefined>;
  /** The same as it was found last, without a look: for who proves it with what he does. */
  readonly lastKnown: (authorization: string | undefined) => LastKnownMachine | undefined;
  /** A form of the page's own, by somebody who is signed in. */
  readonly signedIn: WebGate;
  /** The same, of somebody who may have no role yet. */
  readonly atAll: WebGate;
  /** The same, by an administrator. */
  readonly admin: WebGate;
  /** The same, by one who has just signed in: what lets others in takes more than a browser that was left open. */
  readonly freshAdmin: WebGate;
  /** Somebody who is signed in looks. */
  readonly looking: WebGate;
  /** An administrator looks. */
  readonly adminLooking: WebGate;
  readonly isOwnForm: (context: WebContext) => boolean;
  readonly cookies: OwnCookies;
  readonly personOfCookie: (context: WebContext) => Promise<TeamPerson | undefined>;
}

/** What every part of the server's routes is given. */
export interface RouteOptions {
  readonly db: Database;
  readonly now: () => Date;
  readonly gates: WebGates;
  readonly tell: TellEvent;
}

/** Writes a line of the server's own log. */
export type TellEvent = (event: string, facts: Readonly<Record<string, string | number>>) => void;

export function makeGates({ db, now, origin, hasProvider = false, seen }: WebOptions): WebGates {
  const cookies = ownCookies(origin);
  const tokens = new MachineTokens(db);
  const personOfCookie = async (context: WebContext): Promise<TeamPerson | undefined> => {
    const session = cookies.get(context, COOKIE);
    return session === undefined ? undefined : personOf(db, session, now());
  };
  /** A browser says where a form came from; what says nothing is none. */
  const isOwnForm = (context: WebContext): boolean => {
    const from = context.req.header("origin");
    const type = context.req.header("content-type") ?? "";
    if (from === undefined || !type.startsWith("application/x-www-form-urlencoded")) return false;
    if (origin !== undefined) return from === origin;
    const url = URL.canParse(from) ? new URL(from) : undefined;
    return url !== undefined && url.host === context.req.header("host");
  };
  const known: WebGate = async (context, next) => {
    const person = await personOfCookie(context);
    if (person === undefined) return context.html(signedOutPage(hasProvider), 401);
    context.set("person", person);
    context.set("session", cookies.get(context, COOKIE) ?? "");
    await next();
    return undefined;
  };
  const looking: WebGate = (context, next) =>
    known(context, async () => {
      if (context.var.person.roles.length > 0) return next();
      context.res = await context.html(noRolePage(context.var.person), 403);
    });
  const adminOnly =
    (gate: WebGate, what: "do" | "see"): WebGate =>
    (context, next) =>
      gate(context, async () => {
        if (isAdmin(context.var.person)) return next();
        context.res = context.text(`only an administrator may ${what} that\n`, 403);
      });
  const ownForm =
    (gate: WebGate): WebGate =>
    async (context, next) =>
      isOwnForm(context) ? gate(context, next) : context.text("this form came from another site\n", 403);
  const signedIn = ownForm(looking);
  const tokenIn = (authorization = ""): string | undefined => /^Bearer ([\w-]{43})$/.exec(authorization)?.[1];
  const machineOf: WebGates["machineOf"] = async (authorization) => {
    const token = tokenIn(authorization);
    return token === undefined ? undefined : tokens.machineOf(token, now());
  };
  const admin = adminOnly(signedIn, "do");
  return {
    machineOf,
    lastKnown: (authorization) => {
      const token = tokenIn(authorization);
      return token === undefined ? undefined : tokens.lastKnown(token);
    },
    machine: async (context, next) => {
      const machine = await machineOf(context.req.header("authorization"));
      if (machine === undefined) return refused(context, 401, UNKNOWN_MACHINE);
      seen?.note(machine.id, now(), context.req.header(ABOUT_HEADER));
      context.set("machine", machine);
      await next();
      return undefined;
    },
    signedIn,
    atAll: ownForm(known),
    admin,
    freshAdmin: (context, next) =>
      admin(context, async () => {
        if (await isFreshSession(db, context.var.session, now())) return next();
        context.res = await context.html(againPage(context.var.person, hasProvider), 403);
      }),
    looking,
    adminLooking: adminOnly(looking, "see"),
    isOwnForm,
    cookies,
    personOfCookie,
  };
}

/** Bodies of forms, and of small messages. */
export const limitedForm = (maxSize: number): MiddlewareHandler =>
  bodyLimit({ maxSize, onError: (context) => context.text("too large\n", 413) });
export const formBody = limitedForm(FORM_BYTES);
export function limitedBody(maxSize: number): MiddlewareHandler {
  const tooLarge = (context: Context): Response => refused(context, 413, "the request is too large");
  const counted = bodyLimit({ maxSize, onError: tooLarge });
  return async (context, next) => {
    // A request that says its length has no more than that (Node's parser of HTTP sees to it): its body need not become a stream.
    const said = context.req.header("content-length") ?? "";
    if (!/^\d{1,15}$/.test(said) || context.req.header("transfer-encoding") !== undefined) return counted(context, next);
    if (Number(said) > maxSize) return tooLarge(context);
    await next();
    return undefined;
  };
}

export const smallBody = limitedBody(SMALL_BYTES);

/** A field of a form that came. PostgreSQL keeps no NUL. */
export async function formFields(context: Context): Promise<(name: string) => string> {
  const fields = new URLSearchParams(await context.req.text());
  return (name) => (fields.get(name) ?? "").replace(/\0|\p{Surrogate}/gu, "");
}

export async function formField(context: Context, name: string): Promise<string> {
  return (await formFields(context))(name);
}

export async function readJson<T>(
  context: Context,
  schema: v.GenericSchema<unknown, T>,
): Promise<{ readonly message: T } | { readonly problem: string }> {
  return readMessage(schema, await context.req.text());
}

export const addressOf = (context: Context): string => getConnInfo(context).remote.address ?? "unknown";

export function refused(
  context: Context,
  status: 400 | 401 | 403 | 404 | 409 | 413 | 429 | 503,
  why: string,
  retryAfter?: number,
): Response {
  if (retryAfter !== undefined) context.header("retry-after", String(retryAfter));
  return context.json({ v: PROTOCOL, is: "error", why }, status);
}
