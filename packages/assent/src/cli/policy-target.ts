import { visible } from "@assent/core/action";
import { type PolicyPlace, policyPlace, readPlace, starterPolicy } from "@assent/guard/policy-edit";
import type { Problem } from "@assent/core/policy";
import { readTrust, thisMachine, type Machine, hexDigest } from "@assent/guard/state";
import { schemaFor } from "@assent/page/preview";
import { absolute, shorten } from "./place.ts";
import { writeStderr } from "./stdio.ts";

/** The policy file that a command works on. */
export interface PolicyTarget {
  readonly machine: Machine;
  readonly cwd: string;
  readonly place: PolicyPlace;
  /** What the file says when it is made. */
  readonly starter: string;
  readonly short: (path: string) => string;
}

export interface TargetOptions {
  readonly local?: boolean;
  readonly global?: boolean;
}

/** Undefined outside git, where no project has a file; that has been said then. */
export function targetOf(command: string, { local }: TargetOptions): PolicyTarget | undefined {
  const machine = thisMachine();
  const cwd = absolute(".");
  const place = policyPlace(local === true ? "local" : "global", machine, cwd);
  if (place === undefined) {
    complain(command, "not in a git repository, so this folder has no project policy", "leave --local out for your own file");
    return undefined;
  }
  const short = (path: string): string => visible(shorten(path, cwd, machine.home));
  return { machine, cwd, place, starter: starterPolicy(place.layer, schemaFor(place)), short };
}

export { schemaFor };

/** One line that says what went wrong, and one that says what to do. */
export function complain(command: string, message: string, help?: string): void {
  writeStderr(`assent ${command}: ${message}\n${help === undefined ? "" : `  ${help}\n`}`);
}

/** As `complain`, for one command: the exit status of what was not done. */
export const failing =
  (command: string) =>
  (message: string, help?: string): number => {
    complain(command, message, help);
    return 1;
  };

/** As `complain`, of what cannot be meant as it was asked for: the exit status of wrong use. */
export function refuseUse(command: string, message: string, help?: string): number {
  complain(command, message, help);
  return 2;
}

/** The mistakes of a file, each with its place. */
export function showProblems(problems: readonly Problem[], short: PolicyTarget["short"]): void {
  for (const { severity, file, line, column, message, help } of problems) {
    const kind = severity === "warning" ? "warning: " : "";
    writeStderr(`${short(file)}:${line}:${column}: ${kind}${visible(message)}${help === undefined ? "" : `\n  ${visible(help)}`}\n`);
  }
}

/** Said when a project's file is no longer the one that was trusted. */
export function trustEnded({ machine, place }: Pick<PolicyTarget, "machine" | "place">): string | undefined {
  const pin = readTrust(machine).pins.get(place.file);
  if (pin === undefined) return undefined;
  const found = readPlace(place);
  if (found.is === "text" && hexDigest(found.text) === pin) return undefined;
  return "the file has changed since you trusted it, so its allow rules do not count: `assent trust`";
}
