import type { Action, World } from "../action/index.ts";
import { EXAMPLE_WORLD } from "../policy/index.ts";
import { lowerShell } from "../shell/index.ts";

/** An empty machine: what a rule's examples mean must not depend on where the policy is read. */
export const NOWHERE: World = {
  ...EXAMPLE_WORLD,
  cwd: "/home/user/project",
  home: "/home/user",
  projectRoot: "/home/user/project",
  trustedProgram: (path) => /^\/(?:usr\/)?s?bin\//.test(path),
};

/** What an example command of a shell rule does. */
export function lowerExample(command: string): readonly Action[] {
  return lowerShell(command, { world: NOWHERE, shell: "any" }).actions;
}
