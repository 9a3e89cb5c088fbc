import { useEffect, useState } from "preact/hooks";
import type { EndedShape, QueueNews, CardShape } from "../api/questions.ts";
import { get, onNews, post } from "./client.ts";

/** A question where it was first shown: it stays in its place when it has ended, so that nothing moves under a finger. */
export interface ShapeInPlace {
  readonly question: CardShape;
  /** How it ended; absent: it is open. */
  readonly how?: string;
  /** When it appeared here, in milliseconds of `performance.now()`. */
  readonly since: number;
}

/** Ended questions that are kept in sight. */
const MOST_ENDED = 20;

let shownNow: readonly ShapeInPlace[] = [];
let problemNow: string | undefined;
const listeners = new Set<() => void>();

function set(next: readonly ShapeInPlace[], problem: string | undefined): void {
  shownNow = next;
  problemNow = problem;
  for (const listener of listeners) listener();
}

/** What is shown after news: what was there stays where it is, what is new comes at the end. */
export function nextShown(
  before: readonly ShapeInPlace[],
  open: readonly CardShape[],
  ended: readonly EndedShape[],
  now: number,
): readonly ShapeInPlace[] {
  const byId = new Map(open.map((question) => [question.id, question]));
  const how = new Map(ended.map((one) => [one.question.id, one.how]));
  const kept = before.map((one): ShapeInPlace => {
    const { id } = one.question;
    const question = byId.get(id);
    byId.delete(id);
    if (question !== undefined) return { question, since: one.since };
    return one.how === undefined ? { ...one, how: how.get(id) ?? "it needs no answer any more" } : one;
  });
  const all = [...kept, ...[...byId.values()].map((question): ShapeInPlace => ({ question, since: now }))];
  const over = all.filter((one) => one.how !== undefined).length - MOST_ENDED;
  let left = over;
  return over <= 0 ? all : all.filter((one) => one.how === undefined || left-- <= 0);
}

function take({ open, ended, problem }: QueueNews): void {
  set(nextShown(shownNow, open, ended, performance.now()), problem);
}

/** Takes away what has ended. */
export const clearEnded = (): void =>
  set(
    shownNow.filter((one) => one.how === undefined),
    problemNow,
  );

/** Our own answer was too late, or taken: it is not open any more, whatever the news. */
export const noteEnd = (id: string, how: string): void =>
  set(
    shownNow.map((one) => (one.question.id === id && one.how === undefined ? { ...one, how } : one)),
    problemNow,
  );

onNews("questions", (value) => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- page and server are of one build
  const news = value as QueueNews | undefined;
  if (news !== undefined) take(news);
  else get<QueueNews>("questions").then(take, () => undefined);
});

export function useQuestions(): { readonly shown: readonly ShapeInPlace[]; readonly problem: string | undefined } {
  const [, setRound] = useState(0);
  useEffect(() => {
    const listener = (): void => setRound((round) => round + 1);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return { shown: shownNow, problem: problemNow };
}

export const useOpenCount = (): number => useQuestions().shown.filter(({ how }) => how === undefined).length;

/** How often a person who does something is told of, at most. Milliseconds. */
const HERE_MS = 30_000;

let told = -HERE_MS;

/** Whoever left a question unanswered is asked no more, until there is a sign that somebody is back. */
function noteHere(): void {
  const now = performance.now();
  if (document.hidden || now - told < HERE_MS) return;
  told = now;
  post("questions/here", {}).catch(() => undefined);
}

for (const event of ["keydown", "pointerdown", "visibilitychange"]) document.addEventListener(event, noteHere);
