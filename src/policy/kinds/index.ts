import { bash } from "./bash.ts";
import { call } from "./call.ts";
import { command } from "./command.ts";
import type { JudgingKind, PathScope } from "./kind.ts";
import { net } from "./net.ts";
import { option } from "./option.ts";
import { path } from "./path.ts";
import { shell } from "./shell.ts";
import { tool } from "./tool.ts";

/** Every kind of rule, by what its rules hold as `kind`. */
const JUDGING = { bash, shell, option, command, path, net, tool, call };

type MatcherOf<Kind> = Kind extends JudgingKind<infer M> ? M : never;
/** What a rule matches. */
export type Matcher = MatcherOf<(typeof JUDGING)[keyof typeof JUDGING]>;

/** The module of a matcher's kind. It is given this matcher, or another of the same kind, and nothing else. */
export function judgingOf({ kind }: Matcher): JudgingKind<Matcher> {
  return JUDGING[kind];
}

/** The commands a rule describes by its literal part alone: `Bash(rm -rf:*)` gives `rm -rf zqx1`, `Bash(rm:*)` gives `rm zqx1`. */
export function sampleCommands(matcher: Matcher): readonly (readonly string[])[] {
  return judgingOf(matcher).samples(matcher);
}

/** The paths a rule is about, where that is all it says. */
export function pathScopeOf(matcher: Matcher): PathScope | undefined {
  return judgingOf(matcher).pathScope(matcher);
}
