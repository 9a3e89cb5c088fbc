import type { World } from "../../../action/index.ts";
import { matchesText } from "../../../pattern/index.ts";
import { resolvePath } from "../../../path/index.ts";
import type { Context } from "../../words/context.ts";
import type { Invocation } from "../invocation.ts";
import { textOf, type Value } from "../../words/value.ts";

/** What every find prints of the tests that it has: the path as it prints it, and its place below the starting point. */
type FindTest = (printed: string, below: readonly string[]) => boolean;

/** True when find(1) prints a name: such a file lies there, and nothing in the line may have taken it away before. */
export function surelyFinds(inv: Invocation, roots: readonly Value[], expression: readonly Value[]): boolean {
  const { cx, state } = inv;
  const [place, ...others] = state.places;
  const tests = readTests(expression.map(textOf));
  if (tests === undefined || place?.is !== "at" || others.length > 0 || mayHaveChanged(cx, inv.exec)) return false;
  const texts = roots.map(textOf);
  return texts.every((text) => text !== undefined) && texts.some((text) => holds(cx.world, resolvePath(place.path, text), text, tests));
}

function holds(world: World, root: string, written: string, tests: readonly FindTest[]): boolean {
  const fits = (path: string): boolean => {
    const below = path.slice(root.length).replace(/^\//, "");
    // A name of other characters may be split, or taken for a pattern that matches nothing.
    return (
      /^[\w./@+-]+$/.test(below) &&
      tests.every((test) => test(`${written.replace(/\/$/, "")}/${below}`, below.split("/"))) &&
      world.kind(path) === "file"
    );
  };
  return world.find(root, (path, link) => link === false && fits(path)).found !== undefined;
}

/** Undefined: nothing is sure of what else decides. */
function readTests(words: readonly (string | undefined)[]): readonly FindTest[] | undefined {
  const tests: FindTest[] = [];
  let wanted = true;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    if (word === "!" || word === "-not") wanted = !wanted;
    else if (word === "-print" || word === "-print0") continue;
    else {
      const [value, is] = [words[(at += 1)], wanted];
      if (value === undefined) return undefined;
      if (word === "-name" && isPlain(value)) tests.push((_, below) => matchesText(value, below.at(-1) ?? "") === is);
      else if (word === "-path" && isPlain(value)) tests.push((printed) => matchesText(value, printed) === is);
      else if (word === "-maxdepth" && is && /^\d+$/.test(value)) tests.push((_, below) => below.length <= Number(value));
      else if (word !== "-type" || value !== "f" || !is) return undefined;
      wanted = true;
    }
  }
  return wanted ? tests : undefined;
}

const isPlain = (glob: string): boolean => /^[^[\]\\]+$/.test(glob);

/** Something in front, or in the round or the call before, may have removed files. */
const mayHaveChanged = (cx: Context, exec: number): boolean =>
  cx.escapes.some(({ from }) => from !== "shell") ||
  cx.actions.some((action, at) => {
    if (action.kind === "exec") return at !== exec && action.knowledge === undefined && action.builtin !== true;
    return action.kind === "file"
      ? action.operation !== "read" && action.operation !== "list"
      : action.kind !== "net" && action.kind !== "remote";
  });
