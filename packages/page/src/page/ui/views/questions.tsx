import { useEffect, useRef, useState } from "preact/hooks";
import { moveFocus, useKeys } from "../keys.ts";
import { announce } from "../parts/announce.tsx";
import { clearEnded, useOpenCount, useQuestions } from "../questions-store.ts";
import { QuestionCard } from "./question-card.tsx";
import type { PageView } from "./view.ts";

const count = (open: number): string => (open === 1 ? "1 question waits for you" : `${open} questions wait for you`);

function Questions() {
  const { shown, problem } = useQuestions();
  const open = shown.filter(({ how }) => how === undefined);
  const known = useRef<ReadonlySet<string>>(new Set());
  useEffect(() => {
    const fresh = open.filter(({ question }) => !known.current.has(question.id));
    known.current = new Set(open.map(({ question }) => question.id));
    const [first] = fresh;
    if (first !== undefined) announce(`${first.question.who} wants to ${first.question.what}. ${count(open.length)}.`);
  });

  const move = (by: number): void => moveFocus("article[data-open=true]", by);
  useKeys({ j: () => move(1), k: () => move(-1), ArrowDown: () => move(1), ArrowUp: () => move(-1), c: clearEnded });

  return (
    <>
      {problem === undefined ? null : (
        <p class="notice bad" role="alert">
          No question can come here: {problem}
        </p>
      )}
      <p class="row">
        <span class={open.length === 0 ? "empty" : ""} id="waiting">
          {open.length === 0 ? "No questions are waiting. New ones appear here by themselves." : `${count(open.length)}.`}
        </span>
        {shown.length > open.length ? (
          <button type="button" class="quiet" onClick={clearEnded}>
            Clear what has ended
          </button>
        ) : null}
        <TellMe />
      </p>
      {shown.map((one) => (
        <QuestionCard key={one.question.id} shown={one} />
      ))}
    </>
  );
}

/** The browser's own notifications, where a person wants them. */
function TellMe() {
  const [state, setState] = useState(typeof Notification === "undefined" ? "denied" : Notification.permission);
  if (state !== "default") return null;
  return (
    <button type="button" class="quiet" onClick={() => void Notification.requestPermission().then(setState)}>
      Tell me when this tab is hidden
    </button>
  );
}

/** The number of open questions; a tab that is not looked at says so in its title, and by a notification. */
function useTold(): number {
  const open = useOpenCount();
  const before = useRef(0);
  useEffect(() => {
    document.title = document.title.replace(/^(?:\(\d+\) )?/, open === 0 ? "" : `(${open}) `);
    if (open > before.current && document.hidden && typeof Notification !== "undefined" && Notification.permission === "granted") {
      const told = new Notification("Assent", { body: count(open), tag: "assent" });
      told.addEventListener("click", () => {
        globalThis.focus();
        told.close();
      });
    }
    before.current = open;
  });
  return open;
}

export const QUESTIONS: PageView = {
  id: "questions",
  title: "Questions",
  keys: [
    { key: "j, k, ↓, ↑", does: "go to the next question, or the one before" },
    { key: "y", does: "on a question: yes, once" },
    { key: "r", does: "on a question: yes, for this session or run" },
    { key: "m", does: "on a question: yes, for a time" },
    { key: "t", does: "on a question: trust this program and what it starts, for this run" },
    { key: "p", does: "on a question: always yes, by a rule that you see first" },
    { key: "n", does: "on a question: no" },
    { key: "w", does: "on a question: no, with a word to the agent" },
    { key: "N", does: "on a question: never, by a rule that you see first" },
    { key: "q", does: "on a question: end the run" },
    { key: "o", does: "on a question: tell me more" },
    { key: "c", does: "clear what has ended" },
  ],
  View: Questions,
  useCount: useTold,
};
