import type { HookOutput } from "./check.ts";
import { type Parts, partsOf } from "./load-part.ts";

interface Hook {
  readonly main: (argv: readonly string[]) => void;
  readonly rehearse: (envelope: string, agent: string) => void;
  readonly watched: (argv: readonly string[], input: string) => HookOutput;
}

/** The hook, made of parts. */
export function loadHook(folder: string, require: (id: string) => unknown, useCaches = true): Parts & { readonly hook: Hook } {
  const parts = partsOf(folder, require, useCaches);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- built from hook.ts
  return { ...parts, hook: parts.load("./hook.cjs") as Hook };
}
