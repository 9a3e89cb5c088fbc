export { type ExtensionFile, extensionsFolder, findExtensions, tightened } from "./tighten.ts";
export { askExtension, type ExtensionLimits, type ExtensionResult } from "./run.ts";
export type { Extension, ExtensionAnswer, ExtensionQuestion } from "./types.ts";
