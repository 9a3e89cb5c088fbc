import { describe, doubt, emitFile, type Invocation } from "../invocation.ts";
import { mayBeOption, prefixOf, textOf } from "../value.ts";

/** mlr(1), "Verbs": those that select, order, count and compute. `put` and `filter` are a language with system() in it; `tee`, `split` and `case` write. */
const VERBS: ReadonlySet<string> = new Set(
  `altkv bar bootstrap cat count count-distinct count-similar cut decimate fill-down fill-empty flatten format-values fraction gap
  grep group-by group-like gsub having-fields head histogram json-parse json-stringify join label latin1-to-utf8 least-frequent
  merge-fields most-frequent nest nothing regularize rename reorder repeat reshape sample sec2gmt sec2gmtdate seqgen shuffle
  skip-trivial-records sort sort-within-records sparsify stats1 stats2 step strptime sub ssub summary tac template top
  unflatten uniq unspace unsparsify utf8-to-latin1`.split(/\s+/),
);

/** mlr(1): `VERB … then VERB … FILE…`. Flags of verbs and files are not told apart: every word is a file that is read. */
export function miller(inv: Invocation): void {
  const [first, ...rest] = inv.args.operands;
  const verbs = [first, ...rest.filter((_, i) => textOf(inv.args.operands[i] ?? { atoms: [], many: false }) === "then")];
  for (const verb of verbs) {
    if (verb === undefined) continue;
    const text = textOf(verb);
    if (text === undefined || !VERBS.has(text)) doubt(inv, `what the verb ${describe(verb)} of ${inv.name} does is not known`);
  }
  for (const word of rest) {
    if (/^(--prepipex?|--m?load|-I)(=|$)/.test(prefixOf(word)))
      doubt(inv, `${describe(word)} of ${inv.name} runs a program or changes the file`);
    // A word that is only known at run time may be `then` and a verb.
    if (textOf(word) === undefined && word.many && mayBeOption(word)) doubt(inv, `${describe(word)} may be a verb of ${inv.name}`);
    emitFile(inv, "read", word);
  }
}
