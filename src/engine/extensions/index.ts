export { extensionsFolder, findExtensions, type ExtensionFile } from "./find.ts";
export { askExtension, type ExtensionLimits, type ExtensionResult } from "./run.ts";
export { tightened } from "./tighten.ts";
export type { Extension, ExtensionAnswer, ExtensionQuestion } from "./types.ts";
