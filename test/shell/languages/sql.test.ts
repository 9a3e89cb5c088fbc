import { afterAll, describe, expect, it } from "vitest";
import type { CodeFinding } from "../../../packages/core/src/shell/languages/finding.ts";
import { canIsolate, random, ROUNDS, seedOr, Scratch, which } from "./scratch.ts";
import { readAnySql, readSql, type SqlDialect } from "../../../packages/core/src/shell/languages/sql.ts";
import { workedSince } from "../../worked.ts";

const change = (detail: string): CodeFinding => ({ does: "change", detail });
const destroy = (detail: string): CodeFinding => ({ does: "destroy", detail });
const file = (operation: "read" | "write" | "edit", path: string): CodeFinding => ({ does: "file", operation, path });
const shell = (command: string): CodeFinding => ({ does: "shell", command });
const unknown = (why: string): CodeFinding => ({ does: "unknown", why });
const code = (language: string, detail: string): CodeFinding => ({ does: "code", language, detail });

describe("SQL that only reads", () => {
  it.each<[SqlDialect, string]>([
    ["sqlite", "select * from t where a > 1 order by b limit 3"],
    ["sqlite", "SELECT count(*), max(a) FROM t; select 1;"],
    ["sqlite", "with x(n) as (select 1 union all select n + 1 from x) select sum(n) from x"],
    ["sqlite", "select 'drop table t; .shell id', \"delete\", [insert] from t -- drop table t"],
    ["sqlite", ".tables"],
    ["sqlite", ".mode json\n.headers on\n.schema t\nselect 1;"],
    ["sqlite", "pragma table_info(t)"],
    ["sqlite", "PRAGMA journal_mode"],
    ["sqlite", "explain query plan select * from t"],
    ["psql", "select id, data->>'a', x::text from s.t where ts > now() - interval '1 day'"],
    ["psql", "\\d+ users"],
    ["psql", "\\dt\n\\x\nselect 1;\n\\q"],
    ["psql", "explain (analyze, buffers) select 1"],
    ["psql", "explain delete from t"],
    ["psql", "copy (select * from t) to stdout with csv header"],
    ["psql", "show search_path; set statement_timeout = 1000; begin; rollback"],
    ["mysql", "show tables; describe t; select now(), version()\\G"],
    ["mysql", "show create table `t`"],
    ["duckdb", "select a, list_value(1, 2) from t group by all"],
    ["duckdb", "describe t"],
  ])("%s %j", (dialect, source) => expect(readSql(source, dialect)).toEqual([]));
});

describe("SQL that does more", () => {
  it.each<[SqlDialect, string, CodeFinding[]]>([
    ["sqlite", ".shell id", [shell("id")]],
    ["sqlite", "select 1;\n.system rm -rf ~", [shell("rm -rf ~")]],
    ["sqlite", ".import '|id' t", [shell("id"), change("imports into t")]],
    ["sqlite", ".import a.csv t", [file("read", "a.csv"), change("imports into t")]],
    ["sqlite", ".output out.txt", [file("write", "out.txt")]],
    ["sqlite", ".once '|id -u'", [shell("id -u")]],
    ["sqlite", ".once |sh -c 'id'", [unknown("it runs a command")]],
    ["sqlite", ".read '|id'", [shell("id")]],
    ["sqlite", ".once -x", [unknown("it opens its output in another program")]],
    ["sqlite", ".save x.db", [file("write", "x.db")]],
    ["sqlite", ".read x.sql", [code("sql", ".read x.sql")]],
    ["sqlite", ".load ./x.so", [code("sqlite", ".load ./x.so")]],
    ["sqlite", ".she id", [unknown("the client command .she")]],
    ["sqlite", ".excel", [unknown("the client command .excel")]],
    ["sqlite", "select 1\n.shell id", [unknown("SQL with a client command inside a statement")]],
    ["sqlite", "/*\n.shell id\n*/", [unknown("SQL with a comment that is not certainly one")]],
    ["sqlite", "select writefile('out', 'x')", [file("write", "out")]],
    ["sqlite", "select readfile('/etc/passwd')", [file("read", "/etc/passwd")]],
    ["sqlite", "select load_extension('./x')", [code("sqlite", "load_extension ./x")]],
    ["sqlite", "select * from a join b on edit(a.x)", [unknown("it calls the function edit")]],
    ["sqlite", "attach 'x.db' as y", [file("edit", "x.db")]],
    ["sqlite", "vacuum into 'y.db'", [change("vacuum into y.db"), file("write", "y.db")]],
    ["sqlite", "pragma writable_schema = 1", [change("pragma writable_schema = 1")]],
    ["sqlite", "insert into t (a) values (1)", [change("insert into t ( a )")]],
    ["sqlite", "delete from t", [destroy("delete from t")]],
    ["sqlite", "delete from t where id = 1", [change("delete from t where id =")]],
    ["sqlite", "drop table t", [destroy("drop table t")]],
    ["psql", "\\! id", [shell("id")]],
    ["psql", "select 1 \\g |id", [shell("id")]],
    ["psql", "\\o out.txt", [file("write", "out.txt")]],
    ["psql", "\\echo `id`", [unknown("what follows \\echo")]],
    ["psql", "\\d t \\! id", [unknown("what follows \\d")]],
    ["psql", "\\copy t to 'out.csv' csv", [file("write", "out.csv")]],
    ["psql", "\\copy t from program 'id'", [shell("id"), change("copies into a table")]],
    ["psql", "\\i x.sql", [code("sql", "\\i x.sql")]],
    ["psql", "copy t to program 'id'", [unknown("it runs a program on the database server")]],
    ["psql", "select pg_read_file('/etc/passwd')", [unknown("it calls the function pg_read_file")]],
    ["psql", "select * into x from t", [change("select * into x from t")]],
    ["psql", "with d as (delete from t returning *) select * from d", [destroy("with d as ( delete from")]],
    ["psql", "explain analyze delete from t", [destroy("delete from t")]],
    ["psql", "select :x", [unknown("SQL with a variable of psql")]],
    ["psql", "select $$a$$", [unknown("SQL with a `$` that may quote")]],
    ["psql", "do 'x'", [unknown("the statement do x")]],
    ["mysql", "\\! id", [shell("id")]],
    ["mysql", "system id", [unknown("the client command system")]],
    ["mysql", "select 1 into outfile '/tmp/x'", [file("write", "/tmp/x")]],
    ["mysql", "/*! drop table t */", [unknown("SQL with a comment that is not certainly one")]],
    ["mysql", "select 'a\\'; drop table t; -- '", [unknown("SQL with a quoted text with a backslash")]],
    ["duckdb", "select * from 'a.csv'", [file("read", "a.csv")]],
    ["duckdb", "from read_parquet('a.parquet')", [file("read", "a.parquet")]],
    ["duckdb", "select * from 'https://a.example/x.csv'", [{ does: "net", host: "a.example" }]],
    ["duckdb", "copy (select 1) to 'out.csv'", [file("write", "out.csv")]],
    ["duckdb", "install httpfs; load httpfs", [code("sql", "install httpfs"), code("sql", "load httpfs")]],
    ["duckdb", "select getenv('X')", [{ does: "environment" }]],
    ["sqlite", "select 'a", [unknown("SQL with a quoted text without its end")]],
  ])("%s %j", (dialect, source, findings) => expect(readSql(source, dialect)).toEqual(findings));

  it("reads SQL of an unknown dialect in all of them", () => {
    expect(readAnySql("select 1")).toEqual([]);
    expect(readAnySql(".tables")).toEqual([]);
    expect(readAnySql("\\dt")).toEqual([]);
    expect(readAnySql("\\! id")).toEqual([shell("id")]);
    expect(readAnySql("select * from 'a'")).toMatchObject([{ does: "file" }]);
  });

  it("is quick about hostile input", () => {
    const start = process.cpuUsage();
    for (const part of ["(", "'a'", "/* */", "\n.x", "select ", ";", "\\copy a ", "explain ", "f(", "--\n", "  ", "a,"]) {
      for (const dialect of ["sqlite", "psql", "mysql", "duckdb"] as const) readSql(part.repeat(6000), dialect);
    }
    expect(workedSince(start)).toBeLessThan(6000);
  });
});

const sqlite = which("sqlite3");

describe.skipIf(sqlite === undefined || !canIsolate())("against the real sqlite3", () => {
  const scratch = new Scratch();
  afterAll(() => scratch.remove());

  it(`sees every effect of ${ROUNDS} random scripts`, () => {
    const { below, pick } = random(seedOr(23));
    const PIECES =
      `select 1 ~select ~.shell id ~.system id ~.once o1 ~.output o1 ~.once '|id' ~.save o1 ~.tables ~.read key ~.import key t ~.mode csv ~.print x ~.s id ~.dump ~writefile('o1', 'x') ~readfile('key') ~edit('x', 'id') ~"writefile"('o1', 'x') ~[writefile]('o1', 1) ~writefile/**/('o1', 1) ~from ~, ~; ~;\n ~\n ~\n. ~' ~" ~[ ~] ~\` ~( ~) ~-- ~/* ~*/ ~with a(x) as (select 1) ~union all ~where ~pragma table_info(t) ~attach 'o1' as x ~create table t(a) ~values (1) ~explain ~vacuum into 'o1' ~vacuum ~begin ~x'41' ~1 ~a ~.headers on ~#`.split(
        " ~",
      );
    expect(scratch.effect(sqlite!, [":memory:", ".shell id"]).did).toBe("ran a command");
    const missed: string[] = [];
    let silent = 0;
    for (let round = 0, tries = 0; round < ROUNDS / 4 && tries < ROUNDS * 50; tries += 1) {
      let script = "";
      for (let n = 1 + below(5); n > 0; n -= 1) script += pick(PIECES) + pick(["", " ", " ", ";\n", "\n"]);
      if (readSql(script, "sqlite").length > 0) continue;
      silent += 1;
      if (!/id|o1|key/.test(script) && below(10) > 0) continue;
      round += 1;
      // As an argument and on standard input: the client splits them differently.
      for (const args of [
        [":memory:", script],
        ["-cmd", script, ":memory:", "select 1"],
      ]) {
        const { did } = scratch.effect(sqlite!, args);
        if (did !== undefined) missed.push(`${JSON.stringify(script)} ${did}`);
      }
      const { did } = scratch.effect("/bin/sh", ["-c", `printf '%s\n' "$1" | "$2" :memory:`, "sh", script, sqlite!]);
      if (did !== undefined) missed.push(`${JSON.stringify(script)} on standard input ${did}`);
    }
    expect(missed).toEqual([]);
    expect(silent).toBeGreaterThan(ROUNDS / 4);
  }, 3_600_000);
});
