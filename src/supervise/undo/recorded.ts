import { readAfter, seal, type After } from "./after.ts";
import { readJournal, type JournalRecord } from "./journal.ts";
import { lastSign, type RunRecord } from "./run-folder.ts";
import { replay, type Replay } from "./tree.ts";

/** What the files of a run say. */
export interface Recorded {
  readonly tree: Replay;
  readonly after: After;
  readonly records: readonly JournalRecord[];
  /** Lines of the journal that could not be read. */
  readonly broken: number;
}

/** The receipt is printed right after the sealing: it need not read everything again. */
let last: { readonly folder: string; readonly recorded: Recorded } | undefined;

/** Not to be changed: an undo, which moves the entries, takes `fresh`. */
export function recorded(run: RunRecord): Recorded {
  return last?.folder === run.folder ? last.recorded : fresh(run);
}

export function fresh(run: RunRecord): Recorded {
  const journal = readJournal(`${run.folder}/journal.jsonl`);
  return { tree: replay(journal.records), after: readAfter(run.folder, lastSign(run)), ...journal };
}

/** Seals the folder of a run that has ended. Throws where that cannot be written. */
export function sealed(folder: string, now: number): Recorded {
  const journal = readJournal(`${folder}/journal.jsonl`);
  const tree = replay(journal.records);
  const after = seal(folder, tree, now);
  last = { folder, recorded: { tree, after, ...journal } };
  return last.recorded;
}
