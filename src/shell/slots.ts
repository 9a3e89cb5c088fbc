import type { Slot } from "./knowledge/read-spec.ts";
import { prefixOf, type Value } from "./value.ts";

export interface Filled {
  readonly slot: Slot;
  readonly values: readonly Value[];
}

/** Gives each slot its operands: in order, those after a repeated slot from the end. */
export function fillSlots(slots: readonly Slot[], operands: readonly Value[]): readonly Filled[] {
  const argv = slots.findIndex((slot) => slot.kind.is === "argv");
  const repeated = slots.findIndex((slot) => slot.count === "any" || slot.count === "some");
  // NAME=VALUE words come in front of a wrapped command; env(1) and sudo(8) take every word with a `=` for one.
  if (argv >= 0 && repeated >= 0 && repeated < argv && slots[repeated]?.kind.is === "env") {
    const head = fillInOrder(slots.slice(0, repeated), operands);
    const rest = operands.slice(head.used);
    const end = rest.findIndex((value) => !prefixOf(value).includes("="));
    const count = end < 0 ? rest.length : end;
    const slot = slots[repeated];
    const tail = slots[argv];
    return [
      ...head.filled,
      ...(slot === undefined ? [] : [{ slot, values: rest.slice(0, count) }]),
      ...(tail === undefined ? [] : [{ slot: tail, values: rest.slice(count) }]),
    ];
  }
  if (argv >= 0) {
    const head = fillInOrder(slots.slice(0, argv), operands);
    const tail = slots[argv];
    return [...head.filled, ...(tail === undefined ? [] : [{ slot: tail, values: operands.slice(head.used) }])];
  }
  if (repeated < 0) return fillInOrder(slots, operands).filled;
  const tailSlots = slots.slice(repeated + 1);
  const head = fillInOrder(slots.slice(0, repeated), operands, tailSlots.length);
  const rest = operands.slice(head.used);
  const tailCount = Math.min(tailSlots.length, Math.max(0, rest.length - (slots[repeated]?.count === "some" ? 1 : 0)));
  const middle = slots[repeated];
  return [
    ...head.filled,
    ...(middle === undefined ? [] : [{ slot: middle, values: rest.slice(0, rest.length - tailCount) }]),
    ...tailSlots.map((slot, i) => ({ slot, values: rest.slice(rest.length - tailCount + i, rest.length - tailCount + i + 1) })),
  ];
}

function fillInOrder(
  slots: readonly Slot[],
  operands: readonly Value[],
  reserved = 0,
): { readonly filled: readonly Filled[]; readonly used: number } {
  let used = 0;
  const filled = slots.map((slot, i) => {
    const needed = slots.slice(i + 1).filter((later) => later.count === "one").length + reserved;
    const take = used < operands.length && (slot.count !== "optional" || operands.length - used > needed);
    return { slot, values: take ? operands.slice(used, ++used) : [] };
  });
  return { filled, used };
}
