import { FAMILIES } from "./index.ts";
import type { CommandSpec } from "./spec.ts";

let index: Map<string, CommandSpec> | undefined;

/** The knowledge entry for a basename. In the hook's bundle scripts/knowledge-plugin.mjs stands in for this file. */
export function entryFor(name: string): CommandSpec | undefined {
  if (index === undefined) {
    index = new Map();
    for (const family of FAMILIES) for (const spec of family) for (const one of spec.names.split(" ")) index.set(one, spec);
  }
  return index.get(name);
}
