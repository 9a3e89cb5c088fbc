import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { expandsTo } from "@assent/core/pattern";

/** Names that the patterns could mean, each of them a file; and what they are spelled like where nothing matches. */
const NAMES = [".env", ".enV", ".en]", ".en-", ".en^", ".ena", ".en:", "aenv", "zenV", "a]", "a-z", "v]"];
const folder = mkdtempSync(join(tmpdir(), "assent-sets-"));
for (const name of NAMES) writeFileSync(join(folder, name), "");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a real shell makes of each pattern: a line with the names, empty where it refuses. */
function expansions(shell: string, patterns: readonly string[]): readonly (readonly string[])[] {
  const script = patterns.map((pattern) => `( eval 'printf "%s " ${pattern}' ) 2> /dev/null; echo`).join("\n");
  const args = shell === "zsh" ? ["-f"] : [];
  const { stdout } = spawnSync(`/bin/${shell}`, args, { cwd: folder, env: {}, encoding: "utf8", input: script, maxBuffer: 1 << 26 });
  return stdout.split("\n").map((line) => line.split(" ").filter((name) => NAMES.includes(name)));
}

/** Written out: classes, equivalences, collating symbols, ranges that run backwards, `^`, brackets inside, all of which reach `.env`. */
const REACHING = [
  ".en[[:alpha:]]",
  ".en[[:lower:][:digit:]]",
  ".en[^[:digit:]]",
  ".en[![:digit:]]",
  ".en[[=v=]]",
  ".en[[.v.]]",
  ".en[[.v.]-w]",
  ".en[[:word:]]",
  ".en[[:foo:]v]",
  ".en[a[:alpha:]-z]",
  ".en[z-av]",
  ".en[vz-a]",
  ".en[]v]",
  ".en[!]a]",
  ".en[^v]",
  ".en[\\\\v]",
  ".e[[:alpha:]][[:alpha:]]",
  "[.]env",
  ".[[:alpha:]]*",
];

const PIECES = [
  "[",
  "[",
  "]",
  "]",
  "!",
  "^",
  "-",
  "a",
  "v",
  "z",
  "n",
  "V",
  "[:alpha:]",
  "[:upper:]",
  "[=v=]",
  "[.v.]",
  "*",
  "?",
  ".en",
  ":",
];
const patterns = fc.sample(
  fc
    .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 7 })
    .map((pieces) => `.e${pieces[0] === "n" ? "" : "n"}[${pieces.join("")}]`),
  { numRuns: 600, seed: 7 },
);

describe.each(["bash", "zsh", "dash"])("%s", (shell) => {
  test.skipIf(!existsSync(`/bin/${shell}`))("expands a pattern to nothing that is not foreseen", () => {
    const all = [...REACHING, ...patterns];
    const reached = expansions(shell, all);
    const missed = all.flatMap((pattern, i) =>
      (reached[i] ?? [])
        .filter((name) => !expandsTo(`${folder}/${pattern.replaceAll("\\\\", "\\")}`, `${folder}/${name}`, false))
        .map((name) => `${pattern} is ${name}`),
    );
    expect(missed).toEqual([]);
    expect(reached.filter((names) => names.length > 0).length).toBeGreaterThan(60);
  });
});

test.skipIf(!existsSync("/bin/bash"))("each of the written ones reaches .env in some shell", () => {
  const shells = ["bash", "zsh", "dash"].filter((shell) => existsSync(`/bin/${shell}`)).map((shell) => expansions(shell, REACHING));
  const idle = REACHING.filter((pattern, i) => !shells.some((reached) => reached[i]?.includes(".env") === true));
  // The dot that hides a name has to be written.
  expect(idle).toEqual(["[.]env"]);
});
