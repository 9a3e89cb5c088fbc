import { describe, doubt, emitFile, type Invocation } from "../invocation.ts";
import { dropPrefix } from "../options.ts";
import { prefixOf, textOf } from "../value.ts";
import { has, valuesOf } from "./given.ts";

/** kubectl(1): `-o go-template-file=FILE` prints what the file says; with `-o templatefile` it is named by --template. */
export function kubectlOutput(inv: Invocation): void {
  for (const value of valuesOf(inv, "-o", "--output")) {
    const file = /^[a-z-]*file=/.exec(prefixOf(value));
    if (file !== null) emitFile(inv, "read", dropPrefix(value, file[0].length));
    else if ((textOf(value) ?? "").endsWith("file") && has(inv, "--template"))
      for (const name of valuesOf(inv, "--template")) emitFile(inv, "read", name);
    else if (textOf(value) === undefined)
      doubt(inv, `how kubectl prints is only known at run time: ${describe(value)}`, "write the format out");
  }
}
