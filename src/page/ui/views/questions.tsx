import type { PageView } from "./view.ts";

function Questions() {
  return (
    <section aria-labelledby="questions-title">
      <h1 id="questions-title" tabIndex={-1}>
        Questions
      </h1>
      <p class="empty">No questions are waiting. They appear here by themselves.</p>
    </section>
  );
}

export const QUESTIONS: PageView = { id: "questions", title: "Questions", keys: [], View: Questions };
