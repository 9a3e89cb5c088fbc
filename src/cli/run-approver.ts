import type { Approver } from "../guard/approve/index.ts";
import type { RunFlags } from "./run-flags.ts";

/** Who answers the questions of a run, and how that is said. */
export interface Asking {
  readonly approver: Approver | undefined;
  /** For the banner: `asks in this terminal`. */
  readonly how: string;
  /** Said once, where a person may expect to be asked and will not be. */
  readonly notice?: string;
}

interface Around {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly terminal: boolean;
  readonly make: Approvers;
}

/** The approvers there are; tests give their own. */
export interface Approvers {
  readonly terminal: () => Approver;
  readonly directory: (folder: string) => Approver;
  readonly noBlock: () => Approver;
}

/** An empty value is as good as none. */
const isSet = (value: string | undefined): boolean => value !== undefined && value !== "";

/** The folder that was named, nobody with -P, an error where blocking is forbidden, a person at a terminal, else nobody. */
export function asking({ backgroundDir, prompt, logOnly }: RunFlags, { env, terminal, make }: Around): Asking {
  if (logOnly === true) return { approver: undefined, how: "nothing is blocked" };
  if (backgroundDir !== undefined) return { approver: make.directory(backgroundDir), how: "asks in a folder" };
  if (!prompt) return { approver: undefined, how: "asks nobody" };
  if (isSet(env["ASSENT_NO_BLOCK"]) || isSet(env["PTAPP_NO_BLOCK"])) return { approver: make.noBlock(), how: "ends instead of asking" };
  if (terminal) return { approver: make.terminal(), how: "asks in this terminal" };
  return {
    approver: undefined,
    how: "asks nobody",
    notice: "there is no terminal to ask on: what is not allowed is refused (--background-dir asks in a folder, -P says so)",
  };
}
