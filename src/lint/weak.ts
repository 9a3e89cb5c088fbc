import type { DangerId } from "../action/index.ts";
import { patternCovers } from "../pattern/index.ts";
import { compareDecisions, patternBase, sampleCommands, type Matcher, type Rule } from "../policy/index.ts";
import { lowerShell } from "../shell/index.ts";
import { examplesOf } from "../shell/survey/index.ts";
import { NOWHERE } from "../engine/index.ts";
import type { Inspection } from "../inspect/index.ts";
import type { FindingDraft } from "./index.ts";
import { lowerLine, matchesLine, programsOf } from "./open.ts";

/** What is wrong with a deny or ask rule that stops less than it seems to. */
export function tooWeak(rule: Rule, all: readonly Rule[], inspection: Inspection): readonly FindingDraft[] {
  if (rule.effect === "allow") return [];
  // What another rule stops at least as firmly is stopped.
  const helpers = all.filter((other) => other !== rule && compareDecisions(other.effect, rule.effect) >= 0);
  const found =
    rule.matcher.kind === "path"
      ? paths(rule, rule.matcher, helpers, inspection)
      : [exactly(rule, helpers) ?? spelling(rule, helpers, inspection)];
  return found.filter((draft) => draft !== undefined);
}

/** `Bash(git push)` without `:*`. */
function exactly({ matcher, effect }: Rule, helpers: readonly Rule[]): FindingDraft | undefined {
  if (matcher.kind !== "bash" || matcher.open || matcher.tokens.some(({ is }) => is !== "text")) return undefined;
  const words = matcher.tokens.map((token) => (token.is === "text" ? token.text : ""));
  const more = lowerLine([...words, "x"]);
  if (helpers.some((other) => matchesLine(other, more))) return undefined;
  const text = words.join(" ");
  return {
    code: "AL020",
    message: `${effect === "deny" ? "denies" : "asks about"} \`${text}\` and nothing else: \`${text} x\` is another command to it`,
    help: `write \`Bash(${text}:*)\``,
  };
}

/** The tables know other ways to do the same harm. */
function spelling(rule: Rule, helpers: readonly Rule[], { context }: Inspection): FindingDraft | undefined {
  const dangers = new Set<DangerId>(sampleCommands(rule.matcher).flatMap((argv) => [...context.dangersOf(argv)]));
  if (dangers.size === 0) return undefined;
  const left: string[] = [];
  for (const program of programsOf(rule.matcher))
    for (const { line } of examplesOf(program)) {
      const { actions } = lowerShell(line, { world: NOWHERE });
      // An entry may be about several programs.
      if (!actions.some((action) => action.kind === "exec" && action.program === program)) continue;
      if (!actions.some((action) => action.dangers?.some((danger) => dangers.has(danger)) === true)) continue;
      if (![rule, ...helpers].some((one) => matchesLine(one, actions))) left.push(line);
    }
  if (left.length === 0) return undefined;
  const shown = left.slice(0, 3).map((line) => `\`${line}\``);
  const [first = []] = sampleCommands(rule.matcher);
  const broad = first.filter((word) => !word.startsWith("-") && !/[/~]/.test(word)).slice(0, 2);
  return {
    code: "AL021",
    message: `${[...dangers].join(", ")} has other spellings, which this rule lets pass: ${shown.join(", ")}`,
    help: `Assent's own protection speaks about them; to ${rule.effect} them yourself, add rules for them, or write \`Shell(${broad.filter((word) => word !== "zqx1").join(" ")} ...)\``,
  };
}

function paths(
  rule: Rule,
  matcher: Extract<Matcher, { kind: "path" }>,
  helpers: readonly Rule[],
  { world }: Inspection,
): readonly (FindingDraft | undefined)[] {
  const { pattern, tool = "Read" } = matcher;
  if (pattern === undefined) return [];
  const base = patternBase(world, "narrow");
  const covered = (wanted: string, change = false): boolean =>
    helpers.some(
      ({ matcher: other }) =>
        other.kind === "path" &&
        (change ? other.operations.includes("delete") : matcher.operations.every((operation) => other.operations.includes(operation))) &&
        (other.pattern === undefined || patternCovers(other.pattern, wanted, base)),
    );
  const out: (FindingDraft | undefined)[] = [];
  const [, folder = "", last = ""] = /^(.*?)([^/]*)$/.exec(pattern) ?? [];
  const deep = last === "*" ? `${folder}**` : `${pattern}/**`;
  const isFolder = !/[*?[{]/.test(pattern) && last !== "" && world.kind(absolutePath(pattern, base)) === "directory";
  const anywhere = `**/${pattern}`;
  if ((last === "*" || isFolder) && !covered(deep))
    out.push({
      code: "AL023",
      message: isFolder
        ? "speaks of the folder itself, not of what is in it"
        : "speaks of what lies directly in the folder, not further below",
      help: `write \`${tool}(${deep})\``,
    });
  else if (!pattern.includes("/") && pattern !== "~" && !pattern.startsWith("**") && !covered(anywhere))
    out.push({
      code: "AL022",
      message: `speaks of \`${pattern}\` at the top of the project only, not in the folders below`,
      help: `write \`${tool}(${anywhere})\``,
    });
  const onlyEdits =
    rule.effect === "deny" && matcher.operations.includes("edit") && !matcher.operations.includes("delete") && matcher.tool !== undefined;
  if (onlyEdits && !covered(pattern, true))
    out.push({
      code: "AL024",
      message: "deleting and renaming are no edits and stay possible",
      help: `write \`Write(${pattern})\`, which means every change`,
    });
  return out;
}

function absolutePath(pattern: string, { project, home }: { readonly project: string; readonly home: string }): string {
  if (pattern.startsWith("/")) return pattern;
  return pattern.startsWith("~/") ? `${home}${pattern.slice(1)}` : `${project}/${pattern}`;
}
