import { emitFile, type Invocation } from "../invocation.ts";
import { textOf } from "../value.ts";
import { has } from "./given.ts";

/** patch(1): without a file of its own to change it changes what the patch names, below the working directory. */
export function patch(inv: Invocation): void {
  const [original] = inv.args.operands;
  if (has(inv, "--dry-run") || (original !== undefined && textOf(original) !== "")) return;
  const named = { atoms: [{ hole: true as const, why: "a file that the patch names", below: true }], many: false };
  emitFile(inv, has(inv, "-o", "--output") ? "read" : "write", named);
}
