import { isWithin } from "@assent/core/path";
import type { JournalRecord } from "./journal.ts";
import type { MovedFolder, RunRecord } from "./run-folder.ts";
import type { AfterEntry } from "./tree.ts";

/** The run, as if it had been started where its folder lies now: what the two paths end in alike has not moved. */
export function runMovedTo(run: RunRecord, at: string): RunRecord {
  const [from, to] = [run.cwd.split("/"), at.split("/")];
  while (from.length > 2 && to.length > 2 && from.at(-1) === to.at(-1)) {
    from.pop();
    to.pop();
  }
  return { ...run, cwd: at, moved: { from: from.join("/"), to: to.join("/") } };
}

export const pathNow = (path: string, moved: MovedFolder | undefined): string =>
  moved === undefined || !isWithin(path, moved.from) ? path : `${moved.to}${path.slice(moved.from.length)}`;

export function recordNow(record: JournalRecord, moved: MovedFolder): JournalRecord {
  if (record.op === "void") return record;
  const path = pathNow(record.path, moved);
  if (record.op === "rename") return { ...record, path, to: pathNow(record.to, moved) };
  return record.op === "link" && record.from !== undefined ? { ...record, path, from: pathNow(record.from, moved) } : { ...record, path };
}

/** As the two above, of what the run left. */
export const entriesNow = (entries: ReadonlyMap<string, AfterEntry>, moved: MovedFolder): ReadonlyMap<string, AfterEntry> =>
  new Map([...entries.values()].map((entry) => [pathNow(entry.path, moved), { ...entry, path: pathNow(entry.path, moved) }]));
