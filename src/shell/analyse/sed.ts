import { resolvePath } from "../../path/index.ts";
import { describe, emitFile, refuse, type Invocation } from "../invocation.ts";
import { applyFindings } from "../code.ts";
import { applyKind } from "../kinds.ts";
import { readSed } from "../languages/sed.ts";
import { concat, textOf, type Value } from "../value.ts";
import { drops, has, valuesOf } from "./given.ts";

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
