import { allComments } from "./comments.ts";
import { type Node, readJson5 } from "./json5/index.ts";
import { sameValue } from "./model.ts";
import { applyPatch, invert, type Patch, type Range } from "./splice.ts";

type Verified = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly message: string };

const refuse = (message: string): Verified => ({ ok: false, message });

/**
 * The patched text, if it holds what every edit promises: it says exactly what was asked, every comment that no splice
 * touches is there as it was, no other has come but those asked for, and the patch can be taken back.
 */
export function verified(text: string, patch: Patch, expected: Node, added: readonly string[] = []): Verified {
  const next = applyPatch(text, patch);
  if (next === undefined) return refuse("the changes overlap");
  const { root, faults } = readJson5(next);
  if (root === undefined || faults.length > 0) return refuse(`the result could not be read: ${faults[0]?.message ?? "it is broken"}`);
  if (!sameValue(root, expected)) return refuse("the result would say something else");
  const put = invert(patch);
  const all = allComments(next);
  const isNew = ({ start, end }: Range): boolean => put.some(({ at, was }) => at <= start && end <= at + was.length);
  const fresh = all.filter(isNew);
  if (fresh.length !== added.length || fresh.some(({ start, end }, at) => next.slice(start, end) !== added[at]))
    return refuse("a comment would not be as it was asked for");
  const after = all.filter((comment) => !isNew(comment)).map(({ start, end }) => `${start} ${next.slice(start, end)}`);
  const kept = keptComments(text, patch);
  if (after.length !== kept.length || after.some((comment, at) => comment !== kept[at])) return refuse("a comment would be lost");
  if (applyPatch(next, put) !== text) return refuse("the change could not be taken back");
  return { ok: true, text: next };
}

/** The comments outside the splices, each with the offset it moves to. */
function keptComments(text: string, patch: Patch): readonly string[] {
  const kept: string[] = [];
  for (const { start, end } of allComments(text)) {
    let moved = start;
    let touched = false;
    for (const { at, was, becomes } of patch) {
      if (at + was.length <= start) moved += becomes.length - was.length;
      else if (at < end && was !== "") touched = true;
    }
    if (!touched) kept.push(`${moved} ${text.slice(start, end)}`);
  }
  return kept;
}
