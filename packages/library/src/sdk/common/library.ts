import { fileURLToPath } from "node:url";
import type { Situation } from "@assent/guard/engine";
import { read } from "@assent/guard/engine/reader";

/** What is the same in every situation of the library. */
export const LIBRARY: Pick<Situation, "reader" | "own"> = {
  reader: () => ({ read }),
  // The folder of the built program; `dist/chunks` lies in it.
  own: [fileURLToPath(new URL(".", import.meta.url)).replace(/\/(?:chunks\/)?$/, "")],
};
