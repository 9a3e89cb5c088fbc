import { withTilde } from "@assent/core/path";
import { isObject } from "@assent/core/data";
import { suggestionJudges, writeSuggestions } from "../../preview/index.ts";
import type { Machine } from "@assent/guard/state";
import { findSuggestions, type Suggestion } from "@assent/guard/suggest";
import { folderOf } from "../folder.ts";
import { daysOf, readHistory, type ReadingLine } from "../history.ts";
import { shown } from "../text.ts";
import { inTurns } from "../turns.ts";
import { type Endpoint, json, type PageReply, refused } from "./endpoint.ts";

export interface SuggestionShape {
  /** Names it to the server as long as nothing is looked for anew. */
  readonly id: number;
  readonly rules: readonly string[];
  /** Questions that would not have been asked. */
  readonly prompts: number;
  readonly requests: number;
  readonly examples: readonly { readonly subject: string; readonly cwd: string; readonly count: number }[];
}

export interface SuggestionsShape {
  readonly days: number;
  readonly records: number;
  readonly unreadable: number;
  readonly guarded: number;
  readonly unsafe: number;
  readonly proof: { readonly denials: number; readonly never: number };
  readonly suggestions: readonly SuggestionShape[];
}

export type SuggestionLine =
  | ReadingLine
  | { readonly is: "judging"; readonly done: number; readonly all: number }
  | { readonly is: "result"; readonly result: SuggestionsShape };

const MOST = 50;
const MOST_EXAMPLES = 5;
/** Searches whose suggestions can still be taken: one for each page that may be open. */
const MOST_KEPT = 200;

/** What was found, and so has been proven, by its number. */
const found = new Map<number, Suggestion>();
let last = 0;

function keep(suggestion: Suggestion): number {
  last += 1;
  found.set(last, suggestion);
  for (const old of found.keys()) {
    if (found.size <= MOST_KEPT) break;
    found.delete(old);
  }
  return last;
}

async function* search(machine: Machine, cwd: string, days: number, signal: AbortSignal): AsyncGenerator<SuggestionLine> {
  const history = yield* readHistory(machine, days, signal);
  if (history === undefined) return;
  const judging = inTurns(findSuggestions(history, suggestionJudges(machine, cwd)), signal);
  let judged = await judging.next();
  for (; judged.done !== true; judged = await judging.next()) yield { is: "judging", done: judged.value, all: history.requests.length };
  if (judged.value === undefined) return;
  const { suggestions, guarded, unsafe, proof } = judged.value;
  const { records, unreadable } = history;
  const shapes = suggestions.slice(0, MOST).map((one): SuggestionShape => ({
    id: keep(one),
    rules: one.rules.map((rule) => shown(rule, 1000)),
    prompts: one.prompts,
    requests: one.examples.length,
    examples: one.examples.slice(0, MOST_EXAMPLES).map(({ subject, tool, cwd: where, count }) => ({
      subject: shown(subject === "" ? tool : subject, 400),
      cwd: shown(withTilde(where, machine.home), 200),
      count,
    })),
  }));
  yield { is: "result", result: { days, records, unreadable, guarded, unsafe, proof, suggestions: shapes } };
}

function take(body: unknown, machine: Machine): PageReply {
  const id = isObject(body) ? body["id"] : undefined;
  const suggestion = typeof id === "number" ? found.get(id) : undefined;
  if (suggestion === undefined) return refused("this suggestion is from an earlier search: look for them again", 404);
  const { place, stopped } = writeSuggestions(machine, [suggestion]);
  const file = withTilde(place.file, machine.home);
  if (stopped?.is === "failed") return refused(`${file} ${stopped.why}`);
  if (stopped !== undefined) return refused(`${file} has mistakes, and is left as it is`);
  return json({ file: shown(file) });
}

/** Rules that would have spared questions, each proven, and taking them. */
export const SUGGESTIONS: readonly Endpoint[] = [
  {
    method: "POST",
    path: "/api/suggestions",
    answer: ({ body, signal }, { machine }) => {
      const { folder: named, days } = isObject(body) ? body : {};
      const folder = typeof named === "string" ? folderOf(new URLSearchParams({ folder: named }), machine) : undefined;
      if (folder === undefined) return refused("this folder does not exist", 404);
      return { is: "lines", lines: search(machine, folder, daysOf(days), signal) };
    },
  },
  { method: "POST", path: "/api/suggestions/take", answer: ({ body }, { machine }) => take(body, machine) },
];
