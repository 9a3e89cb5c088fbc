import type { World } from "../action/index.ts";
import { isWithin } from "../path/index.ts";
import { joinLayers, type JudgeContext, type Policy } from "../policy/index.ts";
import { profilesFolder, readTrust, type Machine } from "../state/index.ts";
import { exampleActions, findSources, judgeContext, policyFile, type PolicySource, realWorld } from "../engine/index.ts";
import { layerOf, readEach, type SourceRead } from "../engine/reader/index.ts";

/** The policy in force at a place, file by file: for those who look at rules instead of requests. */
export interface Inspection {
  readonly machine: Machine;
  readonly world: World;
  readonly files: readonly SourceRead[];
  readonly policy: Policy;
  readonly context: JudgeContext;
}

export interface InspectOptions {
  readonly machine: Machine;
  /** Absolute. */
  readonly cwd: string;
  /** Folders of Assent's own program. */
  readonly own: readonly string[];
  /** Files of `--policy`. */
  readonly policyFiles?: readonly string[];
  /** File of a profile. */
  readonly profile?: string;
  /** Only these files, each read as a user's own, or as the profile that it is. */
  readonly only?: readonly string[];
}

/** A rule that stands in no file, with what is in force around it. */
export function inspectRule(rule: string, options: InspectOptions): Inspection {
  const around = inspect(options);
  const content = { is: "text", text: JSON.stringify({ permissions: { allow: [rule] } }) } as const;
  const files = readEach([{ layer: "user", file: "grant", mayGrant: true, content }], readTrust(options.machine), exampleActions);
  return { ...around, files, policy: joinLayers(files.map(layerOf)) };
}

export function inspect({ machine, cwd, own, policyFiles = [], profile, only }: InspectOptions): Inspection {
  const world = realWorld(machine, cwd, undefined);
  const sources: readonly PolicySource[] =
    only === undefined
      ? findSources({ machine, policyFiles, profile }, world, { actions: [], unknowns: [] }, cwd)
      : only.map((file) => policyFile(file, isWithin(file, profilesFolder(machine)) ? "profile" : "user"));
  const files = readEach(sources, readTrust(machine), exampleActions);
  return {
    machine,
    world,
    files,
    policy: joinLayers(files.map(layerOf)),
    context: judgeContext({ machine, own, hostDecides: true }, world, sources),
  };
}
