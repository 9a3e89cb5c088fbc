import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { migrate } from "@assent/team-server/database";
import { onEveryDatabase } from "./harness/databases.ts";

const One = v.object({ value: v.unknown() });

onEveryDatabase("a database", (place) => {
  it("gives back what it was given, whatever it is", async () => {
    const db = await place.bare();
    const hostile = ["", "'; drop table machines; --", '"', "\\", "{a,b}", "NULL", "null", "é 🙂 \u2028", "$1", "a\nb\tc\r", "%s\\x00"];
    for (const text of hostile) expect(await db.rows(One, "select $1::text as value", [text])).toEqual([{ value: text }]);
    const listed = await db.rows(One, "select value from unnest($1::text[]) with ordinality as t(value, at) order by at", [
      [...hostile, null],
    ]);
    expect(listed.map(({ value }) => value)).toEqual([...hostile, null]);
  });

  it("has whole numbers as numbers, times as dates", async () => {
    const db = await place.bare();
    const time = new Date("2026-02-03T04:05:06.789Z");
    expect(await db.rows(One, "select $1::bigint as value", [2 ** 53 - 1])).toEqual([{ value: 2 ** 53 - 1 }]);
    expect(await db.rows(One, "select 7::integer as value")).toEqual([{ value: 7 }]);
    expect(await db.rows(One, "select count(*) as value from (values (1), (2)) t")).toEqual([{ value: 2 }]);
    expect(await db.rows(One, "select $1::timestamptz as value", [time])).toEqual([{ value: time }]);
    expect(await db.rows(One, "select $1::bool as value", [true])).toEqual([{ value: true }]);
    expect(await db.rows(One, "select sum(n)::bigint as value from unnest($1::bigint[]) as t(n)", [[1, 2 ** 40, null]])).toEqual([
      { value: 2 ** 40 + 1 },
    ]);
  });

  it("does a transaction whole or not at all", async () => {
    const db = await place.bare();
    await db.script("create table t (n integer primary key)");
    expect(await db.transaction(async (within) => within.run("insert into t values (1), (2)"))).toBe(2);
    const failing = db.transaction(async (within) => {
      await within.run("insert into t values (3)");
      await within.run("insert into t values (1)");
    });
    await expect(failing).rejects.toMatchObject({ code: "23505" });
    await expect(
      db.transaction(async (within) => {
        await within.run("insert into t values (4)");
        throw new Error("given up");
      }),
    ).rejects.toThrow("given up");
    expect(await db.rows(One, "select n as value from t order by n")).toEqual([{ value: 1 }, { value: 2 }]);
    expect(await db.run("delete from t")).toBe(2);
  });

  it("says which row is not what a schema expects", async () => {
    const db = await place.bare();
    await expect(db.rows(v.object({ value: v.number() }), "select 'a' as value")).rejects.toThrow("value is not what is expected of");
  });

  describe("migrations", () => {
    const step = (number: number, sql: string) => ({ number, name: `${number}`, sql, digest: sql });
    const first = step(1, "create table a (n integer)");
    const second = step(2, "create table b (n integer); insert into b values (1)");

    it("are done once, in order, and may be repeated", async () => {
      const db = await place.bare();
      await migrate(db, [first]);
      await migrate(db, [first, second]);
      await migrate(db, [first, second]);
      expect(await db.rows(One, "select n as value from b")).toEqual([{ value: 1 }]);
    });

    it("leave nothing of a step that fails", async () => {
      const db = await place.bare();
      await expect(migrate(db, [first, step(2, "create table b (n integer); insert into nowhere values (1)")])).rejects.toMatchObject({
        code: "42P01",
      });
      expect(await db.rows(One, "select to_regclass('a')::text as value")).toEqual([{ value: null }]);
      await migrate(db, [first, second]);
    });

    it.each([
      ["a newer program made it", [first], "a newer version of assent-team (step 2)"],
      ["its steps were others", [first, { ...second, digest: "another" }], "step 2 of the database is not the one"],
    ])("are refused where %s", async (_, migrations, why) => {
      const db = await place.bare();
      await migrate(db, [first, second]);
      await expect(migrate(db, migrations)).rejects.toThrow(why);
    });

    it("make the tables of today", async () => {
      const db = await place.bare();
      await migrate(db);
      await migrate(db);
      expect(await db.rows(One, "select count(*) as value from chain_heads")).toEqual([{ value: 0 }]);
    });

    it.skipIf(place.kind === "embedded")("are done by one of the processes that start at once", async () => {
      const db = await place.bare();
      await Promise.all([place.again(), place.again(), place.again()].map((one) => migrate(one)));
      expect(await db.rows(One, "select count(*) as value from schema_migrations where number = 1")).toEqual([{ value: 1 }]);
    });
  });
});
