import { describe, expect, test } from "vitest";
import { allEntries, entriesBelow, grammarOf, type KnowledgeEntry } from "../../../packages/core/src/shell/knowledge/entries.ts";
import type { Kind } from "../../../packages/core/src/shell/knowledge/read-spec.ts";
import { verdictUnderBroadAllow } from "./decide.ts";

// Whichever client of a database it is, and wherever it takes a statement: what loses a database holds against a rule that allows all.

const LANGUAGES = new Set(["sql", "sqlite", "psql", "mysql", "duckdb", "redis", "database"]);
const isStatement = (kind: Kind): boolean => kind.is !== "script" && LANGUAGES.has("language" in kind ? kind.language : kind.is);

interface Client {
  readonly name: string;
  /** Without a statement it reads one from its input. */
  readonly input: boolean;
  readonly ways: readonly string[];
}

const levels = (entry: KnowledgeEntry, name: string): readonly (readonly [string, KnowledgeEntry])[] => [
  [name, entry],
  ...entriesBelow(entry).flatMap((below) => levels(below.entry, `${name} ${below.keys[0] ?? ""}`)),
];

/** The options and operands of each program that the tables call statements. */
const CLIENTS: readonly Client[] = allEntries().flatMap((entry) =>
  entry.names.split(" ").flatMap((name) =>
    levels(entry, name).flatMap(([words, level]) => {
      const { options, slots } = grammarOf(level);
      const own = [...options].filter(([, { kind }]) => isStatement(kind)).map(([option]) => option);
      const at = slots?.findIndex(({ kind }) => "language" in kind && LANGUAGES.has(kind.language)) ?? -1;
      const operand = (slots ?? []).slice(0, at).map(() => "x.db");
      const takes = at >= 0 && slots?.[at]?.kind.is !== "script";
      return own.length === 0 && at < 0 ? [] : [{ name: words, input: at >= 0, ways: [...own, ...(takes ? [operand.join(" ")] : [])] }];
    }),
  ),
);

const lost = ({ name }: Client): string => (/redis|valkey|keydb/.test(name) ? "flushall" : "drop database x");

test("the tables know the clients of databases", () => expect(CLIENTS.length).toBeGreaterThan(60));

describe.each(CLIENTS.map((client) => [client.name, client] as const))("%s", (name, client) => {
  test.each([
    ...client.ways.map((way) => [`${name} ${way} '${lost(client)}'`.replace(/ {2,}/, " ")]),
    ...(client.input ? [[`echo '${lost(client)}' | ${name}`], [`${name} <<< '${lost(client)}'`]] : []),
  ])("%s", (line) => expect(verdictUnderBroadAllow(line).decision).not.toBe("allow"));
});
