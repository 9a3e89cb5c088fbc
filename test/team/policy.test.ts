import { readFileSync, writeFileSync } from "node:fs";
import * as v from "valibot";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { compiledPolicy, policyFile } from "@assent/guard/engine";
import { judgeOnly } from "@assent/page/preview";
import {
  hashStatement,
  keyIdOf,
  makeKeyPair,
  type PolicyCommand,
  type PolicyVersion,
  type Signed,
  type SignedKeyChange,
  signStatement,
} from "@assent/guard/signature";
import { fetchTeamPolicy, policyWaiting, readHeld, takeAnswer, type TeamMembership, writeMembership, writePin } from "@assent/team/team";
import { reader, scratch, type Scratch } from "../scratch.ts";
import type { Database } from "@assent/team-server/database";
import { confirmMachine, organisationOf, pollEnrolment, startEnrolment } from "@assent/team-server/enrol";
import { addFirstKey, partOf, policyGroups, pushPolicy, releasePolicy } from "@assent/team-server/policies";
import { onEveryDatabase } from "./harness/databases.ts";
import { TestServer } from "./harness/server.ts";

/** The whole way: a key, signed versions, the server's own routes, and a machine that judges by what it fetched. */

/** So that what a matcher is stays unknown. */
const saying = (part: string): unknown => expect.stringContaining(part);
const Problem = v.object({ problem: v.nullable(v.string()) });
const DAY = 86_400_000;
const START = Date.parse("2026-11-20T10:00:00.000Z");
let clock = START;
const now = (): Date => new Date(clock);
let db: Database;
let server: TestServer;
let base: string;
let organisation: string;
const key = makeKeyPair();
const stranger = makeKeyPair();

async function start(made: Database): Promise<void> {
  db = made;
  server = await TestServer.start(db);
  organisation = await organisationOf(db);
  ({ base } = server);
  tick();
}
const tick = (): void => void (server.now = new Date(clock));

const text = (command: string, unknown = "confine"): string =>
  JSON.stringify({ unknown, permissions: { deny: [`Bash(${command})`], allow: ["Bash(frobnicate:*)"] } });

let heartbeat = "";
function version(
  number: number,
  previous: Signed<PolicyVersion> | undefined,
  more: Partial<PolicyVersion> = {},
  by = key,
): Signed<PolicyVersion> {
  return signStatement<PolicyVersion>(
    {
      is: "policy",
      organisation,
      group: "default",
      version: number,
      previous: previous === undefined ? null : hashStatement(previous.statement),
      made: now().toISOString(),
      expires: new Date(clock + 10 * DAY).toISOString(),
      renewal: { key: heartbeat, until: new Date(clock + 100 * DAY).toISOString() },
      policy: text(`echo ${number}`),
      ...more,
    },
    by,
  );
}

const head = async (): Promise<string> => ((await (await fetch(`${base}/v1/policy/head`)).json()) as { heartbeat: string }).heartbeat;
const command = (statement: Partial<PolicyCommand>, more: object = {}, by = key): Promise<Response> =>
  fetch(`${base}/v1/policy/command`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      v: 1,
      command: signStatement(
        {
          is: "command" as const,
          organisation,
          what: "list" as const,
          about: null,
          group: null,
          version: null,
          percent: null,
          days: null,
          at: now().toISOString(),
          ...statement,
        },
        by,
      ),
      ...more,
    }),
  });
const why = async (response: Response): Promise<[number, string]> => [
  response.status,
  ((await response.json()) as { why?: string }).why ?? "",
];

/** A machine that joined, as `assent team join` makes it. */
async function machine(group = "default"): Promise<{ place: Scratch; membership: TeamMembership }> {
  const started = (await startEnrolment(db, { v: 1, name: "box", platform: "linux", version: "0", group }, "here", now()))!;
  await confirmMachine(db, started.code, "an administrator", now());
  const state = await pollEnrolment(db, started.id, started.secret, now());
  if (state.is !== "joined") throw new Error(state.is);
  const place = scratch();
  const membership: TeamMembership = {
    v: 1,
    url: base,
    machine: state.machine,
    organisation: state.organisation,
    name: "box",
    token: state.token,
    salt: "s".repeat(43),
    joined: now().toISOString(),
    from: { segment: 1, offset: 0, seq: 0 },
  };
  const { key: known, least } = state.policy!;
  writePin(place.machine, {
    v: 1,
    organisation: state.organisation,
    group: state.policy!.group,
    keys: known === undefined ? [] : [{ key: known, last: null }],
    least: least ?? { version: 0, hash: null },
  });
  expect(writeMembership(place.machine, membership)).toBeUndefined();
  return { place, membership };
}
type Member = Awaited<ReturnType<typeof machine>>;

const fetched = ({ place, membership }: Member) => fetchTeamPolicy(place.machine, membership, () => clock);
const fileOf = ({ place }: Member, name = "policy.jsonc"): string => `${place.home}/.local/state/assent/team-member/${name}`;
/** What judges asks the clock itself. */
function atClock<T>(work: () => T): T {
  vi.useFakeTimers({ toFake: ["Date"], now: clock });
  try {
    return work();
  } finally {
    vi.useRealTimers();
  }
}
const told = ({ place }: Member, line: string): string =>
  atClock(() => judgeOnly({ tool: "Bash", input: { command: line }, cwd: place.project }, place.machine, []).verdict.decision);
const unknown = (member: Member): string | undefined => {
  const policy = atClock(() => compiledPolicy({ ...member.place.machine }, [policyFile(fileOf(member), "managed")], reader));
  return policy.broken === undefined ? policy.settings.unknown : "broken";
};
const hold = (member: Member) => readHeld(member.place.machine);

async function release(signed: Signed<PolicyVersion>, percent = 100): Promise<void> {
  await pushPolicy(db, signed, now());
  await releasePolicy(db, { group: signed.statement.group, version: signed.statement.version, percent }, "a test", now());
}

beforeEach(() => {
  clock = START;
});
afterEach(async () => {
  await server.close();
});
const passes = (milliseconds: number): void => {
  clock += milliseconds;
  tick();
};

onEveryDatabase("the policy of a team", (place) => {
  beforeEach(async () => {
    await start(await place.fresh());
    heartbeat = await head();
    await addFirstKey(db, key.publicKey, "an administrator", now());
  });

  it("holds on a machine that joined: what it forbids is forbidden, what it allows is allowed, and it follows new versions", async () => {
    const one = version(1, undefined);
    await release(one);
    const member = await machine();
    // Before it is here, nothing is allowed.
    expect([told(member, "echo hello"), hold(member)?.problem]).toEqual(["ask", expect.stringContaining("not here yet")]);
    expect(await fetched(member)).toEqual({ is: "changed", version: 1 });
    expect(["echo 1", "echo 2", "frobnicate"].map((line) => told(member, line))).toEqual(["deny", "allow", "allow"]);
    expect(await fetched(member)).toEqual({ is: "current", version: 1 });
    await release(version(2, one));
    expect(await fetched(member)).toEqual({ is: "changed", version: 2 });
    expect(["echo 1", "echo 2"].map((line) => told(member, line))).toEqual(["allow", "deny"]);
    expect(await policyGroups(db)).toMatchObject([{ group: "default", all: 2, machines: [{ version: 2, machines: 1 }] }]);
  });

  it("is none until there is one, and then the same on a machine that joined before there was a key", async () => {
    const [before, after] = [await machine(), await machine()];
    const joined = (member: Member, ...keys: readonly string[]): void =>
      void writePin(member.place.machine, {
        v: 1,
        organisation,
        group: "default",
        keys: keys.map((one) => ({ key: one, last: null })),
        least: { version: 0, hash: null },
      });
    joined(before);
    joined(after, key.publicKey);
    expect(await Promise.all([before, after].map((member) => fetched(member)))).toEqual([{ is: "none" }, { is: "none" }]);
    expect([before, after].map((member) => told(member, "echo 1"))).toEqual(["allow", "allow"]);
    await release(version(1, undefined));
    for (const member of [before, after]) {
      expect(await policyWaiting(member.place.machine, member.membership)).toEqual({ version: 1 });
      expect(await fetched(member)).toEqual({ is: "changed", version: 1 });
      expect(told(member, "echo 1")).toBe("deny");
      expect(readHeld(member.place.machine)).toMatchObject({ version: 1, keys: [keyIdOf(key.publicKey)] });
      expect(await policyWaiting(member.place.machine, member.membership)).toBeUndefined();
    }
  });

  it("is of the first key alone: what another one signs is not taken afterwards, whatever the server says", async () => {
    const member = await machine();
    writePin(member.place.machine, { v: 1, organisation, group: "default", keys: [], least: { version: 0, hash: null } });
    await release(version(1, undefined));
    expect(await fetched(member)).toEqual({ is: "changed", version: 1 });
    const other = makeKeyPair();
    const theirs = signStatement<PolicyVersion>({ ...version(2, version(1, undefined)).statement, policy: "{}" }, other);
    const answer = { v: 1 as const, is: "policy" as const, key: other.publicKey, changes: [], signed: theirs };
    expect(takeAnswer(member.place.machine, answer, now().getTime())).toMatchObject({
      is: "kept",
      problem: saying("a key that this machine does not know"),
    });
    expect(told(member, "echo 1")).toBe("deny");
  });

  describe("a machine takes nothing that is", () => {
    /** Puts a row where a hostile server has one. */
    const forge = async (signed: Signed<PolicyVersion>): Promise<void> => {
      await db.run("delete from policy_versions where grp = 'default'");
      await db.run(
        "insert into policy_versions (grp, version, hash, key_id, signed, pushed, percent) values ('default', $1, decode($2, 'hex'), $3, $4, $5, 100)",
        [
          signed.statement.version,
          Buffer.from(hashStatement(signed.statement), "base64url").toString("hex"),
          keyIdOf(key.publicKey),
          JSON.stringify(signed),
          now(),
        ],
      );
    };
    const two = () => version(2, version(1, undefined));
    const LOOSE = { policy: text("echo none", "confine") };
    it.each<[string, () => Signed<PolicyVersion>, string]>([
      ["signed by a stranger", () => version(3, two(), LOOSE, stranger), "does not know"],
      [
        "signed by a stranger in the key's name",
        () => ({ ...version(3, two(), LOOSE, stranger), key: keyIdOf(key.publicKey) }),
        "not what its key signed",
      ],
      [
        "changed behind its signature",
        () => ({ ...version(3, two()), statement: { ...version(3, two()).statement, ...LOOSE } }),
        "not what its key",
      ],
      ["older than what was seen", () => version(1, undefined), "older than 2"],
      ["another one with the number of the one that was seen", () => version(2, version(1, undefined), LOOSE), "another version 2"],
      ["beside the one that was seen", () => version(3, version(2, undefined, LOOSE)), "does not follow"],
      ["of another group", () => version(3, two(), { group: "ci" }), "group ci"],
      ["of another team", () => version(3, two(), { organisation: "o".repeat(22) }), "another team"],
    ])("%s", async (_, forged, reason) => {
      await release(version(1, undefined));
      const member = await machine();
      await fetched(member);
      await release(two());
      expect(await fetched(member)).toEqual({ is: "changed", version: 2 });
      const before = readFileSync(fileOf(member), "utf8");
      await forge(forged());
      expect(await fetched(member)).toEqual({ is: "kept", version: 2, problem: saying(reason) });
      expect(readFileSync(fileOf(member), "utf8")).toBe(before);
      expect(["echo 1", "echo 2"].map((line) => told(member, line))).toEqual(["allow", "deny"]);
      // And the server shows that this machine does not have what it should.
      expect((await db.rows(Problem, "select policy_problem as problem from machines"))[0]?.problem).toContain(reason);
      // Put into the file by somebody, it does not count either.
      const { policy, ...rest } = forged().statement;
      const { key: by, signature } = forged();
      writeFileSync(fileOf(member), `${policy}\n//seal ${JSON.stringify({ signed: { statement: rest, key: by, signature } })}\n`);
      expect(["echo 1", "frobnicate"].map((line) => told(member, line))).toEqual(["ask", "ask"]);
      expect(unknown(member)).toBe("broken");
    });
  });

  it("past its time what is unknown asks, never less; news from the server lets it hold on, up to the end that the key set", async () => {
    await release(version(1, undefined));
    const member = await machine();
    await fetched(member);
    expect(unknown(member)).toBe("confine");
    // The server is away.
    passes(10 * DAY + 1);
    expect([unknown(member), told(member, "echo 1"), told(member, "echo 2"), told(member, "frobnicate")]).toEqual([
      "ask",
      "deny",
      "allow",
      "allow",
    ]);
    await fetched(member);
    expect(unknown(member)).toBe("confine");
    passes(9 * DAY);
    await fetched(member);
    passes(9 * DAY);
    expect(unknown(member)).toBe("confine");
    passes(2 * DAY);
    expect(unknown(member)).toBe("ask");
    // Beyond the end that was signed no news helps.
    passes(75 * DAY);
    await fetched(member);
    expect(unknown(member)).toBe("ask");
  });

  it.each([
    ["deny", "deny"],
    ["ask", "ask"],
    ["confine", "ask"],
  ])("past its time `unknown: %s` is %s", async (before, after) => {
    await release(version(1, undefined, { policy: text("echo 1", before) }));
    const member = await machine();
    await fetched(member);
    expect(unknown(member)).toBe(before);
    passes(11 * DAY);
    expect(unknown(member)).toBe(after);
  });

  it.each<[string, (member: Member) => Promise<void> | void, string]>([
    ["goes forward past the time", () => passes(11 * DAY), "ask"],
    ["goes forward and comes back", () => (passes(11 * DAY), passes(-11 * DAY)), "confine"],
    ["is set back behind the moment at which the version was signed", () => passes(-DAY), "ask"],
    [
      "is set back behind what the server said last",
      async (member) => {
        passes(9 * DAY);
        await fetched(member);
        passes(-5 * DAY);
      },
      "ask",
    ],
    [
      "is set right again",
      async (member) => {
        passes(-DAY);
        passes(DAY);
        await fetched(member);
      },
      "confine",
    ],
  ])("a clock that %s", async (_, happens, then) => {
    await release(version(1, undefined));
    const member = await machine();
    await fetched(member);
    await happens(member);
    expect(unknown(member)).toBe(then);
    expect(told(member, "echo 1")).toBe("deny");
  });

  it("a server cannot say today what will be so in years", async () => {
    await release(version(1, undefined));
    const member = await machine();
    await fetched(member);
    const ahead = now().getTime() + 50 * DAY;
    clock = ahead;
    tick();
    await fetchTeamPolicy(member.place.machine, member.membership, () => START);
    clock = START;
    tick();
    expect(hold(member)?.until).toBe(START + 10 * DAY);
  });

  describe("a cache that somebody has had their hands on never allows", () => {
    it.each<[string, (text: string) => string]>([
      ["is empty", () => ""],
      ["is cut", (whole) => whole.slice(0, -10)],
      ["is cut in the policy", (whole) => whole.slice(0, 20)],
      ["lacks its signature", (whole) => whole.slice(0, whole.lastIndexOf("\n//seal"))],
      ["has another policy", (whole) => whole.replace("echo 1", "echo 7")],
      ["is the one of a team without a policy", () => "// The team that this machine belongs to has no policy yet.\n{}\n"],
      ["has something behind its signature", (whole) => `${whole}{}\n`],
      ["has two signatures", (whole) => `${whole.trimEnd()}\n//seal {}\n`],
    ])("%s", async (_, change) => {
      await release(version(1, undefined));
      const member = await machine();
      await fetched(member);
      const whole = readFileSync(fileOf(member), "utf8");
      writeFileSync(fileOf(member), change(whole));
      expect(["echo 2", "frobnicate"].map((line) => told(member, line))).toEqual(["ask", "ask"]);
      expect(hold(member)?.problem).toBeDefined();
      // The next news mends it.
      expect(await fetched(member)).toMatchObject({ version: 1 });
      expect(["echo 1", "echo 2", "frobnicate"].map((line) => told(member, line))).toEqual(["deny", "allow", "allow"]);
    });

    it.each(["", "{", "{}", '{"v":1,"keys":[]}'])("what it is held against is %j", async (damaged) => {
      await release(version(1, undefined));
      const member = await machine();
      await fetched(member);
      const pin = readFileSync(fileOf(member, "pin.json"), "utf8");
      writeFileSync(fileOf(member, "pin.json"), damaged);
      await release(version(2, version(1, undefined)));
      expect(await fetched(member)).toMatchObject({ is: "kept", problem: saying("not known here any more") });
      writeFileSync(fileOf(member, "pin.json"), pin);
      expect(await fetched(member)).toMatchObject({ is: "changed", version: 2 });
    });
  });

  it("a new machine takes nothing older than what was out when it joined", async () => {
    const [one, two] = [version(1, undefined), version(2, version(1, undefined))];
    await release(one);
    await release(two);
    const member = await machine();
    // A hostile server goes back to the older one.
    await db.run("delete from policy_versions where version = 2");
    expect(await fetched(member)).toMatchObject({ is: "kept", problem: saying("older than 2") });
    expect(told(member, "echo 2")).toBe("ask");
  });

  describe("a new key", () => {
    const next = makeKeyPair();
    const change = (last: Record<string, number>, from = key, to = next, proofBy = next): SignedKeyChange => {
      const statement = { is: "key" as const, organisation, from: from.publicKey, to: to.publicKey, last, made: now().toISOString() };
      return { ...signStatement(statement, from), proof: signStatement(statement, proofBy).signature };
    };
    const rotate = (sent: SignedKeyChange, by = key) =>
      command({ what: "rotate", about: hashStatement(sent.statement) }, { change: sent }, by);

    it("signs from then on, and the old one no more; old machines and new ones follow", async () => {
      const one = version(1, undefined);
      await release(one);
      const member = await machine();
      await fetched(member);
      expect((await rotate(change({ default: 1 }))).status).toBe(200);
      // The old version holds on, for those who join now, too.
      expect(await fetched(member)).toEqual({ is: "current", version: 1 });
      const young = await machine();
      expect(await fetched(young)).toEqual({ is: "changed", version: 1 });
      const old = version(2, one);
      await expect(pushPolicy(db, old, now())).rejects.toThrow("newest key");
      passes(1000);
      expect((await why(await command({})))[0]).toBe(409);
      const two = version(2, one, {}, next);
      await release(two);
      for (const each of [member, young]) {
        expect(await fetched(each)).toEqual({ is: "changed", version: 2 });
        expect(hold(each)?.keys).toEqual([keyIdOf(key.publicKey), keyIdOf(next.publicKey)]);
      }
      // What the old one signs behind the change counts nowhere.
      await db.run("update policy_versions set version = 3, signed = $1, hash = decode($2, 'hex') where version = 2", [
        JSON.stringify(version(3, two)),
        Buffer.from(hashStatement(version(3, two).statement), "base64url").toString("hex"),
      ]);
      expect(await fetched(member)).toMatchObject({ is: "kept", version: 2, problem: saying("replaced before") });
    });

    it.each<[string, () => SignedKeyChange, typeof key, string]>([
      ["that a stranger signed", () => change({ default: 1 }, stranger), stranger, "not signed by the key"],
      ["that a stranger signed and the key sends", () => change({ default: 1 }, stranger), key, "another key"],
      ["that does not itself agree", () => change({ default: 1 }, key, next, stranger), key, "not signed by both"],
      ["that forgets a version", () => change({}), key, "does not count version 1"],
    ])("%s is not taken", async (_, sent, by, reason) => {
      await release(version(1, undefined));
      expect(await why(await rotate(sent(), by))).toEqual([409, expect.stringContaining(reason)]);
    });
  });

  it("goes to some machines of a group first; who has it keeps it, and none goes back", async () => {
    const one = version(1, undefined);
    await release(one);
    const members = await Promise.all(Array.from({ length: 8 }, () => machine()));
    for (const member of members) await fetched(member);
    const parts = members.map(({ membership }) => partOf(membership.machine, "default", 2)).toSorted((a, b) => a - b);
    const percent = (parts[3] ?? 0) + 1;
    const expected = parts.filter((part) => part < percent).length;
    await release(version(2, one), percent);
    const have = async (): Promise<number> => {
      const got = [];
      for (const member of members) got.push((await fetched(member)).version);
      return got.filter((number) => number === 2).length;
    };
    expect(await have()).toBe(expected);
    // Stopped: no further one gets it, and those who have it go on having news of it.
    await releasePolicy(db, { group: "default", version: 2, percent: 0 }, "a test", now());
    expect(await have()).toBe(expected);
    await releasePolicy(db, { group: "default", version: 2, percent: 100 }, "a test", now());
    expect(await have()).toBe(8);
    await expect(releasePolicy(db, { group: "default", version: 1, percent: 100 }, "a test", now())).rejects.toThrow(
      "machines refuse an older one",
    );
  });

  it("each group of machines has its own", async () => {
    await release(version(1, undefined));
    await release(version(1, undefined, { group: "ci", policy: text("echo ci") }));
    const [plain, ci] = [await machine(), await machine("ci")];
    await fetched(plain);
    await fetched(ci);
    expect(["echo 1", "echo ci"].map((line) => [told(plain, line), told(ci, line)])).toEqual([
      ["deny", "allow"],
      ["allow", "deny"],
    ]);
    // A server that moves a machine to another group gets nowhere.
    await db.run("update machines set grp = 'ci' where id = $1", [plain.membership.machine]);
    await release(version(2, version(1, undefined, { group: "ci", policy: text("echo ci") }), { group: "ci" }));
    expect(await fetched(plain)).toMatchObject({ is: "kept", problem: saying("belongs to default") });
    expect(told(plain, "echo 1")).toBe("deny");
  });

  describe("of commands, the server does only", () => {
    it("what the team's key signed, for this team, now, once", async () => {
      const one = version(1, undefined);
      const about = hashStatement(one.statement);
      const cases: readonly [Response, number, string][] = [
        [await command({ what: "push", about }, { signed: one }, stranger), 409, "not signed by the key"],
        [await command({ what: "push", about, organisation: "o".repeat(22) }, { signed: one }), 409, "not signed by the key"],
        [await command({ what: "push", about, at: new Date(clock - DAY).toISOString() }, { signed: one }), 409, "clock"],
        [await command({ what: "push", about }, { signed: version(1, undefined, { policy: text("x") }) }), 409, "not what was signed"],
        [await command({ what: "push", about: null, at: new Date(clock + 1).toISOString() }, {}), 409, "not what was signed"],
        [await command({ what: "push", about, at: new Date(clock + 2).toISOString() }, { signed: one }), 200, ""],
        [await command({ what: "push", about, at: new Date(clock + 2).toISOString() }, { signed: one }), 409, "sent before"],
        [
          await command({ what: "release", about, group: "default", version: 1, percent: 100, at: new Date(clock + 3).toISOString() }),
          200,
          "",
        ],
        [
          await command({ what: "release", group: "default", version: 1, percent: 5, at: new Date(clock + 4).toISOString() }),
          409,
          "no such version",
        ],
        [
          await command({ what: "release", about, group: "default", version: 9, percent: 100, at: new Date(clock + 5).toISOString() }),
          409,
          "no such",
        ],
      ];
      for (const [response, status, reason] of cases) expect(await why(response)).toEqual([status, expect.stringContaining(reason)]);
      expect(await policyGroups(db)).toMatchObject([{ all: 1 }]);
    });

    it.each<[string, () => Signed<PolicyVersion>, string]>([
      ["a number is left out", () => version(3, version(1, undefined)), "does not follow"],
      ["another one was signed before", () => version(2, version(1, undefined, { policy: text("x") })), "does not follow"],
      ["the number is taken", () => version(1, undefined, { policy: text("x") }), "sign a newer one"],
      ["it is of another team", () => version(2, version(1, undefined), { organisation: "o".repeat(22) }), "another team"],
      ["a stranger signed it", () => version(2, version(1, undefined), {}, stranger), "newest key"],
    ])("takes no version where %s", async (_, signed, reason) => {
      await release(version(1, undefined));
      await expect(pushPolicy(db, signed(), now())).rejects.toThrow(reason);
      expect(await policyGroups(db)).toMatchObject([{ all: 1, versions: [{ version: 1 }] }]);
    });

    it("has one first key, and an administrator names it", async () => {
      await expect(addFirstKey(db, stranger.publicKey, "an administrator", now())).rejects.toThrow("has a key already");
      const unsigned = await fetch(`${base}/policy/key`, {
        method: "POST",
        headers: { origin: base },
        body: new URLSearchParams({ key: "x" }),
      });
      expect(unsigned.status).toBe(401);
    });
  });

  it("the page takes what was signed, shows it as text, and releases it", async () => {
    const headers = await server.admin();
    tick();
    const form = (path: string, fields: Record<string, string>, more: Readonly<Record<string, string>> = {}) =>
      server.form(path, fields, more);
    const one = version(1, undefined, { policy: "// <script>alert(1)</script>\n{}\n" });
    for (const path of ["/policy/key", "/policy/push", "/policy/release"]) {
      expect((await form(path, {})).status).toBe(401);
      for (const role of ["approver", "viewer"])
        expect((await form(path, {}, await server.person(`${role}${path}`, role))).status).toBe(403);
    }
    tick();
    expect((await server.get("/policy")).status).toBe(401);
    expect((await form("/policy/push", { signed: JSON.stringify(one) }, headers)).text).toContain("Version 1 of default is here");
    expect((await form("/policy/push", { signed: "{}" }, headers)).text).toContain("this is not what");
    const shown = (await server.get("/policy?group=default&version=1", headers)).text;
    expect(shown).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(shown).not.toContain("<script>alert");
    const member = await machine();
    expect(await fetched(member)).toEqual({ is: "none" });
    const released = await form("/policy/release", { group: "default", version: "1", percent: "100" }, headers);
    expect(released.text).toContain("goes to all its machines");
    expect(await fetched(member)).toEqual({ is: "changed", version: 1 });
    for (const fields of [
      { percent: "101" },
      { percent: "" },
      { version: "x" },
      { group: "'; drop table machines; --" },
      { version: "99999999999999" },
    ])
      expect((await form("/policy/release", { group: "default", version: "1", percent: "100", ...fields }, headers)).status).toBe(409);
  });
});
