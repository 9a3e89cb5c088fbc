import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as v from "valibot";
import { joinByFleet } from "../../packages/assent/src/cli/team-member.ts";
import {
  fleetFile,
  fleetMark,
  fleetProgress,
  forgetTeam,
  isFleetDue,
  joinFleetWhenDue,
  noteLeft,
  readFleetFile,
  readJoining,
  readMembership,
} from "@assent/team/team";
import { writeJoining } from "@assent/team/team/fleet";
import { daemonFolder, stateFolder, writeAtomic } from "@assent/guard/state";
import { DIST, scratch, type Scratch } from "../scratch.ts";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { EnrolState } from "@assent/team/team/protocol";
import { enrolByFleet, fleetKeys, makeFleetKey, revokeFleetKey } from "@assent/team-server/enrol";
import { onEveryDatabase } from "./harness/databases.ts";
import { ended } from "./harness/processes.ts";
import { type Got, TestServer } from "./harness/server.ts";

const CAN_MOUNT = process.getuid?.() === 0 && spawnSync("unshare", ["-m", "true"]).status === 0;

/** Starts `assent` where root's file is on the machine: in a namespace of its own, whose /etc is ours. */
function startWithFleet(own: Scratch, fleet: object, words: readonly string[], input: string) {
  const etc = join(own.root, "etc");
  mkdirSync(join(etc, "assent"), { recursive: true });
  // One that is written again is another one.
  if (!existsSync(join(etc, "assent/team.json"))) writeFileSync(join(etc, "assent/team.json"), JSON.stringify(fleet));
  const script = 'cp -a /etc/passwd /etc/group "$1" && mount --bind "$1" /etc && shift && exec "$@"';
  const child = spawn("unshare", ["-m", "sh", "-c", script, "sh", etc, process.execPath, join(DIST, "bin.cjs"), ...words], {
    cwd: own.project,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: own.home },
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.end(input);
  return child;
}

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

  it.skipIf(process.getuid?.() !== 0)(
    "a machine that is away or refused tries again, later each time, and one that left stays away",
    async () => {
      const own = scratch();
      const machine = { ...own.machine, managedPolicy: `${own.root}/etc/policy.jsonc` };
      mkdirSync(dirname(fleetFile(machine)));
      const writeFleet = (more: object): void =>
        writeFileSync(fleetFile(machine), JSON.stringify({ v: 1, url: server.base, key, ...more }));
      const attempt = async (): Promise<unknown> => [await joinFleetWhenDue(machine, "command"), fleetProgress(machine)];
      const later = (): void =>
        writeAtomic(`${stateFolder(machine)}/team-member/joining.json`, JSON.stringify({ ...readJoining(machine), next: 0 }));
      expect(await attempt()).toEqual([false, undefined]);
      writeFleet({ group: "default" });
      expect(isFleetDue(machine, Date.now())).toBe(true);
      const waits: number[] = [];
      for (let tries = 1; tries <= 5; tries++) {
        expect(await attempt()).toMatchObject([false, { is: "refused", tries, why: saying("lets nobody in") }]);
        expect(isFleetDue(machine, Date.now())).toBe(false);
        // It is not time: nothing is asked.
        expect(await attempt()).toMatchObject([false, { tries }]);
        const { next = 0, at = 0 } = readJoining(machine) ?? {};
        waits.push(next - at);
        later();
      }
      // Twice as long each time, a quarter more or less.
      for (const [at, wait] of waits.entries())
        expect([at, wait / 60_000 / 2 ** at > 0.74, wait / 60_000 / 2 ** at < 1.26]).toEqual([at, true, true]);
      // Whoever sets the clock back waits no longer.
      expect(isFleetDue(machine, (readJoining(machine)?.at ?? 0) - 1)).toBe(true);
      // Another file is another chance, at once; an unreachable server no refusal.
      writeFleet({ group: "ci", url: "http://127.0.0.1:1" });
      expect(await attempt()).toMatchObject([false, { is: "away", tries: 1, why: saying("127.0.0.1:1") }]);
      writeFleet({ group: "ci" });
      expect(await attempt()).toEqual([true, undefined]);
      expect([readMembership(machine), readJoining(machine)]).toMatchObject([{ url: server.base }, undefined]);
      expect(isFleetDue(machine, Date.now())).toBe(false);
      forgetTeam(machine);
      noteLeft(machine);
      expect(await attempt()).toMatchObject([false, { is: "left" }]);
      expect(await fleetKeys(server.db)).toMatchObject([{ used: 1, machines: 1 }]);
      writeFleet({ group: "ci", level: "verdict" });
      expect(await attempt()).toEqual([true, undefined]);
      expect(await fleetKeys(server.db)).toMatchObject([{ used: 2, machines: 2 }]);
    },
  );

  it.skipIf(process.getuid?.() !== 0)("an answer that was lost lets in no second machine, and two at once are one", async () => {
    const own = scratch();
    const machine = { ...own.machine, managedPolicy: `${own.root}/etc/policy.jsonc` };
    mkdirSync(dirname(fleetFile(machine)));
    writeFileSync(fleetFile(machine), JSON.stringify({ v: 1, url: server.base, key, group: "ci" }));
    // Killed after the server had let it in.
    const asked = {
      is: "trying",
      mark: fleetMark(machine),
      secret: secretOf("z"),
      tries: 1,
      at: Date.now() - 2,
      next: Date.now() - 1,
      why: "",
    } as const;
    expect(writeJoining(machine, asked)).toBe(undefined);
    const first = await joined({ secret: secretOf("z") });
    const both = await Promise.all([
      joinFleetWhenDue(machine, "command"),
      joinFleetWhenDue(machine, "command"),
      joinFleetWhenDue(machine, "daemon"),
    ]);
    expect(both).toContain(true);
    expect(readMembership(machine)).toMatchObject({ machine: first.machine });
    expect(await fleetKeys(server.db)).toMatchObject([{ used: 1, machines: 1 }]);
  });

  const call = (own: Scratch): string => JSON.stringify({ tool: "shell", input: { command: "ls" }, cwd: own.project, session: "s1" });
  const starts: readonly (readonly [string, readonly string[]])[] = [
    ["a hook call", ["check", "--agent", "generic"]],
    ["a run", ["run", "-P", "--", "/bin/true"]],
    ["the judge that stays", ["daemon", "--serve"]],
    ["team send --follow", ["team", "send", "--follow"]],
  ];
  it.skipIf(!CAN_MOUNT).each(starts)("%s makes a machine join that root's file is on", async (_, words) => {
    const own = scratch();
    mkdirSync(daemonFolder(own.machine), { recursive: true, mode: 0o700 });
    const ran = startWithFleet(own, { v: 1, url: server.base, key, group: "ci" }, words, call(own));
    await vi.waitFor(() => expect(readMembership(own.machine)).toMatchObject({ url: server.base }), { timeout: 60_000, interval: 50 });
    expect(await fleetKeys(server.db)).toMatchObject([{ used: 1, machines: 1 }]);
    ran.kill("SIGTERM");
    await ended(ran);
  });

  it.skipIf(!CAN_MOUNT)("a hook is answered as ever though the server refuses, and status and doctor say why", async () => {
    const own = scratch();
    const refusing = { v: 1, url: server.base, key: "k".repeat(43), group: "ci" };
    const run = async (...words: readonly string[]): Promise<{ said: string; status: number | null }> => {
      const ran = startWithFleet(own, refusing, words, call(own));
      let said = "";
      ran.stdout.on("data", (part: Buffer) => (said += part.toString()));
      await ended(ran);
      return { said, status: ran.exitCode };
    };
    expect((await run("team", "status")).said).toMatch(/belongs to no team yet: .*which it joins with the next hook call or run/);
    expect(await run("check", "--agent", "generic")).toMatchObject({ said: saying('"decision":"allow"'), status: 0 });
    await vi.waitFor(() => expect(readJoining(own.machine)?.is).toBe("refused"), { timeout: 60_000, interval: 50 });
    expect(await run("team", "status")).toMatchObject({ said: saying("it tried once, and was refused: "), status: 1 });
    expect(JSON.parse((await run("team", "status", "--json")).said)).toMatchObject({ team: null, joining: { is: "refused", tries: 1 } });
    expect((await run("doctor", "--json")).said).toContain('"id":"joins","title":"this machine joins its team","ok":false');
    expect(await run("check", "--agent", "generic")).toMatchObject({ said: saying('"decision":"allow"'), status: 0 });
    expect(readJoining(own.machine)?.tries).toBe(1);
  });

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
