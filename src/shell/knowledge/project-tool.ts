import type { SubcommandSpec } from "./spec.ts";

/**
 * A program that runs code of the project whatever it is told (tests, task runners, linters configured in code): only
 * its version and help are known to be harmless, for the rest it has no opinion, and its options do not matter.
 */
export const PROJECT_TOOL: SubcommandSpec = {
  style: "none",
  // With no argument at all it runs the project's default.
  operands: "code/project?=default",
  subcommands: { "--version|-v|-V|--help|-h": { style: "none", operands: "", examples: { allow: ["pytest --version", "vitest -h"] } } },
};
