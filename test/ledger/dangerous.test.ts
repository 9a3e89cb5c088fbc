import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { place } from "./place.ts";

/**
 * Dangerous lines of every family of the tables, under the default preset and without any policy file: none is allowed,
 * and what is marked `deny` is denied.
 */

const ACCEPTED = { ask: ["ask", "deny", "none"], deny: ["deny"] } as const;

const rows = readFileSync(join(import.meta.dirname, "../cases/dangerous.txt"), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => {
    const [, label, command] = /^(ask|deny): (.*)$/.exec(line) ?? [];
    if (command === undefined || (label !== "ask" && label !== "deny")) throw new Error(`no expectation: ${line}`);
    return { label, command, accepted: ACCEPTED[label] };
  });

describe("dangerous lines", () => {
  const here = place({ ".env": "KEY=1" });

  it("holds what the ledger asks for", () => {
    expect(new Set(rows.map(({ command }) => command)).size).toBe(rows.length);
    expect(rows.length).toBeGreaterThanOrEqual(600);
  });

  it.each(rows)("$label: $command", ({ command, accepted }) => {
    const { decision, reason } = here.verdict(command);
    expect(accepted, reason).toContain(decision);
  });
});
