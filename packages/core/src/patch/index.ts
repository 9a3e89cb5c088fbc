import { isApplyPatch, readApplyPatch } from "./apply-patch.ts";
import type { PatchOptions, PatchReading } from "./change.ts";
import { readUnifiedDiff } from "./unified.ts";

export type { PatchChange, PatchOptions, PatchReading } from "./change.ts";
export { readApplyPatch } from "./apply-patch.ts";
export { readUnifiedDiff } from "./unified.ts";
export { lowerPatch, patchPaths } from "./lower.ts";

/** Reads an apply_patch text or a unified diff, whichever it is. Never throws. */
export function readPatch(text: string, options: PatchOptions = {}): PatchReading {
  return isApplyPatch(text) ? readApplyPatch(text, options) : readUnifiedDiff(text);
}
