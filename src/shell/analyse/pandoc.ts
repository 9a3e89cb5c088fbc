import { describe, doubt, type Invocation } from "../invocation.ts";
import { textOf } from "../value.ts";
import { valuesOf } from "./given.ts";

/** pandoc(1), "Custom readers and writers": a format that is a file name is a Lua program. */
export function pandoc(inv: Invocation): void {
  for (const format of [...valuesOf(inv, "--from"), ...valuesOf(inv, "--to")])
    if (!/^[a-z0-9_]+([+-][a-z0-9_]+)*$/i.test(textOf(format) ?? ""))
      doubt(inv, `the format ${describe(format)} may be a program that pandoc runs`);
}
