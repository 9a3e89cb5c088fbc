import { fileURLToPath } from "node:url";
import type { Machine } from "@assent/guard/state";
import type { PageContext } from "./api/endpoint.ts";
import { ENDPOINTS, NEWS } from "./api/index.ts";
import { pageFolder, writePageProcess } from "./place.ts";
import { type PageServer, servePage } from "./server.ts";

export type { HereLine, HereRow, PageStatus } from "./status.ts";
export { newLink, type NewLink, removeOldLinks } from "./link.ts";
export { BUILD, findPageProcess, pageFolder, type PageProcess } from "./place.ts";

/**
 * The page process: serves the page until nobody has had it open for a while. `own`: folders of the program; the first has the built
 * page. `status`: what `assent status` says of a folder.
 */
export async function runPage(
  machine: Machine,
  own: readonly string[],
  status: PageContext["status"],
): Promise<PageServer | { readonly problem: string }> {
  const where = pageFolder(machine);
  if ("problem" in where) return where;
  const assets = `${own[0] ?? fileURLToPath(new URL(".", import.meta.url))}/page`;
  const server = await servePage({ context: { machine, own, status }, place: where.folder, assets, endpoints: ENDPOINTS, news: NEWS });
  writePageProcess(where.folder, server);
  return server;
}
