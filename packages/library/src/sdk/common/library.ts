import { fileURLToPath } from "node:url";
import { type Remembering, rememberConclusions, type Situation } from "@assent/guard/engine";
import { read } from "@assent/guard/engine/reader";
import { judge } from "@assent/core/policy";
import { lowerTool } from "@assent/core/request";
import { lowerShell } from "@assent/core/shell";

let made: Remembering | undefined;

/** What is the same in every situation of the library. */
export const LIBRARY: Pick<Situation, "reader" | "own"> & { readonly by: Remembering } = {
  reader: () => ({ read }),
  // The folder of the built program; `dist/chunks` lies in it.
  own: [fileURLToPath(new URL(".", import.meta.url)).replace(/\/(?:chunks\/)?$/, "")],
  /** What was concluded of commands asked about before, whoever asked, held against the machine's answers of now. Loaded for the first. */
  get by() {
    return (made ??= rememberConclusions({ lowerTool, lowerShell, judge }));
  },
};
