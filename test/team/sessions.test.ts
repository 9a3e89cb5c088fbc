import { generateKeyPairSync } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SignInProvider } from "@assent/team-server/sign-in";
import { fleetKeys, makeFleetKey } from "@assent/team-server/enrol";
import { onEveryDatabase } from "./harness/databases.ts";
import { type Claims, CLIENT, cookieOf, OddProvider, SECRET } from "./harness/odd-provider.ts";
import { type Got, TestServer } from "./harness/server.ts";

/** How long a person's session lasts, what takes a fresh one, and how the provider ends it. The clock is the test's. */

type Cookie = { readonly cookie: string };
const HOURS = 3_600_000;
const EVENTS = { "http://schemas.openid.net/event/backchannel-logout": {} };

onEveryDatabase("a session", (place) => {
  let server: TestServer;
  let provider: OddProvider;

  beforeEach(async () => {
    provider = await new OddProvider().start();
    provider.claims = { ...provider.claims, sid: "session of Ada" };
    const origin = "http://127.0.0.1:1";
    const options = { issuer: provider.issuer, clientId: CLIENT, secret: SECRET, groupsClaim: "groups" };
    const db = await place.fresh();
    const others = place.kind === "embedded" ? [] : [place.again(), place.again()];
    server = await TestServer.start(db, others, { provider: new SignInProvider(options, origin, () => server.now) });
    // A minute before: who comes in by a link lets a minute pass.
    server.now = new Date(Date.now() - 60_000);
    await server.form("/people/provider", { name: "ops", role: "admin" }, await server.admin());
  });
  afterEach(() => server.close());

  const come = async (at: string): Promise<Got> => {
    const begun = await server.get(at);
    const { query } = provider.approve(String(begun.headers["location"]));
    return server.get(`/sign-in/callback${query}`, { cookie: cookieOf(begun, "assent_sign_in") ?? "" });
  };
  const byProvider = async (more: Claims = {}, at = "/sign-in"): Promise<Cookie> => {
    provider.change = (claims) => ({ ...claims, ...more });
    const got = await come(at);
    provider.change = (claims) => claims;
    return { cookie: cookieOf(got, "assent_team") ?? "none" };
  };
  const sees = async (who: Cookie): Promise<number> => (await server.get("/people", who)).status;

  it.each<[string, () => Promise<Cookie>]>([
    ["by a link", () => server.admin()],
    ["by the provider", () => byProvider()],
  ])("%s lasts eight hours, whatever is done in it, and no second longer", async (_, enter) => {
    const who = await enter();
    for (let hours = 0; hours < 8; hours++) {
      expect([hours, await sees(who)]).toEqual([hours, 200]);
      if (hours < 7) server.pass(HOURS);
    }
    server.pass(HOURS - 1000);
    expect(await sees(who)).toBe(200);
    server.pass(1000);
    expect(await sees(who)).toBe(401);
    expect((await server.form("/people/invite", { name: "Eve", role: "admin" }, who)).status).toBe(401);
    // Nor does it come back where the clock is set back, once it was put away.
    await server.admin();
    server.pass(-HOURS);
    expect(await sees(who)).toBe(401);
  });

  const seconds = (): number => Math.floor(server.now.getTime() / 1000);
  it.each<[string, () => Promise<Cookie>, boolean]>([
    ["by a link, just now", () => server.admin(), true],
    ["by a link, ten minutes ago", () => server.admin().then((who) => (server.pass(600_000), who)), false],
    ["by a link, a second less than ten minutes ago", () => server.admin().then((who) => (server.pass(599_000), who)), true],
    ["by the provider, which does not say when its person signed in", () => byProvider(), false],
    ["by the provider, where its person signed in yesterday", () => byProvider({ auth_time: seconds() - 86_400 }), false],
    ["by the provider, where its person has just signed in", () => byProvider({ auth_time: seconds() - 5 }), true],
    ["by the provider, again", () => byProvider({ auth_time: seconds() - 1 }, "/sign-in/again"), true],
    [
      "by the provider, in a time to come, an hour ago",
      () => byProvider({ auth_time: seconds() + 7200 }).then((who) => (server.pass(HOURS), who)),
      false,
    ],
  ])("that began %s: fresh or not", async (_, enter, isFresh) => {
    await makeFleetKey(
      server.db,
      { name: "runners", group: "ci", uses: 1, expires: server.now.getTime() + 30 * 86_400_000 },
      "a test",
      server.now,
    );
    const [{ id } = { id: "" }] = await fleetKeys(server.db);
    const who = await enter();
    expect(await sees(who)).toBe(200);
    const got = await server.form("/keys/revoke", { id }, who);
    expect(got.status).toBe(isFresh ? 200 : 403);
    expect((await fleetKeys(server.db))[0]?.revoked !== null).toBe(isFresh);
    if (!isFresh) expect(got.text).toContain('href="/sign-in/again"');
  });

  it.each<[string, Claims]>([
    ["who signed in an hour ago", { auth_time: Math.floor(Date.now() / 1000) - 3600 }],
    ["of whom the provider does not say when they signed in", {}],
    ["of whom it says so by a text", { auth_time: String(Math.floor(Date.now() / 1000)) }],
  ])("is not let in as fresh: %s", async (_, more) => {
    expect(await byProvider(more, "/sign-in/again")).toEqual({ cookie: "none" });
    const asked = new URL(String((await server.get("/sign-in/again")).headers["location"]));
    expect([asked.searchParams.get("prompt"), asked.searchParams.get("max_age")]).toEqual(["login", "0"]);
  });

  describe("that the provider ends", () => {
    let jti = 0;
    const claims = (more: Claims = {}): Claims => ({
      iss: provider.issuer,
      aud: CLIENT,
      iat: seconds(),
      exp: seconds() + 120,
      jti: `token ${(jti += 1)}`,
      events: EVENTS,
      sid: "session of Ada",
      ...more,
    });
    const logOut = (token: string, headers: Readonly<Record<string, string>> = {}): Promise<Got> =>
      server.ask("POST", "/sign-in/logout", new URLSearchParams({ logout_token: token }).toString(), {
        "content-type": "application/x-www-form-urlencoded",
        ...headers,
      });

    it.each<[string, Claims, readonly [number, number, number, number]]>([
      ["by its id: that one", {}, [401, 200, 200, 200]],
      ["by its id and its person: that one", { sub: "ada" }, [401, 200, 200, 200]],
      ["by its id and another person: none", { sub: "eve" }, [200, 200, 200, 200]],
      ["by its person: all that came from there, with their roles", { sid: undefined, sub: "ada" }, [401, 401, 200, 200]],
      ["of somebody who is not known", { sid: undefined, sub: "nobody" }, [200, 200, 200, 200]],
      ["of another id", { sid: "another" }, [200, 200, 200, 200]],
      ["for a list that is this server", { aud: [CLIENT] }, [401, 200, 200, 200]],
    ])("%s", async (_, more, expected) => {
      const first = await byProvider();
      const second = await byProvider({ sid: "another session of Ada" });
      const eve = await byProvider({ sub: "eve", sid: "session of Eve", email: "eve@example.com" });
      const link = await server.admin();
      const got = await logOut(provider.token(claims(more), { alg: "ES256", kid: "k", typ: "logout+jwt" }));
      expect([got.status, got.text, got.headers["cache-control"]]).toEqual([200, "", "no-store"]);
      expect(await Promise.all([first, second, eve, link].map(sees))).toEqual(expected);
    });

    it("once for each token, however often and at whichever process it is shown", async () => {
      const token = provider.token(claims());
      const first = await byProvider();
      const said = await Promise.all([1, 2, 3, 4].map(() => logOut(token)));
      expect(said.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(said.filter(({ status }) => status === 400)).toHaveLength(3);
      expect(await sees(first)).toBe(401);
      const again = await byProvider();
      for (const wait of [1000, 600_000, HOURS]) {
        server.pass(wait);
        expect((await logOut(token)).status).toBe(400);
      }
      expect(await sees(again)).toBe(200);
    });

    const refused: readonly (readonly [string, (odd: OddProvider) => string])[] = [
      ["nothing", () => ""],
      ["no token", () => "x.y.z"],
      ["another issuer's", (odd) => odd.token(claims({ iss: "https://other.example.com" }))],
      ["none's", (odd) => odd.token(claims({ iss: undefined }))],
      ["for another client", (odd) => odd.token(claims({ aud: "another" }))],
      ["for nobody", (odd) => odd.token(claims({ aud: undefined }))],
      ["without a time", (odd) => odd.token(claims({ iat: undefined }))],
      ["of a time to come", (odd) => odd.token(claims({ iat: seconds() + 3600 }))],
      ["of an hour ago", (odd) => odd.token(claims({ iat: seconds() - 3600, exp: seconds() + 3600 }))],
      ["that is over", (odd) => odd.token(claims({ exp: seconds() - 120 }))],
      ["without an id", (odd) => odd.token(claims({ jti: undefined }))],
      ["with an empty id", (odd) => odd.token(claims({ jti: "" }))],
      ["without events", (odd) => odd.token(claims({ events: undefined }))],
      ["with another event", (odd) => odd.token(claims({ events: { "http://schemas.openid.net/event/other": {} } }))],
      ["with an event that is no object", (odd) => odd.token(claims({ events: { [Object.keys(EVENTS)[0] ?? ""]: true } }))],
      ["with events as a list", (odd) => odd.token(claims({ events: Object.keys(EVENTS) }))],
      ["with a nonce: an ID token", (odd) => odd.token(claims({ nonce: "n" }))],
      ["with an empty nonce", (odd) => odd.token(claims({ nonce: "" }))],
      ["of neither a session nor a person", (odd) => odd.token(claims({ sid: undefined }))],
      ["of a session that is no text", (odd) => odd.token(claims({ sid: ["session of Ada"] }))],
      ["of an access token's kind", (odd) => odd.token(claims(), { alg: "ES256", kid: "k", typ: "at+jwt" })],
      [
        "that another key has signed",
        (odd) => ((odd.signer = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey), odd.token(claims())),
      ],
      ["that nobody has signed", (odd) => odd.token(claims(), { alg: "none" })],
      ["of a key that there is not", (odd) => odd.token(claims(), { alg: "ES256", kid: "another" })],
      [
        "of an ID token that a sign-in gave",
        (odd) => odd.token({ iss: odd.issuer, aud: CLIENT, iat: seconds(), exp: seconds() + 300, sub: "ada", nonce: "n" }),
      ],
    ];
    it("not by a token that is not the provider's for this server, or not a logout token", async () => {
      const who = await byProvider();
      const { signer } = provider;
      for (const [what, made] of refused) {
        const token = made(provider);
        provider.signer = signer;
        const got = await logOut(token);
        expect([what, got.status, JSON.parse(got.text)]).toEqual([what, 400, expect.objectContaining({ is: "error" })]);
        expect([what, await sees(who)]).toEqual([what, 200]);
      }
      // The same, as it should be.
      expect((await logOut(provider.token(claims()))).status).toBe(200);
      expect(await sees(who)).toBe(401);
    });

    it("not by a form of another kind, a link, or a token that is too large, and later where the provider is away", async () => {
      const who = await byProvider();
      const token = provider.token(claims());
      expect((await logOut(token, { "content-type": "text/plain" })).status).toBe(400);
      expect((await server.get(`/sign-in/logout?logout_token=${token}`)).status).toBe(404);
      expect((await logOut("x".repeat(20_000))).status).toBe(413);
      provider.isAway = true;
      // Keys that are known need not be asked for.
      const known = (await logOut(token)).status;
      expect([200, 503]).toContain(known);
      provider.isAway = false;
      if (known === 503) {
        expect(await sees(who)).toBe(200);
        expect((await logOut(token)).status).toBe(200);
      }
      expect(await sees(who)).toBe(401);
    });
  });
});
