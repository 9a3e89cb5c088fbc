import { expect, it } from "vitest";
import { program } from "../../packages/assent/src/cli/program.ts";
import { plainWords } from "../../packages/assent/src/cli/run-options.ts";
import { plainTry } from "../../packages/assent/src/cli/try.ts";

/** What commander reads. */
async function read(name: "run" | "try", given: readonly string[]): Promise<unknown> {
  const assent = program().exitOverride();
  let found: unknown;
  assent.commands
    .find((command) => command.name() === name)
    ?.action((words: readonly string[], flags: unknown) => {
      found = { words, flags, literal: given.includes("--") && given[given.indexOf("--") + 1] === words[0] };
    });
  await assent.parseAsync([name, ...given], { from: "user" });
  return found;
}

it.each<readonly [text: string, plain: boolean]>([
  ["true", true],
  ["-- true", true],
  ["-P -q -- npm ci --ignore-scripts", true],
  ["-P npm -q ci -- --x", true],
  ["--no-prompt --quiet --no-undo --log-only --best-effort ./x -P", true],
  ["-- -P", true],
  ["-- --", true],
  ["--confined 0123456789abcdef -- true", true],
  ["--confined 0123456789abcdef -- true now", false],
  ["-q --confined 0123456789abcdef -- true", false],
  ["--profile ci make", false],
  ["--policy x.jsonc make", false],
  ["-Pq true", false],
  ["--json true", false],
])("%s", async (text, plain) => {
  const given = text.split(" ");
  expect(plainWords(given)).toEqual(plain ? await read("run", given) : undefined);
});

it.each<readonly [text: string, plain: boolean]>([
  ["true", true],
  ["-- list", true],
  ["list --json", false],
  ["--json list", true],
  ["--apply -- npm ci --json", true],
  ["--apply npm ci -x -- --json", true],
  ["apply 3f2", true],
  ["--policy x.jsonc make", false],
])("try %s", async (text, plain) => {
  const given = text.split(" ");
  expect(plainTry(given)).toEqual(plain ? await read("try", given) : undefined);
});

it.each(["", "-P", "-P --", "--help", "--no-such", "- x", "-q --profile"])("commander answers `%s`", (text) => {
  expect(plainWords(text === "" ? [] : text.split(" "))).toBeUndefined();
});
