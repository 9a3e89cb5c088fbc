import { emitFile, type Invocation } from "../invocation.ts";
import { changePlaces } from "../places.ts";
import { has, valuesOf } from "./given.ts";

/** unzip(1): unless it only looks, it writes names that the archive holds below -d or the working directory. */
export function unzip(inv: Invocation): void {
  if (has(inv, "-l", "-t", "-p", "-c", "-v", "-z", "-Z") || inv.args.operands.length === 0) return;
  const folder = valuesOf(inv, "-d").at(-1);
  const places = folder === undefined ? inv.places : changePlaces(inv.places, folder);
  emitFile({ ...inv, places }, "write", { atoms: [{ hole: true, why: "a name that the archive holds", below: true }], many: false });
}
