import type { World } from "@assent/core/action";
import { pathPattern } from "@assent/core/pattern";
import { pathScopeOf, type Rule, settlePattern } from "@assent/core/policy";

/**
 * A world for rules. `canonical` is asked about the links in their patterns and remembers each answer for the whole run;
 * a path that is judged is what the kernel calls a pinned object, so it has no links. What may change is asked of `now`.
 */
export function fixedWorld(start: World, now: () => World, pinned: () => string): World {
  const isPinned = (path: string): boolean => {
    const judged = pinned();
    return judged.startsWith(path) && (judged.length === path.length || judged[path.length] === "/" || path === "/");
  };
  // A listing tells how things are now.
  const { entries: _, ...then } = start;
  return {
    ...then,
    canonical: (path) => (isPinned(path) ? path : start.canonical(path)),
    kind: (path) => now().kind(path),
    lookup: (name) => now().lookup(name),
    trustedProgram: (path) => now().trustedProgram(path),
    tracked: (path) => now().tracked(path),
    find: (...question) => now().find(...question),
    names: (...question) => now().names(...question),
  };
}

/** Resolves the links in the patterns of rules. */
export function settlePatterns(rules: readonly Rule[], world: World): void {
  for (const { matcher } of rules) {
    const written = pathScopeOf(matcher)?.pattern;
    if (written === undefined) continue;
    const pattern = pathPattern(written);
    if (pattern.ok) settlePattern(pattern.value, world);
  }
}
