import * as v from "valibot";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Database } from "@assent/team-server/database";
import { TeamConnections } from "@assent/team-server/connection";
import { LogIntake } from "@assent/team-server/log";
import { makeListener } from "../../packages/team-server/src/serve/listener.ts";
import { Metrics } from "../../packages/team-server/src/serve/metrics.ts";
import { SignInProvider } from "@assent/team-server/sign-in";
import { onEveryDatabase } from "./harness/databases.ts";
import { makeScene, ROUTES, type RouteRow, routeParts, type Scene } from "./harness/routes.ts";
import { type Got, TestServer } from "./harness/server.ts";

/** Every route, by everybody who may not, and with everything hostile in every field. */

const Named = v.object({ name: v.string() });
const Digest = v.object({ digest: v.nullable(v.string()) });

/** Tables with their contents; of some, one machine's part. */
async function stateOf(db: Database, machine?: string): Promise<Readonly<Record<string, string | null>>> {
  const tables = await db.rows(
    Named,
    machine === undefined
      ? "select table_name as name from information_schema.tables where table_schema = 'public' and table_name not like 'log\\_2%' order by 1"
      : `select distinct table_name as name from information_schema.columns
         where table_schema = 'public' and column_name = 'machine' and table_name not like 'log\\_2%' order by 1`,
  );
  const found: Record<string, string | null> = {};
  for (const { name } of tables) {
    const [row] = await db.rows(
      Digest,
      `select md5(string_agg(t::text, '\n' order by t::text)) as digest from ${name} t${machine === undefined ? "" : " where t.machine = $1"}`,
      machine === undefined ? [] : [machine],
    );
    found[name] = row?.digest ?? null;
  }
  return found;
}

/** Nobody answers there: what comes is judged without it. */
const nowhere = new SignInProvider(
  { issuer: "http://127.0.0.1:1", clientId: "assent", secret: "x", groupsClaim: "groups" },
  "http://127.0.0.1:1",
  () => new Date(),
);

type Headers = Readonly<Record<string, string>>;

function send({ server, ...scene }: Scene, route: string, headers: Headers, body?: string): Promise<Got> {
  const { method, path } = routeParts(route);
  const row = ROUTES[route]!;
  const at = row.query === undefined ? path : `${path}?${new URLSearchParams(row.query).toString()}`;
  const sent = body ?? bodyOf({ server, ...scene }, row);
  const type = row.json === undefined ? "application/x-www-form-urlencoded" : "application/json";
  return server.ask(method, at, sent, { ...(sent === undefined ? {} : { "content-type": type, origin: server.base }), ...headers });
}
function bodyOf(scene: Scene, { form, foreign, json }: RouteRow): string | undefined {
  const fields = (form ?? foreign)?.(scene);
  if (fields !== undefined) return new URLSearchParams(fields).toString();
  return json === undefined ? undefined : JSON.stringify(json(scene));
}

const HOSTILE_SQL = [
  "' or '1'='1'; drop table machines cascade; select ('$1\\'); update roles set role = 'admin'; --",
  "\u0000';drop table log;--%",
];
const MARK = `"'><img src=x onerror=alert(1)>`;

/** Everything in a message, each time one thing alone replaced; with `names`, also a field more, of that name. */
function* withEachText(value: unknown, put: string, names = true): Generator {
  if (typeof value === "string") yield put;
  else if (Array.isArray(value))
    for (const [at, one] of value.entries()) for (const made of withEachText(one, put, names)) yield value.with(at, made);
  else if (typeof value === "object" && value !== null)
    for (const [name, one] of Object.entries(value) as [string, unknown][]) {
      for (const made of withEachText(one, put, names)) yield { ...value, [name]: made };
      if (names) yield { ...value, [put]: one };
    }
  else if (typeof value === "number") yield put;
}

/** Bodies of a route with one field of it replaced. */
function* hostileBodies(scene: Scene, { form, foreign, json }: RouteRow, put: string): Generator<string> {
  const fields = form ?? foreign;
  for (const made of withEachText((fields ?? json)?.(scene), put, fields === undefined))
    yield fields === undefined ? JSON.stringify(made) : new URLSearchParams(made as Record<string, string>).toString();
}

onEveryDatabase("every route", (place) => {
  let server: TestServer;
  let scene: Scene;
  let people: Readonly<Record<"nobody" | "viewer" | "elsewhere" | "approver" | "admin" | "machine" | "stranger", Headers>>;

  beforeEach(async () => {
    server = await TestServer.start(await place.fresh(), [], { provider: nowhere });
    scene = await makeScene(server);
    people = {
      nobody: {},
      stranger: { cookie: `assent_team=${"x".repeat(43)}`, authorization: `Bearer ${"x".repeat(43)}` },
      viewer: await server.person("Vera", "viewer"),
      elsewhere: await server.person("Theo", "approver", "theirs"),
      approver: await server.person("Ada", "approver"),
      machine: { authorization: `Bearer ${scene.machine.token}` },
      admin: await server.admin(),
    };
  });
  afterEach(() => server.close());

  it("has a row in the table of routes, and no row is left over", async () => {
    const { db } = server;
    const connections = new TeamConnections(db, { tell: () => undefined });
    const { routes } = makeListener({
      db,
      intake: new LogIntake(db, {}),
      metrics: new Metrics(),
      provider: nowhere,
      connections,
      now: () => server.now,
      isDraining: () => false,
      tell: () => undefined,
    });
    await connections.close();
    expect([...new Set(routes)].toSorted()).toEqual(Object.keys(ROUTES).toSorted());
  });

  /** Who may not use a route of which kind, and what they are told. */
  const REFUSED: Readonly<Record<RouteRow["who"], Partial<Record<keyof typeof people, number>>>> = {
    anyone: {},
    machine: { nobody: 401, stranger: 401, viewer: 401, elsewhere: 401, approver: 401, admin: 401 },
    person: { nobody: 401, stranger: 401, machine: 401 },
    approver: { nobody: 401, stranger: 401, machine: 401, viewer: 403, elsewhere: 403 },
    admin: { nobody: 401, stranger: 401, machine: 401, viewer: 403, elsewhere: 403, approver: 403 },
  };

  it("refuses everybody who may not use it, and nothing changes", async () => {
    const before = await stateOf(server.db);
    const wrong: string[] = [];
    for (const [route, row] of Object.entries(ROUTES))
      for (const [who, status] of Object.entries(REFUSED[row.who])) {
        server.pass(60_000);
        const got = await send(scene, route, people[who as keyof typeof people]);
        if (got.status !== status) wrong.push(`${route} by ${who}: ${got.status}`);
      }
    expect(wrong).toEqual([]);
    expect(await stateOf(server.db)).toEqual(before);
  });

  it("takes a form of the page's own alone, even from an administrator", async () => {
    const before = await stateOf(server.db);
    const wrong: string[] = [];
    for (const [route, { form }] of Object.entries(ROUTES)) {
      if (form === undefined) continue;
      for (const headers of [
        { origin: "https://evil.example" },
        { origin: "null" },
        { "content-type": "text/plain" },
        { "content-type": "application/json" },
      ]) {
        const got = await send(scene, route, { ...people.admin, ...headers });
        if (got.status !== 403) wrong.push(`${route} with ${JSON.stringify(headers)}: ${got.status}`);
      }
      const got = await server.ask("POST", routeParts(route).path, bodyOf(scene, ROUTES[route]!), {
        ...people.admin,
        "content-type": "application/x-www-form-urlencoded",
      });
      if (got.status !== 403) wrong.push(`${route} without an origin: ${got.status}`);
    }
    expect(wrong).toEqual([]);
    expect(await stateOf(server.db)).toEqual(before);
  });

  it("what lets others in takes an administrator who has just signed in: a browser that was left open does not do", async () => {
    const before = await stateOf(server.db);
    const rows = Object.entries(ROUTES).filter(([, { fresh: isFresh }]) => isFresh === true);
    const admin = await server.admin();
    server.pass(600_000);
    for (const [route] of rows) {
      const got = await send(scene, route, admin);
      expect([route, got.status, got.text.includes("signed in less than ten minutes ago")]).toEqual([route, 403, true]);
    }
    const { admin_links: _links, sessions: _sessions, ...after } = await stateOf(server.db);
    expect(before).toMatchObject(after);
    for (const [route] of rows) expect([route, (await send(scene, route, await server.admin())).status]).toEqual([route, 200]);
    expect((await server.get("/keys", await server.admin())).text).toContain("revoked");
  });

  it("changes nothing of a machine by the token of another one, or of one that is gone", async () => {
    const before = await stateOf(server.db, scene.machine.machine);
    const gone = await server.join("gone");
    await server.post("/v1/leave", {}, gone.token);
    for (const [route, row] of Object.entries(ROUTES)) {
      if (row.who !== "machine" || row.streams === true) continue;
      server.pass(60_000);
      expect([route, (await send(scene, route, { authorization: `Bearer ${gone.token}` })).status]).toEqual([route, 401]);
      if (route === "POST /v1/leave") continue;
      const { text } = await send(scene, route, { authorization: `Bearer ${scene.other.token}` });
      expect(text).not.toContain(scene.machine.machine);
    }
    await send(scene, "POST /v1/leave", { authorization: `Bearer ${scene.other.token}` });
    expect(await stateOf(server.db, scene.machine.machine)).toEqual(before);
    expect((await server.get("/v1/machine", people.machine)).status).toBe(200);
  });

  it("is not led astray by SQL in any field", async () => {
    const shape = async (): Promise<readonly string[]> => {
      const rows = await server.db.rows(
        Named,
        `select table_name || '.' || column_name || ' ' || data_type as name from information_schema.columns where table_schema = 'public'
         union all select 'role ' || person || ' ' || role || ' ' || machines from roles where person in ('Vera', 'Theo', 'Ada', 'administrator')
         union all select 'machine ' || id || ' ' || (gone is null) from machines order by 1`,
      );
      return rows.map(({ name }) => name);
    };
    const before = await shape();
    const wrong: string[] = [];
    let asked = 0;
    for (const [route, row] of Object.entries(ROUTES)) {
      const headers = row.who === "machine" ? people.machine : people.admin;
      for (const put of HOSTILE_SQL)
        for (const body of hostileBodies(scene, row, put)) {
          server.pass(60_000);
          const cookie = row.who === "machine" ? headers : row.fresh === true ? await server.admin() : await fresh(headers);
          const got = await send(scene, route, cookie, body);
          asked += 1;
          if (got.status >= 500) wrong.push(`${route} with ${body.slice(0, 200)}: ${got.status}`);
        }
      for (const put of row.query === undefined ? [] : HOSTILE_SQL)
        for (const name of Object.keys(row.query ?? {})) {
          const at = `${routeParts(route).path}?${new URLSearchParams({ ...row.query, [name]: put }).toString()}`;
          const got = await server.get(at, await fresh(headers));
          if (got.status >= 500) wrong.push(`${route}?${name}=${put}: ${got.status}`);
        }
    }
    expect(wrong).toEqual([]);
    expect(asked).toBeGreaterThan(120);
    expect(await shape()).toEqual(before);
  });

  it("shows nothing that came as a part of the page", async () => {
    for (const [route, row] of Object.entries(ROUTES))
      for (const body of hostileBodies(scene, row, MARK)) {
        server.pass(60_000);
        const who = row.who === "machine" ? people.machine : row.fresh === true ? await server.admin() : await fresh(people.admin);
        await send(scene, route, who, body);
      }
    const body = JSON.stringify({ v: 1, verdict: MARK, agent: MARK, tool: MARK, subject: MARK, reason: MARK });
    await server.db.run(
      "insert into log_forks (machine, epoch, seq, hash, body_hash, salt, body) values ($1, 1, 1, '\\x00', '\\x00', '\\x00', $2)",
      [scene.machine.machine, body],
    );
    await server.db.run("update log set body = $1, verdict = $2, agent = $2, tool = $2 where body is not null", [body, MARK]);
    await server.db.run("update machines set name = $1, platform = $1, people_group = $1, confirmed_by = $1, policy_problem = $1", [MARK]);
    await server.db.run("update fleet_keys set name = $1, grp = $1, made_by = $1, revoked = null", [MARK]);
    await server.db.run("update ci_rules set name = $1, issuer = $1, grp = $1, revoked = null", [MARK]);
    await server.db.run("update questions set about = $1, state = 'waiting', expires = $2", [
      JSON.stringify({ point: "hook", agent: MARK, what: MARK, reason: MARK, folder: MARK, rule: MARK }),
      new Date(server.now.getTime() + 3_600_000),
    ]);
    let looked = 0;
    const admin = await fresh(people.admin);
    for (const [route, row] of Object.entries(ROUTES)) {
      const { method, path } = routeParts(route);
      if (method !== "GET" || row.who === "machine" || row.streams === true) continue;
      const query = new URLSearchParams(Object.keys(row.query ?? {}).map((name): [string, string] => [name, MARK])).toString();
      for (const at of [path, `${path}?${query}`]) {
        const { text, headers } = await server.get(at, admin);
        if (!String(headers["content-type"]).startsWith("text/html")) continue;
        looked += 1;
        expect([at, /<img/i.test(text)]).toEqual([at, false]);
        expect(String(headers["content-security-policy"])).toContain("default-src 'none'");
      }
    }
    expect(looked).toBeGreaterThan(8);
    for (const at of ["/records?since=2020-01-01", "/questions"]) expect((await server.get(at, admin)).text).toContain("&lt;img");
    expect((await server.get("/", admin)).text).toContain("&lt;img");
  });

  /** Who signed out by a request comes in again. */
  async function fresh(headers: Headers): Promise<Headers> {
    return (await server.get("/questions.json", headers)).status === 200 ? headers : server.admin();
  }
});
