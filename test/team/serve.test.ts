import { request } from "node:http";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import * as v from "valibot";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { chainRecords, chainStart, type ChainPoint, EnrolStarted, EnrolState, LogTaken, MachineState } from "@assent/team/team/protocol";
import { type Database, migrate } from "@assent/team-server/database";
import { foundOrganisation, newAdminLink } from "@assent/team-server/enrol";
import { LogIntake } from "@assent/team-server/log";
import { TeamConnections } from "@assent/team-server/connection";
import { makeListener } from "../../packages/team-server/src/serve/listener.ts";
import { Metrics } from "../../packages/team-server/src/serve/metrics.ts";
import { onEveryDatabase } from "./harness/databases.ts";

interface Got {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, unknown>>;
}
interface Sent {
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

let now = new Date("2026-11-20T10:00:00Z");
let server: Server;
let base: string;
let db: Database;
let metrics: Metrics;
let isDraining = false;

const connected: TeamConnections[] = [];
const connect = (one: Database): TeamConnections => {
  const made = new TeamConnections(one, { tell: () => undefined });
  connected.push(made);
  return made;
};

async function start(made: Database, ...others: readonly Database[]): Promise<void> {
  db = made;
  await migrate(db);
  await foundOrganisation(db);
  metrics = new Metrics();
  const listeners = [db, ...others].map((one) => {
    const intake = new LogIntake(one, { now: () => now });
    const connections = connect(one);
    return makeListener({ db: one, intake, metrics, connections, now: () => now, isDraining: () => isDraining, tell: () => undefined })
      .listener;
  });
  // Several processes behind something that gives each its turn.
  let turn = 0;
  server = createServer((incoming, outgoing) => listeners[turn++ % listeners.length]!(incoming, outgoing));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const ask = (method: string, path: string, { body, headers = {} }: Sent = {}): Promise<Got> =>
  new Promise((resolve, reject) => {
    const asked = request(`${base}${path}`, { method, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text, headers: response.headers }));
    });
    asked.on("error", reject);
    asked.end(body);
  });
const post = (path: string, message: unknown, token?: string): Promise<Got> =>
  ask("POST", path, {
    body: typeof message === "string" ? message : JSON.stringify(message),
    headers: { "content-type": "application/json", ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
  });
const form = (path: string, fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}): Promise<Got> =>
  ask("POST", path, {
    body: new URLSearchParams(fields).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", origin: base, ...headers },
  });
const enrolment = { v: 1, name: "laptop", platform: "linux x64", version: "0.1.0" };
const begin = async (name = "laptop") => v.parse(EnrolStarted, JSON.parse((await post("/v1/enrol", { ...enrolment, name })).text));
const poll = async ({ id, secret }: { id: string; secret: string }) =>
  v.parse(EnrolState, JSON.parse((await post("/v1/enrol/poll", { v: 1, id, secret })).text));

async function signIn(): Promise<{ readonly cookie: string }> {
  const { headers, status } = await form("/enter", { key: await newAdminLink(db, "administrator", now) });
  expect(status).toBe(303);
  return { cookie: String(headers["set-cookie"]).split(";")[0]! };
}

async function join(): Promise<{ readonly token: string; readonly machine: string }> {
  const started = await begin();
  expect((await form("/confirm", { code: started.code }, await signIn())).status).toBe(200);
  const state = await poll(started);
  if (state.is !== "joined") throw new Error(state.is);
  return state;
}

const batchOf = (machine: string, ...bodies: readonly string[]) => {
  const after = chainStart(machine, 1);
  const records = bodies.map((body) => ({ salt: "A".repeat(22), body }));
  return { v: 1, epoch: 1, after, records, hash: chainRecords(after, records).at(-1)!.hash };
};

/** Batches of one record, each after the one before. */
class Chain {
  readonly #machine: string;
  #at: ChainPoint;

  constructor(machine: string) {
    this.#machine = machine;
    this.#at = chainStart(this.#machine, 1);
  }

  next() {
    const after = this.#at;
    const records = [{ salt: "A".repeat(22), body: `{"seq":${after.seq + 1}}` }];
    const last = chainRecords(after, records)[0]!;
    this.#at = { seq: last.seq, hash: last.hash };
    return { v: 1, epoch: 1, after, records, hash: last.hash };
  }
}

afterEach(async () => {
  for (const one of connected.splice(0)) await one.close();
  isDraining = false;
  server.close();
  server.closeAllConnections();
});

onEveryDatabase("the server", (place) => {
  beforeEach(async () => {
    now = new Date("2026-11-20T10:00:00Z");
    const first = await place.fresh();
    await start(first, ...(place.kind === "embedded" ? [] : [place.again(), place.again()]));
  });

  it("lets a machine in whose code an administrator types, and gives it its token however often it asks", async () => {
    const started = await begin();
    expect(await poll(started)).toEqual({ v: 1, is: "waiting" });
    const cookie = await signIn();
    expect((await ask("GET", "/", { headers: cookie })).text).toContain("laptop");
    // As people type it.
    const { text } = await form("/confirm", { code: ` ${started.code.toLowerCase().replace("-", " ")}` }, cookie);
    expect(text).toContain("laptop was let in");
    const state = await poll(started);
    expect(state).toMatchObject({ is: "joined", machine: started.id });
    expect(await poll(started)).toEqual(state);
    if (state.is !== "joined") return;
    const shown = await ask("GET", "/v1/machine", { headers: { authorization: `Bearer ${state.token}` } });
    expect(v.parse(MachineState, JSON.parse(shown.text))).toEqual({
      v: 1,
      machine: started.id,
      name: "laptop",
      organisation: state.organisation,
      forks: 0,
    });
  });

  it("keeps no secret of anybody", async () => {
    const { token } = await join();
    const started = await begin();
    const link = await newAdminLink(db, "administrator", now);
    const { cookie } = await signIn();
    const tables = ["machines", "enrolments", "admin_links", "sessions", "admin_events"];
    const rows = await Promise.all(
      tables.map((table) => db.rows(v.object({ row: v.string() }), `select to_jsonb(t)::text as row from ${table} t`)),
    );
    const all = rows
      .flat()
      .map(({ row }) => row)
      .join("\n");
    for (const secret of [token, started.secret, started.code, link, cookie.split("=")[1]!]) {
      expect(all).not.toContain(secret);
      expect(all).not.toContain(Buffer.from(secret).toString("hex"));
    }
  });

  it("takes records, and tells a fork, a gap and damage apart", async () => {
    const { token, machine } = await join();
    const two = batchOf(machine, "{}", "[]");
    const answer = (got: Got) => [got.status, v.parse(LogTaken, JSON.parse(got.text)).is];
    expect(answer(await post("/v1/log", two, token))).toEqual([200, "taken"]);
    expect(answer(await post("/v1/log", two, token))).toEqual([200, "taken"]);
    expect(answer(await post("/v1/log", batchOf(machine, "{}", "{}"), token))).toEqual([409, "fork"]);
    expect(answer(await post("/v1/log", { ...two, after: { ...two.after, seq: 5 } }, token))).toEqual([400, "damaged"]);
    expect(answer(await post("/v1/log", { ...two, epoch: 3 }, token))).toEqual([409, "gap"]);
  });

  describe("does nothing for", () => {
    const nobody = "n".repeat(43);
    it.each<[string, () => Promise<Got>, number]>([
      ["a token of nobody", () => post("/v1/log", batchOf("m", "{}"), nobody), 401],
      ["no token", () => post("/v1/log", batchOf("m", "{}")), 401],
      ["a token of nobody that leaves", () => post("/v1/leave", {}, nobody), 401],
      ["SQL in the place of a token", () => post("/v1/log", {}, "' or 1=1 --"), 401],
      ["what is not JSON", () => post("/v1/enrol", "{"), 400],
      ["a field too many", () => post("/v1/enrol", { ...enrolment, admin: true }), 400],
      ["another version of the protocol", () => post("/v1/enrol", { ...enrolment, v: 2 }), 400],
      ["a name that steers a terminal", () => post("/v1/enrol", { ...enrolment, name: "a\u001b[2J" }), 400],
      ["a name that turns the direction of text", () => post("/v1/enrol", { ...enrolment, name: "a\u202eb" }), 400],
      ["a name of two lines", () => post("/v1/enrol", { ...enrolment, name: "a\nb" }), 400],
      ["a name too long", () => post("/v1/enrol", { ...enrolment, name: "a".repeat(129) }), 400],
      ["a request too large", () => post("/v1/enrol", "x".repeat(5000)), 413],
      ["a machine that was never asked for", () => post("/v1/enrol/poll", { v: 1, id: "A".repeat(22), secret: nobody }), 200],
      ["a link opened by a program", () => ask("GET", "/enter?key=x"), 200],
      ["a code without being signed in", () => form("/confirm", { code: "BCDF-GHJK" }), 401],
      ["a session of nobody", () => form("/confirm", { code: "BCDF-GHJK" }, { cookie: `assent_team=${nobody}` }), 401],
      ["a key of nobody", () => form("/enter", { key: nobody }), 403],
      ["SQL in the place of a key", () => form("/enter", { key: "' or '1'='1" }), 403],
      ["a NUL in a key", () => form("/enter", { key: "\0" }), 403],
      ["an address that is not there", () => ask("GET", "/../../etc/passwd"), 404],
      ["a GET that would act", () => ask("GET", "/confirm?code=BCDF-GHJK"), 404],
      ["a GET that would remove", () => ask("GET", "/remove?id=x"), 404],
    ])("%s", async (_, act, status) => {
      expect((await act()).status).toBe(status);
      expect(await db.rows(v.object({}), "select 1 from machines")).toEqual([]);
      expect(await db.rows(v.object({}), "select 1 from sessions")).toEqual([]);
    });

    it.each<[string, (cookie: { cookie: string }) => Record<string, string>]>([
      ["another site", (cookie) => ({ ...cookie, origin: "https://evil.example" })],
      ["no site", (cookie) => ({ ...cookie, origin: "null" })],
      ["another type of form", (cookie) => ({ ...cookie, "content-type": "text/plain" })],
    ])("a form of %s, though signed in", async (_, headers) => {
      const started = await begin();
      expect((await form("/confirm", { code: started.code }, headers(await signIn()))).status).toBe(403);
      expect(await poll(started)).toEqual({ v: 1, is: "waiting" });
    });
  });

  it("an administrator's link signs in once, by a POST, and within an hour", async () => {
    const key = await newAdminLink(db, "administrator", now);
    for (let at = 0; at < 3; at++) expect((await ask("GET", `/enter?key=${key}`)).headers["set-cookie"]).toBeUndefined();
    expect((await form("/enter", { key })).status).toBe(303);
    expect((await form("/enter", { key })).status).toBe(403);
    const late = await newAdminLink(db, "administrator", now);
    now = new Date(now.getTime() + 3_600_001);
    expect((await form("/enter", { key: late })).status).toBe(403);
  });

  it("a session ends after twelve hours, and when its person signs out", async () => {
    const first = await signIn();
    expect((await form("/sign-out", {}, first)).status).toBe(303);
    expect((await ask("GET", "/", { headers: first })).status).toBe(401);
    const second = await signIn();
    now = new Date(now.getTime() + 12 * 3_600_001);
    expect((await ask("GET", "/", { headers: second })).status).toBe(401);
  });

  it("a code is good for ten minutes and for one machine", async () => {
    const started = await begin();
    const cookie = await signIn();
    expect((await form("/confirm", { code: started.code }, cookie)).status).toBe(200);
    expect((await form("/confirm", { code: started.code }, cookie)).status).toBe(404);
    const late = await begin();
    now = new Date(now.getTime() + 600_001);
    expect((await form("/confirm", { code: late.code }, cookie)).status).toBe(404);
    expect(await poll(late)).toEqual({ v: 1, is: "refused" });
  });

  it("another one's secret fetches no token", async () => {
    const [mine, other] = [await begin(), await begin()];
    await form("/confirm", { code: mine.code }, await signIn());
    expect(await poll({ id: mine.id, secret: other.secret })).toEqual({ v: 1, is: "refused" });
  });

  it("a machine that was refused, removed or that left has no token", async () => {
    const refusedOne = await begin();
    const cookie = await signIn();
    await form("/refuse", { id: refusedOne.id }, cookie);
    expect(await poll(refusedOne)).toEqual({ v: 1, is: "refused" });
    const started = await begin();
    await form("/confirm", { code: started.code }, cookie);
    const joined = await poll(started);
    if (joined.is !== "joined") throw new Error(joined.is);
    await form("/remove", { id: joined.machine }, cookie);
    expect((await post("/v1/log", batchOf(joined.machine, "{}"), joined.token)).status).toBe(401);
    // Nor does asking again bring it back.
    expect(await poll(started)).toEqual({ v: 1, is: "refused" });
    const left = await join();
    expect((await post("/v1/leave", {}, left.token)).status).toBe(200);
    expect((await post("/v1/leave", {}, left.token)).status).toBe(401);
  });

  /** What ends a token, while the server knows it from the batch before. */
  it.each<[string, (machine: { readonly token: string; readonly machine: string }) => Promise<unknown>]>([
    ["was removed", async ({ machine }) => form("/remove", { id: machine }, await signIn())],
    ["left", ({ token }) => post("/v1/leave", {}, token)],
    ["was a job whose time is over", ({ machine }) => db.run("update machines set expires = $2 where id = $1", [machine, now])],
    [
      "has another token now",
      ({ machine }) => db.run("update machines set token_hash = decode($2, 'hex') where id = $1", [machine, "ab".repeat(32)]),
    ],
  ])("takes nothing more of a machine that sent a moment ago and %s, whichever process it sends to", async (_, end) => {
    const joined = await join();
    const chain = new Chain(joined.machine);
    // More than there are processes: each has had some.
    for (let nth = 0; nth < 6; nth++) expect((await post("/v1/log", chain.next(), joined.token)).status).toBe(200);
    await end(joined);
    for (const batch of [chain.next(), chain.next(), { ...chain.next(), hash: "A".repeat(43) }, {}, chain.next()])
      expect((await post("/v1/log", batch, joined.token)).status).toBe(401);
    expect(await db.rows(v.object({}), "select 1 from log")).toHaveLength(6);
  });

  it("a token writes into its own machine's log, whatever a batch says", async () => {
    const [a, b] = [await join(), await join()];
    expect((await post("/v1/log", batchOf(b.machine, "{}"), a.token)).status).toBe(409);
    expect(await db.rows(v.object({}), "select 1 from log")).toEqual([]);
  });

  it("shows hostile names as text", async () => {
    await begin("<script>alert(1)</script>\"'&");
    const { text, headers } = await ask("GET", "/", { headers: await signIn() });
    expect(text).toContain("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;");
    expect(text).not.toContain("<script>alert");
    expect(headers["content-security-policy"]).toContain("default-src 'none'");
    expect(headers["cache-control"]).toBe("no-store");
  });

  it("says that it is alive, ready, and stopping", async () => {
    expect(await ask("GET", "/healthz")).toMatchObject({ status: 200, text: "ok\n" });
    expect(await ask("GET", "/readyz")).toMatchObject({ status: 200, text: "ready\n" });
    isDraining = true;
    expect(await ask("GET", "/readyz")).toMatchObject({ status: 503 });
    expect(await ask("GET", "/healthz")).toMatchObject({ status: 200 });
    await ask("GET", '/any"thing{}');
    expect(metrics.text()).toContain('assent_team_requests_total{route="other",status="404"} 1\n');
  });
});

/** In memory, so that each process has its own. */
onEveryDatabase("limits of one process", (place) => {
  beforeEach(async () => {
    now = new Date("2026-11-20T10:00:00Z");
    await start(await place.fresh());
  });

  it.each<[string, number, (nth: number) => Promise<Got>]>([
    ["machines that ask to be let in", 30, () => post("/v1/enrol", enrolment)],
    ["keys of links", 10, (nth) => form("/enter", { key: `${nth}` })],
  ])("few %s are taken at once", async (_, most, act) => {
    const statuses: number[] = [];
    for (let nth = 0; nth < most + 3; nth++) statuses.push((await act(nth)).status);
    expect(statuses.map((status) => status === 429)).toEqual(statuses.map((__, nth) => nth >= most));
    now = new Date(now.getTime() + 60_000);
    expect((await act(0)).status).not.toBe(429);
  });

  it("few codes may be tried", async () => {
    const cookie = await signIn();
    const started = await begin();
    for (let nth = 0; nth < 10; nth++) expect((await form("/confirm", { code: "BCDF-GHJK" }, cookie)).status).toBe(404);
    expect((await form("/confirm", { code: started.code }, cookie)).status).toBe(429);
    expect(await poll(started)).toEqual({ v: 1, is: "waiting" });
  });
});
