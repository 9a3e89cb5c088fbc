import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import * as v from "valibot";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Machine } from "@assent/guard/state";
import { type AskedRemote, askRemote, hashRequest, isTeamReached, knownRemote, readAnswer, takeRemote } from "@assent/team/team/remote";
import { carryQuestions, type TeamMembership } from "@assent/team/team";
import { onEveryDatabase } from "./harness/databases.ts";
import { type TestMachine, TestServer } from "./harness/server.ts";

const Listed = v.object({ questions: v.array(v.object({ id: v.string(), request: v.string(), about: v.object({ what: v.string() }) })) });

onEveryDatabase("the machine's connection", (place) => {
  let server: TestServer;
  let joined: TestMachine;
  let approver: { readonly cookie: string };
  let folder: string;
  let machine: Machine;
  let membership: TeamMembership;
  const ends: (() => Promise<void>)[] = [];

  beforeEach(async () => {
    const db = await place.fresh();
    server = await TestServer.start(db, place.kind === "embedded" ? [] : [place.again(), place.again()]);
    joined = await server.join();
    approver = await server.person("Ada", "approver");
    folder = mkdtempSync(join(tmpdir(), "assent-afar-"));
    machine = { home: folder, env: {}, platform: process.platform, uid: process.getuid?.(), temp: [], managedPolicy: join(folder, "none") };
    membership = {
      v: 1,
      url: server.base,
      machine: joined.machine,
      organisation: "o",
      name: "laptop",
      token: joined.token,
      salt: "s",
      joined: "",
      from: { segment: 0, offset: 0, seq: 0 },
    };
  });
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** As `assent team send --follow` does. */
  const carry = (member = membership): (() => Promise<void>) => {
    const over = new AbortController();
    const carried = carryQuestions({ machine, membership: member, notice: () => undefined, signal: over.signal });
    const end = async (): Promise<void> => {
      over.abort();
      await carried;
    };
    ends.push(end);
    return end;
  };
  const asks = (what: string, people: 1 | 2 = 1): AskedRemote => {
    const now = Date.now();
    const about = { point: "hook", agent: "claude", what, reason: "no rule allows it", folder: "~" } as const;
    return askRemote(machine, { request: hashRequest([what]), asked: now, until: now + 600_000, people, passkeys: undefined, about });
  };
  const shown = async () => v.parse(Listed, JSON.parse((await server.get("/questions.json", approver)).text)).questions;
  const arrives = (what: string) =>
    vi.waitFor(async () => expect((await shown()).map(({ about }) => about.what)).toContain(what), { timeout: 20_000, interval: 50 });
  const says = async ({ id, request }: AskedRemote, answer: string): Promise<number> =>
    (await server.form("/answer", { machine: joined.machine, id, request, answer }, approver)).status;
  const hears = (asked: AskedRemote, answer: string) =>
    vi.waitFor(() => expect(readAnswer(machine, asked)).toMatchObject({ answer, by: ["Ada"] }), { timeout: 20_000, interval: 20 });
  const became = async (): Promise<readonly unknown[]> =>
    (await server.db.rows(v.object({ became: v.nullable(v.string()) }), "select became from questions order by asked")).map(
      (row) => row.became,
    );

  it("carries a question there and the answer back, and says so", async () => {
    carry();
    const asked = asks("run npm publish");
    await arrives("run npm publish");
    expect(isTeamReached(machine)).toBe(true);
    expect(await says(asked, "allow")).toBe(200);
    await hears(asked, "allow");
    await vi.waitFor(async () => expect(await became()).toEqual(["applied"]), { timeout: 20_000 });
  });

  it("what is over on the machine is withdrawn there", async () => {
    carry();
    const asked = asks("run npm publish");
    await arrives("run npm publish");
    takeRemote(machine, asked.id);
    await vi.waitFor(async () => expect(await shown()).toEqual([]), { timeout: 20_000 });
    expect(await says(asked, "allow")).toBe(409);
  });

  it("is killed and started at any time: nothing is lost, nothing twice", async () => {
    const asked = [1, 2, 3, 4, 5, 6].map((nth) => asks(`run ${nth}`));
    let end = carry();
    await arrives("run 6");
    for (const [nth, one] of asked.entries()) {
      await end();
      expect(isTeamReached(machine)).toBe(false);
      expect(await says(one, nth % 2 === 0 ? "allow" : "deny")).toBe(200);
      end = carry();
      await pause(nth * 7);
    }
    for (const [nth, one] of asked.entries()) await hears(one, nth % 2 === 0 ? "allow" : "deny");
    await vi.waitFor(async () => expect(await became()).toEqual(asked.map(() => "applied")), { timeout: 20_000 });
    expect(knownRemote(machine)).toHaveLength(6);
  });

  it("another machine's connection hears nothing of it", async () => {
    const other = await server.join("other");
    carry({ ...membership, token: other.token });
    const asked = asks("run npm publish");
    await arrives("run npm publish");
    // It asked as the other one.
    expect(await says(asked, "allow")).toBe(409);
    await pause(1500);
    expect(readAnswer(machine, asked)).toBeUndefined();
  });

  it("a machine that was removed is not reached", async () => {
    carry();
    await vi.waitFor(() => expect(isTeamReached(machine)).toBe(true), { timeout: 20_000 });
    await server.form("/remove", { id: joined.machine }, await server.admin());
    // It is cut off, and not let in again.
    await vi.waitFor(() => expect(isTeamReached(machine)).toBe(false), { timeout: 20_000 });
    await pause(1500);
    expect(isTeamReached(machine)).toBe(false);
  });

  it.runIf(place.kind === "postgresql")("a lost notification and cut connections cost seconds, not an answer", async () => {
    carry();
    const asked = asks("run npm publish");
    await arrives("run npm publish");
    await place.cut();
    // As another process would have done, without saying so.
    await vi.waitFor(
      () =>
        server.db.run(
          "insert into answers (machine, question, person, answer, at) values ($1, $2, 'Ada', 'allow', now()) on conflict do nothing",
          [joined.machine, asked.id],
        ),
      { timeout: 20_000 },
    );
    await server.db.run("update questions set state = 'allowed', decided = now() where id = $1", [asked.id]);
    await hears(asked, "allow");
    await vi.waitFor(async () => expect(await became()).toEqual(["applied"]), { timeout: 20_000 });
  });
});
