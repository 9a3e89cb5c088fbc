import { type Danger, type DangerId, DANGERS } from "../../action/index.ts";
import { type Reason, REASONS } from "./reason-table.ts";
import { PRESET_TABLE, type Row } from "./presets.ts";
import type { PresetName } from "./types.ts";

export { type Reason, type ReasonClass, REASON_CLASSES, REASONS } from "./reason-table.ts";

export type FixedReasonId = keyof typeof REASONS;

type Dashed<Words extends string> = Words extends `${infer First} ${infer Last}` ? `${First}-${Last}` : Words;
type PresetReasonId = `preset.${PresetName}.${Dashed<Row>}`;

declare const known: unique symbol;
/** The name of a command that the tables know, as they have it: `git status`. */
export type EntryId = string & { readonly [known]: true };

export type ReasonId = FixedReasonId | `danger.${DangerId}` | PresetReasonId | `extension.${string}` | EntryId;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a brand, given to whatever names an entry
export const entryReason = (entry: string): EntryId => entry as EntryId;

export const dangerReason = (id: DangerId): `danger.${DangerId}` => `danger.${id}`;

const DASHED: { readonly [R in Row]: Dashed<R> } = {
  read: "read",
  list: "list",
  write: "write",
  delete: "delete",
  exec: "exec",
  code: "code",
  net: "net",
  "remote read": "remote-read",
  "remote change": "remote-change",
  "remote publish": "remote-publish",
  process: "process",
  system: "system",
  privilege: "privilege",
  tool: "tool",
};

export const presetReason = (preset: PresetName, row: Row): PresetReasonId => `preset.${preset}.${DASHED[row]}`;

const DANGER_OF: ReadonlyMap<string, DangerId> = new Map(keysOf(DANGERS).map((id) => [dangerReason(id), id]));
const OF_PRESETS: ReadonlySet<string> = new Set(
  keysOf(PRESET_TABLE).flatMap((preset) => keysOf(DASHED).map((row) => presetReason(preset, row))),
);

/** The danger class that a verdict rests on. */
export const dangerOf = (id: ReasonId | undefined): DangerId | undefined => (id === undefined ? undefined : DANGER_OF.get(id));

/** A preset says it, because nobody else does. */
export const isOfPreset = (id: ReasonId | undefined): boolean => id !== undefined && OF_PRESETS.has(id);

/** A supervised run holds it to the policy, and undo brings back what it changes. */
export function isConfinable(id: ReasonId | undefined): boolean {
  if (id === undefined) return false;
  const danger = dangerOf(id);
  if (danger !== undefined) {
    const { confinable }: Partial<Danger> = DANGERS[danger];
    return confinable === true;
  }
  const reason: Reason | undefined = isFixed(id) ? REASONS[id] : undefined;
  return reason?.confinable === true;
}

/** What a built-in reason always says, without the particulars of one call; undefined: it is a known command, or nobody's. */
export function titleOf(id: ReasonId | undefined): string | undefined {
  if (id === undefined) return undefined;
  const danger = dangerOf(id);
  if (danger !== undefined) return DANGERS[danger].title;
  return isFixed(id) ? REASONS[id].title : undefined;
}

/** Words that nobody knows the meaning of are held against it, too: secrets, and what holds all of them. */
export function guardsSecrets(id: ReasonId | undefined): boolean {
  const reason: Reason | undefined = id !== undefined && isFixed(id) ? REASONS[id] : undefined;
  const danger = dangerOf(id);
  const { unoffered }: Partial<Danger> = danger === undefined ? {} : DANGERS[danger];
  return reason?.secret === true || unoffered === true;
}

/** No rule is offered that would allow it, whatever is done: whoever wants one writes it, with the very name. */
export function isUnoffered(id: ReasonId | undefined): boolean {
  const danger = dangerOf(id);
  return danger !== undefined && DANGERS[danger].effect === "deny";
}

const isFixed = (id: ReasonId): id is FixedReasonId => Object.hasOwn(REASONS, id);

function keysOf<T extends object>(table: T): readonly (keyof T & string)[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a constant table has the keys that it is written with
  return Object.keys(table) as (keyof T & string)[];
}
