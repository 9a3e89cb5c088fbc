import { randomBytes } from "node:crypto";
import { lstatSync, readdirSync } from "node:fs";
import { isOwn, type Machine, readRegular, removeFile, writeAtomic, writeOnce } from "../../state/index.ts";
import { safeJson } from "../exchange.ts";
import { isAlive, type Life, ownLife } from "../life.ts";
import type { Answer, Channel, Question, QueueEnd } from "../types.ts";
import { noteSignOfLife, openQueue, questionsFolder } from "./folder.ts";
import { answerOf, endOf, entryOf, type FiledEntry } from "./parse.ts";
import type { AnswerOutcome, QueuedQuestion } from "./types.ts";

/**
 * The questions that wait for a person: files in `questions/` of the state folder, where no judged or supervised program comes.
 * No process has to live for them: who asks and who answers meet in the folder.
 *
 * - `ID.question`: written by the asker, again when more questions like it come, removed by it when it has the answer.
 * - `ID.end`: how it came off the queue. INVARIANT: there is at most one: it is written beside and linked to its name (link(2) fails
 *   where there is one), whoever is first. It stays for a while, so that who comes later learns who was faster.
 */

const NAME = /^([a-z0-9]{8})\.(question|end)$/;
const LARGEST_QUESTION = 4 << 20;
const LARGEST_END = 64 << 10;
/** Files that are looked at: a folder somebody has filled holds no more questions. */
const MOST_FILES = 4000;
/** So long an end is there for others to see. */
export const ENDS_STAY_MS = 10 * 60_000;
/** A file that is being written. */
const UNFINISHED_MS = 60_000;

const questionFile = (machine: Machine, id: string): string => `${questionsFolder(machine)}/${id}.question`;
const endFile = (machine: Machine, id: string): string => `${questionsFolder(machine)}/${id}.end`;

/** Names of 40 bits: no two are alike, and a person can type them. */
function newId(): string {
  return BigInt(`0x${randomBytes(5).toString("hex")}`)
    .toString(32)
    .padStart(8, "0");
}

/** Puts a question. Throws where it cannot be. */
export function putQuestion(machine: Machine, question: Omit<QueuedQuestion, "id">): QueuedQuestion {
  openQueue(machine);
  clearQueue(machine);
  const queued = { ...question, id: newId() };
  writeQuestion(machine, queued);
  return queued;
}

/** The same question, with what has come since. */
export function writeQuestion(machine: Machine, queued: QueuedQuestion, asker: Life = ownLife()): void {
  const cut = { ...queued, question: cutLong(queued.question), others: queued.others.map(cutLong) };
  const text = `${safeJson({ v: 1, ...cut, asker })}\n`;
  if (text.length > LARGEST_QUESTION) throw new Error("the question is too large to be shown");
  writeAtomic(questionFile(machine, queued.id), text);
}

const LONGEST_ARGUMENT = 4000;
const MOST_ARGUMENTS = 200;

/** A command line may be megabytes; nobody reads them. */
function cutLong(question: Question): Question {
  const cut = (argv: readonly string[]): readonly string[] =>
    argv
      .slice(0, MOST_ARGUMENTS)
      .map((word) =>
        word.length > LONGEST_ARGUMENT ? `${word.slice(0, LONGEST_ARGUMENT)}…(${word.length - LONGEST_ARGUMENT} more)` : word,
      );
  return {
    ...question,
    process: { ...question.process, argv: cut(question.process.argv) },
    ancestry: question.ancestry.map((parent) => ({ ...parent, argv: cut(parent.argv) })),
    ...(question.command === undefined ? {} : { command: cut(question.command) }),
  };
}

/** The asker needs it no longer. Its end, if there is one, stays. */
export function dropQuestion(machine: Machine, id: string): void {
  removeFile(questionFile(machine, id));
}

/** Ends a question unless it has ended. Undefined: done; else how it had ended before. Throws where the folder cannot be written. */
export function endQuestion(machine: Machine, id: string, end: QueueEnd, seen = 0): QueueEnd | undefined {
  if (writeOnce(endFile(machine, id), `${safeJson({ v: 1, ...end, seen })}\n`)) return undefined;
  // One that cannot be read is nobody's yes.
  return readEnd(machine, id)?.end ?? { is: "withdrawn", at: Date.now() };
}

/** How a question has ended; undefined: not yet, or nobody knows any more. INVARIANT: an end that others could have written is a no. */
export function readEnd(machine: Machine, id: string): { readonly end: QueueEnd; readonly seen: number } | undefined {
  const found = readRegular(endFile(machine, id), LARGEST_END);
  if (found.is === "missing") return undefined;
  const read = found.is === "text" && isOwn(found.stats, machine.uid) ? endOf(found.text) : undefined;
  return read ?? { end: { is: "withdrawn", at: Date.now() }, seen: 0 };
}

function readQuestion(machine: Machine, id: string): FiledEntry | undefined {
  const found = readRegular(questionFile(machine, id), LARGEST_QUESTION);
  return found.is === "text" && isOwn(found.stats, machine.uid) ? entryOf(found.text, id) : undefined;
}

interface Names {
  /** With a file of a question and without an end. */
  readonly open: readonly string[];
  readonly ended: ReadonlySet<string>;
}

export function queueNames(machine: Machine): Names {
  let names: readonly string[];
  try {
    const folder = questionsFolder(machine);
    const stats = lstatSync(folder, { throwIfNoEntry: false });
    if (stats === undefined || !stats.isDirectory() || !isOwn(stats, machine.uid)) return { open: [], ended: new Set() };
    names = readdirSync(folder).slice(0, MOST_FILES);
  } catch {
    return { open: [], ended: new Set() };
  }
  const ended = new Set<string>();
  const asked: string[] = [];
  for (const name of names) {
    const [, id, what] = NAME.exec(name) ?? [];
    if (id === undefined) continue;
    if (what === "end") ended.add(id);
    else asked.push(id);
  }
  return { open: asked.filter((id) => !ended.has(id)), ended };
}

/** The question of that name, if somebody waits for its answer. */
export function openQuestion(machine: Machine, id: string, now = Date.now()): QueuedQuestion | undefined {
  const entry = readQuestion(machine, id);
  if (entry === undefined || !isAlive(entry.asker)) return undefined;
  const { queued } = entry;
  return queued.until !== undefined && queued.until <= now ? undefined : queued;
}

/** What waits for an answer, the oldest first. */
export function openQuestions(machine: Machine): readonly QueuedQuestion[] {
  return queueNames(machine)
    .open.flatMap((id) => openQuestion(machine, id) ?? [])
    .toSorted((a, b) => a.asked - b.asked || a.question.seq - b.question.seq || (a.id < b.id ? -1 : 1));
}

/**
 * Answers a question. First come, first served. `seen`: how many alike whoever answers was shown; what came since is asked again
 * where the answer is for once.
 */
export function answerQuestion(machine: Machine, id: string, answer: Answer, by: Channel, seen?: number): AnswerOutcome {
  if (!/^[a-z0-9]{8}$/.test(id)) return { is: "gone" };
  const queued = openQuestion(machine, id);
  // Looked for afterwards: a question goes when its end is there.
  const before = readEnd(machine, id);
  if (before !== undefined) return { is: "late", end: before.end };
  if (queued === undefined) return { is: "gone" };
  const sound = answerOf(answer);
  if (sound === undefined) throw new Error("this is not an answer to a question");
  const other = endQuestion(machine, id, { is: "answered", answer: sound, by, at: Date.now() }, seen ?? queued.alike);
  noteSignOfLife(machine);
  return other === undefined ? { is: "taken" } : { is: "late", end: other };
}

/** Clears away what the dead have left, and ends that everybody has seen. */
export function clearQueue(machine: Machine, now = Date.now()): void {
  const folder = questionsFolder(machine);
  let names: readonly string[];
  try {
    names = readdirSync(folder).slice(0, MOST_FILES);
  } catch {
    return;
  }
  for (const name of names) {
    const [, id, what] = NAME.exec(name) ?? [];
    const file = `${folder}/${name}`;
    const stats = lstatSync(file, { throwIfNoEntry: false });
    // A clock that was set back makes what is old look as if it were still to come.
    const age = stats === undefined ? 0 : Math.abs(now - stats.mtimeMs);
    if (id !== undefined && what === "question") {
      const entry = readQuestion(machine, id);
      if (entry === undefined ? age > UNFINISHED_MS : !isAlive(entry.asker) || now - (entry.queued.until ?? now) > ENDS_STAY_MS)
        removeFile(file);
    } else if (what === "end" ? age > ENDS_STAY_MS : stats?.isFile() === true && /\.(?:question|end)\./.test(name) && age > UNFINISHED_MS)
      removeFile(file);
  }
}
