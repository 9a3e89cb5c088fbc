import { generateKeyPair } from "jose";
import * as v from "valibot";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { jobToken } from "../../packages/assent/src/cli/team-ci.ts";
import { EnrolState } from "@assent/team/team/protocol";
import { scratch } from "../scratch.ts";
import { ciRules, makeCiRule, removeCiRule } from "@assent/team-server/enrol";
import { onEveryDatabase } from "./harness/databases.ts";
import { JobIssuer } from "./harness/job-issuer.ts";
import { type Got, TestServer } from "./harness/server.ts";

/** Jobs of a CI that let themselves in by the token that their CI signs. */

const AUDIENCE = "https://assent.example.com";
const secretOf = (letter: string): string => letter.repeat(43);

onEveryDatabase("jobs of a CI", (place) => {
  let server: TestServer;
  let issuer: JobIssuer;
  let rule: string;
  const addRule = (claims: Readonly<Record<string, string>>, more: Readonly<Record<string, string | number>> = {}): Promise<string> =>
    makeCiRule(
      server.db,
      { name: "app", issuer: issuer.url, audience: AUDIENCE, claims, group: "ci", minutes: 60, ...more },
      "a test",
      server.now,
    );

  beforeEach(async () => {
    const db = await place.fresh();
    server = await TestServer.start(db, place.kind === "embedded" ? [] : [place.again(), place.again()]);
    server.now = new Date();
    issuer = await JobIssuer.start();
    rule = await addRule({ repository: "acme/app" });
  });
  afterEach(async () => {
    issuer.close();
    await server.close();
  });

  const enrol = (token: string, more: Readonly<Record<string, unknown>> = {}): Promise<Got> =>
    server.post("/v1/enrol/ci", {
      v: 1,
      name: "acme/app 7",
      platform: "linux x64",
      version: "0.1.0",
      group: "ci",
      token,
      secret: secretOf("a"),
      ...more,
    });
  const own = (more: Readonly<Record<string, unknown>> = {}): Promise<string> => issuer.token(more, AUDIENCE, server.now.getTime());
  const joined = async (token: string, more: Readonly<Record<string, unknown>> = {}) => {
    const { text } = await enrol(token, more);
    const state = v.safeParse(EnrolState, JSON.parse(text));
    if (!state.success || state.output.is !== "joined") throw new Error(text);
    return state.output;
  };
  const speaks = async (token: string): Promise<boolean> =>
    (await server.get("/v1/machine", { authorization: `Bearer ${token}` })).status === 200;

  it("joins the rule's group, with no code and no key, and is known by the rule", async () => {
    const token = await own();
    const state = await joined(token);
    expect(state.policy?.group).toBe("ci");
    expect(await speaks(state.token)).toBe(true);
    // The answer was lost.
    expect(await joined(token)).toEqual(state);
    expect(await ciRules(server.db)).toMatchObject([{ id: rule, let: 1, machines: 1, claims: { repository: "acme/app" } }]);
    expect((await server.get("/", await server.admin())).text).toContain("the rule app");
  });

  it("is sent away by itself when its time is over", async () => {
    const state = await joined(await own());
    server.pass(59 * 60_000);
    expect(await speaks(state.token)).toBe(true);
    server.pass(60_000);
    expect(await speaks(state.token)).toBe(false);
    await joined(await own(), { secret: secretOf("b") });
    expect(await ciRules(server.db)).toMatchObject([{ let: 2, machines: 1 }]);
  });

  it("a rule that is removed lets nobody in, and sends away whom it let in", async () => {
    const state = await joined(await own());
    expect(await removeCiRule(server.db, rule, "a test", server.now)).toBe(1);
    expect(await speaks(state.token)).toBe(false);
    expect((await enrol(await own())).status).toBe(403);
    expect(await removeCiRule(server.db, rule, "a test", server.now)).toBeUndefined();
  });

  describe("a token lets one machine in", () => {
    it.each([
      ["with another secret", { secret: secretOf("b") }],
      ["into another group", { group: "default" }],
    ])("not another one %s", async (_, more) => {
      const token = await own();
      await joined(token);
      await addRule({ repository: "acme/app" }, { group: "default" });
      expect((await enrol(token, more)).status).toBe(403);
      expect((await ciRules(server.db)).reduce((sum, { let: count }) => sum + count, 0)).toBe(1);
    });

    it("though it comes many times at once", async () => {
      const token = await own();
      const all = await Promise.all([..."abcdef"].map((letter) => enrol(token, { secret: secretOf(letter) })));
      expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
    });

    it("and none that was sent away comes back by it", async () => {
      const token = await own();
      const state = await joined(token);
      await server.form("/remove", { id: state.machine }, await server.admin());
      expect((await enrol(token)).status).toBe(403);
      expect((await enrol(token, { secret: secretOf("b") })).status).toBe(403);
    });
  });

  describe("lets nobody in", () => {
    const seconds = (): number => Math.floor(server.now.getTime() / 1000);
    const tokens = (): readonly (readonly [string, () => Promise<string>])[] => [
      ["made for somebody else", () => issuer.token({}, "https://other.example.com", server.now.getTime())],
      ["made for somebody else, too", () => own({ aud: [AUDIENCE, "https://other.example.com"] })],
      ["made for nobody", () => own({ aud: [] })],
      ["of another repository", () => own({ repository: "evil/app", sub: "repo:evil/app:ref:refs/heads/main" })],
      ["of a repository whose name begins so", () => own({ repository: "acme/app-evil" })],
      ["of the same repository in other letters", () => own({ repository: "ACME/app" })],
      ["with the claim in a list", () => own({ repository: ["acme/app", "evil/app"] })],
      ["with the claim not there", () => own({ repository: undefined })],
      ["that is over", () => own({ exp: seconds() - 120 })],
      ["from the future", () => own({ iat: seconds() + 600 })],
      ["that is not valid yet", () => own({ nbf: seconds() + 600 })],
      ["of last week that ends next week", () => own({ iat: seconds() - 7 * 86_400, exp: seconds() + 7 * 86_400 })],
      ["without an end", () => own({ exp: undefined })],
      ["without a name of its own", () => own({ jti: undefined })],
      ["with an empty name of its own", () => own({ jti: "" })],
      ["of a pull request, which may be of a fork", () => own({ event_name: "pull_request", sub: "repo:acme/app:pull_request" })],
      ["of a pull request with the rights of the base", () => own({ event_name: "pull_request_target" })],
      ["of a pull request that only its subject tells", () => own({ event_name: undefined, sub: "repo:acme/app:pull_request" })],
      ["of a merge request of GitLab", () => own({ event_name: undefined, pipeline_source: "merge_request_event" })],
      ["by another key", async () => issuer.sign(issuer.claims({}, AUDIENCE), (await generateKeyPair("RS256")).privateKey)],
      [
        "by a key that is not there",
        async () => issuer.sign(issuer.claims({}, AUDIENCE), (await generateKeyPair("RS256")).privateKey, { alg: "RS256", kid: "k2" }),
      ],
      [
        "by the public key as a shared secret",
        () => issuer.sign(issuer.claims({}, AUDIENCE), issuer.publicBytes, { alg: "HS256", kid: "k1" }),
      ],
      [
        "by nothing (alg none)",
        () => {
          const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
          return Promise.resolve(`${part({ alg: "none" })}.${part(issuer.claims({}, AUDIENCE))}.`);
        },
      ],
      [
        "that was changed after it was signed",
        async () => {
          const [head, , signature] = (await own({ repository: "evil/app" })).split(".");
          return `${head}.${Buffer.from(JSON.stringify(issuer.claims({}, AUDIENCE))).toString("base64url")}.${signature}`;
        },
      ],
      ["that is none", () => Promise.resolve("x.y.z")],
    ];

    it("with a token that is not its own, or not any more", async () => {
      const statuses: (readonly [string, number])[] = [];
      for (const [what, make] of tokens()) statuses.push([what, (await enrol(await make())).status]);
      expect(statuses).toEqual(tokens().map(([what]) => [what, 403]));
      expect(await ciRules(server.db)).toMatchObject([{ let: 0 }]);
    });

    it("of an issuer that no rule names, and asks it for nothing", async () => {
      const other = await JobIssuer.start();
      try {
        expect((await enrol(await other.token({}, AUDIENCE, server.now.getTime()))).status).toBe(403);
        // Nor by the word of another that it is the one.
        expect((await enrol(await other.token({ iss: issuer.url }, AUDIENCE, server.now.getTime()))).status).toBe(403);
        expect(other.asked).toBe(0);
      } finally {
        other.close();
      }
    });

    it("of an issuer that lies about itself; what was wrong is not remembered", async () => {
      const lies: readonly Readonly<Record<string, unknown>>[] = [
        { issuer: "https://token.actions.githubusercontent.com" },
        { jwks_uri: "http://10.0.0.1/keys" },
        { jwks_uri: "file:///etc/passwd" },
        { jwks_uri: null },
      ];
      for (const lie of lies) {
        issuer.lies = lie;
        expect([lie, (await enrol(await own())).status]).toEqual([lie, 503]);
      }
      issuer.lies = {};
      expect((await enrol(await own())).status).toBe(200);
    });

    it("with a message that is none", async () => {
      const messages: readonly Readonly<Record<string, unknown>>[] = [
        { secret: "a" },
        { group: "CI; drop table" },
        { token: "a".repeat(20_000) },
        { machine: "x" },
      ];
      for (const more of messages) expect((await enrol(await own(), more)).status).toBeGreaterThanOrEqual(400);
      expect(await ciRules(server.db)).toMatchObject([{ let: 0 }]);
    });
  });

  it.each<[string, Record<string, string>]>([
    ["of pull requests, by their event", { event_name: "pull_request" }],
    ["of pull requests, by their subject", { sub: "repo:acme/app:pull_request" }],
    ["of an environment", { environment: "production" }],
  ])("a rule lets jobs in %s, where it says so", async (_, claims) => {
    await removeCiRule(server.db, rule, "a test", server.now);
    await addRule({ repository: "acme/app", ...claims });
    expect((await enrol(await own())).status).toBe(403);
    expect((await enrol(await own({ event_name: "pull_request", ...claims }))).status).toBe("environment" in claims ? 403 : 200);
    if ("environment" in claims) expect((await enrol(await own(claims))).status).toBe(200);
  });

  it("no rule is made that says nothing of whose jobs it lets in, or is without an end", async () => {
    const rules: readonly (readonly [Readonly<Record<string, string>>, Readonly<Record<string, number>>])[] = [
      [{}, {}],
      [{ ref: "refs/heads/main" }, {}],
      [{ repository: "" }, {}],
      [{ repository: "a\nb" }, {}],
      [{ repository: "acme/app" }, { minutes: 10_000 }],
    ];
    for (const [claims, more] of rules) await expect(addRule(claims, more)).rejects.toThrow(/^(?:claims are|a rule says|a job lasts)/);
    expect(await ciRules(server.db)).toHaveLength(1);
  });
});

describe("the token of a job", () => {
  it("comes from GitHub's address for the server alone, or from a variable; else it says what to write", async () => {
    const issuer = await JobIssuer.start();
    try {
      const at = (env: Readonly<Record<string, string>>) => jobToken(scratch({ env }).machine, AUDIENCE);
      const github = { ACTIONS_ID_TOKEN_REQUEST_URL: `${issuer.url}/job?api-version=2`, ACTIONS_ID_TOKEN_REQUEST_TOKEN: "job-secret" };
      const got = await at(github);
      expect("token" in got && JSON.parse(Buffer.from(got.token.split(".")[1] ?? "", "base64url").toString())).toMatchObject({
        aud: AUDIENCE,
      });
      expect(await at({ ASSENT_ID_TOKEN: "from-gitlab" })).toEqual({ token: "from-gitlab" });
      for (const env of [
        {},
        { ...github, ACTIONS_ID_TOKEN_REQUEST_TOKEN: "wrong" },
        { ...github, ACTIONS_ID_TOKEN_REQUEST_URL: "http://example.com/job" },
      ])
        expect(await at(env)).toMatchObject({ problem: expect.any(String) as unknown, help: expect.any(String) as unknown });
    } finally {
      issuer.close();
    }
  });
});
