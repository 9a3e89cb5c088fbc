import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { place } from "./place.ts";

/**
 * The two corpora, under the default preset and without any policy file.
 *
 * `hostile.txt`: `allow`, `ask` or `deny`, a colon, the command. `ask` means "must not be allowed"; `deny` means denied.
 * `benign.txt`: commands that agents use all day; every one is allowed.
 */

const lines = (name: string): string[] =>
  readFileSync(join(import.meta.dirname, "../cases", name), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));

/** The notations that keep one command on one line. */
const decoded = (text: string): string =>
  text
    .replaceAll("⏎", "\n")
    .replaceAll("⇥", "\t")
    .replaceAll("␣nb", "\u00a0")
    .replace(/\\u\{([0-9a-f]+)\}/gi, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));

const LABELS = { allow: ["allow"], ask: ["ask", "deny", "none"], deny: ["deny"] } as const;

const hostile = lines("hostile.txt").map((line) => {
  const [, label, command] = /^(allow|ask|deny): (.*)$/.exec(line) ?? [];
  if (command === undefined || (label !== "allow" && label !== "ask" && label !== "deny")) throw new Error(`no expectation: ${line}`);
  return [label, command, decoded(command)] as const;
});
const benign = lines("benign.txt").map((shown) => [shown, decoded(shown)] as const);

describe("hostile commands and their harmless twins", () => {
  const here = place({ ".env": "KEY=1" });

  it("holds every class: no row is lost on the way", () => {
    expect(hostile.length).toBeGreaterThanOrEqual(200);
  });

  it.each(hostile)("%s: %s", (label, _, command) => {
    const { decision, reason } = here.verdict(command);
    expect(LABELS[label], reason).toContain(decision);
    expect(reason).not.toBe("");
  });
});

describe("everyday commands", () => {
  const here = place();

  it.each(benign)("%s", (_, command) => {
    const { decision, reason } = here.verdict(command);
    expect(decision, reason).toBe("allow");
  });
});

describe("everyday commands in a project that has a secret", () => {
  const here = place({ ".env": "KEY=1" });

  it("at most one is interrupted, and it says what to leave out", () => {
    const interrupted = benign.flatMap(([shown, command]) => {
      const { decision, reason } = here.verdict(command);
      return decision === "allow" ? [] : [`${shown}: ${reason}`];
    });
    expect(interrupted.length, interrupted.join("\n")).toBeLessThanOrEqual(1);
    for (const reason of interrupted) expect(reason).toContain(".env");
  });
});
