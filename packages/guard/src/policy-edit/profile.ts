import { edit, type Edit } from "@assent/core/edit";
import { parseRule, same, type Effect, type Matcher, type Problem } from "@assent/core/policy";
import { openProfiles, profileFile, wrongProfileName, type Machine } from "../state/index.ts";
import { addRule, editPolicy, type PolicyPlace, ruleEntries } from "./policy-file.ts";

/** Where the profile of that name lies, whether it is there or not. */
export function profilePlace(machine: Machine, name: string): PolicyPlace {
  return { layer: "profile", file: profileFile(machine, name) };
}

/** What a profile says when it is made. */
export function starterProfile(name: string, schema?: string): string {
  return `{
${schema === undefined ? "" : `  "$schema": ${JSON.stringify(schema)},\n`}  "version": 1,

  // What was remembered for this program under \`assent run\`: one more layer beside your own policy, and the strictest
  // rule of all wins. \`assent profile edit\` opens it, \`assent profile clear\` removes it.
  "profile": ${JSON.stringify(shownName(name))},

  "permissions": {
    "allow": [],
    "ask": [],
    "deny": []
  }
}
`;
}

/** The name as a text file can hold it: bytes that are no UTF-8 are only shown. The file's own name tells such profiles apart. */
function shownName(name: string): string {
  return name.replace(/\p{Cs}/gu, (char) => `\\x${(char.charCodeAt(0) & 0xff).toString(16).padStart(2, "0")}`);
}

/** A rule to keep in a profile. */
export interface ProfileRule {
  readonly effect: Effect;
  readonly rule: string;
  /** When and why; shown with the verdict. */
  readonly reason: string;
}

export type RememberResult =
  /** `added`: how many of the rules were not there before. */
  | { readonly is: "done"; readonly file: string; readonly added: number; readonly created: boolean }
  | { readonly is: "failed"; readonly file: string; readonly why: string; readonly problems: readonly Problem[] };

/**
 * Keeps one answer in the profile `name`, which is made when it is missing. Comments and layout of the file stay; a rule
 * that is there is not added again; others may write at the same time. The rule's reason says why and when (in UTC).
 *
 * @example rememberInProfile(machine, "/usr/bin/npm", "allow", "Write(~/.npm/**)", "answered always")
 */
export function rememberInProfile(
  machine: Machine,
  name: string,
  effect: Effect,
  rule: string,
  why: string,
  now: Date = new Date(),
): RememberResult {
  return addToProfile(machine, name, [{ effect, rule, reason: `${why}, ${minute(now)}` }]);
}

/** `2026-11-21 05:39 UTC` */
export function minute(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** Adds rules to a profile in one step: all of them or none. */
export function addToProfile(machine: Machine, name: string, rules: readonly ProfileRule[]): RememberResult {
  const place = profilePlace(machine, name);
  const { file } = place;
  const failed = (why: string, problems: readonly Problem[] = []): RememberResult => ({ is: "failed", file, why, problems });
  const wrong = wrongProfileName(name);
  if (wrong !== undefined) return failed(wrong);
  const parsed: (ProfileRule & { readonly matcher: Matcher })[] = [];
  for (const rule of rules) {
    const read = parseRule(rule.rule);
    if (!read.ok) return failed(`\`${rule.rule}\`: ${read.message}${read.help === undefined ? "" : ` (${read.help})`}`);
    parsed.push({ ...rule, rule: read.text, matcher: read.matcher });
  }
  const opened = openProfiles(machine);
  if ("problem" in opened) return failed(opened.problem);
  let added = 0;
  const outcome = editPolicy(place, starterProfile(name), (text): { readonly edits: readonly Edit[] } | { readonly stop: "there" } => {
    const edits: Edit[] = [];
    let current = text;
    for (const { effect, rule, reason, matcher } of parsed) {
      if (ruleEntries(current).some((entry) => entry.effect === effect && entry.when === undefined && same(entry.matcher, matcher)))
        continue;
      const change = addRule(current, effect, { rule, reason });
      edits.push(change);
      const edited = edit(current, change);
      // editPolicy says what is wrong when it makes the same edit.
      if (!edited.ok) break;
      current = edited.text;
    }
    added = edits.length;
    return edits.length === 0 ? { stop: "there" } : { edits };
  });
  switch (outcome.is) {
    case "done":
      return { is: "done", file, added, created: outcome.created };
    case "stopped":
      return { is: "done", file, added: 0, created: false };
    case "broken":
      return failed("has mistakes and is left as it is", outcome.problems);
    case "failed":
      return failed(outcome.why);
  }
}
