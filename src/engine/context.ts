import type { Action, DangerId, World } from "../action/index.ts";
import { joinPath, parentOf } from "../path/index.ts";
import { floorPaths, type JudgeContext, USER_REGISTRATIONS } from "../policy/index.ts";
import { lowerArgv } from "../shell/index.ts";
import { type Machine, paneFlags } from "../state/index.ts";
import { POLICY_NAME, type PolicySource } from "./policy-files.ts";
import { NOWHERE } from "./examples.ts";

/** Known per command line: the dangers of a rule's words do not depend on the machine. */
const dangers = new Map<string, ReadonlySet<DangerId>>();

function dangersOf(argv: readonly string[]): ReadonlySet<DangerId> {
  const key = argv.join("\0");
  let found = dangers.get(key);
  if (found === undefined) {
    found = new Set(lowerArgv(argv, { world: NOWHERE }).actions.flatMap(dangersIn));
    if (dangers.size > 1000) dangers.clear();
    dangers.set(key, found);
  }
  return found;
}

/** Deleting a folder is seen by the path, and not by the words. */
function dangersIn(action: Action): readonly DangerId[] {
  const folder = action.kind === "file" && action.operation === "delete" && (action.recursive === true || action.target.kind === "tree");
  return folder ? [...(action.dangers ?? []), "delete-recursive"] : (action.dangers ?? []);
}

/** Settings of agents that are links, as those who keep them in a repository have them: where they really lie. */
function linkedRegistrations(world: World): readonly string[] {
  const real = world.canonical(world.home);
  return USER_REGISTRATIONS.map((entry) => entry.replace(/\/$/, "")).flatMap((entry) => {
    const target = world.canonical(joinPath(world.home, entry));
    return target === joinPath(real, entry) ? [] : [target];
  });
}

/** Packages that the program loads, by their names below `node_modules`: the second holds the binary of the first. */
const PACKAGES = ["koffi", "@koromix"];

/**
 * Everything that is loaded with the program in a folder: its package's own files, and each place in which Node looks for
 * what it imports, from there up (the first that is found counts, so those that do not exist are closed as well).
 */
function loadedWith(folder: string): readonly string[] {
  const root = parentOf(folder);
  const paths = [folder, `${root}/package.json`];
  // Where it is installed as a package, the link by which its command is started lies beside.
  if (root.endsWith("/node_modules/assent")) paths.push(root, `${parentOf(root)}/.bin/assent`);
  for (let at = folder; ; at = parentOf(at)) {
    if (!at.endsWith("/node_modules")) for (const name of PACKAGES) paths.push(joinPath(at, `node_modules/${name}`));
    if (at === "/") return paths;
  }
}

/** What judging needs to know besides the request and the policy. */
export function judgeContext(
  machine: Machine,
  world: World,
  hostDecides: boolean,
  sources: readonly PolicySource[],
  own: readonly string[],
): JudgeContext {
  const floor = floorPaths(machine.home, machine.env["XDG_STATE_HOME"]);
  const files = (project: boolean): readonly string[] =>
    sources.filter(({ layer }) => (layer === "project") === project).map(({ file }) => file);
  let linked: readonly string[] | undefined;
  return {
    world,
    host: hostDecides,
    floor: {
      ...floor,
      // Only what changes something asks for these.
      get state() {
        return machine.account === undefined ? floor.state : [...floor.state, paneFlags(machine.account)];
      },
      get registrations() {
        return (linked ??= linkedRegistrations(world));
      },
      policies: [...new Set([...floor.policies, machine.managedPolicy, ...files(false)])],
      own: [...new Set(own.flatMap(loadedWith))],
      projectPolicies: [...new Set([joinPath(world.projectRoot, POLICY_NAME), ...files(true)])],
    },
    dangersOf,
    // A run says so itself.
    supervised: false,
  };
}
