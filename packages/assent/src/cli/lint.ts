import { visible } from "@assent/core/action";
import { inspect } from "@assent/guard/inspect";
import { lint as findings, type Finding, type Severity } from "@assent/guard/lint";
import { policyPlace } from "@assent/guard/policy-edit";
import { thisMachine } from "@assent/guard/state";
import { engine } from "@assent/page/look";
import { JSON_VERSION } from "./json.ts";
import { fixRules } from "./lint-fix.ts";
import { absolute, fileProblem, shorten } from "./place.ts";
import { complain } from "./policy-target.ts";
import { STANDARD_OUTPUT, writeReport } from "./report-file.ts";
import { sarifOf } from "./sarif.ts";
import { writeStderr, writeStdout } from "./stdio.ts";
import { styleFor, type TerminalStyle } from "./style.ts";

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
  for (const file of files) {
    const problem = fileProblem(file);
    if (problem === undefined) continue;
    writeStderr(`assent lint: ${problem}: ${visible(file)}\n`);
    return 2;
  }
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
  if (options.json === true) writeStdout(`${JSON.stringify(lintJson(found))}\n`);
  else if (options.sarif !== STANDARD_OUTPUT)
    writeStdout(report(found, (path) => shorten(path, cwd, machine.home), styleFor(process.stdout, process.env)));
  return found.some(({ severity }) => severity !== "info") ? 1 : 0;
}

function count(found: readonly Finding[], severity: Severity): number {
  return found.filter((finding) => finding.severity === severity).length;
}

function lintJson(found: readonly Finding[]): Record<string, unknown> {
  return {
    v: JSON_VERSION,
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
