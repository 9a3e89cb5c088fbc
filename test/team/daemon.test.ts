import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { hashStatement, makeKeyPair, type PolicyVersion, type Signed, signStatement } from "@assent/guard/signature";
import { endOfLog } from "@assent/guard/audit";
import { stateFolder } from "@assent/guard/state";
import { askRemote, hashRequest, isTeamReached, readAnswer } from "@assent/team/team/remote";
import { readHeld, readMembership, readSender, type TeamMembership, writeMembership, writePin } from "@assent/team/team";
import { HAS_CLIENT, startJudge } from "../daemon/judge.ts";
import { assent, DIST, scratch, type Scratch } from "../scratch.ts";
import { organisationOf } from "@assent/team-server/enrol";
import { addFirstKey, pushPolicy, releasePolicy } from "@assent/team-server/policies";
import { onEveryDatabase } from "./harness/databases.ts";
import { type TestMachine, TestServer } from "./harness/server.ts";

/** The judge that stays, on a machine of a team: nobody runs `assent team send`. */

const Listed = v.object({ questions: v.array(v.object({ id: v.string() })) });
const Count = v.object({ count: v.number() });
const key = makeKeyPair();
const soon = { timeout: 40_000, interval: 50 };

describe.skipIf(!HAS_CLIENT)("the judge that stays sends", () => {
  onEveryDatabase("to the team", (where) => {
    let server: TestServer;
    let place: Scratch;
    let joined: TestMachine;
    let organisation: string;
    const judges: ChildProcess[] = [];

    beforeEach(async () => {
      const db = await where.fresh();
      server = await TestServer.start(db, where.kind === "embedded" ? [] : [where.again(), where.again()]);
      server.now = new Date();
      organisation = await organisationOf(db);
      await addFirstKey(db, key.publicKey, "a test", server.now);
      joined = await server.join();
      server.now = new Date();
      place = scratch();
    });
    afterEach(async () => {
      for (const judge of judges.splice(0)) judge.kill("SIGKILL");
      await server.close();
    });

    const member = (): TeamMembership => ({
      v: 1,
      url: server.base,
      machine: joined.machine,
      organisation,
      name: "laptop",
      token: joined.token,
      salt: Buffer.alloc(32, 1).toString("base64url"),
      joined: "2026-11-20T10:00:00Z",
      from: endOfLog(stateFolder(place.machine)),
    });
    const enrol = (): void => {
      const least = { version: 0, hash: null };
      expect(writePin(place.machine, { v: 1, organisation, group: "default", keys: [{ key: key.publicKey, last: null }], least })).toBe(
        undefined,
      );
      expect(writeMembership(place.machine, member())).toBe(undefined);
    };
    const judge = async (): Promise<ChildProcess> => {
      const made = await startJudge(place);
      judges.push(made);
      return made;
    };
    const decide = (...commands: readonly string[]): void => {
      for (const command of commands) {
        const call = { tool: "shell", input: { command }, cwd: place.project, session: "s1" };
        expect(assent(place, ["check", "--agent", "generic"], JSON.stringify(call)).stdout).toContain("decision");
      }
    };
    /** The server is in this process: it is not waited for in one piece. */
    const says = async (...words: readonly string[]): Promise<string> => {
      const child = spawn(process.execPath, [join(DIST, "bin.cjs"), ...words], {
        env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: place.home },
        stdio: ["ignore", "pipe", "inherit"],
      });
      let said = "";
      child.stdout.on("data", (part: Buffer) => (said += part.toString()));
      await once(child, "close");
      return said;
    };
    const records = async (): Promise<number> =>
      (await server.db.rows(Count, "select count(*)::int as count from log where machine = $1", [joined.machine]))[0]?.count ?? 0;
    const connected = () =>
      vi.waitFor(() => expect([readSender(place.machine)?.by, isTeamReached(place.machine)]).toEqual(["daemon", true]), soon);
    const version = (number: number, previous?: Signed<PolicyVersion>): Signed<PolicyVersion> =>
      signStatement<PolicyVersion>(
        {
          is: "policy",
          organisation,
          group: "default",
          version: number,
          previous: previous === undefined ? null : hashStatement(previous.statement),
          made: new Date().toISOString(),
          expires: null,
          renewal: null,
          policy: JSON.stringify({ permissions: { deny: [`Bash(echo ${number})`] } }),
        },
        key,
      );
    const release = async (signed: Signed<PolicyVersion>): Promise<void> => {
      await pushPolicy(server.db, signed, new Date());
      await releasePolicy(server.db, { group: "default", version: signed.statement.version, percent: 100 }, "a test", new Date());
    };

    it("the log, questions and answers, and a policy as soon as it is released", async () => {
      enrol();
      await judge();
      await connected();
      decide("echo a", "echo b");
      await vi.waitFor(async () => expect(await records()).toBe(2), soon);
      const about = { point: "hook", agent: "claude", what: "run weird", reason: "no rule allows it", folder: "~" } as const;
      const asked = askRemote(place.machine, {
        request: hashRequest(["x"]),
        asked: Date.now(),
        until: Date.now() + 600_000,
        people: 1,
        passkeys: undefined,
        about,
      });
      const approver = await server.person("Ada", "approver");
      server.now = new Date();
      const shown = async () => v.parse(Listed, JSON.parse((await server.get("/questions.json", approver)).text)).questions;
      await vi.waitFor(async () => expect((await shown()).map(({ id }) => id)).toEqual([asked.id]), soon);
      await server.form("/answer", { machine: joined.machine, id: asked.id, request: asked.request, answer: "allow" }, approver);
      await vi.waitFor(() => expect(readAnswer(place.machine, asked)).toMatchObject({ answer: "allow", by: ["Ada"] }), soon);
      // Without word of it the next look would be minutes away.
      const one = version(1);
      await release(one);
      await vi.waitFor(() => expect(readHeld(place.machine)?.version).toBe(1), soon);
      await release(version(2, one));
      await vi.waitFor(() => expect(readHeld(place.machine)?.version).toBe(2), soon);
      expect(JSON.parse(assent(place, ["daemon", "--json"]).stdout)).toMatchObject({ running: { team: "connected" } });
      expect(await says("team", "status")).toMatch(/\n {2}the daemon \(process \d+\) sends\n/);
    });

    it("from the moment the machine joins until it leaves, and nothing of the team stays", async () => {
      await judge();
      enrol();
      await connected();
      expect(await says("team", "leave")).toContain("belongs to no team");
      await vi.waitFor(() => expect(existsSync(join(stateFolder(place.machine), "team-member"))).toBe(false), soon);
      expect(readMembership(place.machine)).toBe("missing");
    });

    it("or another process does, which says so, and goes on where the first one was killed", async () => {
      enrol();
      const first = await judge();
      await connected();
      const follow = spawn(process.execPath, [join(DIST, "bin.cjs"), "team", "send", "--follow"], {
        env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: place.home },
        stdio: ["ignore", "ignore", "pipe"],
      });
      judges.push(follow);
      let said = "";
      follow.stderr.on("data", (part: Buffer) => (said += part.toString()));
      await vi.waitFor(() => expect(said).toMatch(/the daemon \(process \d+\) sends already: this one goes on when that one ends/), soon);
      first.kill("SIGKILL");
      await vi.waitFor(() => expect(readSender(place.machine)?.by).toBe("command"), soon);
      decide("echo a", "echo b", "echo c");
      await vi.waitFor(async () => expect(await records()).toBe(3), soon);
      follow.kill("SIGTERM");
      await vi.waitFor(() => expect(readSender(place.machine)).toBe(undefined), soon);
    });

    it("a server that goes costs no answer, and is missed", async () => {
      enrol();
      const made = await judge();
      await connected();
      await server.close();
      decide("echo a");
      await vi.waitFor(() => expect(isTeamReached(place.machine)).toBe(false), soon);
      expect(made.exitCode).toBe(null);
      expect(JSON.parse(assent(place, ["daemon", "--json"]).stdout)).toMatchObject({ running: { answers: true } });
      expect(assent(place, ["doctor", "--json"]).stdout).toContain('"id":"sender","title":"what is decided here is sent","ok":false');
    });
  });
});
