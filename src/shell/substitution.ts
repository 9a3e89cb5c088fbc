import type { WordPart } from "unbash";
import type { Expansion } from "./expand.ts";
import { isNetwork, join, literal, NOTHING, unknown, type Stream, type Value } from "./value.ts";

/** What `$(…)` becomes: the text printed, trailing newlines dropped. */
export function substitution(ex: Expansion, part: Extract<WordPart, { type: "CommandExpansion" }>): Value {
  if (part.script === undefined) return unknown("a substitution that cannot be read", true);
  const { cx } = ex;
  const outer = cx.outerSpan;
  // Escaped backticks own their decoded source: positions inside do not point into the request.
  if (part.script.source !== undefined) cx.outerSpan = cx.span(part);
  const out = ex.run(cx, ex.state.fork(), part.script, NOTHING);
  cx.outerSpan = outer;
  return streamText(
    ex.state.springing.prints && out.is !== "unknown"
      ? { is: "unknown", why: "what is printed beside a trap", network: isNetwork(out) }
      : out,
    `the output of ${brief(part.text)}`,
  );
}

const brief = (text: string): string => (text.length <= 40 ? text : `${text.slice(0, 39)}…`);

export function streamText(out: Stream, why: string): Value {
  switch (out.is) {
    case "none":
      return literal("");
    case "text": {
      const atoms = [...out.value.atoms];
      const last = atoms.at(-1);
      if (typeof last === "string") atoms[atoms.length - 1] = last.replace(/\n+$/, "");
      return { atoms: join(atoms), many: out.value.many };
    }
    case "paths": {
      const [only] = out.values;
      if (out.values.length === 1 && only !== undefined) return { atoms: only.atoms, many: true };
      return unknown(why, true);
    }
    case "unknown":
      return {
        atoms: [{ hole: true, why, ...(out.network ? { network: true } : {}), ...(out.number === true ? { number: true } : {}) }],
        many: out.number !== true,
      };
  }
}
