import { bash, bashReading } from "./bash.ts";
import { call, callReading } from "./call.ts";
import { command, commandReading } from "./command.ts";
import type { JudgingKind, PathScope } from "./kind.ts";
import { net, netReading } from "./net.ts";
import { option, optionReading } from "./option.ts";
import { path, pathReading } from "./path.ts";
import type { ReadingKind, WrittenForms } from "./reading.ts";
import { shell, shellReading } from "./shell.ts";
import { tool, toolReading } from "./tool.ts";

/** Every kind of rule, by what its rules hold as `kind`. */
const JUDGING = { bash, shell, option, command, path, net, tool, call };

type MatcherOf<Kind> = Kind extends JudgingKind<infer M> ? M : never;
/** What a rule matches. */
export type Matcher = MatcherOf<(typeof JUDGING)[keyof typeof JUDGING]>;

/** The module of a matcher's kind. It is given this matcher, or another of the same kind, and nothing else. */
export function judgingOf({ kind }: Matcher): JudgingKind<Matcher> {
  return JUDGING[kind];
}

/** The same, for reading. A text is of the first kind that takes it. */
const READING: { readonly [Name in Matcher["kind"]]: ReadingKind<Extract<Matcher, { readonly kind: Name }>> } = {
  bash: bashReading,
  shell: shellReading,
  option: optionReading,
  command: commandReading,
  path: pathReading,
  net: netReading,
  call: callReading,
  tool: toolReading,
};

export function readingOf({ kind }: Matcher): ReadingKind<Matcher> {
  return READING[kind];
}

/** How rules are written, a form for each kind. */
export function writtenForms(): readonly WrittenForms<Matcher>[] {
  return Object.values(READING).map(({ written }: ReadingKind<Matcher>) => written);
}

/** The commands a rule describes by its literal part alone: `Bash(rm -rf:*)` gives `rm -rf zqx1`, `Bash(rm:*)` gives `rm zqx1`. */
export function sampleCommands(matcher: Matcher): readonly (readonly string[])[] {
  return judgingOf(matcher).samples(matcher);
}

/** The paths a rule is about, where that is all it says. */
export function pathScopeOf(matcher: Matcher): PathScope | undefined {
  return judgingOf(matcher).pathScope(matcher);
}
