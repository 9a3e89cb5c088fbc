import { html } from "hono/html";
import type { QuestionAbout } from "../../../src/team/protocol/index.ts";
import type { TeamPerson } from "../enrol/index.ts";
import { frame, type Html, shown, timeText } from "../web/index.ts";
import type { OpenQuestions, PastQuestion, QuestionsPlace, ShownQuestion } from "./store.ts";

const POINTS: Readonly<Record<QuestionAbout["point"], string>> = {
  run: "assent run",
  confined: "confined",
  gateway: "MCP gateway",
  library: "a program",
  hook: "before it runs",
};

/** Served at `/questions.js`: says when there is something new. It changes nothing by itself: somebody may be reading, or writing a word. */
export const QUESTIONS_SCRIPT = `const note=document.getElementById("news");const seen=note.dataset.seen;
setInterval(async()=>{try{const got=await fetch(note.dataset.look);if(!got.ok)return;
const {questions,open}=await got.json();const now=open+": "+questions.map((one)=>one.machine+"/"+one.id+"/"+one.yes.length).join(" ");
note.hidden=now===seen;document.title=(open===0?"":"("+open+") ")+"Assent: Questions"}catch{}},3000);`;

export interface QuestionsView {
  readonly person: TeamPerson;
  readonly waiting: OpenQuestions;
  readonly past: readonly PastQuestion[];
  readonly note?: string | undefined;
  readonly problem?: string | undefined;
}

/** What the script compares. */
const seenText = ({ open, questions }: OpenQuestions): string =>
  `${open}: ${questions.map(({ machine, id, yes }) => `${machine}/${id}/${yes.length}`).join(" ")}`;

const addressOf = (path: string, { first, after }: QuestionsPlace): string => {
  const query = new URLSearchParams({ ...(first === "newest" ? {} : { first }), ...(after === undefined ? {} : { after }) }).toString();
  return query === "" ? path : `${path}?${query}`;
};

const heading = (name: string, { agent, point }: QuestionAbout): string =>
  `${shown(name)}: ${agent === undefined ? "" : `${shown(agent)}, `}${POINTS[point]}`;

const card = (one: ShownQuestion, { first, after }: QuestionsPlace): Html => {
  const { about, yes } = one;
  return html`<section class="card">
    <h3>${heading(one.machineName, about)}</h3>
    ${
      about.what === undefined
        ? html`<p>What it wants to do stays on the machine.</p>`
        : html`<p>wants to</p>
            <pre>${shown(about.what)}</pre>`
    }
    <p>asked because: ${shown(about.reason)}</p>
    <p>
      ${about.folder === undefined ? "" : html`in ${shown(about.folder)}; `}${about.rule === undefined ? "" : html`rule ${shown(about.rule)}; `}
      asked ${timeText(one.asked)}, until ${timeText(one.expires)}
    </p>
    ${one.people === 2 ? html`<p>Two people have to say yes.${yes.length === 0 ? "" : html` ${yes.join(", ")} did.`}</p>` : ""}
    ${
      one.mayAnswer
        ? html`<form method="post" action="/answer">
            <input type="hidden" name="machine" value="${one.machine}" /><input type="hidden" name="id" value="${one.id}" />
            <input type="hidden" name="request" value="${one.request}" /><input type="hidden" name="first" value="${first}" />
            ${after === undefined ? "" : html`<input type="hidden" name="after" value="${after}" />`}
            <label>A word to the agent, with a no <input name="note" maxlength="500" autocomplete="off" /></label>
            <button name="answer" value="deny">No</button> <button name="answer" value="allow">Yes, once</button>
          </form>`
        : html`<p>You may see it, and not answer.</p>`
    }
  </section>`;
};

const ENDED: Readonly<Record<string, string>> = { allowed: "yes", refused: "no", withdrawn: "needs no answer any more" };
const BECAME: Readonly<Record<string, string>> = {
  applied: "",
  late: "; too late: the machine needed it no longer",
  refused: "; the machine did not take it: its policy does not let it be answered from here",
};

const orders = ({ open, first, after, questions }: OpenQuestions): Html | "" =>
  open < 2 && after === undefined
    ? ""
    : html`<p>
        ${questions.length === open ? `${open} wait.` : `${open} wait; ${questions.length} of them are here.`}
        ${
          first === "newest"
            ? html`The newest come first. <a href="${addressOf("/questions", { first: "urgent" })}">First those that end soonest</a>`
            : html`Those that end soonest come first. <a href="${addressOf("/questions", { first: "newest" })}">First the newest</a>`
        }
        ${after === undefined ? "" : html`<a href="${addressOf("/questions", { first })}">Back to the first page</a>`}
      </p>`;

export const questionsPage = ({ person, waiting, past, note, problem }: QuestionsView): Html =>
  frame(
    "Questions",
    person,
    html`${note === undefined ? "" : html`<p class="note" role="status">${note}</p>`}
      ${problem === undefined ? "" : html`<p class="wrong" role="alert">${problem}</p>`}
      <p class="note" id="news" role="status" hidden data-look="${addressOf("/questions.json", waiting)}" data-seen="${seenText(waiting)}">
        Something has changed. <a href="${addressOf("/questions", waiting)}">Show it</a>
      </p>
      ${orders(waiting)}
      ${waiting.open === 0 ? html`<p>Nothing waits for an answer.</p>` : waiting.questions.map((one) => card(one, waiting))}
      ${waiting.next === undefined ? "" : html`<p><a href="${addressOf("/questions", { first: waiting.first, after: waiting.next })}">The next ones</a></p>`}
      <h2>Before</h2>
      ${
        past.length === 0
          ? html`<p>Nothing yet.</p>`
          : html`<table>
              <tr>
                <th>Machine</th>
                <th>Wanted to</th>
                <th>Answer</th>
                <th>When</th>
              </tr>
              ${past.map(
                (one) =>
                  html`<tr>
                    <td>${heading(one.machineName, one.about)}</td>
                    <td>${shown(one.about.what ?? "")}</td>
                    <td>
                      ${ENDED[one.state] ?? one.state}${one.by.length === 0 ? "" : html` (${one.by.join(", ")})`}${BECAME[one.became ?? ""] ?? ""}
                    </td>
                    <td>${timeText(one.decided)}</td>
                  </tr>`,
              )}
            </table>`
      }`,
    "/questions.js",
  );
