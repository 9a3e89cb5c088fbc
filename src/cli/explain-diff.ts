import { brief, visible } from "../action/index.ts";
import type { Verdict } from "../policy/index.ts";
import { changedParts, differ, type Outcome } from "../engine/index.ts";
import { JSON_VERSION, verdictFields } from "./json.ts";
import type { Style } from "./style.ts";

/** What one request is told under two policies, as JSON. */
export function diffJson(before: Outcome, after: Outcome): Record<string, unknown> {
  const warnings = [...new Set([...before.warnings, ...after.warnings])];
  return {
    v: JSON_VERSION,
    changed: before.verdict.decision !== after.verdict.decision,
    tool: before.request.tool,
    input: before.request.input,
    cwd: before.request.cwd,
    before: { ...verdictFields(before.verdict), answer: before.answer.decision },
    after: { ...verdictFields(after.verdict), answer: after.answer.decision },
    parts: changedParts(before, after).map((part) => ({
      text: part.text,
      before: verdictFields(part.before),
      after: verdictFields(part.after),
    })),
    ...(warnings.length === 0 ? {} : { warnings: warnings.map(visible) }),
  };
}

/** The same for people: the verdicts, then the parts that are judged differently and why. */
export function diffPage(before: Outcome, after: Outcome, short: (path: string) => string, style: Style): string {
  const { request } = before;
  const command = request.input["command"];
  const text = brief(typeof command === "string" ? command : `${request.tool} ${JSON.stringify(request.input)}`, style.width - 16);
  const out: string[] = [];
  if (before.verdict.decision === after.verdict.decision)
    out.push(`${style.verdict(before.verdict.decision)} (no change)  ${style.bold(text)}`);
  else out.push(`${style.verdict(before.verdict.decision)} → ${style.verdict(after.verdict.decision)}  ${style.bold(text)}`);
  out.push(`${style.dim("before")}  ${why(before.verdict, short)}`, `${style.dim("after")}   ${why(after.verdict, short)}`);
  // Another rule that says the same is told only where nothing else differs.
  const all = changedParts(before, after);
  const turned = all.filter((part) => part.before.decision !== part.after.decision);
  const parts = turned.length > 0 ? turned : all;
  if (parts.length > 0) out.push("");
  for (const part of parts) {
    const change =
      part.before.decision === part.after.decision
        ? style.verdict(part.after.decision)
        : `${style.verdict(part.before.decision)} → ${style.verdict(part.after.decision)}`;
    out.push(`${change}  ${part.text}`);
    out.push(`  ${style.dim("before")}  ${why(part.before, short)}`, `  ${style.dim("after")}   ${why(part.after, short)}`);
  }
  if (parts.length === 0 && !differ(before.verdict, after.verdict)) out.push("", "The same rules decide.");
  for (const warning of new Set([...before.warnings, ...after.warnings])) out.push("", `warning: ${visible(warning)}`);
  return `${out.join("\n")}\n`;
}

function why({ decision, reason, rule, builtin, basis }: Verdict, short: (path: string) => string): string {
  const from =
    rule === undefined
      ? `${basis}${builtin === undefined ? "" : `: ${visible(builtin)}`}`
      : `${visible(rule.text)}  ${visible(short(rule.file))}:${rule.line}`;
  return `${decision}  ${from} — ${visible(reason)}`;
}
