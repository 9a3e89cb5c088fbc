import { spawnSync } from "node:child_process";
import type { Machine } from "@assent/guard/state";

/** Where Assent itself lies. */
export interface Program {
  /** Absolute path of the node that runs hooks. */
  readonly node: string;
  /** Folder of the built program. */
  readonly folder: string;
  /** Where its files are now, while they are still to be copied there. */
  readonly from?: string;
}

export function stateHome({ env }: Pick<Machine, "env">): string | undefined {
  const state = env["XDG_STATE_HOME"];
  return state?.startsWith("/") === true ? state : undefined;
}

/** Whose hook it is: of one person, or of everybody on the machine, whose homes are told by their accounts. */
export type Whose = Pick<Machine, "home" | "env"> | "everybody";

/** What is written into the environment of what is started, which holds nothing else but what is handed on. */
export function assigned(machine: Whose): readonly string[] {
  if (machine === "everybody") return [];
  const state = stateHome(machine);
  return [`HOME=${machine.home}`, ...(state === undefined ? [] : [`XDG_STATE_HOME=${state}`])];
}

/** Without arguments it says that it could not start anything. It may have lost its mode on the way, or lie where nothing may run. */
export const starts = (launcher: string): boolean => spawnSync(launcher, [], { stdio: "ignore", env: {} }).status === 2;
