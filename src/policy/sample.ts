import { genericWord } from "../pattern/index.ts";
import type { CallPattern, FlagPattern, Matcher, Token, WordPattern } from "./types.ts";

/** What stands where a rule leaves a word open: a name nobody knows. */
const FRESH = "zqx1";
const MOST_SAMPLES = 64;

/**
 * The commands a rule describes when nothing is put into its open places but neutral names, as argv lists: what the rule
 * says by its literal part alone. An allow rule names a danger when one of these commands has it:
 * `Bash(rm -rf:*)` gives `rm -rf zqx1` and names a recursive delete, `Bash(rm:*)` gives `rm zqx1` and does not.
 * Empty for a rule that names no program, and for rules about other things.
 */
export function sampleCommands(matcher: Matcher): readonly (readonly string[])[] {
  switch (matcher.kind) {
    case "bash":
      return bashSamples(matcher.tokens, matcher.open);
    case "shell":
      return shellSamples(matcher);
    case "option":
      return matcher.commands.flatMap((command) => matcher.options.map((option) => [command, option, FRESH])).slice(0, MOST_SAMPLES);
    case "command":
      return commandSamples(matcher.pattern);
    case "path":
    case "net":
    case "tool":
      return [];
    case "call":
      return matcher.name === "exec" ? callSamples(matcher.args[1]) : [];
  }
}

function bashSamples(tokens: readonly Token[], open: boolean): readonly (readonly string[])[] {
  if (tokens[0]?.is !== "text") return [];
  const argv = tokens.flatMap((token) => (token.is === "text" ? [token.text] : token.is === "one" ? [FRESH] : []));
  return open || tokens.some((token) => token.is === "any") ? [argv, [...argv, FRESH]] : [argv];
}

function shellSamples(matcher: Extract<Matcher, { readonly kind: "shell" }>): readonly (readonly string[])[] {
  const programs = wordsOf(matcher.program).filter((program) => !/[*?[]/.test(matcher.program.alternatives.join("")) && program !== FRESH);
  let samples: readonly (readonly string[])[] = programs.map((program) => [program]);
  // Subcommands first, then flags, then the rest: programs read their own options after the subcommand.
  const [first, ...rest] = matcher.operands;
  if (first !== undefined)
    samples = extend(
      samples,
      wordsOf(first).map((word) => [word]),
    );
  for (const flag of matcher.flags) if (flag.need !== "forbidden") samples = extend(samples, flagWords(flag));
  for (const operand of rest)
    samples = extend(
      samples,
      wordsOf(operand).map((word) => [word]),
    );
  return matcher.closed ? samples : samples.flatMap((argv) => [argv, [...argv, FRESH]]).slice(0, 2 * MOST_SAMPLES);
}

function wordsOf(pattern: WordPattern): readonly string[] {
  return pattern.negated ? [FRESH] : pattern.alternatives.map(genericWord);
}

function flagWords(flag: FlagPattern): readonly (readonly string[])[] {
  const { value } = flag;
  const words = flag.names.map((name) => {
    if (value === undefined) return [name];
    return name.startsWith("--") ? [`${name}=${genericWord(value)}`] : [name, genericWord(value)];
  });
  return flag.need === "permitted" ? [[], ...words] : words;
}

function extend(samples: readonly (readonly string[])[], endings: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return samples.flatMap((argv) => endings.map((ending) => [...argv, ...ending])).slice(0, MOST_SAMPLES);
}

/** A line pattern is split at its blanks; a `*` at the end of a word may also stand for further words. */
function commandSamples(pattern: string): readonly (readonly string[])[] {
  const words = pattern.split(/\s+/).filter((word) => word !== "");
  if (words.length === 0 || /^[*?[]/.test(words[0] ?? "")) return [];
  const last = words.at(-1) ?? "";
  const argv = words.map(genericWord);
  if (!last.endsWith("*") || last === "*" || last === "**") return [argv];
  return [[...words.slice(0, -1).map(genericWord), genericWord(last.replace(/\*+$/, "")), FRESH], argv];
}

/** The argv of `exec(_, [git, push, ...])`. */
function callSamples(argv: CallPattern | undefined): readonly (readonly string[])[] {
  if (argv?.is !== "list" || argv.items[0]?.is !== "text") return [];
  const words = argv.items.map((item) => (item.is === "text" ? item.text : FRESH));
  return argv.open ? [words, [...words, FRESH]] : [words];
}
