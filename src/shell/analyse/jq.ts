import { describe, doubt, emitFile, type Invocation } from "../invocation.ts";
import { applyKind } from "../kinds.ts";
import { prefixOf, textOf, type Value } from "../value.ts";

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
