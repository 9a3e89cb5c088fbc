import { rows } from "./rows.ts";
import type { SubcommandSpec } from "./spec.ts";

// What the package managers of Node have in common.

export const INSTALL: SubcommandSpec = {
  options: rows(`
    -D --save-dev; -P --save-prod; -O --save-optional; -E --save-exact; -B --save-bundle; --save-peer; -S --save; --no-save; -f --force; --legacy-peer-deps; --strict-peer-deps; --ignore-scripts; --dry-run
    --no-optional; --package-lock-only; --no-package-lock; --install-links; --foreground-scripts; --prefer-dedupe; --install-strategy=text; --cpu=text; --os=text`),
  operands: "text*",
  effects: "code.project, remote.read npm, write node_modules, edit package.json, edit package-lock.json",
};

/** Scripts of package.json with whatever arguments. */
export const RUN: SubcommandSpec = { style: "none", operands: "text*", effects: "code.project" };

/** Runs a program from a registry or from node_modules: nobody has seen it. */
export const EXECUTE: SubcommandSpec = {
  style: "posix",
  options: rows(
    "-y --yes; --no; --no-install; -p --package=text; -c --call --shell-mode=shell; -q --quiet; --prefer-offline; --ignore-existing; -w --workspace=text; --silent; --allow-build=text; -r --recursive; --parallel",
  ),
  operands: "text*",
  effects: "code.project, remote.read npm",
  analyse: "package-run",
};

/** `npm create X` runs the package create-X. */
export const EXECUTE_CREATOR: SubcommandSpec = {
  style: "posix",
  ...(EXECUTE.options === undefined ? {} : { options: EXECUTE.options }),
  operands: "text*",
  effects: "code.project, remote.read npm",
};

export const PUBLISH: SubcommandSpec = {
  options: rows(
    "--access=text; --otp=text; --dry-run; --provenance; --tag=text; --no-git-checks; --publish-branch=text; -r --recursive; --force; --report-summary; --new-version=text; --ignore-scripts; --tolerate-republish",
  ),
  operands: "list*",
  effects: "code.project, remote.publish npm, danger publish",
};
