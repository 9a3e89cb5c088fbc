import type { Action, FileAction, World } from "../action/index.ts";
import type { Decision } from "./basis.ts";
import { compareDecisions, type Verdict } from "./verdict.ts";
import { comparablePlaces, withinAny } from "./location.ts";
import type { Opinions } from "./opinions.ts";
import { type Preset, rowOf } from "./presets.ts";
import { spell } from "./spelled.ts";
import type { OperationBlock, PresetName } from "./types.ts";
import { byBlock, byPreset } from "./verdicts.ts";

/** What is said where no rule speaks, and by whom. */
export interface DefaultAnswer {
  readonly decision: Decision;
  /** The `operations` block whose default replaces the preset's. */
  readonly block?: OperationBlock;
}

/** The default for an action: a block's own, else the preset's. */
export function defaultFor(action: Action, { fallback: block }: Opinions, preset: Preset, world: World): DefaultAnswer {
  const given = preset.defaults[rowOf(action)];
  const decision = given !== "project" ? given : action.kind === "file" && isInProject(action, world) ? "allow" : "ask";
  if (block?.default === undefined) return { decision };
  // A file nobody trusts may narrow only.
  return block.untrusted === true && compareDecisions(block.default, decision) <= 0 ? { decision } : { decision: block.default, block };
}

/** The default as a verdict; none for no opinion. */
export function defaultVerdict({ decision, block }: DefaultAnswer, action: Action, preset: PresetName): Verdict | undefined {
  if (decision === "none") return undefined;
  if (block?.defaultSource !== undefined) return byBlock(decision, block.defaultSource, block.untrusted === true);
  return byPreset(decision, rowOf(action), preset, action);
}

function isInProject(action: FileAction, world: World): boolean {
  const { compared } = spell(action, world);
  const { project } = comparablePlaces(world);
  return compared.length > 0 && compared.every((path) => withinAny(path, project));
}
