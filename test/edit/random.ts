import * as fc from "fast-check";
import type { Json, Path } from "@assent/core/edit/json5";

/** Random JSON5 documents: comments in every gap, every layout, every spelling. Each comment has a text of its own. */

type Doc =
  | { readonly is: "list" | "object"; readonly items: readonly Item[]; readonly comma: boolean; readonly inside: Gap }
  | { readonly is: "scalar"; readonly spelled: string };

interface Item {
  readonly key: string;
  readonly gaps: readonly [beforeKey: Gap, beforeColon: Gap, beforeValue: Gap, beforeComma: Gap];
  readonly value: Doc;
}

type Gap = readonly string[];

const PIECES = [
  " ",
  "  ",
  "\t",
  "\n",
  "\n\n",
  "\r\n",
  "\n    ",
  "\u00a0",
  "/*#*/",
  "/* # */",
  " // #\n",
  "\n  // #\n  ",
  "/* #\n # */",
  "// #\r\n",
  "\n/*#*/\n",
];
const gap: fc.Arbitrary<Gap> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Gap>([]) },
  { weight: 2, arbitrary: fc.constantFrom<Gap>([" "], ["\n  "], ["\n"]) },
  { weight: 3, arbitrary: fc.array(fc.constantFrom(...PIECES), { maxLength: 4 }) },
);

const SCALARS = [
  "1",
  "-0.5",
  "0x1F",
  "+.5",
  "true",
  "null",
  "-Infinity",
  '"a"',
  "'b'",
  '""',
  '"// none"',
  "'/* \" */'",
  '"a\\\n b"',
  "'\\'\\u0041'",
  '","',
];
const KEYS = ["a", "b", "$c", "'d'", '"e"', '"f // g"', "'h:i'", '"j,"', "k\u00e9", '"l\\n"'];

const { doc } = fc.letrec<{ doc: Doc; scalar: Doc; box: Doc }>((tie) => ({
  scalar: fc.constantFrom(...SCALARS).map((spelled): Doc => ({ is: "scalar", spelled })),
  box: fc
    .tuple(
      fc.constantFrom("list" as const, "object" as const),
      fc.uniqueArray(fc.tuple(fc.constantFrom(...KEYS), fc.tuple(gap, gap, gap, gap), tie("doc")), {
        maxLength: 4,
        selector: ([key]) => key,
      }),
      fc.boolean(),
      gap,
    )
    .map(([is, items, comma, inside]): Doc => ({
      is,
      items: items.map(([key, gaps, value]) => ({ key, gaps, value })),
      comma,
      inside,
    })),
  doc: fc.oneof({ maxDepth: 3, withCrossShrink: true }, { weight: 2, arbitrary: tie("scalar") }, { weight: 3, arbitrary: tie("box") }),
}));

function print(node: Doc): string {
  if (node.is === "scalar") return node.spelled;
  const list = node.is === "list";
  const items = node.items.map(({ key, gaps: [beforeKey, beforeColon, beforeValue, beforeComma], value }, at) => {
    const name = list ? "" : `${key}${beforeColon.join("")}:${beforeValue.join("")}`;
    const comma = at < node.items.length - 1 || node.comma ? "," : "";
    return `${beforeKey.join("")}${name}${print(value)}${beforeComma.join("")}${comma}`;
  });
  return `${list ? "[" : "{"}${items.join("")}${node.inside.join("")}${list ? "]" : "}"}`;
}

/** A document whose root is a list or an object. */
export const text: fc.Arbitrary<string> = fc
  .tuple(
    gap,
    doc.filter(({ is }) => is !== "scalar"),
    gap,
  )
  .map(([head, root, tail]) => {
    let count = 0;
    return `${head.join("")}${print(root)}${tail.join("")}`.replaceAll("#", () => `c${++count};`);
  });

/** What an edit puts in. */
export const value: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Json>(1, -0, true, null, "x", 'q"u', "it's", "// not", "", Number.POSITIVE_INFINITY),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("p", "q r", "s"), tie("value"), { maxKeys: 2 }),
  ),
})).value;

/** JSON5 is a part of JavaScript: the engine itself is the oracle of what a text says. */
export function meaning(source: string): Json {
  // oxlint-disable-next-line no-eval -- texts are our own
  return (0, eval)(`(${source}\n)`) as Json;
}

/** Every place of a value. */
export function places(root: Json): readonly Path[] {
  const inner = Array.isArray(root)
    ? (root as readonly Json[]).flatMap((item, at) => places(item).map((path): Path => [at, ...path]))
    : typeof root === "object" && root !== null
      ? Object.entries(root).flatMap(([key, item]) => places(item).map((path): Path => [key, ...path]))
      : [];
  return [[], ...inner];
}

export function at(root: Json, path: Path): Json {
  return path.reduce<Json>((node, step) => (node as never)[step], root);
}
