import type { World } from "@assent/core/action";
import { DEFAULT_SETTINGS, floorPaths, judge, type Policy, type RequestVerdict } from "@assent/core/policy";
import { readPolicy } from "@assent/core/policy/read";
import { lowerArgv, lowerShell } from "@assent/core/shell";
import { smallWorld } from "../world.ts";

const filesIn = (home: string): Readonly<Record<string, "file" | "directory">> => ({
  [home]: "directory",
  [`${home}/.bashrc`]: "file",
  [`${home}/.ssh`]: "directory",
  [`${home}/.ssh/id_rsa`]: "file",
  [`${home}/.ssh/authorized_keys`]: "file",
  [`${home}/.aws`]: "directory",
  [`${home}/.aws/credentials`]: "file",
  [`${home}/p`]: "directory",
  [`${home}/p/.git`]: "directory",
  [`${home}/p/.git/hooks`]: "directory",
  [`${home}/p/.git/HEAD`]: "file",
  [`${home}/p/.env`]: "file",
  [`${home}/p/src`]: "directory",
  [`${home}/p/src/index.ts`]: "file",
  [`${home}/p/node_modules`]: "directory",
  [`${home}/p/package.json`]: "file",
  [`${home}/p/a.txt`]: "file",
  [`${home}/p/b.txt`]: "file",
  [`${home}/p/x.db`]: "file",
  "/tmp": "directory",
  "/etc": "directory",
  "/etc/passwd": "file",
});

/** The project that examples of knowledge entries speak of: a git repository with a little of everything. */
export const EXAMPLE_WORLD = smallWorld({ files: filesIn("/home/u") });

/** Where macOS keeps what other systems have at `/etc`, `/tmp` and `/var` (`ls -l /` there). */
const MAC_LINKS = /^\/(?:etc|tmp|var)(?=\/|$)/;
const FIRMLINKS = /^\/(?:System\/Volumes\/Data|Volumes\/Macintosh HD)(?=\/)/;

/** The same project on a Mac: another home, a file system that folds case, and the links of its root. */
export const MAC_WORLD = smallWorld({
  files: { ...filesIn("/Users/u"), "/Users/u/.zshrc": "file", "/Users/u/Library": "directory", "/private/tmp": "directory" },
  cwd: "/Users/u/p",
  home: "/Users/u",
  projectRoot: "/Users/u/p",
  temp: ["/tmp", "/private/tmp", "/var/folders/ab/cd/T", "/private/var/folders/ab/cd/T"],
  foldsCase: true,
  platform: "darwin",
  canonical: (path) => path.replace(FIRMLINKS, "").replace(MAC_LINKS, (link) => `/private${link}`),
});

/** The Linux world, of which nobody has said that it is one. */
export const { platform: _, ...NOBODYS_WORLD } = EXAMPLE_WORLD;

/** No policy file: the default preset alone. */
const POLICY: Policy = { settings: DEFAULT_SETTINGS, rules: [], operations: [], warnings: [] };

/** Everything is allowed that no protection holds back. */
export const verdictUnderBroadAllow = (command: string): RequestVerdict => verdictAllowing(command, ["Bash(*)", "Write", "Read", "Delete"]);

/** With these rules in the user's file. */
export function verdictAllowing(command: string, allow: readonly string[], world: World = EXAMPLE_WORLD): RequestVerdict {
  const read = readPolicy(JSON.stringify({ permissions: { allow } }), { file: "policy.jsonc", layer: "user", examples: () => [] });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return verdictUnder(command, { settings: DEFAULT_SETTINGS, rules: read.policy.rules, operations: [], warnings: [] }, world);
}

export const verdictFor = (command: string, world: World = EXAMPLE_WORLD): RequestVerdict => verdictUnder(command, POLICY, world);

function verdictUnder(command: string, policy: Policy, world: World = EXAMPLE_WORLD): RequestVerdict {
  return judge(lowerShell(command, { world }), policy, {
    world,
    host: true,
    floor: floorPaths(world.home),
    dangersOf: (argv) => new Set(lowerArgv(argv, { world }).actions.flatMap((action) => action.dangers ?? [])),
    supervised: false,
  });
}
