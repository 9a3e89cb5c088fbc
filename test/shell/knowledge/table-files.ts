import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TableFile } from "../../../packages/core/src/shell/knowledge/read-table.ts";

const FOLDER = join(import.meta.dirname, "../../../packages/core/knowledge");

/** `packages/core/knowledge/*.table`. */
export const tableFiles = (): readonly TableFile[] =>
  readdirSync(FOLDER)
    .filter((file) => file.endsWith(".table"))
    .map((file) => ({ family: file.replace(".table", ""), text: readFileSync(join(FOLDER, file), "utf8") }));
