import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { SYSCALLS } from "@assent/supervisor/supervise/kernel";
import { emulate } from "../../../packages/supervisor/src/supervise/kernel/without-native.ts";

// Where there is no native part (macOS), each call that undo makes does something or fails with a number: undo knows what to do then.

/** What `assent undo` goes through; attributes are set only where they could be read. */
const MODULES = ["changes", "check", "keep", "limits", "plan", "restore", "safe", "snapshot", "store"];

const called = new Set(
  MODULES.flatMap((name) => {
    const text = readFileSync(
      fileURLToPath(new URL(`../../../packages/supervisor/src/supervise/undo/${name}.ts`, import.meta.url)),
      "utf8",
    );
    return [...text.matchAll(/SYSCALLS\.(\w+)/g)].map(([, one = ""]) => one);
  }),
);

describe("undo, by what node:fs has", () => {
  test.each([...called].sort())("%s", (name) => {
    const number = Object.entries(SYSCALLS).find(([one]) => one === name)?.[1] ?? Number.NaN;
    const hand = emulate(() => {
      throw new Error(`${name} is not known here`);
    });
    expect(hand.call(number, -1, -1, -1, -1, -1)).toBe(-1);
    expect(hand.errno()).toBeGreaterThan(0);
  });
});
