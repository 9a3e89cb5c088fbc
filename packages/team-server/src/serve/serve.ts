import { existsSync, readFileSync } from "node:fs";
import { createServer as createPlainServer, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { TeamServeOptions } from "@assent/team/team/protocol";
import type { Database } from "../database/index.ts";
import type { TellEvent } from "../web/index.ts";
import { endExpired, isUnclaimed, newAdminLink, SeenMachines } from "../enrol/index.ts";
import { dropMonth, forgetUsage, GENEROUS, LogIntake, monthOf, monthsOf } from "../log/index.ts";
import { TeamConnections } from "../connection/index.ts";
import { isIssuer, SignInProvider } from "../sign-in/index.ts";
import { postDue, type PostingOptions } from "../webhooks/index.ts";
import { countFailedSignIn, SIGN_INS } from "./app.ts";
import { makeListener } from "./listener.ts";
import { Metrics } from "./metrics.ts";
import { teamNumbers, tellingErrors } from "./numbers.ts";
import { CannotServe, openTeam } from "./open.ts";

const LONGEST_STOP_MS = 10_000;
const RETENTION_MS = 6 * 3_600_000;
const WEBHOOK_MS = 1000;
const JOBS_MS = 30_000;
const SEEN_MS = 2000;
const MOST_CONNECTIONS = 20_000;
/** That wait to be accepted: the kernel makes of it what it bears (listen(2)). */
const BACKLOG = 65_535;

/** A server that listens. */
export interface RunningTeam {
  /** By which it is reached here. */
  readonly address: string;
  /** Takes nothing more, answers what it has, and ends. */
  stop(): Promise<void>;
}

/** Starts the team server. Rejects with a sentence where it cannot. */
export async function startTeam(options: TeamServeOptions): Promise<RunningTeam> {
  const { say, tell } = tellers(options);
  const listen = readListen(options.listen);
  if (listen === undefined) throw new CannotServe(`\`${options.listen}\` is not an address of a server: write HOST:PORT`);
  const origin = options.url === undefined ? undefined : originOf(options.url);
  if (options.oidc !== undefined && !isIssuer(options.oidc.issuer))
    throw new CannotServe(`\`${options.oidc.issuer}\` is not the address of a provider: write https://HOST, as it calls itself`);
  if (options.oidc !== undefined && origin === undefined)
    throw new CannotServe("the provider sends people back to this server: say with --url by which address they reach it");
  const isLocal = ["127.0.0.1", "::1", "localhost"].includes(listen.host);
  if (!isLocal && options.tls === undefined && origin?.startsWith("https:") !== true)
    throw new CannotServe(
      "without a certificate it listens at 127.0.0.1 only: give --tls-cert and --tls-key, or --url https://… where something in front of it has one",
    );
  // The first start unpacks a database and makes its tables, which takes some seconds in which nothing else is to be seen.
  if (options.database === undefined && !existsSync(options.folder))
    say(`makes its database in ${options.folder}: the first start takes some seconds`);
  return openTeam(options, `at ${options.listen}`, { onLost: (why) => tell("connection lost", { why }) }, (db, release) =>
    run(db, { ...options, say, tell, listen, origin, release }),
  );
}

interface Prepared extends Omit<TeamServeOptions, "listen" | "say"> {
  readonly say: (text: string) => void;
  readonly tell: TellEvent;
  readonly listen: { readonly host: string; readonly port: number };
  readonly origin: string | undefined;
  readonly release: (() => void) | undefined;
}

async function run(opened: Database, options: Prepared): Promise<RunningTeam> {
  const { say, tell, listen, origin } = options;
  const metrics = new Metrics();
  const now = (): Date => new Date();
  const failed = (by: number): void =>
    metrics.count("assent_team_database_errors_total", "Statements and transactions that the database did not do.", {}, by);
  const db = tellingErrors(opened, () => failed(1));
  // A counter that is not there yet cannot be told from one that is not kept.
  failed(0);
  for (const by of SIGN_INS) countFailedSignIn(metrics, by, 0);
  metrics.gauges(() => teamNumbers(db, now()));
  const quota = { records: options.machineRecords ?? GENEROUS.records, bytes: options.machineBytes ?? GENEROUS.bytes };
  const intake = new LogIntake(db, {
    quota,
    onTaken: ({ batches, records, milliseconds, failed }) => {
      metrics.observe("assent_team_transaction_seconds", "Time of a transaction that takes batches.", milliseconds / 1000);
      metrics.count("assent_team_transactions_total", "Transactions that took batches.", { failed: String(failed) });
      if (failed) tell("not taken", { batches, records });
      else metrics.count("assent_team_records_sent_total", "Records in batches that were answered, some perhaps sent before.", {}, records);
    },
  });
  metrics.gauge("assent_team_waiting_batches", "Batches that wait for a transaction.", () => intake.waiting.batches);
  metrics.gauge("assent_team_waiting_bytes", "Bytes of batches that wait for a transaction.", () => intake.waiting.bytes);
  let draining = false;
  const connections = new TeamConnections(db, { tell });
  metrics.gauge("assent_team_connections", "Machines that are connected.", () => connections.count);
  const { privateWebhooks, oidc } = options;
  const provider = oidc === undefined || origin === undefined ? undefined : new SignInProvider(oidc, origin, now);
  const delay = new LoopDelay();
  const seen = new SeenMachines();
  metrics.gauge("assent_team_delay_seconds", "How long what was due waited at most, in the last second or two.", () => delay.most / 1000);
  const { listener } = makeListener({
    db,
    intake,
    quota,
    connections,
    privateWebhooks,
    preview: options.preview,
    provider,
    metrics,
    now,
    origin,
    isDraining: () => draining,
    delay: () => delay.most,
    seen,
    tell,
  });
  const server = options.tls === undefined ? createPlainServer(listener) : createTlsServer(readTls(options.tls), listener);
  server.maxConnections = MOST_CONNECTIONS;
  server.headersTimeout = 10_000;
  server.requestTimeout = 60_000;
  const numbers = options.metrics === undefined ? undefined : await serveMetrics(options.metrics, metrics);
  const at = await listenAt(server, listen.host, listen.port).catch((error: unknown) => {
    numbers?.close();
    throw error;
  });
  const scheme = options.tls === undefined ? "http" : "https";
  const address = `${scheme}://${listen.host.includes(":") ? `[${listen.host}]` : listen.host}:${at.port}`;
  const reached = origin ?? address;
  say(`listens at ${reached}`);
  if (db.kind === "embedded")
    say(`keeps everything in ${options.folder}: for trying it, one process; for a team, name a server with --database postgres://…`);
  if (options.adminLink || (await isUnclaimed(db)))
    say(`an administrator signs in here, once, within an hour: ${reached}/enter#${await newAdminLink(db, "administrator", now())}`);
  const posting = postWebhooks(db, { now, origin: () => reached, allowPrivate: privateWebhooks === true, tell });
  const jobs = endJobs(db, tell);
  const noting = writeSeen(db, seen, connections, tell);
  const retention = keepMonths(db, options.keepMonths, tell);
  tell("started", { address: reached, database: db.kind });
  return {
    address,
    stop: async () => {
      draining = true;
      tell("stopping", {});
      clearInterval(retention);
      clearInterval(jobs);
      clearInterval(noting);
      await posting.stop();
      await connections.close();
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeIdleConnections();
      numbers?.close();
      const forced = setTimeout(() => server.closeAllConnections(), LONGEST_STOP_MS);
      await closed;
      clearTimeout(forced);
      delay.close();
      await intake.drained();
      await db.close();
      options.release?.();
      tell("stopped", {});
    },
  };
}

/** Tells webhooks of questions, one look after the other. */
function postWebhooks(db: Database, options: PostingOptions): { stop(): Promise<void> } {
  let looking: Promise<void> | undefined;
  const look = (): void => {
    looking ??= postDue(db, options)
      .then(() => undefined)
      .catch((error: unknown) => options.tell("webhooks not posted", { why: String(error) }))
      .finally(() => (looking = undefined));
  };
  const timer = setInterval(look, WEBHOOK_MS);
  timer.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await looking;
    },
  };
}

/** Sends machines away that are a job of a CI, when its time is over. */
function endJobs(db: Database, tell: Prepared["tell"]): NodeJS.Timeout {
  const end = (): void => void endExpired(db, new Date()).catch((error: unknown) => tell("jobs not ended", { why: String(error) }));
  const timer = setInterval(end, JOBS_MS);
  timer.unref();
  return timer;
}

/** Writes down who was heard: who is connected is heard all the time. */
function writeSeen(db: Database, seen: SeenMachines, connections: TeamConnections, tell: Prepared["tell"]): NodeJS.Timeout {
  const write = (): void => {
    for (const machine of connections.machines) seen.note(machine, new Date());
    seen.write(db).catch((error: unknown) => tell("not noted who was seen", { why: String(error) }));
  };
  const timer = setInterval(write, SEEN_MS);
  timer.unref();
  return timer;
}

/** Of months older than these a checkpoint stays; of what machines sent on a day, nothing after some weeks. Now, and from time to time. */
function keepMonths(db: Database, months: number | undefined, tell: Prepared["tell"]): NodeJS.Timeout {
  const drop = async (): Promise<void> => {
    const now = new Date();
    await forgetUsage(db, now);
    if (months === undefined) return;
    const oldest = monthOf(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months)));
    for (const month of await monthsOf(db))
      if (month < oldest) tell("month dropped", { month, chains: (await dropMonth(db, month, now)) ?? 0 });
  };
  const dropOld = (): void => void drop().catch((error: unknown) => tell("not dropped", { why: String(error) }));
  dropOld();
  const timer = setInterval(dropOld, RETENTION_MS);
  timer.unref();
  return timer;
}

async function serveMetrics(text: string, metrics: Metrics): Promise<Server> {
  const listen = readListen(text);
  if (listen === undefined) throw new CannotServe(`\`${text}\` is not an address for metrics: write HOST:PORT`);
  const server = createPlainServer((request, response) => {
    if (request.method !== "GET" || request.url !== "/metrics") return void response.writeHead(404).end();
    void metrics.whole().then((text) => response.writeHead(200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" }).end(text));
  });
  await listenAt(server, listen.host, listen.port);
  return server;
}

async function listenAt(server: Server, host: string, port: number): Promise<AddressInfo> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(new CannotServe(`${host}:${port} cannot be listened at: ${error.message}`)));
    server.listen({ port, host, backlog: BACKLOG }, () => resolve());
  });
  const at = server.address();
  if (at === null || typeof at === "string") throw new CannotServe("it listens nowhere");
  return at;
}

/** `HOST:PORT`, `[::1]:PORT`. */
function readListen(text: string): { readonly host: string; readonly port: number } | undefined {
  const [, bracketed, plain, port = ""] = /^(?:\[([\da-f:]+)\]|([\w.-]+)):(\d{1,5})$/i.exec(text) ?? [];
  const host = bracketed ?? plain;
  return host === undefined || Number(port) > 65_535 ? undefined : { host, port: Number(port) };
}

function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol) || url.pathname !== "/" || url.search !== "")
    throw new CannotServe(`\`${text}\` is not an address of a server: write https://HOST, without a path`);
  return url.origin;
}

function readTls({ cert, key }: NonNullable<TeamServeOptions["tls"]>): { readonly cert: Buffer; readonly key: Buffer } {
  try {
    return { cert: readFileSync(cert), key: readFileSync(key) };
  } catch (error) {
    throw new CannotServe(`the certificate or its key cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** What people read goes one way, what programs read the other: a line of JSON for each event. */
function tellers({ say, log }: TeamServeOptions): Pick<Prepared, "say" | "tell"> {
  return {
    say,
    tell: (event, facts) => log(JSON.stringify({ time: new Date().toISOString(), event, ...facts })),
  };
}

const EACH_MS = 20;
const LOOK_MS = 1000;

/** How long what is due in this process waited at most in the last second or two: what it has to do beyond what it can. */
class LoopDelay {
  readonly #delay = monitorEventLoopDelay({ resolution: EACH_MS });
  readonly #timer: NodeJS.Timeout;
  #before = 0;

  constructor() {
    this.#delay.enable();
    this.#timer = setInterval(() => {
      this.#before = this.#now;
      this.#delay.reset();
    }, LOOK_MS);
    this.#timer.unref();
  }

  get #now(): number {
    // Nanoseconds, with what it waits for itself.
    return this.#delay.count === 0 ? 0 : Math.max(0, this.#delay.max / 1e6 - EACH_MS);
  }

  /** Milliseconds. */
  get most(): number {
    return Math.max(this.#before, this.#now);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#delay.disable();
  }
}
