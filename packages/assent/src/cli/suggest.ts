import { brief, visible } from "@assent/core/action";
import { allOf, findSuggestions, type Suggestion } from "@assent/guard/suggest";
import { thisMachine } from "@assent/guard/state";
import { writeJson } from "./json.ts";
import { pastRequests, suggestionJudges, writeSuggestions } from "@assent/page/preview";
import { absolute } from "./place.ts";
import { complain, showProblems, targetOf } from "./policy-target.ts";
import { progressLine } from "./progress.ts";
import { writeStdout } from "./stdio.ts";
import { styleFor, type TerminalStyle } from "./style.ts";
import { confirmed } from "./terminal.ts";

const COMMAND = "suggest";
const MOST = 10;
const EXAMPLES = 3;

/** `assent suggest`: rules that would have saved the most questions, each proven; with `apply` they are written, after asking. */
export async function suggest(options: { readonly days: number; readonly apply?: boolean; readonly json?: boolean }): Promise<number> {
  const machine = thisMachine();
  const cwd = absolute(".");
  const history = pastRequests(machine, options.days);
  const progress = progressLine("requests judged");
  let judged = 0;
  const { suggestions, guarded, unsafe, proof } = allOf(findSuggestions(history, suggestionJudges(machine, cwd)), () =>
    progress.at(++judged),
  );
  progress.end();
  const { records, unreadable } = history;
  if (options.json === true) {
    const rows = suggestions.map(({ rules, prompts, examples }) => ({
      rules,
      prompts,
      examples: examples.map(({ tool, input, count }) => ({ tool, input, count })),
    }));
    return writeJson({ days: options.days, records, unreadable, guarded, unsafe, proof, suggestions: rows });
  }
  const style = styleFor(process.stdout, process.env);
  const shown = suggestions.slice(0, MOST);
  const page = pageOf(shown, style);
  const asides = [
    `${records} decisions of the last ${options.days} days`,
    ...(suggestions.length > MOST ? [`${suggestions.length - MOST} more suggestions (--json)`] : []),
    ...(guarded === 0 ? [] : [`${guarded} requests are asked on purpose`]),
    ...(unsafe === 0 ? [] : [`${unsafe} rules would have allowed too much`]),
  ];
  if (shown.length === 0) {
    writeStdout(`no rule would have saved a question\n${style.dim(asides.join("; "))}\n`);
    return 0;
  }
  const held = `Held against ${proof.denials} denied requests and ${proof.never} lines that must never be allowed: none is allowed by any of these.`;
  if (options.apply !== true) {
    writeStdout(`${page}\n${style.dim(held)}\n${style.dim(asides.join("; "))}\n\`assent suggest --apply\` writes them to your policy\n`);
    return 0;
  }
  const agreed = await confirmed(`${page}\n${held}\n`, `Write ${shown.length === 1 ? "this" : `these ${shown.length}`} to your policy?`);
  if (agreed !== true) {
    complain(
      COMMAND,
      agreed === undefined ? "this is not a terminal, so nobody can be asked" : "nothing was written",
      "`assent rule add` adds one by one",
    );
    return 1;
  }
  return write(shown);
}

function pageOf(suggestions: readonly Suggestion[], style: TerminalStyle): string {
  return suggestions
    .map(({ rules, prompts, examples }) => {
      const lines = examples
        .slice(0, EXAMPLES)
        .map(({ subject, tool, count }) => `             ${count} ×  ${brief(subject === "" ? tool : subject, style.width - 24)}`);
      return (
        `${String(prompts).padStart(6)} questions  ${style.verdict("allow")} ` +
        `${style.bold(rules.map(visible).join("  "))}\n${style.dim(lines.join("\n"))}\n`
      );
    })
    .join("");
}

function write(suggestions: readonly Suggestion[]): number {
  const target = targetOf(COMMAND, { global: true });
  if (target === undefined) return 2;
  const { written, stopped } = writeSuggestions(target.machine, suggestions);
  if (stopped === undefined) {
    writeStdout(`${written} rule${written === 1 ? "" : "s"} written to ${target.short(target.place.file)}\n`);
    return 0;
  }
  if (stopped.is === "broken") showProblems(stopped.problems, target.short);
  complain(
    COMMAND,
    `${target.short(target.place.file)} ${stopped.is === "failed" ? visible(stopped.why) : "has mistakes"}; ${written} written`,
  );
  return 1;
}
