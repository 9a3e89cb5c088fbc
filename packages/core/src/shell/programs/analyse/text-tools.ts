// Programs that change or print text.
import { resolvePath } from "../../../path/index.ts";
import { applyFindings } from "../code.ts";
import { describe, doubt, emitFile, refuse, type Invocation } from "../invocation.ts";
import { applyKind } from "../kinds.ts";
import { readSed } from "../../languages/sed.ts";
import { dropPrefix } from "../options.ts";
import { mayBegin } from "../../words/paths.ts";
import { concat, prefixOf, textOf, type Value } from "../../words/value.ts";
import { drops, has, valuesOf } from "../given.ts";

/**
 * sed -i: `-iSUFFIX` keeps the old content in FILE with SUFFIX (GNU: a `*` stands for the name, a `/` names a folder).
 * BSD sed takes the next word for the suffix, so that the script is one operand further on.
 */
export function sed(inv: Invocation): void {
  if (!has(inv, "-i", "--in-place")) return;
  const scripts = drops(inv, "script") ? 0 : 1;
  const files = inv.args.operands.slice(scripts);
  for (const suffix of valuesOf(inv, "-i", "--in-place")) backup(inv, suffix, files);
  const [first, second] = inv.args.operands;
  if (scripts === 0 || valuesOf(inv, "-i").length > 0 || first === undefined || second === undefined) return;
  const text = textOf(second);
  if (/^$|^[.~_]/.test(textOf(first) ?? "")) applyKind(inv, { is: "sed" }, second);
  // Otherwise it is a file, unless no file of that plain name is there and it would do something as a script.
  else if (text !== undefined && !isPlainFile(inv, text))
    applyFindings(
      inv,
      "sed",
      readSed(text).filter((finding) => finding.does !== "unknown"),
      text,
    );
}

function backup(inv: Invocation, suffix: Value, files: readonly Value[]): void {
  const text = textOf(suffix);
  if (text === undefined || text.includes("/")) {
    refuse(inv, `sed -i keeps the old content under a name that is not understood: ${describe(suffix)}`, "use a plain suffix such as .bak");
    return;
  }
  for (const file of text === "" ? [] : files) {
    const name = textOf(file);
    if (!text.includes("*")) emitFile(inv, "write", concat(file, suffix));
    else if (name !== undefined)
      emitFile(inv, "write", { atoms: [name.replace(/[^/]*$/, (base) => text.replaceAll("*", base))], many: false });
    else
      refuse(
        inv,
        `sed -i keeps the old content under a name that is not understood: ${describe(suffix)}`,
        "use a plain suffix such as .bak",
      );
  }
}

const isPlainFile = (inv: Invocation, text: string): boolean =>
  /^[\w@%+=:,./~-]+$/.test(text) &&
  inv.places.every((place) => place.is !== "at" || inv.cx.world.kind(resolvePath(place.path, text)) !== "missing");

/** Take two words, which the table knows. */
const PAIRS = new Set(["--arg", "--argjson", "--slurpfile", "--rawfile", "--argfile"]);

/**
 * jq(1): `--arg NAME VALUE` and its kin take two words, and what follows `--args` is text, so words are read in order.
 * `-f`, wherever it stands, makes the first operand the program's file up to jq 1.7, and takes the next word in later ones: both count.
 */
export function jq(inv: Invocation): void {
  const { words } = inv;
  let program = false;
  let filter: Value | undefined;
  let fromFile = -1;
  let texts = false;
  let ended = false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (word === undefined) break;
    const text = textOf(word);
    const prefix = prefixOf(word);
    if (!ended && prefix.startsWith("-") && text !== "-") {
      if (text === "--") ended = true;
      else if (text === "--args" || text === "--jsonargs") texts = true;
      else if (text === "--indent" || text === "-L") at++;
      else if (text !== undefined && PAIRS.has(text)) at += 2;
      else if (text === "--from-file" || /^-[a-zA-Z]*f/.test(prefix)) {
        fromFile = at;
        if (filter !== undefined) applyKind(inv, { is: "script", language: "jq" }, filter);
      } else if (prefix.startsWith("--from-file=")) {
        applyKind(
          inv,
          { is: "script", language: "jq" },
          {
            atoms: word.atoms.map((atom, i) => (i === 0 && typeof atom === "string" ? atom.slice("--from-file=".length) : atom)),
            many: word.many,
          },
        );
        if (filter !== undefined) emitFile(inv, "read", filter);
        program = true;
      }
      continue;
    }
    if (fromFile >= 0 && (at === fromFile + 1 || !program)) {
      applyKind(inv, { is: "script", language: "jq" }, word);
      program = true;
    } else if (!program) {
      applyKind(inv, { is: "jq" }, word);
      filter = word;
      program = true;
    } else if (!texts) emitFile(inv, "read", word);
    if (word.many && texts) doubt(inv, `${describe(word)} may become several arguments of jq`, "quote it");
  }
}

/** jo(1): the value of a word that begins with `@`, `%` or `:` is the content of that file. */
export function jo(inv: Invocation): void {
  for (const word of inv.args.operands) {
    const prefix = prefixOf(word);
    const at = /^(?:[^=@%:]*[=]?[=:]?)?([@%:])/.exec(prefix) ?? /[=]([@%:])/.exec(prefix);
    if (at !== null) emitFile(inv, "read", dropPrefix(word, (at.index ?? 0) + at[0].length));
    else if (textOf(word) === undefined && !/=[^@%:]/.test(prefix))
      refuse(inv, `${describe(word)} may name a file that jo reads`, "write the name of the field and a quote in front of it");
  }
}

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
    if (textOf(word) === undefined && word.many && mayBegin(inv, word, "-t")) doubt(inv, `${describe(word)} may be a verb of ${inv.name}`);
    emitFile(inv, "read", word);
  }
}

/** pandoc(1), "Custom readers and writers": a format that is a file name is a Lua program. */
export function pandoc(inv: Invocation): void {
  for (const format of [...valuesOf(inv, "--from"), ...valuesOf(inv, "--to")])
    if (!/^[a-z0-9_]+([+-][a-z0-9_]+)*$/i.test(textOf(format) ?? ""))
      doubt(inv, `the format ${describe(format)} may be a program that pandoc runs`);
}

/** stat(1): sizes, counts, ids and times are numbers. BSD has no -c, and prints nothing. */
export function stat(inv: Invocation): void {
  const [format, ...others] = valuesOf(inv, "-c", "--printf").map(textOf);
  const files = inv.args.operands;
  // With -f it is asked about a file system, whose number has letters.
  if (format !== undefined && others.length === 0 && !has(inv, "-f") && /^%[sbBohiugaXYZ]$/.test(format))
    inv.output = {
      is: "unknown",
      why: "a number that stat prints",
      network: false,
      number: true,
      ...(files.length === 1 && files[0]?.many === false ? {} : { several: true as const }),
    };
}

/** date(1): a format of nothing but numbers prints digits. BSD has no `%N` and prints the letter. */
export function date(inv: Invocation): void {
  const [format, ...others] = valuesOf(inv, "+%").map(textOf);
  if (format !== undefined && others.length === 0 && /^[CGHMSVYdgjmsuwy](?:%[CGHMSVYdgjmsuwy])*$/.test(format))
    inv.output = { is: "unknown", why: "a number that date prints", network: false, number: true };
}
