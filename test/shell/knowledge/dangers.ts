import { DANGERS, type Action, type DangerId, type FileOperation } from "@assent/core/action";
import { grammarOf, type KnowledgeEntry, type Grammar } from "../../../packages/core/src/shell/knowledge/entries.ts";
import type { TableEffect, Kind } from "../../../packages/core/src/shell/knowledge/read-spec.ts";

/** What a table names that must not pass unasked, as the tests call it: a danger class, a walk that changes, a command inside. */
export type Named = DangerId | "recursive delete" | "recursive write" | "recursive metadata" | "another command";

const WALKS: Readonly<Partial<Record<FileOperation, Named>>> = {
  delete: "recursive delete",
  write: "recursive write",
  metadata: "recursive metadata",
};

/** Every danger that the notation of this level names itself: what it has from its parent is the parent's to show. */
export function dangersNamed(entry: KnowledgeEntry, parent: Grammar | undefined): ReadonlySet<Named> {
  const named = new Set<Named>();
  const ofKind = (kind: Kind): void => {
    if (kind.is === "file" && kind.tree) add(named, WALKS[kind.operation]);
    if (kind.is === "argv" || kind.is === "shell") named.add("another command");
  };
  const ofEffect = (effect: TableEffect): void => {
    if (effect.is === "danger") named.add(effect.danger);
    if (effect.is === "privilege") named.add("privilege");
    if (effect.is === "file" && effect.tree) add(named, WALKS[effect.operation]);
  };
  const { style, options, slots, effects } = grammarOf(entry, parent);
  for (const slot of slots ?? []) ofKind(slot.kind);
  for (const effect of effects) ofEffect(effect);
  // Where every word is an operand, inherited options say nothing.
  if (style === "none") return named;
  for (const option of new Set(options.values())) {
    if (parent !== undefined && [...parent.options.values()].includes(option)) continue;
    ofKind(option.kind);
    for (const consequence of option.consequences) {
      if (consequence.then === "become") ofKind(consequence.to);
      if (consequence.then === "effect") ofEffect(consequence.effect);
    }
  }
  return named;
}

/** The dangers that these actions, as judged, turned out to have. */
export function dangersShown(actions: readonly Action[]): ReadonlySet<Named> {
  const shown = new Set<Named>();
  for (const action of actions) {
    for (const id of action.dangers ?? []) shown.add(id);
    if (action.kind === "file" && action.recursive === true) add(shown, WALKS[action.operation]);
  }
  if (actions.filter(({ kind }) => kind === "exec").length > 1) shown.add("another command");
  return shown;
}

/** An ask shows a danger whose effect is ask; one that must be denied shows itself in a denied example only. */
export const mustDeny = (named: Named): boolean => Object.hasOwn(DANGERS, named) && DANGERS[named as DangerId].effect === "deny";

function add(to: Set<Named>, named: Named | undefined): void {
  if (named !== undefined) to.add(named);
}
