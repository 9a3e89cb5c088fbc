import { lstatSync } from "node:fs";
import { visible } from "@assent/core/action";
import { changesAt, type NoRun, findRun, findSpan, readRunId, type RunSpan, sealRecords } from "@assent/supervisor/supervise/undo";
import { absolute } from "./place.ts";
import { readSince } from "./since.ts";

/** Which runs are meant. */
export interface SpanOptions {
  /** `true`: the last session in this folder. */
  readonly session?: string | true;
  readonly since?: string;
}

/** The runs that a command is about, oldest first, and the paths of them. */
interface ChosenRuns extends RunSpan {
  readonly paths: readonly string[];
  /** Named by the person; else the last one that fits. */
  readonly id: string | undefined;
}

/** Why there are none. `wrongUse`: what was typed cannot mean any. */
export interface NoRuns extends NoRun {
  readonly id: string | undefined;
  readonly wrongUse?: true;
}

interface Given {
  readonly id: string | undefined;
  readonly words: readonly string[];
  readonly undoable: boolean;
}

/** `undoable`: without an id, the last one that is not undone already. A path that is not there, and was not, is wrong use. */
export function chooseRuns(runs: string, given: Given, options: SpanOptions): ChosenRuns | NoRuns {
  sealRecords(runs);
  // `assent undo 20261126-…`, with a slip in the number.
  const slip = [given.id, ...given.words].find((word) => word !== undefined && RUN_ID.test(word) && !isThere(absolute(word)));
  if (slip !== undefined && !readRunId(runs, slip)) return { problem: "unknown run", id: slip };
  const chosen = runsAndPaths(runs, given, options);
  if ("problem" in chosen) return chosen;
  const unknown = chosen.paths.find((path) => !isThere(path) && changesAt(chosen.runs, [path]).length === 0);
  if (unknown === undefined) return chosen;
  const where = chosen.runs.length === 1 ? `the run ${chosen.runs[0]?.id}` : "these runs";
  return { problem: `${visible(unknown)}: no such file, and ${where} changed none there`, id: undefined, wrongUse: true };
}

const RUN_ID = /^\d{8}-\d{6}/;
const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

function runsAndPaths(runs: string, given: Given, { session, since }: SpanOptions): ChosenRuns | NoRuns {
  if (session === undefined && since === undefined) {
    const { id, paths } = idAndPaths(runs, given.id, given.words);
    const run = findRun(runs, id, process.cwd(), given.undoable && id === undefined);
    return "problem" in run ? { ...run, id } : { runs: [run], paths, id };
  }
  const from = since === undefined ? undefined : readSince(since, Date.now());
  if (typeof from === "object") return { problem: from.wrong, id: undefined, wrongUse: true };
  const words = given.id === undefined ? given.words : [given.id, ...given.words];
  const wanted = { cwd: process.cwd(), ...(from === undefined ? {} : { since: from }) };
  const span = (name: string): ReturnType<typeof findSpan> => findSpan(runs, { ...wanted, session: name });
  const chosen = (found: ReturnType<typeof findSpan>, paths: readonly string[], id?: string): ChosenRuns | NoRuns =>
    "problem" in found ? { ...found, id } : { ...found, paths: paths.map((path) => absolute(path)), id };
  if (session === undefined) return chosen(findSpan(runs, wanted), words);
  // `--session --yes ID`: the word that follows another option names the session all the same.
  const after = session === true && given.id !== undefined && !isThere(absolute(given.id)) ? span(given.id) : undefined;
  if (after !== undefined && !("problem" in after)) return chosen(after, given.words, given.id);
  if (session === true) return chosen(span(""), words);
  const named = span(session);
  // `--session src/a.ts` is a path of the last session.
  if ("problem" in named && /[./]/.test(session)) return chosen(span(""), [session, ...words]);
  return chosen(named, words, session);
}

/** What the runs are called, where they are several. */
export function nameOfSpan({ of, runs }: RunSpan): string {
  const own = runs.filter(({ undoes }) => undoes === undefined);
  const edits = own.filter(({ edit }) => edit !== undefined).length;
  const commands = own.length - edits;
  const count = (number: number, word: string): string => `${number} ${word}${number === 1 ? "" : "s"}`;
  const parts = [...(commands > 0 ? [count(commands, "command")] : []), ...(edits > 0 ? [count(edits, "edit")] : [])].join(" and ");
  return of === undefined ? parts : `${of.agent}, session ${of.session}: ${parts}`;
}

/** `assent undo src/a.ts` means the last run. */
function idAndPaths(
  runs: string,
  id: string | undefined,
  paths: readonly string[],
): { readonly id: string | undefined; readonly paths: readonly string[] } {
  const isId = id === undefined || readRunId(runs, id);
  const all = isId ? paths : [id, ...paths];
  return { id: isId ? id : undefined, paths: all.map((path) => absolute(path)) };
}
