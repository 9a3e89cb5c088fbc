import type { RuleSource } from "../match/verdict.ts";
import { writtenForms } from "../kinds/index.ts";
import type { BlockForm } from "../kinds/reading.ts";
import { type LayerName, type Matcher, OPERATIONS, type OperationBlock, type OperationName, type Rule } from "../match/types.ts";
import type { PolicyInput } from "./schema.ts";
import { type Fault, member, type JsonNode, type Path } from "../../edit/json5/index.ts";

/** What every rule of one file has in common. */
export interface RuleOrigin {
  readonly layer: LayerName;
  readonly root?: string;
  readonly untrusted?: boolean;
}

type Operations = NonNullable<PolicyInput["operations"]>;
type Block = NonNullable<Operations["read"]>;

/**
 * The `operations` of a file as blocks. Two blocks are implied:
 * - `default` gives one to every operation without a block;
 * - without it, `write` speaks for `edit` too, for what must not be written must not be edited.
 */
export function readOperations(
  operations: Operations,
  origin: RuleOrigin,
  sourceOf: (text: string, path: Path) => RuleSource,
): readonly OperationBlock[] {
  return OPERATIONS.flatMap((operation) => {
    const own = operations[operation];
    if (own !== undefined) return [readBlock(operation, own, operation, origin, sourceOf)];
    if (operations.default !== undefined) {
      const defaultSource = sourceOf(`operations default ${operations.default}`, ["operations", "default"]);
      return [{ operation, layer: origin.layer, default: operations.default, defaultSource, rules: [] }];
    }
    return operation === "edit" && operations.write !== undefined ? [readBlock("edit", operations.write, "write", origin, sourceOf)] : [];
  });
}

function readBlock(
  operation: OperationName,
  block: Block,
  key: OperationName,
  origin: RuleOrigin,
  sourceOf: (text: string, path: Path) => RuleSource,
): OperationBlock {
  const base = ["operations", key];
  const rules = (block.rules ?? []).map(({ pattern, action, description }, index): Rule => {
    const source = sourceOf(`${key} ${pattern}`, [...base, "rules", index]);
    const reason = description === undefined || description === "" ? {} : { reason: description };
    return { effect: action, matcher: blockForm(operation).matcher(pattern), source, ...origin, ...reason };
  });
  if (block.default === undefined) return { operation, layer: origin.layer, rules };
  const defaultSource = sourceOf(`${key} default ${block.default}`, [...base, "default"]);
  return { operation, layer: origin.layer, default: block.default, defaultSource, rules };
}

/** How the rules of a block are written: some kind has a form for every operation. */
function blockForm(operation: OperationName): BlockForm<Matcher> {
  const form = writtenForms().flatMap((form) => form.block(operation) ?? [])[0];
  if (form === undefined) throw new Error(`no kind of rule is written in a block of \`${operation}\``);
  return form;
}

/** The patterns of all blocks that are no patterns, wherever the rest of the file is right or wrong. */
export function checkPatterns(root: JsonNode): readonly Fault[] {
  const operations = member(root, "operations")?.value;
  return OPERATIONS.flatMap((operation) => {
    const rules = member(member(operations, operation)?.value, "rules")?.value;
    if (rules?.kind !== "array") return [];
    return rules.items.flatMap((rule, index): Fault[] => {
      const pattern = member(rule, "pattern")?.value;
      if (pattern?.kind !== "scalar" || typeof pattern.value !== "string" || pattern.value === "") return [];
      const read = blockForm(operation).check(pattern.value);
      if (read.ok) return [];
      const { message, help } = read;
      return [
        {
          offset: pattern.start,
          path: ["operations", operation, "rules", index, "pattern"],
          message,
          ...(help === undefined ? {} : { help }),
        },
      ];
    });
  });
}
