import { fileURLToPath } from "node:url";
import type { Situation } from "../engine/index.ts";
import { read } from "../engine/reader/index.ts";

/** What is the same in every situation of the library. */
export const LIBRARY: Pick<Situation, "reader" | "own"> = {
  reader: () => ({ read }),
  // The folder of the built program; `dist/chunks` lies in it.
  own: [fileURLToPath(new URL(".", import.meta.url)).replace(/\/(?:chunks\/)?$/, "")],
};
