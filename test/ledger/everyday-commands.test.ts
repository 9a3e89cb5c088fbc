import type { Decision } from "@assent/core/policy";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { place } from "./place.ts";

/**
 * What agents type all day (`cases/everyday.txt`), under the default preset and without any policy file. A harmless
 * command that is not allowed interrupts somebody: at most one in a hundred may. A line that begins with a verdict gets
 * exactly that one, so that fewer interruptions are never bought with a hole.
 */

interface Row {
  readonly heading: string;
  readonly shown: string;
  readonly command: string;
  readonly expected: Decision;
}

const FILES: Readonly<Record<string, string>> = {
  "data.json": "{}",
  "data.csv": "a,b\n",
  "app.log": "",
  "app.db": "",
  "Cargo.toml": "",
  "go.mod": "",
  "main.go": "",
  "pyproject.toml": "",
  "requirements.txt": "",
  "setup.py": "",
  "tsconfig.json": "{}",
  "docker-compose.yml": "",
  ".gitignore": "node_modules\n.env\n",
  "src/app.ts": "",
  "src/main.py": "",
  "src/components/App.tsx": "",
  "tests/app.test.ts": "",
  "lib/a.rb": "",
  "app/models.py": "",
  "docs/guide.md": "",
  "config/app.yaml": "",
  "scripts/build.sh": "",
};

const rows = readRows();
const harmless = rows.filter(({ expected }) => expected === "allow");
const marked = rows.filter(({ expected }) => expected !== "allow");

describe("everyday commands", () => {
  const here = place(FILES);

  it("are many, each there once", () => {
    expect(harmless.length).toBeGreaterThanOrEqual(700);
    expect(new Set(rows.map(({ command }) => command)).size).toBe(rows.length);
  });

  it("interrupt at most once in a hundred", () => {
    const interrupted = interruptions(here);
    expect(interrupted.length, interrupted.join("\n")).toBeLessThanOrEqual(harmless.length / 100);
  });

  it.each([...new Set(marked.map(({ heading }) => heading))])("%s: exactly the verdict they are marked with", (section) => {
    const wrong = marked
      .filter(({ heading }) => heading === section)
      .flatMap(({ shown, command, expected }) => {
        const { decision, reason } = here.verdict(command);
        return decision === expected ? [] : [`${decision} instead of ${expected}: ${shown}: ${reason}`];
      });
    expect(wrong, wrong.join("\n")).toEqual([]);
  });
});

describe("everyday commands in a project that has a secret", () => {
  const here = place({ ...FILES, ".env": "KEY=1" });

  it("interrupt at most twice in a hundred", () => {
    const interrupted = interruptions(here);
    expect(interrupted.length, interrupted.join("\n")).toBeLessThanOrEqual(harmless.length / 50);
  });

  it("none of the marked ones is allowed", () => {
    expect(marked.filter(({ command }) => here.verdict(command).decision === "allow").map(({ shown }) => shown)).toEqual([]);
  });
});

function interruptions(here: ReturnType<typeof place>): readonly string[] {
  return harmless.flatMap(({ shown, command }) => {
    const { decision, reason } = here.verdict(command);
    return decision === "allow" ? [] : [`${decision}: ${shown}: ${reason}`];
  });
}

function readRows(): readonly Row[] {
  let heading = "";
  return readFileSync(join(import.meta.dirname, "../cases/everyday.txt"), "utf8")
    .split("\n")
    .flatMap((line): Row[] => {
      if (line.startsWith("## ")) heading = line.slice(3);
      if (line === "" || line.startsWith("#")) return [];
      const [, verdict, rest] = /^(ask|none|deny): (.*)$/.exec(line) ?? [];
      const expected = verdict === "ask" || verdict === "none" || verdict === "deny" ? verdict : "allow";
      const shown = rest ?? line;
      return [{ heading, shown, command: shown.replaceAll("⏎", "\n").replaceAll("⇥", "\t"), expected }];
    });
}
