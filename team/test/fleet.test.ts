import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import * as v from "valibot";
import { joinByFleet } from "../../src/cli/team-member.ts";
import { fleetFile, readFleetFile, readMembership } from "../../src/team/index.ts";
import { scratch } from "../../test/scratch.ts";
import { afterEach, beforeEach, expect, it } from "vitest";
import { EnrolState } from "../../src/team/protocol/index.ts";
import { enrolByFleet, fleetKeys, makeFleetKey, revokeFleetKey } from "../src/enrol/index.ts";
import { onEveryDatabase } from "./harness/databases.ts";
import { type Got, TestServer } from "./harness/server.ts";

/** So that what a matcher is stays unknown. */
const saying = (part: string): unknown => expect.stringContaining(part);

/** Machines that let themselves in by a key. */

onEveryDatabase("a fleet", (place) => {
  let server: TestServer;
  let key: string;
  const secretOf = (letter: string): string => letter.repeat(43);

  beforeEach(async () => {
    server = await TestServer.start(await place.fresh());
    key = await makeFleetKey(
      server.db,
      { name: "runners", group: "ci", uses: 2, expires: server.now.getTime() + 3_600_000 },
      "a test",
      server.now,
    );
  });
  afterEach(() => server.close());

  const enrol = (more: Readonly<Record<string, string>> = {}): Promise<Got> =>
    server.post("/v1/enrol/fleet", {
      v: 1,
      name: "box",
      platform: "linux x64",
      version: "0.1.0",
      group: "ci",
      key,
      secret: secretOf("a"),
      ...more,
    });
  const joined = async (more: Readonly<Record<string, string>> = {}) => {
    const state = v.parse(EnrolState, JSON.parse((await enrol(more)).text));
    if (state.is !== "joined") throw new Error(state.is);
    return state;
  };
  const speaks = async (token: string): Promise<boolean> =>
    (await server.get("/v1/machine", { authorization: `Bearer ${token}` })).status === 200;

  it("lets as many in as it says, each once however often it asks, and lists them with its name", async () => {
    const first = await joined();
    expect(await speaks(first.token)).toBe(true);
    expect(first.policy?.group).toBe("ci");
    // The answer was lost.
    expect(await joined()).toEqual(first);
    const second = await joined({ secret: secretOf("b") });
    expect(second.machine).not.toBe(first.machine);
    expect((await enrol({ secret: secretOf("c") })).status).toBe(403);
    expect(await fleetKeys(server.db)).toMatchObject([{ name: "runners", group: "ci", uses: 2, used: 2, machines: 2, revoked: null }]);
    const admin = await server.admin();
    expect((await server.get("/", admin)).text).toContain("the key runners");
    // One that was sent away does not come back by asking again.
    await server.form("/remove", { id: first.machine }, admin);
    expect([(await enrol()).status, await speaks(first.token), await speaks(second.token)]).toEqual([403, false, true]);
  });

  it("lets as many in as it says, though all come at once", async () => {
    const asked = [..."abcdefaabb"].map((letter) => enrol({ secret: secretOf(letter) }));
    const machines = (await Promise.all(asked)).flatMap(({ status, text }) =>
      status === 200 ? [(JSON.parse(text) as { machine: string }).machine] : [],
    );
    expect(new Set(machines).size).toBe(2);
    expect(await fleetKeys(server.db)).toMatchObject([{ used: 2, machines: 2 }]);
  });

  it.each([
    ["another key", { key: "k".repeat(43) }],
    ["another group", { group: "default" }],
    ["a group that is none", { group: "CI; drop table" }],
    ["no key", { key: "" }],
    ["a secret that could be guessed", { secret: "a" }],
  ])("lets nobody in with %s", async (_, more) => {
    expect((await enrol(more)).status).toBeGreaterThanOrEqual(400);
    expect(await fleetKeys(server.db)).toMatchObject([{ used: 0, machines: 0 }]);
  });

  it("lets nobody in when it is too old, or revoked; with its machines or without", async () => {
    const first = await joined();
    const [{ id } = { id: "" }] = await fleetKeys(server.db);
    expect(await revokeFleetKey(server.db, "nobody", true, "a test", server.now)).toBeUndefined();
    expect(await revokeFleetKey(server.db, id, false, "a test", server.now)).toBe(0);
    expect([(await enrol({ secret: secretOf("b") })).status, await speaks(first.token)]).toEqual([403, true]);
    expect(await revokeFleetKey(server.db, id, true, "a test", server.now)).toBe(1);
    expect(await speaks(first.token)).toBe(false);
    const other = await makeFleetKey(
      server.db,
      { name: "x", group: "ci", uses: 1, expires: server.now.getTime() + 1000 },
      "a test",
      server.now,
    );
    server.pass(1001);
    expect((await enrol({ key: other, secret: secretOf("d") })).status).toBe(403);
  });

  // The file counts only where root wrote it.
  it.skipIf(process.getuid?.() !== 0)(
    "a machine joins by the file beside the managed policy, which nobody but root can write",
    async () => {
      const own = scratch();
      const machine = { ...own.machine, managedPolicy: `${own.root}/etc/policy.jsonc` };
      const file = fleetFile(machine);
      expect(readFleetFile(machine)).toBeUndefined();
      mkdirSync(dirname(file));
      const rows: readonly [unknown, number, string][] = [
        [{ v: 1, url: server.base, key, group: "ci" }, 0o666, "by others than root"],
        [{ v: 1, url: server.base, key: "short", group: "ci" }, 0o644, "`key` is not as it should be"],
        [{ v: 1, url: server.base, key, run: "x" }, 0o644, "`run` is not as it should be"],
        ["{", 0o644, "is not JSON"],
      ];
      for (const [content, mode, problem] of rows) {
        writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
        chmodSync(file, mode);
        expect(readFleetFile(machine)).toEqual({ problem: saying(problem) });
        expect(await joinByFleet(machine, {})).toBe(1);
        expect(readMembership(machine)).toBe("missing");
      }
      writeFileSync(file, JSON.stringify({ v: 1, url: server.base, key, group: "ci", policyKey: "W".repeat(22) }));
      // Of another key than the one that the file names nothing is taken.
      expect(await joinByFleet(machine, { name: "box" })).toBe(1);
      expect(readMembership(machine)).toBe("missing");
      writeFileSync(file, JSON.stringify({ v: 1, url: server.base, key, group: "ci" }));
      expect(await joinByFleet(machine, { name: "box" })).toBe(0);
      expect(readMembership(machine)).toMatchObject({ url: server.base, name: "box" });
      expect(await fleetKeys(server.db)).toMatchObject([{ used: 2, machines: 1 }]);
    },
  );

  it("the database has no key from which one could let machines in, and none is made that is over", async () => {
    const message = { v: 1, name: "box", platform: "linux", version: "0", group: "ci", secret: secretOf("a") } as const;
    const rows = await server.db.rows(v.object({ all: v.string() }), "select k::text as all from fleet_keys k");
    expect(rows[0]?.all).not.toContain(key);
    const [, hash = ""] = /\\\\x([0-9a-f]{64})/.exec(rows[0]?.all ?? "") ?? [];
    expect(await enrolByFleet(server.db, { ...message, key: Buffer.from(hash, "hex").toString("base64url") }, server.now)).toBeUndefined();
    await expect(
      makeFleetKey(server.db, { name: "x", group: "ci", uses: 1, expires: server.now.getTime() }, "a test", server.now),
    ).rejects.toThrow("later than now");
  });
});
