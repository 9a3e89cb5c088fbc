import { statSync } from "node:fs";
import { attempt } from "@assent/core/data";
import { normalise } from "@assent/core/path";
import type { Machine } from "@assent/guard/state";

/** The folder that a page asks about; undefined: it is none. A person may write `~`. */
export function folderOf(query: URLSearchParams, { home }: Machine): string | undefined {
  const written = query.get("folder") ?? "";
  const path = written === "~" || written.startsWith("~/") ? `${home}${written.slice(1)}` : written;
  if (!path.startsWith("/") || path.includes("\0")) return undefined;
  return attempt(() => (statSync(path).isDirectory() ? normalise(path) : undefined), undefined);
}
