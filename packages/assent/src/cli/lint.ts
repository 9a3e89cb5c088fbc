import { visible } from "@assent/core/action";
import { inspect } from "@assent/guard/inspect";
import { lint as findings, type Finding, type Severity } from "@assent/guard/lint";
import { policyPlace, editPolicy, type PolicyPlace, profilePlace, ruleEntries, type WrittenRule } from "@assent/guard/policy-edit";
import { thisMachine, listProfiles, type Machine } from "@assent/guard/state";
import { engine } from "@assent/page/preview";
import type { Edit } from "@assent/core/edit";
import { writeJson } from "./json.ts";
import { absolute, shorten } from "./place.ts";
import { complain, trustEnded } from "./policy-target.ts";
import { STANDARD_OUTPUT, writeReport } from "./report-file.ts";
import { sarifOf } from "./sarif.ts";
import { writeStderr, writeStdout } from "./stdio.ts";
import { styleFor, type TerminalStyle } from "./style.ts";
import { confirmed } from "./terminal.ts";

interface LintOptions {
  readonly policy: readonly string[];
  readonly json?: boolean;
  /** Where a report for code hosts goes. */
  readonly sarif?: string;
  /** Rewrites the rules that have one plain meaning in other tools and another one here. */
  readonly fix?: boolean;
  readonly yes?: boolean;
}

/** `assent lint`: what is suspicious about the policies in force, or about the files given. Exit 0 nothing but notes, 1 warnings or errors, 2 wrong usage. */
export async function lint(files: readonly string[], options: LintOptions): Promise<number> {
  const cwd = absolute(".");
  if (options.json === true && options.sarif === STANDARD_OUTPUT) {
    complain("lint", "--json and --sarif - both print", "give --sarif a file");
    return 2;
  }
  const only = files.map((file) => absolute(file, cwd));
  const machine = thisMachine();
  const policyFiles = options.policy.map((file) => absolute(file, cwd));
  const look = (): readonly Finding[] =>
    findings(inspect({ machine, cwd, own: engine.own, policyFiles, ...(only.length === 0 ? {} : { only }) }));
  const first = look();
  const fixed = options.fix === true ? await fixRules(first, { machine, cwd, yes: options.yes === true }) : "nothing";
  if (fixed === "not") return 1;
  const found = fixed === "done" ? look() : first;
  if (options.sarif !== undefined) {
    const root = policyPlace("local", machine, cwd)?.root ?? cwd;
    if (!writeReport("lint", options.sarif, sarifOf(found, root))) return 1;
  }
  if (options.json === true) writeJson(lintJson(found));
  else if (options.sarif !== STANDARD_OUTPUT)
    writeStdout(report(found, (path) => shorten(path, cwd, machine.home), styleFor(process.stdout, process.env)));
  return found.some(({ severity }) => severity !== "info") ? 1 : 0;
}

function count(found: readonly Finding[], severity: Severity): number {
  return found.filter((finding) => finding.severity === severity).length;
}

function lintJson(found: readonly Finding[]): Record<string, unknown> {
  return {
    errors: count(found, "error"),
    warnings: count(found, "warning"),
    notes: count(found, "info"),
    findings: found.map(({ rule, message, help, rewrite, ...finding }) => ({
      ...finding,
      rule: visible(rule),
      message: visible(message),
      ...(help === undefined ? {} : { help: visible(help) }),
      ...(rewrite === undefined ? {} : { rewrite: visible(rewrite) }),
    })),
  };
}

const COLOUR: Readonly<Record<Severity, string>> = { error: "deny", warning: "ask", info: "none" };

function report(found: readonly Finding[], short: (path: string) => string, style: TerminalStyle): string {
  const out: string[] = [];
  for (const { code, severity, file, line, column, rule, message, help } of found) {
    out.push(
      `${style.bold(`${visible(short(file))}:${line}:${column}`)}  ${style.verdict(COLOUR[severity], `${severity} ${code}`)}  ${visible(rule)}`,
    );
    out.push(`  ${visible(message)}`);
    if (help !== undefined) out.push(`  ${style.dim(`help: ${visible(help)}`)}`);
    out.push("");
  }
  const named = (number: number, word: string): string => `${number} ${word}${number === 1 ? "" : "s"}`;
  out.push(
    found.length === 0
      ? "no problems found"
      : `${named(count(found, "error"), "error")}, ${named(count(found, "warning"), "warning")}, ` +
          `${named(count(found, "info"), "note")}: docs/lint.md says more about each code`,
  );
  return `${out.join("\n")}\n`;
}

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
