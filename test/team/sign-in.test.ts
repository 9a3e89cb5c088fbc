import { generateKeyPairSync } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Provider } from "oidc-provider";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { Database } from "@assent/team-server/database";
import { SignInProvider } from "@assent/team-server/sign-in";
import { onEveryDatabase } from "./harness/databases.ts";
import { type Claims, CLIENT, cookieOf, listening, OddProvider, SECRET } from "./harness/odd-provider.ts";
import { type Got, TestServer } from "./harness/server.ts";

/** What somebody's browser does: it keeps the cookies of each site and follows what it is sent. */
class Browser {
  readonly #cookies = new Map<string, Map<string, string>>();

  async open(
    url: string,
    form?: Readonly<Record<string, string>>,
  ): Promise<{ readonly url: string; readonly status: number; readonly text: string }> {
    for (let [at, body] = [new URL(url), form], hops = 0; hops < 12; hops++) {
      const jar = this.#cookies.get(at.host) ?? new Map<string, string>();
      this.#cookies.set(at.host, jar);
      const response = await fetch(at, {
        redirect: "manual",
        headers: {
          cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; "),
          ...(body === undefined ? {} : { origin: at.origin }),
        },
        ...(body === undefined ? {} : { method: "POST", body: new URLSearchParams(body) }),
      });
      for (const set of response.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
        if (value === "") jar.delete(name);
        else jar.set(name, value);
      }
      const next = response.headers.get("location");
      if (next === null) return { url: at.href, status: response.status, text: await response.text() };
      [at, body] = [new URL(next, at), undefined];
    }
    throw new Error("sent round and round");
  }
}

const TEST_ORIGIN = "http://127.0.0.1:1";
const startWith = async (db: Database, others: readonly Database[], issuer: string, origin = TEST_ORIGIN): Promise<TestServer> => {
  // Reached by an address of its own, as behind a balancer.
  const provider = new SignInProvider({ issuer, clientId: CLIENT, secret: SECRET, groupsClaim: "groups" }, origin, () => new Date());
  return TestServer.start(db, others, { provider, now: () => new Date() });
};

onEveryDatabase("signing in by a provider", (place) => {
  let provider: OddProvider;
  let server: TestServer;

  beforeEach(async () => {
    provider = await new OddProvider().start();
    server = await startWith(await place.fresh(), place.kind === "embedded" ? [] : [place.again(), place.again()], provider.issuer);
    server.now = new Date();
  });
  afterEach(() => server.close());

  const begin = async (): Promise<{ readonly cookie: string; readonly address: string }> => {
    const got = await server.get("/sign-in");
    return { cookie: cookieOf(got, "assent_sign_in") ?? "", address: String(got.headers["location"]) };
  };
  const come = (query: string, cookie: string): Promise<Got> => server.get(`/sign-in/callback${query}`, { cookie });
  const signIn = async (): Promise<Got> => {
    const { cookie, address } = await begin();
    return come(provider.approve(address).query, cookie);
  };
  const session = async (): Promise<{ readonly cookie: string }> => ({ cookie: cookieOf(await signIn(), "assent_team") ?? "" });
  const rule = async (name: string, role: string, machines = ""): Promise<Got> => {
    const admin = await admins();
    return server.form("/people/provider", { name, role, machines }, admin);
  };
  const admins = async (): Promise<{ readonly cookie: string }> => {
    server.now = new Date(Date.now() - 60_000);
    return server.admin();
  };
  const isIn = (got: Got): boolean => cookieOf(got, "assent_team") !== undefined;

  it("who is in none of the groups sees nothing; who is in one has its role, as soon as an administrator says so, and no longer", async () => {
    const ada = await session();
    for (const at of ["/", "/questions", "/questions.json", "/people", "/policy"]) {
      const got = await server.get(at, ada);
      expect([got.status, got.text.includes("no role here yet")]).toEqual([403, true]);
    }
    expect((await server.form("/answer", { answer: "allow" }, ada)).status).toBe(403);
    expect((await rule("ops", "viewer")).status).toBe(303);
    const page = await server.get("/questions", ada);
    expect([page.status, page.text.includes("Signed in as ada@example.com")]).toEqual([200, true]);
    expect((await server.get("/people", ada)).status).toBe(403);
    await rule("ops", "admin");
    expect((await server.get("/people", ada)).text).toContain("ops");
    await server.form("/people/provider", { what: "remove", name: "ops", role: "admin", machines: "" }, await admins());
    await server.form("/people/provider", { what: "remove", name: "ops", role: "viewer", machines: "" }, await admins());
    expect((await server.get("/questions", ada)).status).toBe(403);
    expect((await server.form("/sign-out", {}, ada)).status).toBe(303);
    expect((await server.get("/questions", ada)).status).toBe(401);
  });

  it("what the provider says next counts instead", async () => {
    await rule("ops", "viewer");
    const ada = await session();
    expect((await server.get("/questions", ada)).status).toBe(200);
    provider.claims = { ...provider.claims, groups: ["other"] };
    await session();
    expect((await server.get("/questions", ada)).status).toBe(403);
  });

  it("a person who was removed does not come back by the provider", async () => {
    await rule("ops", "viewer");
    const ada = await session();
    await server.form("/people/remove", { name: "ada@example.com" }, await admins());
    expect((await server.get("/questions", ada)).status).toBe(401);
    const again = await signIn();
    expect([again.status, isIn(again)]).toEqual([403, false]);
  });

  it("a name that somebody has is nobody else's", async () => {
    const names = async (): Promise<string> => (await server.get("/people", await admins())).text;
    await rule("ops", "viewer");
    const admin = await admins();
    await server.form("/people/invite", { name: "ada@example.com", role: "approver", machines: "" }, admin);
    const ada = await session();
    expect((await server.get("/questions", ada)).text).toMatch(/Signed in as ada@example\.com \([\da-f]{12}\)/);
    expect((await server.get("/people", ada)).status).toBe(403);
    provider.claims = { sub: "eve", preferred_username: "administrator", groups: ["ops"] };
    const eve = await session();
    expect((await server.get("/questions", eve)).text).toMatch(/Signed in as administrator \([\da-f]{12}\)/);
    expect((await server.get("/people", eve)).status).toBe(403);
    expect((await names()).match(/<div>administrator<\/div>/g)).toHaveLength(1);
  });

  it.each<[string, Claims, RegExp]>([
    ["an address that nobody verified", { email: "boss@example.com", email_verified: false }, /Signed in as person [\da-f]{12}/],
    ["an address of which nothing is said", { email: "boss@example.com" }, /Signed in as person [\da-f]{12}/],
    ["an address verified by a text", { email: "boss@example.com", email_verified: "true" }, /Signed in as person [\da-f]{12}/],
    ["a user name that looks like an address", { preferred_username: "boss@example.com" }, /Signed in as person [\da-f]{12}/],
    ["a name with steering signs", { preferred_username: "a\u202Eb\u0000" }, /Signed in as person [\da-f]{12}/],
    ["a name that is HTML", { preferred_username: "<script>alert(1)</script>" }, /Signed in as &lt;script&gt;/],
  ])("%s is no name, or text", async (_, claims, expected) => {
    await rule("ops", "viewer");
    provider.claims = { sub: "x", groups: ["ops"], ...claims };
    expect((await server.get("/questions", await session())).text).toMatch(expected);
  });

  it.each<[string, unknown]>([
    ["another case", ["OPS"]],
    ["a space before", [" ops"]],
    ["a zero", ["ops\u0000"]],
    ["half a sign", ["ops\uD800"]],
    ["lists in lists", [["ops"]]],
    ["an object", { ops: true }],
    ["SQL", ["' or '1'='1", "ops' --", "%", "o_s"]],
    ["a list as a text", "ops,admins"],
    ["too many before it", [...Array.from({ length: 20_000 }, (_, at) => `g${at}`), "ops"]],
    ["nothing", undefined],
  ])("groups that are not the one: %s", async (_, groups) => {
    await rule("ops", "admin");
    provider.claims = { sub: "ada", groups };
    const got = await signIn();
    expect(got.status).toBe(200);
    expect((await server.get("/questions", { cookie: cookieOf(got, "assent_team") ?? "" })).status).toBe(403);
  });

  describe("is not signed in", () => {
    it.each<[string, (odd: OddProvider) => void]>([
      ["the token lacks the nonce", (odd) => (odd.change = (claims) => ({ ...claims, nonce: undefined }))],
      ["the nonce of another sign-in", (odd) => (odd.change = (claims) => ({ ...claims, nonce: "another" }))],
      ["another issuer's token", (odd) => (odd.change = (claims) => ({ ...claims, iss: "https://other.example.com" }))],
      ["a token for another client", (odd) => (odd.change = (claims) => ({ ...claims, aud: "another" }))],
      [
        "a token for several, given to another",
        (odd) => (odd.change = (claims) => ({ ...claims, aud: [CLIENT, "another"], azp: "another" })),
      ],
      ["a token that is over", (odd) => (odd.change = (claims) => ({ ...claims, exp: 1_000_000 }))],
      ["a token without a subject", (odd) => (odd.change = (claims) => ({ ...claims, sub: undefined }))],
      ["a subject that cannot be kept", (odd) => (odd.change = (claims) => ({ ...claims, sub: "a\u0000" }))],
      ["a token that another key has signed", (odd) => (odd.signer = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey)],
      ["a token that nobody has signed", (odd) => (odd.header = { alg: "none" })],
    ])("%s", async (_, lie) => {
      lie(provider);
      const got = await signIn();
      expect([got.status, isIn(got)]).toEqual([403, false]);
    });

    it.each<
      [
        string,
        (
          first: { cookie: string; query: string; code: string; state: string },
          other: { cookie: string; query: string; code: string; state: string },
        ) => Promise<Got>,
      ]
    >([
      ["another sign-in's state", ({ cookie, code }, other) => come(`?code=${code}&state=${other.state}`, cookie)],
      ["no state", ({ cookie, code }) => come(`?code=${code}`, cookie)],
      ["another browser: its own code is put into somebody else's", ({ query }, other) => come(query, other.cookie)],
      ["no cookie", ({ query }) => come(query, "")],
      ["a cookie that is none", ({ query }) => come(query, "assent_sign_in=0.x")],
      ["a cookie made up for an old time", ({ query, cookie }) => come(query, cookie.replace(/=\d+/, "=1000"))],
      ["an error from the provider", ({ cookie, state }) => come(`?error=access_denied&state=${state}`, cookie)],
      ["nothing at all", ({ cookie }) => come("", cookie)],
      ["two codes", ({ cookie, code, state }, other) => come(`?code=${code}&code=${other.code}&state=${state}`, cookie)],
      ["another issuer's word for who it is", ({ cookie, query }) => come(`${query}&iss=https://other.example.com`, cookie)],
    ])("%s", async (_, attack) => {
      const sides = [await begin(), await begin()].map(({ cookie, address }) => ({ cookie, ...provider.approve(address) }));
      const got = await attack(sides[0]!, sides[1]!);
      expect([got.status, isIn(got)]).toEqual([403, false]);
    });

    it("a code that was used", async () => {
      const { cookie, address } = await begin();
      const { query } = provider.approve(address);
      expect(isIn(await come(query, cookie))).toBe(true);
      expect(isIn(await come(query, cookie))).toBe(false);
    });
  });

  it("sends nobody anywhere but to the provider and to its own page, whatever is asked for", async () => {
    const got = await server.get(
      "/sign-in?return_to=https://evil.example.com&redirect_uri=https://evil.example.com&iss=https://evil.example.com",
      {
        host: "evil.example.com",
        "x-forwarded-host": "evil.example.com",
      },
    );
    const to = new URL(String(got.headers["location"]));
    expect([to.origin, to.searchParams.get("redirect_uri")]).toEqual([provider.issuer, `${TEST_ORIGIN}/sign-in/callback`]);
    expect(to.href).not.toContain("evil");
    const { cookie, address } = await begin();
    const back = await come(`${provider.approve(address).query}&return_to=https://evil.example.com`, cookie);
    expect(back.headers["location"]).toBeUndefined();
    expect(back.text).toContain('content="0;url=/"');
    expect(back.text).not.toContain("evil");
  });

  it("a provider that is away keeps nobody out who has a link, and works again when it is back", async () => {
    provider.isAway = true;
    expect((await server.get("/sign-in")).status).toBe(503);
    expect((await server.get("/people", await admins())).status).toBe(200);
    provider.isAway = false;
    const { cookie, address } = await begin();
    const { query } = provider.approve(address);
    provider.isAway = true;
    const got = await come(query, cookie);
    expect([got.status, isIn(got)]).toEqual([503, false]);
    provider.isAway = false;
    expect(isIn(await signIn())).toBe(true);
  });

  it("roles are an administrator's to give, and an administrator is one for all machines", async () => {
    const approver = await server.person("Kay", "approver");
    expect((await server.form("/people/provider", { name: "ops", role: "admin" }, approver)).status).toBe(403);
    for (const [name, role, machines] of [
      ["ops", "owner", ""],
      ["", "viewer", ""],
      ["ops", "admin", "ci"],
      ["o\u0007ps", "viewer", ""],
    ] as const)
      expect((await rule(name, role, machines)).status).toBe(400);
    const foreign = await server.form(
      "/people/provider",
      { name: "ops", role: "admin" },
      { ...(await admins()), origin: "https://evil.example.com" },
    );
    expect(foreign.status).toBe(403);
  });
});

onEveryDatabase("with oidc-provider, as a browser does it", (place) => {
  it("signs in and out, with the role of a group", async () => {
    const address = await reserved();
    const issuing = createServer();
    const issuer = await listening(issuing);
    const oidc = new Provider(issuer, {
      clients: [{ client_id: CLIENT, client_secret: SECRET, redirect_uris: [`${address.origin}/sign-in/callback`] }],
      claims: { openid: ["sub", "groups"], profile: ["preferred_username"], email: ["email", "email_verified"] },
      pkce: { required: () => true },
      findAccount: (_, sub) => ({
        accountId: sub,
        claims: () => ({ sub, groups: ["ops"], preferred_username: sub, email: `${sub}@example.com`, email_verified: true }),
      }),
    });
    issuing.on("request", (request, response) => void oidc.callback()(request, response));
    const server = await startWith(await place.fresh(), [], issuer, address.origin);
    onTestFinished(() => server.close());
    address.lead(server.base);
    server.now = new Date(Date.now() - 60_000);
    await server.form("/people/provider", { name: "ops", role: "admin" }, await server.admin());

    const browser = new Browser();
    expect((await browser.open(`${address.origin}/`)).text).toContain('href="/sign-in"');
    let page = await browser.open(`${address.origin}/sign-in`);
    for (let step = 0; page.url.startsWith(issuer) && step < 4; step++) {
      const [, action = ""] = /<form[^>]* action="([^"]+)"/.exec(page.text) ?? [];
      const prompt = /name="prompt" value="(\w+)"/.exec(page.text)?.[1] ?? "";
      page = await browser.open(new URL(action, page.url).href, prompt === "login" ? { prompt, login: "ada", password: "x" } : { prompt });
    }
    expect(page.text).toContain("You are signed in");
    expect((await browser.open(`${address.origin}/people`)).text).toContain("Signed in as ada@example.com");
    await browser.open(`${address.origin}/sign-out`, {});
    expect((await browser.open(`${address.origin}/people`)).status).toBe(401);
  });
});

/** An address that is known before the server is: it hands on what comes. */
async function reserved(): Promise<{ readonly origin: string; lead(base: string): void }> {
  let base = "";
  const server = createServer((request, response) => void handOn(base, request, response));
  return { origin: await listening(server), lead: (to) => void (base = to) };
}

async function handOn(base: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = "";
  for await (const part of request.setEncoding("utf8")) body += String(part);
  const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
    typeof value === "string" && ["cookie", "content-type", "origin"].includes(name) ? [[name, name === "origin" ? base : value]] : [],
  );
  const got = await fetch(`${base}${request.url}`, {
    method: request.method ?? "GET",
    redirect: "manual",
    headers,
    ...(body === "" ? {} : { body }),
  });
  response.writeHead(
    got.status,
    [...got.headers].filter(([name]) => name !== "transfer-encoding" && name !== "content-length" && name !== "content-encoding"),
  );
  response.end(await got.text());
}
