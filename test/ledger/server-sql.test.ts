import { describe, expect, it } from "vitest";
import type { Input } from "@assent/guard/engine";
import { place } from "./place.ts";

// SQL that a server's tool is given is read as `psql -c` reads it: by the field's name, or by the look of the text.

const here = place();
const verdict = (tool: string, input: Input): string => here.verdict({ tool, input }).decision;

describe("what destroys asks", () => {
  it.each<[string, Input]>([
    ["mcp__postgres__query", { sql: "DROP TABLE users" }],
    ["mcp__postgres__query", { sql: "drop table if exists users cascade;" }],
    ["mcp__supabase__execute_sql", { project_id: "x", query: "TRUNCATE users" }],
    ["mcp__supabase__execute_sql", { query: "delete from users" }],
    ["mcp__supabase__apply_migration", { name: "x", query: "drop schema public cascade" }],
    ["mcp__mysql__mysql_query", { sql: "DELETE FROM `users`" }],
    ["mcp__sqlite__write_query", { query: "DELETE FROM users" }],
    ["mcp__bigquery__execute", { query: "DROP TABLE `p.d.t`" }],
    ["mcp__snowflake__run_snowflake_query", { statement: "drop database prod" }],
    ["mcp__neon__run_sql_transaction", { params: { sqlStatements: ["select 1", "drop table a"] } }],
    ["mcp__x__run", { params: { batch: [{ sql: "truncate table a, b" }] } }],
    ["mcp__x__run", { rawSql: "/* tidy */ drop view v" }],
    ["mcp__x__run", { query: "DROP TABLE users" }],
    ["mcp__x__run", { q: "select 1; drop table users;" }],
    ["mcp__x__run", { query: "-- tidy\nTRUNCATE TABLE users" }],
    ["mcp__x__run", { args: { text1: "delete from users;" } }],
    ["mcp__pg__query", { query: "-- x\n/* y */ with d as (delete from users returning *) select * from d" }],
    ["mcp__pg__query", { query: "BEGIN; DELETE FROM users; COMMIT" }],
    ["mcp__pg__query", { text: "DELETE FROM users", values: [] }],
    ["mcp__pg__query", { query: "explain analyze delete from users" }],
    // What the reader does not understand, and may destroy.
    ["mcp__pg__query", { query: "do $$ begin drop table users; end $$" }],
    ["mcp__pg__query", { query: "drop table users; select 'x" }],
    ["mcp__pg__query", { sql: `select 1 -- ${"x".repeat(140_000)}\n; drop table users` }],
  ])("%s %j", (tool, input) => expect(verdict(tool, input)).toBe("ask"));

  it.each<[string, Input]>([
    ["mcp__postgres__query", { sql: "DROP TABLE users" }],
    ["mcp__x__run", { query: "TRUNCATE users" }],
  ])("under a rule that allows the tool: %s %j", (tool, input) => {
    here.user({ permissions: { allow: [tool] } });
    expect(verdict(tool, input)).toBe("ask");
    here.user({});
  });
});

describe("what reads, and what speaks about it, is as it was", () => {
  it.each<[string, Input]>([
    ["mcp__postgres__query", { sql: "select * from users" }],
    ["mcp__postgres__query", { sql: "select 'drop table users'" }],
    ["mcp__postgres__query", { sql: "delete from users where id = 1" }],
    ["mcp__postgres__query", { sql: "insert into log values ('delete')" }],
    ["mcp__postgres__query", { sql: "select deleted_at from users" }],
    ["mcp__mysql__query", { sql: "delete from `users` where id = 1" }],
    ["mcp__mysql__query", { sql: "show tables" }],
    ["mcp__sqlite__read_query", { query: "pragma table_info(x)" }],
    ["mcp__github__search_code", { query: "drop table users" }],
    ["mcp__github__create_issue", { title: "DROP TABLE users", body: "drop table users;" }],
    ["mcp__docs__search", { query: "truncate table" }],
    ["mcp__context7__get", { topic: "delete from an array" }],
    ["mcp__x__ask", { query: "drop table syntax in postgres" }],
    ["mcp__x__ask", { query: "Delete from the list whatever is old" }],
    ["mcp__slack__post", { text: "delete from users" }],
    ["mcp__notion__query_database", { filter: "x", description: "Drop the table" }],
  ])("%s %j", (tool, input) => expect(verdict(tool, input)).toBe("none"));
});

describe("a file of queries that a client is told to run", () => {
  const files = place({
    "drop.sql": "begin;\ndrop table users;\ncommit;\n",
    "seed.sql": "insert into users values (1);\n",
    "db/wipe.sql": "truncate users;",
  });
  files.user({ permissions: { allow: ["Bash"] } });
  it.each<[string, string]>([
    ["psql -f drop.sql", "ask"],
    ["psql -d app --file=drop.sql", "ask"],
    ["cd db && psql -f wipe.sql", "ask"],
    ["psql -f seed.sql", "allow"],
    ["psql -f not-there.sql", "allow"],
  ])("counts for what it destroys: %s", (line, decision) => {
    expect(files.verdict(line).decision).toBe(decision);
  });
});
