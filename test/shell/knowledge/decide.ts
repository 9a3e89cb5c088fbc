import { DEFAULT_SETTINGS, floorPaths, judge, type Policy, type RequestVerdict } from "../../../src/policy/index.ts";
import { readPolicy } from "../../../src/policy/read/index.ts";
import { lowerArgv, lowerShell } from "../../../src/shell/index.ts";
import { smallWorld } from "../world.ts";

const PROJECT = "/home/u/p";

/** The project that examples of knowledge entries speak of: a git repository with a little of everything. */
export const EXAMPLE_WORLD = smallWorld({
  files: {
    "/home/u": "directory",
    "/home/u/.bashrc": "file",
    "/home/u/.ssh": "directory",
    "/home/u/.ssh/id_rsa": "file",
    "/home/u/.ssh/authorized_keys": "file",
    "/home/u/.aws": "directory",
    "/home/u/.aws/credentials": "file",
    [PROJECT]: "directory",
    [`${PROJECT}/.git`]: "directory",
    [`${PROJECT}/.git/hooks`]: "directory",
    [`${PROJECT}/.git/HEAD`]: "file",
    [`${PROJECT}/.env`]: "file",
    [`${PROJECT}/src`]: "directory",
    [`${PROJECT}/src/index.ts`]: "file",
    [`${PROJECT}/node_modules`]: "directory",
    [`${PROJECT}/package.json`]: "file",
    [`${PROJECT}/a.txt`]: "file",
    [`${PROJECT}/b.txt`]: "file",
    [`${PROJECT}/x.db`]: "file",
    "/tmp": "directory",
    "/etc": "directory",
    "/etc/passwd": "file",
  },
});

/** No policy file: the default preset alone. */
const POLICY: Policy = { settings: DEFAULT_SETTINGS, rules: [], operations: [], warnings: [] };

/** Everything is allowed that no protection holds back. */
export function verdictUnderBroadAllow(command: string): RequestVerdict {
  const read = readPolicy('{ "permissions": { "allow": ["Bash(*)", "Write", "Read", "Delete"] } }', {
    file: "policy.jsonc",
    layer: "user",
    examples: () => [],
  });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return verdictUnder(command, { settings: DEFAULT_SETTINGS, rules: read.policy.rules, operations: [], warnings: [] });
}

export const verdictFor = (command: string): RequestVerdict => verdictUnder(command, POLICY);

function verdictUnder(command: string, policy: Policy): RequestVerdict {
  const world = EXAMPLE_WORLD;
  return judge(lowerShell(command, { world }), policy, {
    world,
    host: true,
    floor: floorPaths(world.home),
    dangersOf: (argv) => new Set(lowerArgv(argv, { world }).actions.flatMap((action) => action.dangers ?? [])),
    supervised: false,
  });
}
