import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import pg from "pg";
import * as v from "valibot";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { chainRecords, chainStart } from "@assent/team/team/protocol";
import { DIST, scratch, type Scratch } from "../scratch.ts";
import { type Database, openEmbedded, openPostgres } from "@assent/team-server/database";
import { LogIntake } from "@assent/team-server/log";
import { withMachines } from "./harness/databases.ts";

/** An export as a stream of lines that is cut off, again and again, at any place, and goes on behind the last whole line. */

const COUNT = 2300;
const Line = v.object({ place: v.string(), machine: v.string(), epoch: v.number(), seq: v.number() });
const postgres = inject("postgres");

async function asked(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: postgres });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** Records of two machines, many of one moment. */
async function fill(db: Database): Promise<void> {
  await withMachines(db, "M1", "M2");
  const then = Date.now() - 3_600_000;
  for (const machine of ["M1", "M2"]) {
    let after = chainStart(machine, 1);
    for (let at = 0; at < COUNT / 2; at += 230) {
      const body = (nth: number): string => JSON.stringify({ v: 1, time: "2026-11-20T09:00:00Z", verdict: "deny", nth });
      const records = Array.from({ length: 230 }, (_, nth) => ({ salt: "s".repeat(22), body: body(at + nth) }));
      const last = chainRecords(after, records).at(-1)!;
      await new LogIntake(db, { now: () => new Date(then + at) }).take(machine, { v: 1, epoch: 1, after, records, hash: last.hash }, 1000);
      after = { seq: last.seq, hash: last.hash };
    }
  }
  await db.close();
}

function startExport(
  { home, project }: Scratch,
  words: readonly string[],
): ChildProcess & { readonly stdout: NonNullable<ChildProcess["stdout"]> } {
  return spawn(process.execPath, [join(DIST, "bin.cjs"), "team", "export", ...words], {
    cwd: project,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home },
    stdio: ["ignore", "pipe", "ignore"],
  });
}

/** All that came until `most` characters had, when the export was cut off: killed, or nobody reads on. */
async function cutOff(
  own: Scratch,
  words: readonly string[],
  most: number,
  how: "kill" | "close",
): Promise<{ text: string; status: number | null }> {
  const child = startExport(own, words);
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    if (text.length >= most) return;
    text = (text + part).slice(0, most);
    if (text.length < most) return;
    if (how === "kill") child.kill("SIGKILL");
    else child.stdout.destroy();
  });
  const [status] = (await once(child, "close")) as (number | null)[];
  return { text, status: status ?? null };
}

describe.each(["embedded", "PostgreSQL"])("an export that is cut off (%s)", (kind) => {
  it.skipIf(kind === "PostgreSQL" && postgres === "")(
    "goes on behind the last line that came, and loses and doubles nothing",
    async () => {
      const own = scratch();
      const name = `e_${randomBytes(8).toString("hex")}`;
      const folder = join(own.root, "team");
      const address = postgres.replace("/postgres?", `/${name}?`);
      if (kind === "PostgreSQL") {
        await asked(`create database ${name}`);
        onTestFinished(() => asked(`drop database if exists ${name} with (force)`));
      }
      await fill(kind === "embedded" ? await openEmbedded(folder) : openPostgres(address));
      const at = kind === "embedded" ? ["--folder", folder] : ["--database", address];
      const got: v.InferOutput<typeof Line>[] = [];
      const cuts: readonly (readonly [number, "kill" | "close"])[] = [
        [1000, "kill"],
        [150_001, "close"],
        [77, "close"],
        [200_000, "kill"],
        [Infinity, "kill"],
      ];
      for (const [most, how] of cuts) {
        const last = got.at(-1);
        const { text, status } = await cutOff(own, [...at, ...(last === undefined ? [] : ["--after", last.place])], most, how);
        // Half a line is none.
        const lines = text
          .slice(0, text.lastIndexOf("\n") + 1)
          .split("\n")
          .slice(0, -1);
        got.push(...lines.map((line) => v.parse(Line, JSON.parse(line))));
        if (most === Infinity) expect(status).toBe(0);
      }
      const names = got.map(({ machine, epoch, seq }) => `${machine} ${epoch} ${seq}`);
      expect([names.length, new Set(names).size]).toEqual([COUNT, COUNT]);
      for (const machine of ["M1", "M2"])
        expect(got.filter((one) => one.machine === machine).map(({ seq }) => seq)).toEqual(
          Array.from({ length: COUNT / 2 }, (_, nth) => nth + 1),
        );
      // Behind the last one there is nothing, and what is no place begins nothing anew.
      expect(await cutOff(own, [...at, "--after", got.at(-1)?.place ?? ""], Infinity, "kill")).toEqual({ text: "", status: 0 });
      expect(await cutOff(own, [...at, "--after", "x"], Infinity, "kill")).toEqual({ text: "", status: 1 });
      expect(await cutOff(own, [...at, "--after", "x", "--cursor", join(own.root, "c")], Infinity, "kill")).toEqual({
        text: "",
        status: 2,
      });
    },
    300_000,
  );
});
