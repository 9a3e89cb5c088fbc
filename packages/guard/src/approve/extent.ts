import { visible } from "@assent/core/action";
import { baseName, parentOf } from "@assent/core/path";
import { escapeSegment } from "@assent/core/pattern";
import { parseRule } from "@assent/core/policy";
import type { Extent, Proposal, Question } from "./types.ts";

/** So many names make a rule that is read. */
const MOST_NAMED = 8;

/** The rule that covers what a question is about. Undefined: none can say it. */
export function ruleOf(extent: Extent, home: string | undefined): Proposal | undefined {
  const [first] = extent;
  if (first === undefined || extent.length > MOST_NAMED || extent.some(({ does, path }) => does !== first.does || visible(path) !== path))
    return undefined;
  const patterns = extent.map(({ path, below, name }) => {
    const folder = escapePath(parentOf(path)).replace(/\/$/, "");
    const text = `${folder}/${name ?? escapePath(baseName(path))}${below === true ? "/**" : ""}`;
    return home !== undefined && text.startsWith(`${escapePath(home)}/`) ? `~${text.slice(escapePath(home).length)}` : text;
  });
  const rule = `${first.does === "delete" ? "Delete" : "Edit"}(${together(patterns)})`;
  const things = extent.length === 1 ? "this" : "these";
  const folders =
    first.below === true
      ? `${things} folder${extent.length === 1 ? "" : "s"}, and the files put into ${extent.length === 1 ? "it" : "them"}`
      : undefined;
  return parseRule(rule).ok ? { rule, covers: folders ?? `${things} file${extent.length === 1 ? "" : "s"}` } : undefined;
}

const escapePath = (path: string): string => path.split("/").map(escapeSegment).join("/");

/** As one pattern. */
function together(patterns: readonly string[]): string {
  const [first = ""] = patterns;
  if (patterns.length < 2) return first;
  let common = first.slice(0, first.lastIndexOf("/") + 1);
  while (common !== "" && !patterns.every((pattern) => pattern.startsWith(common)))
    common = common.slice(0, common.lastIndexOf("/", common.length - 2) + 1);
  return `${common}{${patterns.map((pattern) => pattern.slice(common.length)).join(",")}}`;
}

/** A question that stands for others, too: the rule for it is about all of them. */
export function withOthers(question: Question, others: readonly Question[], home: string | undefined): Question {
  const all = [question, ...others].map(({ extent }) => extent);
  if (others.length === 0 || !all.every((extent) => extent !== undefined)) return question;
  const once = [...new Map(all.flat().map((one) => [JSON.stringify(one), one])).values()];
  const [own] = question.proposals;
  const rule = ruleOf(once, home);
  return rule === undefined || rule.rule === own?.rule ? question : { ...question, proposals: [rule, ...question.proposals] };
}
