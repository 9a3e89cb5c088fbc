import { visible } from "@assent/core/action";
import { addToProfile, minute, readForeignProfiles, type LostPattern } from "@assent/guard/policy-edit";
import { readRegular, thisMachine } from "@assent/guard/state";
import { writeJson } from "./json.ts";
import { absolute, shorten } from "./place.ts";
import { complain, showProblems } from "./policy-target.ts";
import { writeStderr, writeStdout } from "./stdio.ts";

const COMMAND = "profile import";
const MAX_BYTES = 16 << 20;

interface ProfileImportOptions {
  readonly partly?: boolean;
  readonly json?: boolean;
}

interface WrittenProfile {
  readonly name: string;
  readonly file: string;
  readonly added: number;
}

/** `assent profile import`: exit 0 when everything was kept, 1 when something was not, 2 wrong usage. */
export function importProfiles(written: string, options: ProfileImportOptions): number {
  const machine = thisMachine();
  const path = absolute(written);
  const short = (one: string): string => visible(shorten(one, absolute("."), machine.home));
  const found = readRegular(path, MAX_BYTES);
  if (found.is !== "text") {
    complain(COMMAND, `${short(path)} ${found.is === "missing" ? "does not exist" : visible(found.why)}`);
    return 2;
  }
  const read = readForeignProfiles(found.text);
  if ("problem" in read) {
    complain(COMMAND, `${short(path)} ${visible(read.problem)}`);
    return 1;
  }
  const { profiles, lost } = read;
  const done: WrittenProfile[] = [];
  let failed = false;
  if (lost.length === 0 || options.partly === true) {
    const reason = `imported from ${path}, ${minute(new Date())}`;
    // What was denied must not be allowed because half of a profile came over.
    const open = new Set(lost.flatMap(({ name, effect }) => (effect === "deny" ? [name] : [])));
    for (const name of open) if (profiles.has(name)) complain(COMMAND, `${visible(name)} is left out: it denies what cannot be kept`);
    for (const [name, rules] of profiles) {
      if (rules.length === 0 || open.has(name)) continue;
      const outcome = addToProfile(
        machine,
        name,
        rules.map((rule) => ({ ...rule, reason })),
      );
      if (outcome.is === "done") {
        done.push({ name, file: outcome.file, added: outcome.added });
        continue;
      }
      failed = true;
      complain(COMMAND, `${visible(name)}: ${short(outcome.file)} ${visible(outcome.why)}`);
      showProblems(outcome.problems, short);
    }
  }
  if (options.json === true) writeJson({ profiles: done, lost: lost.map(lostJson) });
  else report(done, lost, short(path), options.partly === true);
  return failed || lost.length > 0 ? 1 : 0;
}

const lostJson = ({ key, name, pattern, line, column, why, help }: LostPattern): Record<string, unknown> => ({
  key,
  name,
  line,
  column,
  pattern: visible(pattern),
  why: visible(why),
  ...(help === undefined ? {} : { help: visible(help) }),
});

function report(done: readonly WrittenProfile[], lost: readonly LostPattern[], file: string, partly: boolean): void {
  for (const { name, added } of done) writeStdout(`${visible(name)}: ${added} rule${added === 1 ? "" : "s"} added\n`);
  for (const { key, pattern, line, column, why, help } of lost) {
    writeStderr(
      `${file}:${line}:${column}: ${visible(key)}: ${pattern === "" ? "" : `\`${visible(pattern)}\` cannot be kept: `}${visible(why)}\n`,
    );
    if (help !== undefined) writeStderr(`  ${visible(help)}\n`);
  }
  if (lost.length > 0 && !partly) complain(COMMAND, "nothing was written", "correct the patterns, or say --partly to leave them out");
}
