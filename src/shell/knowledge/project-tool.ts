import type { SubcommandSpec } from "./spec.ts";

/**
 * A program that runs code of the project whatever it is told (tests, task runners, linters configured in code): there
 * is no opinion on it, and its options do not matter. Even asked for its version, flake8 loads the project's plugins, pytest its
 * conftest.py, pylint its init-hook and maven the options of its JVM.
 */
export const PROJECT_TOOL: SubcommandSpec = { style: "none", operands: "text*", effects: "code.project" };

/** One of which we know that `--version` prints and does nothing else. */
export const VERSIONED_TOOL: SubcommandSpec = {
  style: "none",
  // With no argument at all it runs the project's default.
  operands: "code/project?=default",
  subcommands: {
    "--version": {
      style: "none",
      operands: "",
      examples: { allow: ["ghc --version", "eslint --version"], none: ["eslint -v"], ask: ["eslint --version ."] },
    },
  },
};
