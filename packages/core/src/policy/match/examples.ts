import type { World } from "../../action/index.ts";

/**
 * What a `match` or `notMatch` example stands for: a command line for a shell rule, a path for a path rule,
 * a URL or `host:port` for a network rule, a call for a call rule, and for a tool rule the tool's name, the value of the field it looks at, or the whole input.
 */
export type Example = string | { readonly [field: string]: unknown };

/** The machine on which examples are judged: nothing exists, nothing is linked. */
export const EXAMPLE_WORLD: World = {
  cwd: "/home/you/project",
  home: "/home/you",
  projectRoot: "/home/you/project",
  temp: ["/tmp"],
  foldsCase: false,
  platform: "linux",
  env: () => undefined,
  canonical: (path) => path,
  kind: () => "missing",
  lookup: () => ({ path: undefined, trusted: true }),
  trustedProgram: () => true,
  find: () => ({ found: undefined, complete: true }),
  tracked: () => true,
  names: () => [],
};
