import type { World } from "@assent/core/action";
import { readingOf, type Rule } from "@assent/core/policy";
import { keyPlace } from "@assent/core/policy/read";
import { isKnown } from "@assent/core/shell/survey";
import { type Inspection, listRules, repeats, type RuleLine } from "../inspect/index.ts";
import { CODES, type Finding, type LintCode } from "./codes.ts";
import { lowerLine } from "./open.ts";
import { tooWeak } from "./weak.ts";
import { tooWide } from "./wide.ts";

export { withoutLimit } from "./wide.ts";
export { CODES, type Finding, type LintCode, type Severity } from "./codes.ts";

/** A finding before it has a place. */
export interface FindingDraft {
  readonly code: LintCode;
  readonly message: string;
  readonly help?: string;
  readonly rewrite?: string;
}

/** Everything that is suspicious about the policies inspected, by file and place. */
export function lint(given: Inspection): readonly Finding[] {
  // A text that was agreed to before is nobody's to change any more.
  const inspection = { ...given, files: given.files.filter(({ agreed }) => agreed !== true) };
  const { rules, files, defaults } = listRules(inspection);
  const all = rules.map(({ rule }) => rule);
  const packs = new Set(files.flatMap(({ file, pack }) => (pack === true ? [file] : [])));
  const out: Finding[] = [];
  const add = (
    { code, ...draft }: FindingDraft,
    { file, line, column }: Omit<Finding, "code" | "severity" | "rule" | "message">,
    rule = "",
  ): void => void out.push({ code, severity: CODES[code].severity, file, line, column, rule, ...draft });

  for (const one of rules)
    // A pack is not the user's to mend.
    if (!packs.has(one.rule.source.file))
      for (const draft of findings(one, all, inspection)) add(draft, one.rule.source, one.rule.source.text);
  const said = new Set(out.flatMap(({ code, file, line, column }) => (code === "AL010" ? [`${file}:${line}:${column}`] : [])));
  for (const { problems } of files)
    for (const { severity, message, help, ...place } of problems) {
      // A rule that never matches has its reason already.
      if (severity === "warning" && said.has(`${place.file}:${place.line}:${place.column}`)) continue;
      const at = all.find(({ source }) => source.file === place.file && source.line === place.line && source.column === place.column);
      const draft: FindingDraft = { code: severity === "error" ? "AL000" : "AL011", message, ...(help === undefined ? {} : { help }) };
      add(draft, { file: place.file, line: place.line, column: place.column }, at?.source.text);
    }
  for (const { operation, effect, file, line } of defaults)
    if (operation === "execute" && effect === "allow")
      add(
        {
          code: "AL003",
          message: "allows every command that no rule or protection speaks against",
          help: 'leave it out, or write "default": "ask"',
        },
        { file, line, column: 1 },
      );
  for (const { at, ...draft } of ownWithoutEffect(inspection)) add(draft, at);
  const order = new Map(files.map(({ file }, at) => [file, at]));
  return out.toSorted(
    (a, b) => (order.get(a.file) ?? 0) - (order.get(b.file) ?? 0) || a.line - b.line || a.column - b.column || (a.code < b.code ? -1 : 1),
  );
}

function findings({ rule, shadow, never }: RuleLine, all: readonly Rule[], inspection: Inspection): readonly FindingDraft[] {
  // What nobody has trusted has no effect, so there is nothing to warn of.
  if (rule.effect === "allow" && rule.untrusted === true) return [];
  if (never !== undefined) return [{ code: "AL010", message: `never matches: ${never}`, help: "correct the rule, or remove it" }];
  const wide = tooWide(rule, inspection);
  // What allows too much is not told that it could allow more.
  const weak = wide === undefined ? tooWeak(rule, all, inspection) : [];
  const out: (FindingDraft | undefined)[] = [wide, ...weak, missing(rule, inspection)];
  if (shadow === undefined) {
    // Who has to change a rule anyway is not told that it is needless, too.
    if (!out.some((draft) => draft !== undefined)) out.push(needless(rule, all, inspection));
  } else {
    const by = `${shadow.by.effect} \`${shadow.by.source.text}\` (${shadow.by.source.file}:${shadow.by.source.line})`;
    if (shadow.because === "equal") out.push({ code: "AL030", message: `says the same as ${by}`, help: "remove one of them" });
    else if (shadow.because === "stricter")
      out.push({
        code: "AL031",
        message: `has no effect: ${by} always answers first`,
        help: "remove it, or make the stricter rule narrower",
      });
    else if (!isEverything(shadow.by))
      out.push({ code: "AL032", message: `adds nothing to ${by}`, help: "remove it, unless it is there to be read" });
  }
  return out.filter((draft) => draft !== undefined);
}

/** `"wrappers"` and `"aliases"` count for programs that no table knows, and that lie where no agent may write. */
function ownWithoutEffect({
  files,
  world,
}: Inspection): readonly (FindingDraft & { readonly at: { file: string; line: number; column: number } })[] {
  return files.flatMap(({ source: { file, content }, trusted, result }) => {
    if (!trusted || !result.ok || content.is !== "text") return [];
    const { wrappers = [], aliases = {} } = result.policy.settings;
    const named = { wrappers: wrappers.map((one) => one.split(" ")[0] ?? one), aliases: Object.keys(aliases) };
    return (["wrappers", "aliases"] as const).flatMap((key) =>
      named[key].flatMap((name) => {
        const why = withoutEffect(name, world);
        const { line = 1, column = 1 } = keyPlace(content.text, key) ?? {};
        return why === undefined ? [] : [{ code: "AL041" as const, ...why, at: { file, line, column } }];
      }),
    );
  });
}

function withoutEffect(name: string, world: World): Pick<FindingDraft, "message" | "help"> | undefined {
  if (isKnown(name))
    return { message: `\`${name}\` has no effect here: Assent knows that program, and reads its words itself`, help: "take the name out" };
  const { path, trusted } = world.lookup(name);
  if (path === undefined || trusted) return undefined;
  return {
    message: `\`${name}\` has no effect here: an agent may write ${path}, so it can be another program tomorrow`,
    help: "put it where only you or root write, and no agent: /usr/local/bin",
  };
}

const isEverything = ({ matcher }: Rule): boolean => readingOf(matcher).isEverything(matcher);

/** Comparing each with each takes too long beyond this. */
const MOST_COMPARED = 3000;

/** A broader rule that comes later, and is not itself one that allows everything. */
function needless(rule: Rule, all: readonly Rule[], inspection: Inspection): FindingDraft | undefined {
  if (all.length > MOST_COMPARED) return undefined;
  const by = all
    .slice(all.indexOf(rule) + 1)
    .find(
      (other) =>
        other.effect === rule.effect &&
        other.untrusted === rule.untrusted &&
        !isEverything(other) &&
        repeats(other, rule, inspection) &&
        !repeats(rule, other, inspection),
    );
  return by === undefined
    ? undefined
    : {
        code: "AL032",
        message: `adds nothing to ${by.effect} \`${by.source.text}\` (${by.source.file}:${by.source.line})`,
        help: "remove it, unless it is there to be read",
      };
}

/** A name that neither the tables nor the machine know is probably a typing mistake. */
function missing({ matcher }: Rule, { world }: Inspection): FindingDraft | undefined {
  const name = readingOf(matcher)
    .programs(matcher)
    .find(
      (program) =>
        !program.includes("/") &&
        !isKnown(program) &&
        world.lookup(program).path === undefined &&
        !lowerLine([program]).some((action) => action.kind === "exec" && action.builtin === true),
    );
  return name === undefined
    ? undefined
    : { code: "AL040", message: `\`${name}\` is not on the PATH, and Assent does not know it`, help: "check how it is written" };
}
