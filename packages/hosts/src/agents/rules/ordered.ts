import {
  type Collector,
  type Converted,
  exceptionLoss,
  intoPool,
  isEverything,
  type Loss,
  made,
  type Ordered,
  type NativeOrigin,
} from "@assent/import/import";
import type { OperationName } from "@assent/core/policy";

/** A rule of a host in whose lists one position decides. */
export interface OrderedRule extends NativeOrigin, Ordered {
  /** As a rule of ours. */
  readonly convert: (origin: NativeOrigin) => readonly Converted[] | Loss;
  /** The operations whose default it would be, when it matches everything. */
  readonly operations?: readonly OperationName[];
}

/** Puts an ordered list, the deciding rule first, into rules of which the strictest wins. */
export function keepOrdered(rules: readonly OrderedRule[], into: Collector): void {
  for (const place of intoPool(rules)) {
    const { rule } = place;
    if (place.is === "dead") {
      const { text, line } = place.by;
      // One native rule for several tools that are one here.
      if (line === rule.line && text === rule.text) continue;
      into.lose(rule, `it never decides there: \`${text}\` (line ${line}) does first`);
      continue;
    }
    if (isEverything(rule.glob) && rule.effect !== "allow") {
      keepDefault(
        rule,
        rules.slice(0, rules.indexOf(rule)).some(({ domain }) => domain === rule.domain),
        into,
      );
      continue;
    }
    if (place.is === "exception") {
      const { why, help } = exceptionLoss(place.to);
      into.lose(rule, why, help);
      if (!place.partly) continue;
    }
    into.keep(rule.convert(rule), rule);
  }
}

/** A rule for everything: what is left to it is a default, for a rule of ours would take the others along. */
function keepDefault(rule: OrderedRule, others: boolean, into: Collector): void {
  if (!others) return into.keep(rule.convert(rule), rule);
  const { operations } = rule;
  if (rule.effect === "ask" || operations === undefined)
    return into.lose(
      rule,
      rule.effect === "ask" ? "what no rule speaks of is left to the preset here" : "this has no default here",
      rule.effect === "ask" ? '`"preset": "strict"` asks for everything' : undefined,
    );
  into.keep(
    operations.map((operation) => made(rule, { list: "default", operation })),
    rule,
  );
}
