import type { World } from "../action/index.ts";
import { comparable, forms, perWorld } from "./match/location.ts";

/** Assent's own paths. A folder stands for everything in it. */
export interface FloorPaths {
  /** Managed, user and explicit policy files. */
  readonly policies: readonly string[];
  /** `$XDG_STATE_HOME/assent`: trust, consent, grants, audit; and what else of Assent lies in home. */
  readonly state: readonly string[];
  /** Files in which a host's registration of Assent stands, beyond the known ones of `agent-files.ts`. */
  readonly registrations: readonly string[];
  /** Where Assent itself is installed. */
  readonly own: readonly string[];
  /** Project policy files that apply to the request. */
  readonly projectPolicies: readonly string[];
}

/** The paths that hold without anything being configured. `stateHome` is `$XDG_STATE_HOME` where it is set; `more` skips questions. */
export function floorPaths(home: string, stateHome?: string, more: readonly string[] = []): FloorPaths {
  return {
    policies: [`${home}/.agent-permissions.jsonc`, "/etc/assent"],
    // The second holds the launchers of `assent wrap`, the third the user's extensions.
    state: [`${stateHome ?? `${home}/.local/state`}/assent`, `${home}/.local/share/assent`, `${home}/.config/assent`, ...more],
    registrations: [],
    own: [],
    projectPolicies: [],
  };
}

/** What is closed to agents, in every form in which a path may be written. */
interface PreparedFloor {
  readonly denied: readonly (readonly [path: string, what: string])[];
  readonly asked: readonly string[];
}

const prepared = perWorld(() => new Map<FloorPaths, PreparedFloor>());

export function prepareFloor(floor: FloorPaths, world: World): PreparedFloor {
  const all = prepared(world);
  let found = all.get(floor);
  if (found === undefined) {
    const both = (paths: readonly string[]): readonly string[] =>
      comparable(
        paths.flatMap((path) => forms(path, world)),
        world,
      );
    const named = (paths: readonly string[], what: string): (readonly [string, string])[] =>
      both(paths).map((path) => [path, what] as const);
    found = {
      denied: [
        ...named(floor.policies, "the policy"),
        ...named(floor.state, "what Assent remembers"),
        ...named(floor.registrations, "a file that registers Assent with an agent"),
        ...named(floor.own, "Assent itself"),
      ],
      asked: both(floor.projectPolicies),
    };
    all.set(floor, found);
  }
  return found;
}
