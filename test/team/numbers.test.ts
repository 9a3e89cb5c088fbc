import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { aboutText, readAbout } from "@assent/team/team/protocol";
import { SeenMachines } from "@assent/team-server/enrol";
import { Metrics } from "../../packages/team-server/src/serve/metrics.ts";
import { teamNumbers, tellingErrors } from "../../packages/team-server/src/serve/numbers.ts";
import { onEveryDatabase, withMachines } from "./harness/databases.ts";

describe("what a machine says of itself", () => {
  it.each<[what: string, header: string | undefined, about: object]>([
    ["what we write", aboutText({ version: "0.1.0", user: "ada" }), { version: "0.1.0", user: "ada" }],
    ["letters of any alphabet", aboutText({ user: "Łukasz; version=9" }), { user: "Łukasz; version=9" }],
    ["a version alone", "version=0.1.0", { version: "0.1.0" }],
    ["nothing", undefined, {}],
    ["what is no encoding", "user=%E0%A4%A", {}],
    ["a field of another name", "__proto__=x; constructor=y; user=ada", { user: "ada" }],
    ["signs that cannot be seen", "user=a%00b%E2%80%AEc", { user: "abc" }],
    ["half of a pair, where it is cut", `user=${"x".repeat(127)}%F0%9F%98%80`, { user: "x".repeat(127) }],
    ["what is too long", `user=${"x".repeat(500)}`, { user: "x".repeat(128) }],
  ])("%s", (_, header, about) => {
    expect(readAbout(header)).toEqual(about);
  });
});

const Row = v.object({ version: v.string(), user: v.nullable(v.string()), seen: v.nullable(v.date()) });

onEveryDatabase("numbers of a team", (place) => {
  it("of machines that were heard: what one says keeps no other from being written down", async () => {
    const db = await place.fresh();
    await withMachines(db, "a", "b");
    const seen = new SeenMachines();
    const now = new Date("2026-11-20T10:00:00Z");
    seen.note("a", now, `user=${"x".repeat(127)}%F0%9F%98%80`);
    seen.note("b", now, "user=ada");
    await seen.write(db);
    const rows = await db.rows(Row, 'select version, user_name as "user", last_seen as seen from machines order by id');
    expect(rows.map(({ user }) => user)).toEqual(["x".repeat(127), "ada"]);
  });

  it("of machines that were heard: written down once in five minutes, and at once where they say something new", async () => {
    const db = await place.fresh();
    await withMachines(db, "a", "b");
    const seen = new SeenMachines();
    const at = (minutes: number): Date => new Date(Date.parse("2026-11-20T10:00:00Z") + minutes * 60_000);
    const row = async () =>
      (await db.rows(Row, "select version, user_name as \"user\", last_seen as seen from machines where id = 'a'"))[0];
    seen.note("a", at(0), "version=0.1.0; user=ada");
    await seen.write(db);
    expect(await row()).toEqual({ version: "0.1.0", user: "ada", seen: at(0) });
    seen.note("a", at(1));
    await seen.write(db);
    expect((await row())?.seen).toEqual(at(0));
    seen.note("a", at(2), "version=0.2.0; user=ada");
    await seen.write(db);
    expect(await row()).toEqual({ version: "0.2.0", user: "ada", seen: at(2) });
    seen.note("a", at(8));
    await seen.write(db);
    expect((await row())?.seen).toEqual(at(8));

    const machines = (await teamNumbers(db, at(60))).find(({ name }) => name === "assent_team_machines");
    expect(machines?.values).toEqual([
      { labels: { state: "seen" }, value: 1 },
      { labels: { state: "silent" }, value: 1 },
      { labels: { state: "waiting" }, value: 0 },
      { labels: { state: "left" }, value: 0 },
    ]);
  });

  it("of questions: how many wait, and since when the oldest does", async () => {
    const db = await place.fresh();
    await withMachines(db, "a");
    const asked = new Date("2026-11-20T10:00:00Z");
    for (const [id, minutes] of [
      ["one", 0],
      ["two", 5],
      ["over", -60],
    ] as const)
      await db.run(
        `insert into questions (machine, id, request, about, people, asked, expires) values ('a', $1, decode(repeat('00', 32), 'hex'), '{}', 1, $2, $3)`,
        [id, new Date(asked.getTime() + minutes * 60_000), new Date(asked.getTime() + (minutes + 30) * 60_000)],
      );
    const numbers = await teamNumbers(db, new Date(asked.getTime() + 10 * 60_000));
    expect(numbers.find(({ name }) => name === "assent_team_questions_waiting")?.values).toEqual([{ value: 2 }]);
    expect(numbers.find(({ name }) => name === "assent_team_questions_oldest_age_seconds")?.values).toEqual([{ value: 600 }]);
  });

  it("of errors of the database: each once, and none of ours", async () => {
    const db = await place.fresh();
    let failed = 0;
    const counted = tellingErrors(db, () => failed++);
    await expect(counted.run("select * from nothing_of_that_name")).rejects.toThrow("nothing_of_that_name");
    expect(failed).toBe(1);
    await expect(counted.transaction((within) => within.run("select 1 / 0"))).rejects.toThrow("division by zero");
    expect(failed).toBe(2);
    await expect(counted.transaction(() => Promise.reject(new Error("ours")))).rejects.toThrow("ours");
    expect(failed).toBe(2);
  });
});

it("a database that does not answer takes its numbers away, and leaves all others", async () => {
  const metrics = new Metrics();
  metrics.count("assent_team_x_total", "X.");
  metrics.gauges(() => Promise.reject(new Error("away")));
  expect(await metrics.whole()).toBe("# HELP assent_team_x_total X.\n# TYPE assent_team_x_total counter\nassent_team_x_total 1\n");
});

it("the name of a group is text in a label", async () => {
  const metrics = new Metrics();
  metrics.gauges(() => Promise.resolve([{ name: "g", help: "G.", values: [{ labels: { group: 'a"b\\c\nd' }, value: 1 }] }]));
  expect(await metrics.whole()).toContain('g{group="a\\"b\\\\c\\nd"} 1\n');
});
