import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The page processes of a scratch home. */
export function pagePids(home: string): readonly number[] {
  const folder = join(home, ".local/state/assent/questions/page");
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    try {
      return [(JSON.parse(readFileSync(join(folder, name, "process.json"), "utf8")) as { pid: number }).pid];
    } catch {
      return [];
    }
  });
}
