import { type JsonNode, type Path, printPath, readJson5 } from "@assent/core/edit/json5";

/** The parts of JSON Schema (draft 7) that the schema of policies uses. */
export interface SchemaNode {
  readonly description?: string;
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, SchemaNode>>;
}

/** What the schema says about a place in a text. */
export interface SchemaHint {
  /** Empty at the top. */
  readonly path: string;
  readonly description?: string;
  /** What the value may be, where it is one of some words. */
  readonly values: readonly string[];
  /** Keys that may stand here and do not yet. */
  readonly keys: readonly { readonly key: string; readonly description?: string }[];
}

/** What may stand where the cursor is; undefined where the text cannot be read so far. */
export function hintAt(text: string, offset: number, schema: SchemaNode): SchemaHint | undefined {
  const { root } = readJson5(text);
  if (root === undefined) return undefined;
  const { path, node } = placeAt(root, offset);
  const nodes = path.reduce<readonly SchemaNode[]>((found, step) => found.flatMap((one) => below(one, step, schema)), open(schema, schema));
  if (nodes.length === 0) return undefined;
  const description = nodes.find((one) => one.description !== undefined)?.description;
  const there = node?.kind === "object" ? new Set(node.members.map(({ key }) => key)) : undefined;
  const keys =
    there === undefined
      ? []
      : nodes.flatMap(({ properties = {} }) =>
          Object.entries(properties).flatMap(([key, { description: about }]) =>
            there.has(key) ? [] : [{ key, ...(about === undefined ? {} : { description: about }) }],
          ),
        );
  return {
    path: printPath(path),
    ...(description === undefined ? {} : { description }),
    values: [...new Set(nodes.flatMap((one) => one.enum ?? []))],
    keys: [...new Map(keys.map((one) => [one.key, one])).values()],
  };
}

/** The innermost value around an offset; on a key, the value of that key. */
function placeAt(root: JsonNode, offset: number): { readonly path: Path; readonly node: JsonNode | undefined } {
  const path: (string | number)[] = [];
  let node = root;
  for (;;) {
    const next = stepAt(node, offset);
    if (next === undefined) return { path, node };
    path.push(next.step);
    ({ node } = next);
  }
}

function stepAt(node: JsonNode, offset: number): { readonly step: string | number; readonly node: JsonNode } | undefined {
  if (node.kind === "object") {
    const found = node.members.find(({ keyStart, value }) => offset >= keyStart && offset <= value.end);
    return found === undefined ? undefined : { step: found.key, node: found.value };
  }
  if (node.kind !== "array") return undefined;
  const at = node.items.findIndex(({ start, end }) => offset >= start && offset <= end);
  const item = node.items[at];
  return item === undefined ? undefined : { step: at, node: item };
}

/** A node with what it refers to, each of its alternatives by itself. */
function open(node: SchemaNode, root: SchemaNode): readonly SchemaNode[] {
  const name = node.$ref?.replace("#/$defs/", "");
  const target = name === undefined ? undefined : root.$defs?.[name];
  const here = target === undefined ? [node] : [node, ...open(target, root)];
  return here.flatMap((one) => [one, ...(one.anyOf ?? []).flatMap((other) => open(other, root))]);
}

function below(node: SchemaNode, step: string | number, root: SchemaNode): readonly SchemaNode[] {
  const properties = node.properties ?? {};
  const next = typeof step === "number" ? node.items : Object.hasOwn(properties, step) ? properties[step] : undefined;
  return next === undefined ? [] : open(next, root);
}
