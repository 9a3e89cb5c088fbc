import { Command } from "commander";
import { expect, it } from "vitest";
import { addRunCommands } from "../../packages/assent/src/cli/program-run.ts";
import { plainWords } from "../../packages/assent/src/cli/run-options.ts";

/** What commander reads. */
async function read(given: readonly string[]): Promise<unknown> {
  const assent = new Command("assent").exitOverride().enablePositionalOptions();
  addRunCommands(assent);
  let found: unknown;
  assent.commands
    .find((command) => command.name() === "run")
    ?.action((words: readonly string[], flags: unknown) => {
      found = { words, flags };
    });
  await assent.parseAsync(["run", ...given], { from: "user" });
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
  expect(plainWords(given)).toEqual(plain ? await read(given) : undefined);
});

it.each(["", "-P", "-P --", "--help", "--no-such", "- x", "-q --profile"])("commander answers `%s`", (text) => {
  expect(plainWords(text === "" ? [] : text.split(" "))).toBeUndefined();
});
