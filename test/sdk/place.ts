import { PermissionChecker, presets, type CheckerOptions, type Ruleset } from "@assent/library/sdk/compat";
import { scratch, type Scratch } from "../scratch.ts";

/** A project of its own, and a checker in it. */
export function checkerIn(place: Scratch, ruleset: Ruleset = presets.default, options: CheckerOptions = {}): PermissionChecker {
  return new PermissionChecker(ruleset, { cwd: place.project, machine: place.machine, audit: false, ...options });
}

export function checker(ruleset: Ruleset = presets.default, options: CheckerOptions = {}): PermissionChecker {
  return checkerIn(scratch(), ruleset, options);
}
