import { type FileAction, printAction, printTarget, type World } from "../action/index.ts";
import { isWithin } from "../path/index.ts";
import { type Verdict, verdictOf } from "./verdict.ts";
import { agentFile } from "./agent-files.ts";
import { comparable, comparablePlaces, forms, perWorld } from "./location.ts";
import { affects, isRecursive } from "./reach.ts";

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

/** The paths that hold without anything being configured. `stateHome` is `$XDG_STATE_HOME` where it is set; `more` waives questions. */
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

interface Prepared {
  readonly denied: readonly (readonly [path: string, what: string])[];
  readonly asked: readonly string[];
}

const prepared = perWorld(() => new Map<FloorPaths, Prepared>());

function prepare(floor: FloorPaths, world: World): Prepared {
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
        ...named(floor.state, "Assent's state"),
        ...named(floor.registrations, "the registration of Assent"),
        ...named(floor.own, "Assent itself"),
      ],
      asked: both(floor.projectPolicies),
    };
    all.set(floor, found);
  }
  return found;
}

/** True when something is different afterwards. */
export function isChange({ operation }: FileAction): boolean {
  return operation !== "read" && operation !== "list" && operation !== "execute";
}

/**
 * Step 1: what no rule, grant, mode or bypass may loosen. Changing the policy, Assent's state, its files or its
 * registration is denied; changing a project's policy or an agent's settings asks; reading is free.
 */
export function judgeFloorFile(action: FileAction, spellings: readonly string[], floor: FloorPaths, world: World): Verdict | undefined {
  if (!isChange(action)) return undefined;
  const { denied, asked } = prepare(floor, world);
  const places = comparablePlaces(world);
  // Its own files in a folder (`sort` and /tmp) are not the folder.
  const beside = action.upkeep === true;
  const taking = !beside && takesAlong(action);
  let ask = false;
  for (const form of spellings) {
    for (const [path, what] of denied) {
      if (isWithin(form, path)) return refuse(`${verb(action)} ${what}: ${printTarget(action.target)}`);
      if (!beside && affects(withForm(action, form), path)) return refuse(`${printAction(action)}: ${what} would go with it`);
    }
    const kind = agentFile(form, places, taking);
    if (kind === "registration")
      return refuse(`${verb(action)} an agent's settings, which can hold the registration of Assent: ${printTarget(action.target)}`);
    ask ||= kind === "setting" || asked.some((path) => isWithin(form, path) || (taking && affects(withForm(action, form), path)));
  }
  if (!ask) return undefined;
  const reason = `${verb(action)} what decides what an agent may do: ${printTarget(action.target)}`;
  return verdictOf("ask", "floor.settings", { reason });
}

/** Deleting, moving or filling a folder takes along what is in it; a link in its place leads to another. */
function takesAlong(action: FileAction): boolean {
  return action.operation === "rename" || action.operation === "link" || isRecursive(action);
}

function verb({ operation }: FileAction): string {
  return operation === "delete" ? "deletes" : operation === "rename" ? "moves" : "changes";
}

/** The action on another spelling of its path. */
function withForm(action: FileAction, form: string): FileAction {
  const { target } = action;
  if ((target.kind !== "path" && target.kind !== "tree") || target.path === form) return action;
  return { ...action, target: { ...target, path: form } };
}

const refuse = (reason: string): Verdict => verdictOf("deny", "floor.self", { reason });

/** The longest path there is. */
const LONGEST_PATH = 4096;

/** What of Assent's own or of the agents' settings an absolute path leads to, and what changing it would be. */
export function floorPlace(
  path: string,
  floor: FloorPaths,
  world: World,
): { readonly is: "denied" | "asked"; readonly what: string } | undefined {
  if (path.length > LONGEST_PATH) return undefined;
  const { denied, asked } = prepare(floor, world);
  const places = comparablePlaces(world);
  let setting = false;
  for (const form of comparable(forms(path, world), world)) {
    const [, what] = denied.find(([own]) => isWithin(form, own)) ?? [];
    if (what !== undefined) return { is: "denied", what };
    const kind = agentFile(form, places);
    if (kind === "registration") return { is: "denied", what: "an agent's settings, which can hold the registration of Assent" };
    setting ||= kind === "setting" || asked.some((own) => isWithin(form, own));
  }
  return setting ? { is: "asked", what: "what decides what an agent may do" } : undefined;
}
