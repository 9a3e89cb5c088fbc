import { createTwoFilesPatch } from "diff";
import { visible } from "@assent/core/action";
import { styleFor } from "./style.ts";

/** What would change in a file, as a patch for people: control characters are made visible. */
export function fileDiff(name: string, before: string | undefined, after: string | undefined): string {
  const style = styleFor(process.stdout, process.env);
  const none = "/dev/null";
  return createTwoFilesPatch(
    before === undefined ? none : name,
    after === undefined ? none : name,
    before ?? "",
    after ?? "",
    undefined,
    undefined,
    { context: 1 },
  )
    .split("\n")
    .filter((line) => !/^(?:=+$|Index: )/.test(line))
    .map((line) => {
      const shown = line.replaceAll(/[^\t]+/gu, visible);
      if (/^(?:---|\+\+\+) /.test(line)) return style.bold(shown);
      if (line.startsWith("+")) return style.verdict("allow", shown);
      return line.startsWith("-") ? style.verdict("deny", shown) : shown;
    })
    .join("\n");
}
