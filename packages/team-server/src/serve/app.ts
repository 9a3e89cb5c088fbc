import { Hono } from "hono";
import { EnrolPoll, EnrolRequest, FleetEnrol, type PreviewPolicies, PROTOCOL, readAbout } from "@assent/team/team/protocol";
import type { Database } from "../database/index.ts";
import {
  ABOUT_HEADER,
  addProviderRole,
  allPeople,
  chainOf,
  confirmMachine,
  enrolByFleet,
  enter,
  invitePerson,
  isAdmin,
  joinedMachines,
  leaveSession,
  organisationOf,
  pollEnrolment,
  providerRoles,
  putInGroup,
  refuseMachine,
  removeMachine,
  removePerson,
  removeProviderRole,
  type SeenMachines,
  SESSION_MS,
  startEnrolment,
  type TeamPerson,
  waitingMachines,
} from "../enrol/index.ts";
import { GENEROUS, type LogIntake, type LogQuota, machinesOver } from "../log/index.ts";
import { addRecordRoutes } from "../records/index.ts";
import type { TeamConnections } from "../connection/index.ts";
import { addKeyRoutes } from "../keys/index.ts";
import { addPasskeyRoutes } from "../passkeys/index.ts";
import { addPolicyPage, addPolicyRoutes } from "../policies/index.ts";
import { addQuestionRoutes } from "../questions/index.ts";
import {
  addressOf,
  ANSWER_HEADERS,
  COOKIE,
  formBody,
  formField,
  formFields,
  makeGates,
  RateLimit,
  readJson,
  readStyle,
  refused,
  smallBody,
  type WebContext,
  type WebVariables,
  type TellEvent,
} from "../web/index.ts";
import { addJobRoutes, addSignInRoutes, type SignInProvider } from "../sign-in/index.ts";
import { addWebhookRoutes } from "../webhooks/index.ts";
import type { Metrics } from "./metrics.ts";
import { ENTER_SCRIPT, enterPage, type Overview, overviewPage, peoplePage, type PeopleView } from "./pages.ts";

export interface AppOptions {
  readonly db: Database;
  readonly intake: LogIntake;
  readonly metrics: Metrics;
  readonly connections: TeamConnections;
  /** Webhooks may lead to private addresses. */
  readonly privateWebhooks?: boolean | undefined;
  readonly now: () => Date;
  /** The address that people and machines use (`https://…`); absent: the one by which a request came. */
  readonly origin?: string | undefined;
  /** By which people may sign in, beside links. */
  readonly provider?: SignInProvider | undefined;
  /** Who was heard last, and when. */
  readonly seen?: SeenMachines | undefined;
  readonly isDraining: () => boolean;
  /** How far this process is behind, in milliseconds. */
  readonly delay?: (() => number) | undefined;
  /** What one machine may send on a day. */
  readonly quota?: LogQuota | undefined;
  /** Judges what was asked by two versions of a policy; absent: the page shows no preview. */
  readonly preview?: PreviewPolicies | undefined;
  /** A line of the server's own log. */
  readonly tell: TellEvent;
}

/** Counts a request that was answered. `route`: one that there is, or `other`. */
export const noteRequest = (metrics: Metrics, route: string, status: number): void =>
  metrics.count("assent_team_requests_total", "Requests answered.", { route, status });

/** By which people sign in. */
export const SIGN_INS = ["link", "provider"] as const;

export const countFailedSignIn = (metrics: Metrics, by: (typeof SIGN_INS)[number], count = 1): void =>
  metrics.count("assent_team_sign_ins_failed_total", "Sign-ins that let nobody in.", { by }, count);

/** Everything that is not answered directly (`listener.ts`). Nothing acts but a POST, and nothing of the page but one that came from the page. */
export function makeApp(options: AppOptions): Hono<WebVariables> {
  const { db, metrics, now, tell } = options;
  const app = new Hono<WebVariables>();
  const gates = makeGates({ ...options, hasProvider: options.provider !== undefined });
  const parts = { db, now, gates, tell };
  const clock = (): number => now().getTime();
  const enrolments = new RateLimit(30, 2000, clock);
  const polls = new RateLimit(300, 200, clock);
  const entries = new RateLimit(10, 6000, clock);
  const codes = new RateLimit(10, 6000, clock);

  // Of the routes that there are: what was asked for is anybody's text.
  let known: ReadonlySet<string> | undefined;
  const routeOf = ({ req }: WebContext): string => {
    known ??= new Set(app.routes.map(({ path }) => path));
    return known.has(req.path) ? req.path : "other";
  };
  app.use(async (context, next) => {
    await next();
    for (const [name, value] of ANSWER_HEADERS) context.header(name, value);
    noteRequest(metrics, routeOf(context), context.res.status);
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

  app.post("/v1/enrol", smallBody, async (context) => {
    const address = addressOf(context);
    if (!enrolments.take(address)) return refused(context, 429, "too many machines ask at once: try again in a minute", 60);
    const read = await readJson(context, EnrolRequest);
    if ("problem" in read) return refused(context, 400, read.problem);
    const started = await startEnrolment(db, read.message, address, now(), readAbout(context.req.header(ABOUT_HEADER)).user);
    if (started === undefined) return refused(context, 429, "too many machines wait to be let in", 60);
    tell("enrolment", { id: started.id, address });
    return context.json(started);
  });
  app.post("/v1/enrol/poll", smallBody, async (context) => {
    if (!polls.take(addressOf(context))) return refused(context, 429, "asked too often", 10);
    const read = await readJson(context, EnrolPoll);
    if ("problem" in read) return refused(context, 400, read.problem);
    return context.json(await pollEnrolment(db, read.message.id, read.message.secret, now()));
  });

  // A whole fleet starts at once, from behind one address; and a key cannot be guessed.
  app.post("/v1/enrol/fleet", smallBody, async (context) => {
    if (!polls.take(addressOf(context))) return refused(context, 429, "asked too often", 10);
    const read = await readJson(context, FleetEnrol);
    if ("problem" in read) return refused(context, 400, read.problem);
    const state = await enrolByFleet(db, read.message, now());
    if (state?.is !== "joined")
      return refused(context, 403, "this key lets nobody in: it is none, used up, revoked, too old, or of another group");
    tell("let in by a key", { machine: state.machine });
    return context.json(state);
  });

  addJobRoutes(app, parts);

  app.get("/v1/machine", gates.machine, async (context) => {
    const { machine } = context.var;
    const state = { v: PROTOCOL, machine: machine.id, name: machine.name, organisation: await organisationOf(db) };
    return context.json({ ...state, ...(await chainOf(db, machine.id)) });
  });
  app.post("/v1/leave", smallBody, gates.machine, async (context) => {
    const { machine } = context.var;
    await removeMachine(db, machine.id, now());
    tell("left", { machine: machine.id });
    return context.json({ v: PROTOCOL, is: "left" });
  });

  const style = readStyle();
  app.get("/style.css", (context) => context.body(style, 200, { "content-type": "text/css; charset=utf-8" }));
  app.get("/enter.js", (context) => context.body(ENTER_SCRIPT, 200, { "content-type": "text/javascript; charset=utf-8" }));
  app.get("/enter", (context) => context.html(enterPage()));
  app.get("/", gates.looking, async (context) =>
    isAdmin(context.var.person) ? context.html(overviewPage(await overview(context.var.person))) : context.redirect("/questions", 303),
  );

  app.post("/enter", formBody, async (context) => {
    if (!gates.isOwnForm(context)) return context.text("this form came from another site\n", 403);
    if (!entries.take(addressOf(context))) return context.html(enterPage("Too many attempts. Wait a minute."), 429);
    const session = await enter(db, await formField(context, "key"), now());
    if (session === undefined) {
      countFailedSignIn(metrics, "link");
      tell("not signed in", { address: addressOf(context), why: "the link was used before, or is too old" });
      return context.html(enterPage("This link was used before, or is too old."), 403);
    }
    gates.cookies.set(context, COOKIE, session, { sameSite: "Strict", maxAge: SESSION_MS / 1000 });
    tell("signed in", { address: addressOf(context) });
    return context.redirect("/", 303);
  });
  app.post("/sign-out", formBody, gates.atAll, async (context) => {
    await leaveSession(db, context.var.session);
    return context.redirect("/", 303);
  });

  app.post("/confirm", formBody, gates.admin, async (context) => {
    const { person, session } = context.var;
    if (!codes.take(session))
      return context.html(overviewPage({ ...(await overview(person)), problem: "Too many codes. Wait a minute." }), 429);
    const name = await confirmMachine(db, await formField(context, "code"), person.name, now());
    if (name === undefined)
      return context.html(overviewPage({ ...(await overview(person)), problem: "No machine that waits has this code." }), 404);
    tell("confirmed", { person: person.name });
    return context.html(overviewPage({ ...(await overview(person)), note: `${name} was let in.` }));
  });
  app.post("/refuse", formBody, gates.admin, async (context) => {
    await refuseMachine(db, await formField(context, "id"), context.var.person.name, now());
    return context.redirect("/", 303);
  });
  app.post("/remove", formBody, gates.admin, async (context) => {
    await removeMachine(db, await formField(context, "id"), now(), context.var.person.name);
    return context.redirect("/", 303);
  });
  app.post("/group", formBody, gates.admin, async (context) => {
    const field = await formFields(context);
    await putInGroup(db, field("id"), field("group").trim(), context.var.person.name, now());
    return context.redirect("/", 303);
  });

  app.get("/people", gates.adminLooking, async (context) => context.html(peoplePage(await peopleView(context.var.person))));
  app.post("/people/invite", formBody, gates.admin, async (context) => {
    const { person } = context.var;
    const field = await formFields(context);
    const name = field("name").trim();
    const secret = await invitePerson(db, { name, role: field("role"), machines: field("machines").trim(), by: person.name }, now());
    if (secret === undefined)
      return context.html(
        peoplePage({ ...(await peopleView(person)), problem: "That is not a name or a role; an administrator is one for all machines." }),
        400,
      );
    tell("invited", { by: person.name });
    const address = `${options.origin ?? context.req.header("origin") ?? ""}/enter#${secret}`;
    return context.html(peoplePage({ ...(await peopleView(person)), link: { name, address } }));
  });
  app.post("/people/remove", formBody, gates.admin, async (context) => {
    const { person } = context.var;
    if (await removePerson(db, await formField(context, "name"), person.name, now())) return context.redirect("/people", 303);
    return context.html(peoplePage({ ...(await peopleView(person)), problem: "The last administrator stays." }), 409);
  });
  app.post("/people/provider", formBody, gates.admin, async (context) => {
    const { person } = context.var;
    const field = await formFields(context);
    const row = { name: field("name"), role: field("role"), machines: field("machines").trim() };
    if (field("what") === "remove") await removeProviderRole(db, row, person.name, now());
    else if (!(await addProviderRole(db, { ...row, name: row.name.trim() }, person.name, now())))
      return context.html(
        peoplePage({ ...(await peopleView(person)), problem: "That is not a group or a role; an administrator is one for all machines." }),
        400,
      );
    return context.redirect("/people", 303);
  });

  if (options.provider !== undefined) {
    const onFailed = (): void => countFailedSignIn(metrics, "provider");
    addSignInRoutes(app, { ...parts, provider: options.provider, onFailed });
  }
  addWebhookRoutes(app, { ...parts, allowPrivate: options.privateWebhooks === true });
  addPolicyRoutes(app, parts);
  addRecordRoutes(app, parts);
  addKeyRoutes(app, parts);
  addPasskeyRoutes(app, { ...parts, origin: options.origin });
  addPolicyPage(app, { ...parts, judge: options.preview });
  addQuestionRoutes(app, { ...parts, metrics });
  return app;

  async function peopleView(person: TeamPerson): Promise<PeopleView> {
    const groups = options.provider === undefined ? undefined : await providerRoles(db);
    return { person, people: await allPeople(db, now()), groups };
  }

  async function overview(person: TeamPerson): Promise<Overview> {
    const over = await machinesOver(db, options.quota ?? GENEROUS, now());
    return { person, over, waiting: await waitingMachines(db, now()), machines: await joinedMachines(db) };
  }
}
