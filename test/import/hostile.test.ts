import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { loadReaders, type NativePlace } from "@assent/hosts/agents/native";
import { CONTEXT, readingOf } from "./reading.ts";
import { workedSince } from "../worked.ts";

/** Native files come from anywhere. Whatever is in them, a reader answers, and soon. */

const READERS: readonly (readonly [name: string, read: NativePlace["read"]])[] = (await loadReaders()).flatMap(({ id, readerFor }) => [
  [`${id} json`, readerFor("x.json")] as const,
  [`${id} toml`, readerFor("x.toml")] as const,
  [`${id} approvals`, readerFor("permissions-config.json")] as const,
]);

const WORDS = [
  "constructor",
  "__proto__",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "*",
  "",
  "Bash",
  "Bash(",
  "Bash()",
  "(",
  "\u0000",
  "\u202e",
  "a".repeat(20_000),
];
const TEXTS: readonly string[] = WORDS.flatMap((word) => {
  const text = JSON.stringify(word);
  return [
    word,
    `{"permissions":{"allow":[${text}],"deny":[${text}],"defaultMode":${text},${text}:1}}`,
    `{"permission":{${text}:"deny","bash":{${text}:"allow"}},"tools":{"exclude":[${text}],${text}:false}}`,
    `{"rules":[{"command":${text},"block_args":[${text}]}],"mcpServers":{${text}:{"trust":true}}}`,
    `[[rule]]\ntoolName = ${text}\ncommandPrefix = ${text}\ndecision = "deny"\n[mcp_servers.${text}]\ndefault_tools_approval_mode = ${text}\n`,
    `prefix_rule(pattern=[${text}], decision=${text}, match=[${text}])\nhost_executable(name=${text}, paths=[${text}])`,
    `deny ${word}\nallow-opt ${word} ${word}\n${word}`,
  ];
});

describe("whatever stands in a native file", () => {
  test.each(READERS)("%s: odd words", (_, read) => {
    for (const text of TEXTS) expect(Array.isArray(readingOf(read(text, CONTEXT)))).toBe(true);
  });

  test.each(READERS)("%s: anything", (_, read) => {
    const piece = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      '"',
      ":",
      ",",
      "permissions",
      "allow",
      "deny",
      "permission",
      "bash",
      "*",
      " ",
      "\n",
      "prefix_rule(",
      ")",
      "pattern=",
      "=",
      "[[rule]]",
      "#",
      "//",
      "\\",
      "'",
      "(",
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 3 })), { maxLength: 30 }), (parts) => {
        expect(Array.isArray(readingOf(read(parts.join(""), CONTEXT)))).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test.each(READERS)("%s: much of it is read in time", { timeout: 20_000 }, (_, read) => {
    const long = [
      "[".repeat(50_000),
      '"'.repeat(100_000),
      "a.".repeat(100_000),
      `deny ${"* ".repeat(20_000)}`,
      `prefix_rule(pattern=${"[".repeat(50_000)}`,
      `{"permissions":{"deny":["Bash(${"* a ".repeat(5000)})"]}}`,
    ];
    const start = process.cpuUsage();
    for (const text of long) readingOf(read(text, CONTEXT));
    expect(workedSince(start)).toBeLessThan(15_000);
  });
});
