import type { FileAction } from "../../action/index.ts";

/** What would be said of a file. */
export const probe = (operation: FileAction["operation"], path: string): FileAction => ({
  kind: "file",
  operation,
  target: { kind: "path", path },
  origin: { by: "tool" },
  call: { name: "open", args: [path, operation === "read" ? "read" : "write"] },
});
