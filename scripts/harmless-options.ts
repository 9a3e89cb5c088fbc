import { readFileSync } from "node:fs";

/** What `packages/hosts/harmless-options.table` says: by program, the version it was read of and its options. */
export function harmlessOptions(): Readonly<Record<string, { readonly version: string; readonly options: readonly string[] }>> {
  const text = readFileSync("packages/hosts/harmless-options.table", "utf8");
  const blocks = text
    .replaceAll(/^#.*\n/gm, "")
    .trim()
    .split("\n\n");
  return Object.fromEntries(
    blocks.map((block) => {
      const [head = "", ...lines] = block.split("\n");
      const [program = "", version = ""] = head.split(/ (.*)/);
      return [program, { version, options: lines.join(" ").trim().split(/\s+/) }];
    }),
  );
}
