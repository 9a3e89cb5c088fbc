import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as v from "valibot";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { chainRecords, chainStart, type RecordSearch } from "@assent/team/team/protocol";
import { DIST, type Run, type Scratch, scratch } from "../scratch.ts";
import { openEmbedded } from "@assent/team-server/database";
import { organisationOf } from "@assent/team-server/enrol";
import { LogIntake } from "@assent/team-server/log";
import { eraseRecords, exportRecords, searchRecords } from "@assent/team-server/records";
import { onEveryDatabase, withMachines } from "./harness/databases.ts";
import { type TestMachine, TestServer } from "./harness/server.ts";
import { verifyMachine } from "./harness/verify-machine.ts";

const bodyOf = (nth: number, verdict: string, what: string): string =>
  JSON.stringify({
    v: 1,
    time: "2026-11-20T09:00:00Z",
    verdict,
    agent: nth % 2 === 0 ? "claude" : "codex",
    tool: "Bash",
    input: { command: what },
    nth,
  });

/** A chain that goes on from where it was. */
class Chain {
  #at;
  readonly machine: string;
  constructor(machine: string) {
    this.machine = machine;
    this.#at = chainStart(machine, 1);
  }
  batch(bodies: readonly string[]) {
    const records = bodies.map((body) => ({ salt: "s".repeat(22), body }));
    const after = this.#at;
    const last = chainRecords(after, records).at(-1)!;
    this.#at = { seq: last.seq, hash: last.hash };
    return { v: 1 as const, epoch: 1, after, records, hash: last.hash };
  }
}

onEveryDatabase("records of all machines", (place) => {
  let server: TestServer;
  let laptop: TestMachine;
  let other: TestMachine;
  const since = Date.parse("2026-11-01");
  const erasing = { cookie: "" };

  beforeEach(async () => {
    server = await TestServer.start(await place.fresh(), [], { quota: { records: 120, bytes: 1 << 20 } });
    laptop = await server.join("laptop", "ops");
    other = await server.join("other");
    erasing.cookie = (await server.admin()).cookie;
    const chain = new Chain(laptop.machine);
    const many = Array.from({ length: 60 }, (_, nth) => bodyOf(nth, nth % 3 === 0 ? "deny" : "allow", `echo ${nth}`));
    await server.post("/v1/log", chain.batch(many), laptop.token);
    server.pass(1000);
    await server.post("/v1/log", chain.batch([bodyOf(60, "ask", 'say "hello" to 100%')]), laptop.token);
    await server.post("/v1/log", new Chain(other.machine).batch([bodyOf(1, "deny", "rm -rf ~")]), other.token);
  });
  afterEach(() => server.close());

  const look = async (search: Partial<RecordSearch>): Promise<readonly number[]> => {
    const found: number[] = [];
    for (let after: string | undefined; ;) {
      const page = await searchRecords(server.db, { since, ...search, ...(after === undefined ? {} : { after }) });
      found.push(...page.records.map(({ body }) => (JSON.parse(body) as { nth: number }).nth));
      if (page.next === undefined) return found;
      after = page.next;
    }
  };

  it.each<[Partial<RecordSearch>, number]>([
    [{}, 62],
    [{ machine: "laptop" }, 61],
    [{ machine: "nobody" }, 0],
    [{ group: "ops" }, 61],
    [{ group: "default" }, 62],
    [{ verdict: "deny" }, 21],
    [{ verdict: "allow" }, 40],
    [{ verdict: "deny", machine: "laptop" }, 20],
    [{ agent: "codex" }, 31],
    [{ text: 'say "hello"' }, 1],
    [{ text: "100%" }, 1],
    [{ text: "10_%" }, 0],
    [{ text: "echo 5", verdict: "deny" }, 3],
    [{ since: Date.parse("2026-12-01") }, 0],
    [{ until: since }, 0],
  ])("%j finds %i", async (search, count) => {
    expect(await look(search)).toHaveLength(count);
  });

  it("a call that takes long says how far back it came, and goes on there", async () => {
    for (const search of [{ text: "rm -rf" }, { verdict: "deny" }, { text: "nowhere" }]) {
      const whole = await look(search);
      const found: number[] = [];
      const backs: string[] = [];
      for (let after: string | undefined; ;) {
        const page = await searchRecords(
          server.db,
          { since, ...search, ...(after === undefined ? {} : { after }) },
          { looksMs: 0, stretchMs: 2000, firstMs: 86_400_000 },
        );
        found.push(...page.records.map(({ body }) => (JSON.parse(body) as { nth: number }).nth));
        if (page.back !== undefined) backs.push(page.back);
        if (page.next === undefined) break;
        after = page.next;
      }
      expect(found).toEqual(whole);
      expect(backs.length).toBeGreaterThan(2);
      expect(backs).toEqual(backs.toSorted().toReversed());
    }
  });

  it("the newest come first, page after page, none twice", async () => {
    const found = await look({ machine: "laptop" });
    expect(found).toEqual(Array.from({ length: 61 }, (_, nth) => 60 - nth));
    const { text } = await server.get("/records?machine=laptop", erasing);
    expect(text.match(/<tr>/g)).toHaveLength(51);
    const [, next = ""] = /href="(\/records\?[^"]*)">Older/.exec(text) ?? [];
    expect((await server.get(next.replaceAll("&amp;", "&"), erasing)).text.match(/<tr>/g)).toHaveLength(12);
  });

  it("erased records are nowhere, and the chain can still be followed", async () => {
    await server.db.run(
      `insert into log_forks (machine, epoch, seq, hash, body_hash, salt, body, received) values ($1, 1, 1, '\\x00', '\\x00', '\\x00', 'hello', $2)`,
      [laptop.machine, server.now],
    );
    server.pass(1000);
    const form = { machine: "laptop", matching: "hello", before: "" };
    expect((await server.form("/records/erase", form, erasing)).text).toContain("Erased: 1 records, 1 that contradict others, 0 questions");
    expect(await look({ text: "hello" })).toEqual([]);
    expect(await look({})).toHaveLength(61);
    const verified = await verifyMachine(server.db, await organisationOf(server.db), laptop.machine);
    expect(verified).toEqual([{ epoch: 1, records: 61, erased: 1, dropped: 0, flaws: [] }]);
    expect((await server.form("/records/erase", { ...form, matching: "" }, erasing)).text).toContain("Erased: 60 records");
    expect(await look({})).toHaveLength(1);
    const Row = v.object({ what: v.string(), person: v.string() });
    const events = await server.db.rows(Row, "select what, person from admin_events where what like 'erase%' order by id");
    expect(events.map(({ what }) => what)).toEqual([
      "erases records that hold a text",
      "erased 1 records, 1 that contradict others, 0 questions that hold a text",
      "erases records",
      "erased 60 records, 0 that contradict others, 0 questions",
    ]);
    expect(events.every(({ person }) => person === "administrator")).toBe(true);
    // What the machine sends goes on from the hash of what was erased.
    expect(JSON.parse((await server.get("/v1/machine", { authorization: `Bearer ${laptop.token}` })).text)).toMatchObject({
      head: { seq: 61 },
    });
  });

  it("erases by time, and nothing where it is not clear of whom", async () => {
    await server.join("laptop");
    const cases: readonly [Parameters<typeof eraseRecords>[1], number | string][] = [
      [{ machine: "laptop" }, "several machines have this name"],
      [{ machine: "nobody" }, "no machine has this id or name"],
      [{ machine: laptop.machine, matching: "" }, "cannot hold this text"],
      [{ machine: laptop.machine, before: Date.parse("2026-11-01") }, 0],
      [{ machine: laptop.machine, before: server.now.getTime() + 1 }, 61],
    ];
    for (const [erasure, expected] of cases) {
      const erased = eraseRecords(server.db, erasure, "a test", server.now);
      if (typeof expected === "string") await expect(erased).rejects.toThrow(expected);
      else expect((await erased).records).toBe(expected);
    }
  });

  it("an export goes on from its cursor, hands each record over once, and waits for what may be under way", async () => {
    const all: string[] = [];
    let after: string | undefined;
    const more = async (): Promise<number> => {
      const before = all.length;
      for (;;) {
        const { records, next } = await exportRecords(server.db, after, server.now);
        if (next === undefined) return all.length - before;
        all.push(...records.map(({ machine, seq }) => `${machine} ${seq}`));
        after = next;
      }
    };
    server.pass(30_000);
    expect(await more()).toBe(0);
    server.pass(60_000);
    expect(await more()).toBe(62);
    expect(await more()).toBe(0);
    expect(new Set(all).size).toBe(62);
    for (const wrong of ["", "x", Buffer.from('["2026-02-31T00:00:00.000000Z","x",1,1]').toString("base64url")])
      await expect(exportRecords(server.db, wrong, server.now)).rejects.toThrow("this cursor is not of an export");
  });

  it("a machine that has sent what it may is refused until the day is over, and nobody else", async () => {
    const chain = new Chain(laptop.machine);
    chain.batch(Array.from({ length: 60 }, (_, nth) => bodyOf(nth, nth % 3 === 0 ? "deny" : "allow", `echo ${nth}`)));
    chain.batch([bodyOf(60, "ask", 'say "hello" to 100%')]);
    const send = async (batch: ReturnType<Chain["batch"]>, { token } = laptop) => {
      const { status, headers } = await server.post("/v1/log", batch, token);
      return [status, headers["retry-after"]];
    };
    expect(await send(chain.batch(Array.from({ length: 60 }, (_, nth) => bodyOf(nth, "allow", "more"))))).toEqual([200, undefined]);
    const late = chain.batch([bodyOf(0, "allow", "too much")]);
    expect(await send(late)).toEqual([429, "300"]);
    expect((await server.get("/", await server.admin())).text).toContain("keep the rest until tomorrow: laptop");
    expect(server.metrics.text()).toContain("assent_team_over_quota_total 1");
    expect(await send(new Chain(other.machine).batch([bodyOf(1, "deny", "rm -rf ~")]), other)).toEqual([200, undefined]);
    server.pass(86_400_000);
    expect(await send(late)).toEqual([200, undefined]);
  });
});

/** A command while this process does other work: it answers as the collector. */
const assentBeside = ({ home, project }: Scratch, words: readonly string[], more: Readonly<Record<string, string>>): Promise<Run> =>
  new Promise((resolve) => {
    const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home, NO_COLOR: "1", ...more };
    const started = execFile(process.execPath, [join(DIST, "bin.cjs"), ...words], { cwd: project, env }, (_, stdout, stderr) =>
      resolve({ status: started.exitCode, stdout, stderr }),
    );
  });

describe("on the server's shell", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "assent-team-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("search, export as JSON Lines and by OTLP, and erase work on the database", async () => {
    const at = join(folder, "team");
    const db = await openEmbedded(at);
    await withMachines(db, "M1");
    const then = new Date(Date.now() - 3_600_000);
    const chain = new Chain("M1");
    await new LogIntake(db, { now: () => then }).take(
      "M1",
      chain.batch(["echo 1", "echo 2"].map((what, nth) => bodyOf(nth, "deny", what))),
      1000,
    );
    await db.close();

    const sent: { readonly path: string; readonly key: unknown; readonly body: string }[] = [];
    let away = true;
    const collector = createServer((request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (part: string) => (body += part));
      request.on("end", () => {
        if (!away) sent.push({ path: request.url ?? "", key: request.headers["x-key"], body });
        response.writeHead(away ? 403 : 200, { "content-type": "application/json" }).end("{}");
      });
    });
    await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
    try {
      const own = scratch();
      const call = (...words: readonly string[]) => assentBeside(own, ["team", ...words, "--folder", at], { KEY: "k1" });
      const lines = await call("export");
      expect(
        lines.stdout
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line) as unknown),
      ).toMatchObject([{ machine: "M1", epoch: 1, seq: 1, record: { verdict: "deny", input: { command: "echo 1" } } }, { seq: 2 }]);
      const otlp = ["export", "--format", "otlp", "--to", `http://127.0.0.1:${(collector.address() as AddressInfo).port}`] as const;
      const cursor = join(folder, "cursor");
      expect((await call(...otlp, "--cursor", cursor, "--header", "x-key=KEY")).status).toBe(1);
      away = false;
      expect(await call(...otlp, "--cursor", cursor, "--header", "x-key=KEY")).toMatchObject({ status: 0 });
      expect(sent.map(({ path, key }) => [path, key])).toEqual([["/v1/logs", "k1"]]);
      for (const word of ["echo 1", "echo 2", "assent.team.machine", "M1"]) expect(sent[0]?.body).toContain(word);
      expect(readFileSync(cursor, "utf8")).toMatch(/^[\w-]+\n$/);

      expect((await call("search", "echo 2", "--json")).stdout).toContain('\\"echo 2\\"');
      expect(JSON.parse((await call("erase", "--machine", "M1", "--matching", "echo 2", "--json")).stdout)).toMatchObject({ records: 1 });
      expect((await call("search", "echo 2")).status).toBe(1);
      expect((await call("export", "--format", "xml")).stderr).toContain("the format is jsonl or otlp");
    } finally {
      collector.close();
      collector.closeAllConnections();
    }
    // Five times it opens the database.
  }, 300_000);

  it("makes a key of a fleet, lists it, and revokes it", async () => {
    const at = join(folder, "fleet");
    await (await openEmbedded(at)).close();
    const own = scratch();
    const fleet = (...words: readonly string[]) => assentBeside(own, ["team", "fleet", ...words, "--folder", at], {});
    const key = v.parse(
      v.object({ v: v.literal(1), key: v.string() }),
      JSON.parse((await fleet("key", "--group", "ci", "--json")).stdout),
    ).key;
    const Listed = v.object({
      v: v.literal(1),
      keys: v.array(v.object({ id: v.string(), group: v.string(), used: v.number(), revoked: v.nullable(v.string()) })),
    });
    const listed = async () => v.parse(Listed, JSON.parse((await fleet("list", "--json")).stdout)).keys;
    const [made] = await listed();
    expect(made).toMatchObject({ group: "ci", used: 0, revoked: null });
    expect((await fleet("list")).stdout).not.toContain(key);
    expect(await fleet("revoke", made?.id ?? "")).toMatchObject({ status: 0 });
    expect((await listed()).map(({ revoked }) => revoked === null)).toEqual([false]);
    expect((await fleet("revoke", "nobody")).status).toBe(1);
  }, 300_000);
});
