export { type ExtensionFile, extensionsFolder, findExtensions, tightenByExtensions } from "./tighten.ts";
export { askExtension, type ExtensionLimits, type ExtensionResult } from "./run.ts";
export type { Extension, ExtensionAnswer, ExtensionQuestion } from "./types.ts";
