import { type FSWatcher, watch } from "node:fs";
import type { Machine } from "../../state/index.ts";
import { openQueue, questionsFolder } from "./folder.ts";
import { openQuestions, readEnd } from "./store.ts";
import type { QueueEnd } from "../types.ts";
import type { QueuedQuestion } from "./types.ts";

/** What is to be answered now, and what has come off the queue since the last time. */
export interface QueueChange {
  readonly open: readonly QueuedQuestion[];
  readonly ended: readonly { readonly queued: QueuedQuestion; readonly end: QueueEnd }[];
}

/** Where inotify is silent (network file systems), a change is found this soon. Milliseconds. */
const POLL_MS = 250;
/** Changes that come together are told together. */
const TOGETHER_MS = 5;

/** Calls back whenever something in the folder changes, and now and then besides. */
export function watchFolder(machine: Machine, onChange: () => void, pollMs = POLL_MS): { close(): void } {
  let watcher: FSWatcher | undefined;
  let soon: NodeJS.Timeout | undefined;
  const look = (): void => {
    soon ??= setTimeout(() => {
      soon = undefined;
      onChange();
    }, TOGETHER_MS);
  };
  const begin = (): void => {
    if (watcher !== undefined) return;
    try {
      watcher = watch(questionsFolder(machine), { persistent: false }, look);
      watcher.on("error", end);
    } catch {
      // Without: the timer looks often enough.
    }
  };
  const end = (): void => {
    watcher?.close();
    watcher = undefined;
  };
  begin();
  const timer = setInterval(() => {
    begin();
    onChange();
  }, pollMs);
  return {
    close: () => {
      clearInterval(timer);
      clearTimeout(soon);
      end();
    },
  };
}

/** Tells what waits for an answer, at once and whenever that changes, and how what no longer waits came off the queue. */
export function watchQuestions(machine: Machine, onChange: (change: QueueChange) => void): { close(): void } {
  openQueue(machine);
  let before: ReadonlyMap<string, QueuedQuestion> = new Map();
  let told = false;
  const look = (): void => {
    const open = openQuestions(machine);
    const now = new Map(open.map((queued) => [queued.id, queued]));
    const ended = [...before.values()]
      .filter(({ id }) => !now.has(id))
      .map((queued) => ({ queued, end: readEnd(machine, queued.id)?.end ?? endWithout(queued) }));
    const same = ended.length === 0 && open.every(({ id, alike }) => before.get(id)?.alike === alike);
    before = now;
    if (same && told) return;
    told = true;
    onChange({ open, ended });
  };
  const watching = watchFolder(machine, look);
  look();
  return watching;
}

/** Its asker was killed, or its time was over before the asker came to say so. */
function endWithout({ until }: QueuedQuestion): QueueEnd {
  const at = Date.now();
  return { is: until !== undefined && until <= at ? "expired" : "withdrawn", at };
}
