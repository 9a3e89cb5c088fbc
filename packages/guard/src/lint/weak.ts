import type { Action, DangerId, ExecAction } from "@assent/core/action";
import { patternCovers } from "@assent/core/pattern";
import {
  compareDecisions,
  judge,
  judgingOf,
  parseRule,
  pathScopeOf,
  patternBase,
  readingOf,
  sampleCommands,
  type PathScope,
  type Rule,
} from "@assent/core/policy";
import { lowerShell } from "@assent/core/shell";
import { examplesOf } from "@assent/core/shell/survey";
import { NOWHERE } from "../engine/index.ts";
import type { Inspection } from "../inspect/index.ts";
import type { FindingDraft } from "./index.ts";
import { lowerLine, matchesLine } from "./open.ts";

/** What is wrong with a deny or ask rule that stops less than it seems to. */
export function tooWeak(rule: Rule, all: readonly Rule[], inspection: Inspection): readonly FindingDraft[] {
  if (rule.effect === "allow")
    return [
      oneWord(
        rule,
        all.filter((other) => other !== rule && other.effect === "allow"),
      ),
    ].flatMap((one) => one ?? []);
  // What another rule stops at least as firmly is stopped.
  const helpers = all.filter((other) => other !== rule && compareDecisions(other.effect, rule.effect) >= 0);
  const scope = pathScopeOf(rule.matcher);
  const found =
    scope === undefined
      ? [exactly(rule, helpers) ?? oneWord(rule, helpers) ?? spelling(rule, helpers, inspection)]
      : paths(rule, scope, helpers, inspection);
  return found.filter((draft) => draft !== undefined);
}

/** `Bash(git push)` without `:*`. */
function exactly(rule: Rule, helpers: readonly Rule[]): FindingDraft | undefined {
  const { matcher, effect } = rule;
  const [words] = judgingOf(matcher).names.isWholeCommand(matcher) ? sampleCommands(matcher) : [];
  if (words === undefined) return undefined;
  const more = lowerLine([...words, "x"]);
  // Its own words can be a pattern to a rule that denies or asks: `Bash(git commit*)`.
  if ([rule, ...helpers].some((other) => matchesLine(other, more))) return undefined;
  const text = words.join(" ");
  return {
    code: "AL020",
    message: `${effect === "deny" ? "denies" : "asks about"} \`${text}\` and nothing else: \`${text} x\` is another command to it`,
    help: `write \`Bash(${text}:*)\``,
  };
}

/** `Bash(git push *)`: other tools read it as `git push` with whatever follows. */
function oneWord(rule: Rule, helpers: readonly Rule[]): FindingDraft | undefined {
  const [, command] = /^Bash\(([^*\s].*?)(?: \*)+\)$/.exec(rule.source.text) ?? [];
  const [words] = sampleCommands(rule.matcher);
  if (command === undefined || words === undefined) return undefined;
  const others = [...(command.includes("*") ? [] : [command.split(/\s+/)]), [...words, "x"]];
  const passing = others.find((line) => ![rule, ...helpers].some((one) => matchesLine(one, lowerLine(line))));
  if (passing === undefined) return undefined;
  const stops = { allow: "allowed", ask: "asked about", deny: "denied" }[rule.effect];
  return {
    code: rule.effect === "allow" ? "AL027" : "AL025",
    message: `a \`*\` is exactly one word here: \`${passing.join(" ")}\` is not ${stops}`,
    help: `write \`Bash(${command}:*)\`: whatever follows, or nothing`,
    // What it allows would become more, which is for a person to write.
    ...(rule.effect === "allow" ? {} : { rewrite: `Bash(${command}:*)` }),
  };
}

/** The tables know other ways to do the same harm: those that really are stopped less than the rule says. */
function spelling(rule: Rule, helpers: readonly Rule[], { context, policy }: Inspection): FindingDraft | undefined {
  const dangers = new Set<DangerId>(sampleCommands(rule.matcher).flatMap((argv) => [...context.dangersOf(argv)]));
  if (dangers.size === 0) return undefined;
  const [first = []] = sampleCommands(rule.matcher);
  const broad = first.filter((word) => !word.startsWith("-") && !/[/~]/.test(word) && word !== "zqx1").slice(0, 2);
  const left: string[] = [];
  for (const program of readingOf(rule.matcher).programs(rule.matcher))
    for (const { line } of examplesOf(program)) {
      const lowered = lowerShell(line, { world: NOWHERE });
      const { actions } = lowered;
      // An entry may be about several programs, and another subcommand is no other way to write this one.
      if (!actions.some((action) => action.kind === "exec" && action.program === program && says(action, broad.slice(1)))) continue;
      if (!actions.some((action) => action.dangers?.some((danger) => dangers.has(danger)) === true)) continue;
      if ([rule, ...helpers].some((one) => matchesLine(one, actions))) continue;
      if (compareDecisions(judge(lowered, policy, { ...context, world: NOWHERE }).decision, rule.effect) < 0) left.push(line);
    }
  if (left.length === 0) return undefined;
  const shown = left.slice(0, 3).map((line) => `\`${line}\``);
  const { rules, rest } = narrowRules(broad.join(" "), left, rule);
  return {
    code: "AL021",
    message: `${[...dangers].join(", ")} can be written in other ways, which this rule lets pass: ${shown.join(", ")}`,
    help: [
      rules.length === 0 ? "" : `to ${rule.effect} these, too, write ${rules.map((text) => `\`${text}\``).join(" and ")}`,
      rest === 0 ? "" : `Assent's built-in protection asks about ${rules.length === 0 ? "them" : "the others"}`,
    ]
      .filter((text) => text !== "")
      .join("; "),
  };
}

/** Its first words, but for options and their values, are these. */
function says({ argv }: ExecAction, words: readonly string[]): boolean {
  const texts = argv.slice(1).map((argument) => (argument.known ? argument.text : ""));
  const isOption = (at: number): boolean => texts[at]?.startsWith("-") === true;
  let from = 0;
  return words.every((word) => {
    const at = texts.indexOf(word, from);
    const isNext = at >= 0 && texts.slice(from, at).every((_, i) => isOption(from + i) || isOption(from + i - 1));
    from = at + 1;
    return isNext;
  });
}

/** Rules for the options, and for the marks in front of operands, that `lines` do it by; none that stops what goes without them. */
function narrowRules(
  broad: string,
  lines: readonly string[],
  { effect }: Rule,
): { readonly rules: readonly string[]; readonly rest: number } {
  const execs = lines.flatMap((line) => {
    const exec = lowerShell(line, { world: NOWHERE }).actions.find((action) => action.kind === "exec");
    return exec?.kind === "exec" ? [{ exec, words: exec.argv.slice(1).map((word) => (word.known ? word.text : "")) }] : [];
  });
  const speaks = (text: string, actions: readonly Action[]): boolean => {
    const parsed = parseRule(text);
    return (
      parsed.ok && matchesLine({ effect, matcher: parsed.matcher, layer: "user", source: { text, file: "", line: 1, column: 1 } }, actions)
    );
  };
  const plain = lowerLine([...broad.split(" "), "zqx1", "zqx2"]);
  const one = (names: readonly string[], form: (set: string) => string): string =>
    form(names.length === 1 ? (names[0] ?? "") : `{${names.join(",")}}`);
  const option = (set: string): string => `Shell(${broad} ${set} ...)`;
  const mark = (set: string): string => `Shell(${broad} ... ${set}* ...)`;
  const rules: string[] = [];
  let open = execs;
  for (const [names, form] of [
    [execs.flatMap(({ words }) => words.flatMap((word) => /^--?[a-z][\w-]*/i.exec(word) ?? [])), option],
    [execs.flatMap(({ words }) => words.flatMap((word) => /^[+:]/.exec(word) ?? [])), mark],
  ] as const) {
    const useful = [...new Set(names)].filter((name) => !speaks(form(name), plain) && open.some(({ exec }) => speaks(form(name), [exec])));
    // A short option means the same as its long name, and an option that all of it has says nothing.
    const needed = useful.filter(
      (name) =>
        name.startsWith("--") || !useful.some((other) => other.startsWith("--") && sameLines(open, form(name), form(other), speaks)),
    );
    if (needed.length === 0) continue;
    const rule = one(needed, form);
    rules.push(rule);
    open = open.filter(({ exec }) => !speaks(rule, [exec]));
  }
  return { rules, rest: open.length };
}

function sameLines(
  all: readonly { readonly exec: Action }[],
  one: string,
  other: string,
  speaks: (text: string, actions: readonly Action[]) => boolean,
): boolean {
  return all.every(({ exec }) => !speaks(one, [exec]) || speaks(other, [exec]));
}

function paths(
  rule: Rule,
  { operations, pattern }: PathScope,
  helpers: readonly Rule[],
  { world }: Inspection,
): readonly (FindingDraft | undefined)[] {
  const tool = judgingOf(rule.matcher).keys.tool(rule.matcher);
  const base = patternBase(world, "narrow");
  if (pattern === undefined || patternCovers(pattern, "/**", base))
    return [
      {
        code: "AL026",
        message: `${rule.effect === "deny" ? "denies" : "asks about"} this for every file on the machine: outside the project and in temporary folders, too`,
        help: `for the project alone, write \`${tool ?? "Edit"}(./**)\``,
      },
    ];
  const covered = (wanted: string, change = false): boolean =>
    helpers.some(({ matcher }) => {
      const other = pathScopeOf(matcher);
      return (
        other !== undefined &&
        (change ? other.operations.includes("delete") : operations.every((operation) => other.operations.includes(operation))) &&
        (other.pattern === undefined || patternCovers(other.pattern, wanted, base))
      );
    });
  const name = tool ?? "Read";
  const out: (FindingDraft | undefined)[] = [];
  const [, folder = "", last = ""] = /^(.*?)([^/]*)$/.exec(pattern) ?? [];
  const deep = last === "*" ? `${folder}**` : `${pattern}/**`;
  const isFolder = !/[*?[{]/.test(pattern) && last !== "" && world.kind(absolutePath(pattern, base)) === "directory";
  const anywhere = `**/${pattern}`;
  if (((last === "*" && !folder.endsWith("**/")) || isFolder) && !covered(deep))
    out.push({
      code: "AL023",
      message: isFolder
        ? "speaks of the folder itself, not of what is in it"
        : "speaks of what lies directly in the folder, not further below",
      help: `write \`${name}(${deep})\``,
    });
  else if (!pattern.includes("/") && pattern !== "~" && !pattern.startsWith("**") && !covered(anywhere))
    out.push({
      code: "AL022",
      message: `speaks of \`${pattern}\` at the top of the project only, not in the folders below`,
      help: `write \`${name}(${anywhere})\``,
    });
  const onlyEdits = rule.effect === "deny" && operations.includes("edit") && !operations.includes("delete") && tool !== undefined;
  if (onlyEdits && !covered(pattern, true))
    out.push({
      code: "AL024",
      message: "deleting and renaming are not edits and stay possible",
      help: `write \`Write(${pattern})\`, which means every change`,
    });
  return out;
}

function absolutePath(pattern: string, { project, home }: { readonly project: string; readonly home: string }): string {
  if (pattern.startsWith("/")) return pattern;
  return pattern.startsWith("~/") ? `${home}${pattern.slice(1)}` : `${project}/${pattern}`;
}
