import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { place } from "./place.ts";

/** What attacks on Assent found: the default preset, no policy file. Rows as in hostile.txt. */

const decoded = (text: string): string =>
  text
    .replaceAll("⏎", "\n")
    .replaceAll("⇥", "\t")
    .replace(/\\u\{([0-9a-f]+)\}/gi, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));

const LABELS = { allow: ["allow"], ask: ["ask", "deny", "none"], deny: ["deny"] } as const;

const rows = readFileSync(join(import.meta.dirname, "../cases/attacks.txt"), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => {
    const [, label, command] = /^(allow|ask|deny): (.*)$/.exec(line) ?? [];
    if (command === undefined || (label !== "allow" && label !== "ask" && label !== "deny")) throw new Error(`no expectation: ${line}`);
    return { label, shown: command, command: decoded(command), accepted: LABELS[label] };
  });

describe("attacks and their harmless twins", () => {
  const here = place({ ".env": "KEY=1" });

  it.each(rows)("$label: $shown", ({ command, accepted }) => {
    const { decision, reason } = here.verdict(command);
    expect(accepted, reason).toContain(decision);
  });
});
