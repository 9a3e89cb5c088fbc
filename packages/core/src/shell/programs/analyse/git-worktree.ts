// git worktree: working trees of the project's own repository, wherever they lie.
import { isWithin, resolvePath } from "../../../path/index.ts";
import { linkedTree, mayBecomeTree } from "../../../policy/index.ts";
import { emitFile, type Invocation } from "../invocation.ts";
import type { ShellPlace } from "../../words/state.ts";
import { has } from "../given.ts";
import { copiedFiles } from "./git-revisions.ts";
import { textOf, type Value } from "../../words/value.ts";

const pathOf = (inv: Invocation, value: Value): string | undefined => {
  const text = textOf(value);
  const [place, ...others] = inv.places;
  return text === undefined || place?.is !== "at" || others.length > 0 ? undefined : resolvePath(place.path, text);
};

/** A rule for what lies there counts all the same. */
function emitUnder(inv: Invocation, operation: "write" | "delete", path: string): void {
  const target = operation === "write" ? ({ kind: "path", path } as const) : ({ kind: "tree", path } as const);
  inv.cx.add({ kind: "file", operation, target, upkeep: true, origin: { by: "command", exec: inv.exec } });
}

/** git-worktree(1), add: in the project a new folder is one of the repository's own places; elsewhere a person is asked about it. */
export function gitWorktreeAdd(inv: Invocation): void {
  const [operand] = inv.args.operands;
  if (operand === undefined) return;
  copiedFiles(inv);
  const path = pathOf(inv, operand);
  const { world } = inv.cx;
  if (path !== undefined && isWithin(path, world.canonical(world.projectRoot)) && mayBecomeTree(path, world)) emitUnder(inv, "write", path);
  else emitFile(inv, "write", operand, true);
}

/** git-worktree(1), remove: what undo brings back is no more than a deleted folder; nothing brings back what lies outside. */
export function gitWorktreeRemove(inv: Invocation): void {
  const { world } = inv.cx;
  const root = world.canonical(world.projectRoot);
  for (const operand of inv.args.operands) {
    const path = pathOf(inv, operand);
    const tree = path === undefined ? undefined : linkedTree(textOf(operand) ?? "", path, world);
    if (tree === undefined || [root, world.canonical(world.home)].some((place) => isWithin(place, tree))) {
      emitFile(inv, "delete", operand, true);
      continue;
    }
    emitUnder(inv, "delete", tree);
    const isInside = isWithin(tree, root);
    inv.cx.addDanger(inv.exec, isInside ? (has(inv, "--force") ? "history-rewrite" : "delete-recursive") : "removes-worktree");
  }
}

/**
 * A path outside the working tree git refuses, with all that is named beside it ("is outside repository": tried with each command that has
 * this). Only of the project's own repository is it known where that ends.
 */
export function gitInside({ cx, exec, places }: Invocation): void {
  const { world } = cx;
  const root = world.canonical(world.projectRoot);
  const isHere = (place: ShellPlace): boolean => place.is === "at" && isWithin(world.canonical(place.path), root);
  if (!places.every(isHere) || world.kind(`${root}/.git`) === "missing") return;
  for (const [at, action] of cx.actions.entries()) {
    if (at <= exec || action.kind !== "file" || (action.target.kind !== "path" && action.target.kind !== "tree")) continue;
    const { path } = action.target;
    if (![path, world.canonical(path)].some((one) => isWithin(one, root))) cx.actions[at] = { ...action, settled: true };
  }
}
