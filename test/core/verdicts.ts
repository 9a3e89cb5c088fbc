import { smallWorld } from "../shell/world.ts";

type Core = typeof import("@assent/library/sdk/core");

/** What `assent/core` says of each command in a small world. The same text everywhere: it runs in browsers as well. */
export function verdictsOf(core: Core, commands: readonly string[]): readonly string[] {
  const world = smallWorld({ files: { "/home/u/p/.env": "file", "/home/u/p/src": "directory", "/home/u/p/src/a.ts": "file" } });
  const policy = core.joinLayers([]);
  const context = { world, host: false, floor: core.floorPaths(world.home), dangersOf: () => new Set<never>(), supervised: false };
  return commands.map((command) => {
    const { decision, reason } = core.judge(core.lowerShell(command, { world }), policy, context);
    return `${decision}: ${reason}`;
  });
}
