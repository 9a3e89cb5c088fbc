import type { TreeFilter } from "../../action/index.ts";
import type { Invocation } from "../invocation.ts";
import { join, NOTHING, textOf, type Atom, type Hole, type Value } from "../value.ts";
import { has, valuesOf } from "./given.ts";

const PLACE = /\{[./]*\}/;

/** fd(1): -x and -X run what follows, up to a `;`, with the names found at its end or in place of `{}`, `{.}`, `{/}` … */
export function fd(inv: Invocation): void {
  const roots = rootsOf(inv);
  inv.output = {
    is: "paths",
    values: roots.map((root) => ({ atoms: root.prefix === "" ? [root.name] : [root.prefix, root.name], many: false })),
  };
  const [program] = valuesOf(inv, "--exec", "--exec-batch");
  if (program === undefined) return;
  const words = [program, ...inv.args.rest];
  const end = words.findIndex((word) => textOf(word) === ";");
  if (end >= 0 && end < words.length - 1) return inv.cx.unknown("options of fd behind the command it runs", { span: inv.span });
  const command = end < 0 ? words : words.slice(0, end);
  const placed = command.some((word) => PLACE.test(textOf(word) ?? ""));
  for (const root of roots) {
    // Without a placeholder fd writes `./` in front.
    const name: Value = { atoms: [root.prefix === "" ? "./" : root.prefix, root.name], many: has(inv, "--exec-batch") };
    const argv = placed ? command.map((word) => fill(word, root)) : [...command, name];
    inv.run.argv(inv.cx, inv.state, argv, NOTHING);
  }
  inv.output = { is: "unknown", why: "the output of the commands that fd runs", network: false };
}

interface Root {
  readonly prefix: string;
  readonly name: Hole;
}

function rootsOf(inv: Invocation): readonly Root[] {
  const filter = filterOf(inv);
  const why = "a name that fd finds";
  const outside: Root = { prefix: "", name: { hole: true, why } };
  const given = [...inv.args.operands.slice(1), ...valuesOf(inv, "--search-path")];
  if (has(inv, "--base-directory", "--absolute-path")) return [outside];
  const name: Hole = { hole: true, why, below: true, ...(filter === undefined ? {} : { filter }) };
  if (given.length === 0) return [{ prefix: "", name }];
  return given.map((value) => {
    const text = textOf(value);
    return text === undefined || /(^|\/)\.\.(\/|$)/.test(text) ? outside : { prefix: text.replace(/\/?$/, "/"), name };
  });
}

/** What is certain of the names: none begins with a dot, all have one of these endings. */
function filterOf(inv: Invocation): TreeFilter | undefined {
  const hidden = has(inv, "--hidden", "--unrestricted");
  const endings = valuesOf(inv, "--extension").map(textOf);
  const plain = endings.length > 0 && endings.every((text) => text !== undefined && /^[\w.]+$/.test(text));
  if (hidden && !plain) return undefined;
  return { ...(hidden ? {} : { hidden: false }), ...(plain ? { only: endings.map((text) => `*.${text}`) } : {}) };
}

/** `{}` is the name, `{.}` the name without its ending, `{//}` its folder: below the starting point. `{/}` and `{/.}` are its last part. */
function fill(word: Value, { prefix, name }: Root): Value {
  const text = textOf(word);
  if (text === undefined || !PLACE.test(text)) return word;
  const part: Hole = { hole: true, why: name.why, ...(name.below === true ? { below: true } : {}) };
  const atoms = text.split(/(\{[./]*\})/).flatMap((piece): Atom[] => {
    if (piece === "" || !PLACE.test(piece)) return piece === "" ? [] : [piece];
    if (piece === "{/}" || piece === "{/.}" || prefix === "") return [piece === "{}" ? name : part];
    return [prefix, piece === "{}" ? name : part];
  });
  return { atoms: join(atoms), many: false };
}
