import { refuse, type Invocation } from "../invocation.ts";
import { quote } from "../../action/index.ts";
import { join, literal, textOf, type Atom, type Value } from "../value.ts";

const SEPARATOR = /^:::\+?$|^::::\+?$/;
/** `{}`, `{.}`, `{/}`, `{//}`, `{/.}`, `{#}`, `{%}`, `{1}`, `{2.}` … */
const PLACE = /\{(?:[.#%]|\/{1,2}|\/\.)?\}|\{-?\d+(?:[.]|\/{1,2}|\/\.)?\}/;
const MOST = 50;

/**
 * parallel(1): the words before `:::` are a template, run as a shell line for every input; without a template the inputs
 * are the shell lines. Inputs from files and from standard input are only known at run time.
 */
export function parallel(inv: Invocation): void {
  const { operands } = inv.args;
  const end = operands.findIndex((operand) => SEPARATOR.test(textOf(operand) ?? ""));
  const template = end < 0 ? operands : operands.slice(0, end);
  const inputs = end < 0 ? undefined : knownInputs(operands.slice(end));
  if (template.length === 0) {
    if (inputs === undefined) refuse(inv, "parallel runs its input as commands", "give it the command");
    else for (const input of inputs) inv.run.script(inv.cx, inv.state, literal(input), { is: "none" }, { span: inv.span });
    return;
  }
  const fillers: readonly Atom[] = inputs === undefined ? [{ hole: true, why: "an input of parallel" }] : inputs.map((input) => (/^[\w./@%+=:,~-]+$/.test(input) ? input : quote(input)));
  for (const filler of fillers) inv.run.script(inv.cx, inv.state, line(template, filler), { is: "none" }, { span: inv.span });
}

/** The inputs, when there is one `:::` list and all of it is known. */
function knownInputs(rest: readonly Value[]): readonly string[] | undefined {
  const [separator, ...values] = rest.map((value) => textOf(value));
  if (separator !== ":::" || values.length > MOST) return undefined;
  const known = values.filter((value): value is string => value !== undefined && !SEPARATOR.test(value));
  return known.length === values.length ? known : undefined;
}

function line(template: readonly Value[], filler: Atom): Value {
  let placed = false;
  const atoms = template.flatMap((word, i): readonly Atom[] => {
    const filled = word.atoms.flatMap((atom): readonly Atom[] => {
      if (typeof atom !== "string" || !PLACE.test(atom)) return [atom];
      placed = true;
      return atom.split(new RegExp(PLACE, "g")).flatMap((piece, at): readonly Atom[] => (at === 0 ? [piece] : [filler, piece]));
    });
    return i === 0 ? filled : [" ", ...filled];
  });
  return { atoms: join(placed ? atoms : [...atoms, " ", filler]), many: template.some((word) => word.many) };
}
