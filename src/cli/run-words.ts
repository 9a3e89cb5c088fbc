import type { RunFlags } from "./run-flags.ts";

/** Options without a value, and what commander makes of them (program-run.ts; a test holds the two together). */
const SWITCHES: Readonly<Record<string, Partial<RunFlags>>> = {
  "-P": { prompt: false },
  "--no-prompt": { prompt: false },
  "-q": { quiet: true },
  "--quiet": { quiet: true },
  "--no-undo": { undo: false },
  "--log-only": { logOnly: true },
  "--best-effort": { bestEffort: true },
};

/**
 * The words of `assent run` where they say no more than most do: commander takes longer to load than these to read.
 * Undefined: commander reads them, and says what is wrong with them.
 */
export function plainWords(given: readonly string[]): { readonly words: readonly string[]; readonly flags: RunFlags } | undefined {
  let flags: RunFlags = { prompt: true, undo: true, policy: [] };
  for (let at = 0; at < given.length; at++) {
    const word = given[at] ?? "";
    const rest = given.slice(word === "--" ? at + 1 : at);
    if (word === "--" || !word.startsWith("-")) return rest.length === 0 ? undefined : { words: rest, flags };
    const more = Object.hasOwn(SWITCHES, word) ? SWITCHES[word] : undefined;
    if (more === undefined) return undefined;
    flags = { ...flags, ...more };
  }
  return undefined;
}
