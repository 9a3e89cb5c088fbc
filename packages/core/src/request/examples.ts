import type { Action, World } from "../action/index.ts";
import { lowerShell } from "../shell/index.ts";

/** An empty machine: what a rule's examples mean must not depend on where the policy is read. */
export const NOWHERE: World = {
  cwd: "/home/user/project",
  home: "/home/user",
  projectRoot: "/home/user/project",
  temp: ["/tmp"],
  foldsCase: false,
  platform: "linux",
  env: () => undefined,
  canonical: (path) => path,
  kind: () => "missing",
  lookup: () => ({ path: undefined, trusted: true }),
  trustedProgram: (path) => /^\/(?:usr\/)?s?bin\//.test(path),
  find: () => ({ found: undefined, complete: true }),
  tracked: () => true,
  names: () => [],
};

/** What an example command of a shell rule does. */
export function lowerExample(command: string): readonly Action[] {
  return lowerShell(command, { world: NOWHERE, shell: "any" }).actions;
}
