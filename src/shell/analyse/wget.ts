import { describe, emitFile, type Invocation } from "../invocation.ts";
import { changePlaces } from "../places.ts";
import { textOf } from "../value.ts";
import { has, valuesOf } from "./given.ts";

/** wget(1): without -O, files named after the addresses (or by the server) appear below -P or the working directory. */
export function wget(inv: Invocation): void {
  if (has(inv, "-O", "--output-document") || inv.args.operands.length === 0 || has(inv, "--spider")) return;
  const folder = valuesOf(inv, "-P", "--directory-prefix").at(-1);
  const there = { ...inv, places: folder === undefined ? inv.places : changePlaces(inv.places, folder) };
  const several = has(
    inv,
    "-r",
    "-m",
    "-p",
    "-x",
    "--content-disposition",
    "--trust-server-names",
    "-E",
    "--force-directories",
    "--recursive",
    "--mirror",
    "--page-requisites",
    "--adjust-extension",
  );
  for (const operand of inv.args.operands) {
    const text = textOf(operand);
    // A query becomes part of the name; an unquoted one may be several words.
    const name = text === undefined || several ? undefined : text.replace(/^[a-z]+:\/\//i, "").replace(/#.*$/s, "");
    const last =
      name === undefined || !name.includes("/") || name.endsWith("/")
        ? undefined
        : decoded(name.slice(name.lastIndexOf("/", name.includes("?") ? name.indexOf("?") : name.length) + 1));
    if (name !== undefined && last === undefined) emitFile(there, "write", { atoms: ["index.html"], many: false });
    else if (last !== undefined && last !== "" && !last.includes("/")) emitFile(there, "write", { atoms: [last], many: false });
    else emitFile(there, "write", { atoms: [{ hole: true, why: `the name of ${describe(operand)}`, below: true }], many: false });
  }
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return "";
  }
}
