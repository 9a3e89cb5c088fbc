import { getConnInfo } from "@hono/node-server/conninfo";
import { Hono, type Context } from "hono";
import { bodyLimit } from "hono/body-limit";
import { getCookie, setCookie } from "hono/cookie";
import { secureHeaders } from "hono/secure-headers";
import type * as v from "valibot";
import { EnrolPoll, EnrolRequest, LogBatch, MESSAGE_LIMITS, PROTOCOL, readMessage } from "../../../src/team/protocol/index.ts";
import type { Database } from "../database/index.ts";
import {
  chainOf,
  confirmMachine,
  enter,
  joinedMachines,
  type KnownMachine,
  leaveSession,
  machineOfToken,
  organisationOf,
  personOf,
  pollEnrolment,
  refuseMachine,
  removeMachine,
  startEnrolment,
  waitingMachines,
} from "../enrol/index.ts";
import { type LogIntake, Overloaded } from "../log/index.ts";
import { RateLimit } from "./limits.ts";
import type { Metrics } from "./metrics.ts";
import { ENTER_SCRIPT, enterPage, type Overview, overviewPage, signedOutPage, STYLE } from "./pages.ts";

export interface AppOptions {
  readonly db: Database;
  readonly intake: LogIntake;
  readonly metrics: Metrics;
  readonly now: () => Date;
  /** The address that people and machines use (`https://…`); absent: the one by which a request came. */
  readonly origin?: string | undefined;
  readonly isDraining: () => boolean;
  /** A line of the server's own log. */
  readonly tell: (event: string, facts: Readonly<Record<string, string | number>>) => void;
}

const COOKIE = "assent_team";
const FORM_BYTES = 4096;
const SMALL_BYTES = 4096;
/** Bytes of all bodies that are read or answered at a time. */
const MOST_READING = 64 << 20;
const REQUESTS = "assent_team_requests_total";

interface Variables {
  readonly Variables: { person: string; session: string; machine: KnownMachine };
}

/** Everything that the server answers. Nothing acts but a POST, and nothing of the page but one that came from the page. */
export function makeApp(options: AppOptions): Hono<Variables> {
  const { db, metrics, now, tell } = options;
  const app = new Hono<Variables>();
  const clock = (): number => now().getTime();
  const enrolments = new RateLimit(30, 2000, clock);
  const polls = new RateLimit(300, 200, clock);
  const entries = new RateLimit(10, 6000, clock);
  const codes = new RateLimit(10, 6000, clock);

  app.use(
    secureHeaders({
      contentSecurityPolicy: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        baseUri: ["'none'"],
      },
      referrerPolicy: "no-referrer",
      xFrameOptions: "DENY",
    }),
  );
  app.use(async (context, next) => {
    await next();
    context.header("cache-control", "no-store");
    metrics.count(REQUESTS, "Requests answered.", { route: routeOf(context), status: context.res.status });
  });
  app.onError((error, context) => {
    tell("failed", { route: routeOf(context), why: error.message });
    return refused(context, 503, "the server cannot do that now: try again", 5);
  });
  app.notFound((context) => refused(context, 404, "there is nothing here"));

  // Alive; ready to be sent requests.
  app.get("/healthz", (context) => context.text("ok\n"));
  app.get("/readyz", async (context) => {
    if (options.isDraining()) return context.text("stopping\n", 503);
    await db.run("select 1");
    return context.text("ready\n");
  });

  const small = bodyLimit({ maxSize: SMALL_BYTES, onError: (context) => refused(context, 413, "the request is too large") });
  app.post("/v1/enrol", small, async (context) => {
    const address = addressOf(context);
    if (!enrolments.take(address)) return refused(context, 429, "too many machines ask at once: try again in a minute", 60);
    const read = await readJson(context, EnrolRequest);
    if ("problem" in read) return refused(context, 400, read.problem);
    const started = await startEnrolment(db, read.message, address, now());
    if (started === undefined) return refused(context, 429, "too many machines wait to be let in", 60);
    tell("enrolment", { id: started.id, address });
    return context.json(started);
  });
  app.post("/v1/enrol/poll", small, async (context) => {
    if (!polls.take(addressOf(context))) return refused(context, 429, "asked too often", 10);
    const read = await readJson(context, EnrolPoll);
    if ("problem" in read) return refused(context, 400, read.problem);
    return context.json(await pollEnrolment(db, read.message.id, read.message.secret, now()));
  });

  const large = bodyLimit({ maxSize: MESSAGE_LIMITS.messageBytes, onError: (context) => refused(context, 413, "the batch is too large") });
  // Bodies that are being read: what waits for the database is limited by the intake.
  let reading = 0;
  const admitted = async (context: Context<Variables>, next: () => Promise<void>): Promise<Response | undefined> => {
    const machine = await machineOf(context);
    if (machine === undefined) return refused(context, 401, "no machine has this token");
    const said = Number(context.req.header("content-length") ?? MESSAGE_LIMITS.messageBytes);
    const size = Math.min(Number.isNaN(said) ? MESSAGE_LIMITS.messageBytes : said, MESSAGE_LIMITS.messageBytes);
    if (reading + size > MOST_READING) return refused(context, 503, "too much comes at once: try again", 5);
    reading += size;
    context.set("machine", machine);
    try {
      await next();
    } finally {
      reading -= size;
    }
    return undefined;
  };
  app.post("/v1/log", admitted, large, async (context) => {
    const { machine } = context.var;
    const text = await context.req.text();
    const read = readMessage(LogBatch, text);
    if ("problem" in read) return refused(context, 400, read.problem);
    try {
      const answer = await options.intake.take(machine.id, read.message, text.length);
      metrics.count("assent_team_batches_total", "Batches of records answered.", { answer: answer.is });
      if (answer.is === "fork") tell("fork", { machine: machine.id, epoch: answer.head.epoch, seq: answer.seq });
      return context.json(answer, answer.is === "taken" ? 200 : answer.is === "damaged" ? 400 : 409);
    } catch (error) {
      if (error instanceof Overloaded) return refused(context, 503, "too much waits already: try again", 5);
      throw error;
    }
  });
  app.get("/v1/machine", async (context) => {
    const machine = await machineOf(context);
    if (machine === undefined) return refused(context, 401, "no machine has this token");
    const state = { v: PROTOCOL, machine: machine.id, name: machine.name, organisation: await organisationOf(db) };
    return context.json({ ...state, ...(await chainOf(db, machine.id)) });
  });
  app.post("/v1/leave", small, async (context) => {
    const machine = await machineOf(context);
    if (machine === undefined) return refused(context, 401, "no machine has this token");
    await removeMachine(db, machine.id, now());
    tell("left", { machine: machine.id });
    return context.json({ v: PROTOCOL, is: "left" });
  });

  app.get("/style.css", (context) => context.body(STYLE, 200, { "content-type": "text/css; charset=utf-8" }));
  app.get("/enter.js", (context) => context.body(ENTER_SCRIPT, 200, { "content-type": "text/javascript; charset=utf-8" }));
  app.get("/enter", (context) => context.html(enterPage()));
  app.get("/", async (context) => {
    const person = await personOfCookie(context);
    return person === undefined ? context.html(signedOutPage(), 401) : context.html(overviewPage(await overview(person)));
  });

  const form = bodyLimit({ maxSize: FORM_BYTES, onError: (context) => context.text("too large\n", 413) });
  app.post("/enter", form, async (context) => {
    if (!isOwnForm(context)) return context.text("this form came from another site\n", 403);
    if (!entries.take(addressOf(context))) return context.html(enterPage("Too many attempts. Wait a minute."), 429);
    const session = await enter(db, await field(context, "key"), now());
    if (session === undefined) return context.html(enterPage("This link was used before, or is too old."), 403);
    const secure = isSecure(context);
    setCookie(context, COOKIE, session, { httpOnly: true, sameSite: "Strict", secure, path: "/", maxAge: 12 * 3600 });
    tell("signed in", { address: addressOf(context) });
    return context.redirect("/", 303);
  });

  const signedIn = async (context: Context<Variables>, next: () => Promise<void>): Promise<Response | undefined> => {
    if (!isOwnForm(context)) return context.text("this form came from another site\n", 403);
    const person = await personOfCookie(context);
    if (person === undefined) return context.html(signedOutPage(), 401);
    context.set("person", person);
    context.set("session", getCookie(context, COOKIE) ?? "");
    await next();
    return undefined;
  };
  app.post("/confirm", form, signedIn, async (context) => {
    const { person, session } = context.var;
    if (!codes.take(session))
      return context.html(overviewPage({ ...(await overview(person)), problem: "Too many codes. Wait a minute." }), 429);
    const name = await confirmMachine(db, await field(context, "code"), person, now());
    if (name === undefined)
      return context.html(overviewPage({ ...(await overview(person)), problem: "No machine that waits has this code." }), 404);
    tell("confirmed", { person });
    return context.html(overviewPage({ ...(await overview(person)), note: `${name} was let in.` }));
  });
  app.post("/refuse", form, signedIn, async (context) => {
    await refuseMachine(db, await field(context, "id"), context.var.person, now());
    return context.redirect("/", 303);
  });
  app.post("/remove", form, signedIn, async (context) => {
    await removeMachine(db, await field(context, "id"), now(), context.var.person);
    return context.redirect("/", 303);
  });
  app.post("/sign-out", form, signedIn, async (context) => {
    await leaveSession(db, context.var.session);
    return context.redirect("/", 303);
  });
  return app;

  async function overview(person: string): Promise<Overview> {
    return { person, waiting: await waitingMachines(db, now()), machines: await joinedMachines(db) };
  }

  async function personOfCookie(context: Context): Promise<string | undefined> {
    const session = getCookie(context, COOKIE);
    return session === undefined ? undefined : personOf(db, session, now());
  }

  async function machineOf(context: Context): Promise<KnownMachine | undefined> {
    const [, token] = /^Bearer ([\w-]{43})$/.exec(context.req.header("authorization") ?? "") ?? [];
    return token === undefined ? undefined : machineOfToken(db, token);
  }

  /** A browser says where a form came from; what says nothing is none. */
  function isOwnForm(context: Context): boolean {
    const origin = context.req.header("origin");
    const type = context.req.header("content-type") ?? "";
    if (origin === undefined || !type.startsWith("application/x-www-form-urlencoded")) return false;
    if (options.origin !== undefined) return origin === options.origin;
    const url = URL.canParse(origin) ? new URL(origin) : undefined;
    return url !== undefined && url.host === context.req.header("host");
  }

  function isSecure(context: Context): boolean {
    return (options.origin ?? context.req.header("origin") ?? "").startsWith("https:");
  }
}

async function field(context: Context, name: string): Promise<string> {
  const value = new URLSearchParams(await context.req.text()).get(name) ?? "";
  // PostgreSQL keeps no NUL.
  return value.replaceAll("\0", "");
}

async function readJson<T>(
  context: Context,
  schema: v.GenericSchema<unknown, T>,
): Promise<{ readonly message: T } | { readonly problem: string }> {
  return readMessage(schema, await context.req.text());
}

const addressOf = (context: Context): string => getConnInfo(context).remote.address ?? "unknown";

/** Of the routes there are: what was asked for is anybody's text. */
const ROUTES: ReadonlySet<string> = new Set(
  "/ /v1/enrol /v1/enrol/poll /v1/log /v1/machine /v1/leave /enter /confirm /refuse /remove /sign-out /healthz /readyz".split(" "),
);
const routeOf = (context: Context): string => (ROUTES.has(context.req.path) ? context.req.path : "other");

function refused(context: Context, status: 400 | 401 | 404 | 413 | 429 | 503, why: string, retryAfter?: number): Response {
  if (retryAfter !== undefined) context.header("retry-after", String(retryAfter));
  return context.json({ v: PROTOCOL, is: "error", why }, status);
}
