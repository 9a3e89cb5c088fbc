import { createTwoFilesPatch } from "diff";
import { visible } from "@assent/core/action";
import { styleFor } from "./style.ts";

/** Lines of a patch for people, coloured: control characters are made visible. */
export function paintPatch(lines: readonly string[]): string {
  const style = styleFor(process.stdout, process.env);
  const paint = (line: string): string => {
    const shown = line.replaceAll(/[^\t]+/gu, visible);
    if (/^(?:---|\+\+\+) /.test(line)) return style.bold(shown);
    if (line.startsWith("+")) return style.verdict("allow", shown);
    return line.startsWith("-") ? style.verdict("deny", shown) : shown;
  };
  return lines.map(paint).join("\n");
}

/** What would change in a file, as a patch for people. */
export function fileDiff(name: string, before: string | undefined, after: string | undefined): string {
  const none = "/dev/null";
  const patch = createTwoFilesPatch(
    before === undefined ? none : name,
    after === undefined ? none : name,
    before ?? "",
    after ?? "",
    undefined,
    undefined,
    { context: 1 },
  );
  return paintPatch(patch.split("\n").filter((line) => !/^(?:=+$|Index: )/.test(line)));
}
