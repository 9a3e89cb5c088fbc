import { readPolicy } from "../policy/read/index.ts";
import { exampleActions } from "../engine/index.ts";
import type { Converted, Loss } from "./types.ts";
import { textOf, verify } from "./verify.ts";

/** A rule that may be written, and what of it is not as it was. */
export interface Settled {
  readonly rule?: Converted;
  readonly loss?: Loss;
}

/**
 * The last word on a converted rule: our judge agrees with the examples derived from it, and with the native rule's own.
 * A refusal or question that also speaks of what it should not is kept, and said; a rule that allows too much is not.
 */
export function settle(rule: Converted): Settled {
  const loss = verify(rule);
  if (loss !== undefined) return { loss };
  const { keep, ...bare } = rule;
  if (keep === undefined || rule.into.list !== "permissions") return { rule: bare };
  const match = keep.match ?? [];
  const wrong = failing(rule, { match });
  if (wrong.length > 0) return { loss: { why: `its example \`${wrong[0] ?? ""}\` does not surely match \`${textOf(rule)}\` here` } };
  const tooWide = failing(rule, { notMatch: keep.notMatch ?? [] });
  if (tooWide.length > 0 && rule.effect === "allow")
    return { loss: { why: `its example \`${tooWide[0] ?? ""}\` would be allowed by \`${textOf(rule)}\` here` } };
  const notMatch = (keep.notMatch ?? []).filter((example) => !tooWide.includes(example));
  const kept = { ...(match.length === 0 ? {} : { match }), ...(notMatch.length === 0 ? {} : { notMatch }) };
  const settled: Converted = Object.keys(kept).length === 0 ? bare : { ...bare, keep: kept };
  if (tooWide.length === 0) return { rule: settled };
  return {
    rule: settled,
    loss: { why: `kept, but \`${textOf(rule)}\` also means \`${tooWide[0] ?? ""}\` here, which the rule leaves out` },
  };
}

/** Those examples that do not hold. */
function failing(
  { effect, into }: Converted,
  examples: { readonly match?: readonly string[]; readonly notMatch?: readonly string[] },
): readonly string[] {
  if (into.list !== "permissions") return [];
  const text = JSON.stringify({ permissions: { [effect]: [{ rule: into.rule, ...examples }] } });
  const read = readPolicy(text, { file: "import", layer: "user", examples: exampleActions });
  return read.examples.filter(({ problem }) => problem !== undefined).map(({ example }) => example);
}
