import { visible } from "@assent/core/action";
import type { Edit } from "@assent/core/edit";
import type { Finding } from "@assent/guard/lint";
import { editPolicy, type PolicyPlace, policyPlace, profilePlace, ruleEntries, type WrittenRule } from "@assent/guard/policy-edit";
import { listProfiles, type Machine } from "@assent/guard/state";
import { shorten } from "./place.ts";
import { complain, trustEnded } from "./policy-target.ts";
import { writeStderr } from "./stdio.ts";
import { styleFor } from "./style.ts";
import { confirmed } from "./terminal.ts";

interface FixOptions {
  readonly machine: Machine;
  readonly cwd: string;
  /** Nobody is asked. */
  readonly yes: boolean;
}

type Rewriting = Finding & { readonly rewrite: string };

/** Shows the rules that would be rewritten, asks and writes them. `not`: it was not done, which has been said. */
export async function fixRules(findings: readonly Finding[], { machine, cwd, yes }: FixOptions): Promise<"done" | "nothing" | "not"> {
  const wanted = findings.filter((finding): finding is Rewriting => finding.rewrite !== undefined);
  const short = (path: string): string => visible(shorten(path, cwd, machine.home));
  const places = placesOf(machine, cwd);
  const ready = wanted.filter(({ file }) => places.has(file));
  for (const { file, line, rule } of wanted.filter(({ file: of }) => !places.has(of)))
    writeStderr(`assent lint: ${short(file)}:${line}: ${visible(rule)} is left as it is: the file is neither yours nor this project's\n`);
  for (const { file, line, rule } of findings.filter(({ code }) => code === "AL027"))
    writeStderr(`assent lint: ${short(file)}:${line}: ${visible(rule)} is left as it is: it would allow more, which only you can want\n`);
  if (ready.length === 0) {
    writeStderr("assent lint: nothing to rewrite\n");
    return "nothing";
  }
  const page = (style: ReturnType<typeof styleFor>): string =>
    ready
      .map(
        ({ file, line, rule, rewrite }) =>
          `${style.bold(`${short(file)}:${line}`)}\n${style.verdict("deny", `- ${visible(rule)}`)}\n${style.verdict("allow", `+ ${visible(rewrite)}`)}\n`,
      )
      .join("");
  if (yes) writeStderr(page(styleFor(process.stderr, process.env)));
  else {
    const agreed = await confirmed(
      page(styleFor({ isTTY: true }, process.env)),
      ready.length === 1 ? "Rewrite it?" : "Rewrite them?",
      "[Y/n]",
    );
    if (agreed !== true) {
      complain(
        "lint",
        agreed === undefined ? "this is not a terminal, so nobody can be asked" : "nothing was changed",
        "--yes rewrites without asking",
      );
      return "not";
    }
  }
  for (const file of new Set(ready.map((one) => one.file))) {
    const place = places.get(file);
    if (place === undefined) continue;
    const problem = rewriteIn(
      place,
      ready.filter((one) => one.file === file),
    );
    if (problem !== undefined) {
      complain("lint", `${short(file)} ${visible(problem)}`);
      return "not";
    }
    const ended = trustEnded({ machine, place });
    if (ended !== undefined) writeStderr(`warning: ${ended}\n`);
  }
  return "done";
}

/** The files that a person writes: his own, this project's, and the profiles. */
function placesOf(machine: Machine, cwd: string): ReadonlyMap<string, PolicyPlace> {
  const all = [
    policyPlace("global", machine, cwd),
    policyPlace("local", machine, cwd),
    ...listProfiles(machine).map(({ name }) => profilePlace(machine, name)),
  ];
  return new Map(all.flatMap((place) => (place === undefined ? [] : [[place.file, place] as const])));
}

/** What went wrong. */
function rewriteIn(place: PolicyPlace, wanted: readonly Rewriting[]): string | undefined {
  const outcome = editPolicy(place, "", (text): { readonly edits: readonly Edit[] } | { readonly stop: "moved" } => {
    const entries = ruleEntries(text);
    const lines = text.split("\n");
    const edits = wanted.flatMap(({ line, column, rule, rewrite }): readonly Edit[] => {
      // The text of an entry with a reason or examples stands behind its start.
      const before = (one: WrittenRule): boolean => one.line < line || (one.line === line && one.column <= column);
      const entry = entries
        .filter((one) => one.text === rule && one.effect !== "allow" && before(one))
        .toSorted((a, b) => a.line - b.line || a.column - b.column)
        .at(-1);
      if (entry === undefined) return [];
      const isObject = lines[entry.line - 1]?.charAt(entry.column - 1) === "{";
      return [{ do: "replace", path: isObject ? [...entry.path, "rule"] : entry.path, value: rewrite }];
    });
    return edits.length === wanted.length ? { edits } : { stop: "moved" };
  });
  if (outcome.is === "done") return undefined;
  if (outcome.is === "failed") return outcome.why;
  return outcome.is === "broken" ? "has mistakes and is left as it is" : "has changed meanwhile: try again";
}
