import { fileURLToPath } from "node:url";
import type { PolicyReader } from "../engine/index.ts";
import { read } from "../engine/reader/index.ts";

/** What every decision of the library needs besides the machine. */
export const ENGINE = {
  reader: (): PolicyReader => ({ read }),
  // The folder of the built program; `dist/chunks` lies in it.
  own: [fileURLToPath(new URL(".", import.meta.url)).replace(/\/(?:chunks\/)?$/, "")],
};
