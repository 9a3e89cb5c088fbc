import type { Hono } from "hono";
import { AskedQuestions, PROTOCOL, TakenAnswers, WithdrawnQuestions } from "@assent/team/team/protocol";
import type { TeamPerson } from "../enrol/index.ts";
import {
  formFields,
  limitedBody,
  limitedForm,
  RateLimit,
  readJson,
  refused,
  type WebContext,
  type WebGate,
  type RouteOptions,
  type WebVariables,
} from "../web/index.ts";
import { questionsPage, QUESTIONS_SCRIPT, type WaitingView } from "./pages.ts";
import {
  answerAs,
  type PersonAnswerResult,
  answersFor,
  keepQuestions,
  noteTaken,
  openQuestionsFor,
  pastQuestionsFor,
  placeOf,
  type WaitingPlace,
  withdrawQuestions,
} from "./store.ts";

export interface AnswerRoutes extends RouteOptions {
  readonly metrics: { count(name: string, help: string, labels?: Readonly<Record<string, string | number>>): void };
}

/** 50 questions with all that they may hold. */
const ASKED_BYTES = 1 << 20;
/** With what a passkey signed. */
const ANSWER_BYTES = 16_384;

const SAID: Readonly<Record<PersonAnswerResult, { readonly text: string; readonly status: 200 | 403 | 409 }>> = {
  unsigned: { text: "A passkey of yours that the machine's policy knows has to sign a yes. None did.", status: 403 },
  allowed: { text: "Yes. The machine is told.", status: 200 },
  refused: { text: "No. The machine is told.", status: 200 },
  "one more": { text: "Your yes counts. One more person has to say yes.", status: 200 },
  "answered before": { text: "You have said so before.", status: 409 },
  gone: { text: "Too late: it was answered, or needs no answer any more.", status: 409 },
  forbidden: { text: "You may see this question, and not answer it.", status: 403 },
};

/** Questions of machines, and what people say to them. An answer is a POST of the page's own form, by somebody who is signed in. */
export function addQuestionRoutes(app: Hono<WebVariables>, { db, now, gates, tell, metrics }: AnswerRoutes): void {
  // A machine asks as fast as agents fail, no faster.
  const asking = new RateLimit(60, 500, () => now().getTime());
  const slowly: WebGate = async (context, next) => {
    if (!asking.take(context.var.machine.id)) return refused(context, 429, "this machine asks too much at once", 10);
    await next();
    return undefined;
  };
  app.post("/v1/questions", gates.machine, slowly, limitedBody(ASKED_BYTES), async (context) => {
    const read = await readJson(context, AskedQuestions);
    if ("problem" in read) return refused(context, 400, read.problem);
    const questions = await keepQuestions(db, context.var.machine.id, read.message.questions, now());
    metrics.count("assent_team_asked_total", "Requests with questions.");
    return context.json({ v: PROTOCOL, is: "kept", questions });
  });
  app.post("/v1/questions/withdraw", gates.machine, limitedBody(ASKED_BYTES), async (context) => {
    const read = await readJson(context, WithdrawnQuestions);
    if ("problem" in read) return refused(context, 400, read.problem);
    await withdrawQuestions(db, context.var.machine.id, read.message.ids, now());
    return context.json({ v: PROTOCOL, is: "noted" });
  });
  app.get("/v1/answers", gates.machine, async (context) => {
    const answers = await answersFor(db, [context.var.machine.id]);
    return context.json({ v: PROTOCOL, answers: answers.map(({ answer }) => answer) });
  });
  app.post("/v1/answers/taken", gates.machine, limitedBody(ASKED_BYTES), async (context) => {
    const read = await readJson(context, TakenAnswers);
    if ("problem" in read) return refused(context, 400, read.problem);
    await noteTaken(db, context.var.machine.id, read.message.taken);
    return context.json({ v: PROTOCOL, is: "noted" });
  });

  app.get("/questions.js", (context) => context.body(QUESTIONS_SCRIPT, 200, { "content-type": "text/javascript; charset=utf-8" }));
  app.get("/questions", gates.looking, async (context) => context.html(questionsPage(await view(context.var.person, placeIn(context)))));
  app.get("/questions.json", gates.looking, async (context) => {
    const { questions, open, next } = await openQuestionsFor(db, context.var.person, placeIn(context), now());
    return context.json({ v: PROTOCOL, questions, open, ...(next === undefined ? {} : { next }) });
  });
  app.post("/answer", limitedForm(ANSWER_BYTES), gates.signedIn, async (context) => {
    const { person } = context.var;
    const field = await formFields(context);
    const answer = field("answer");
    if (answer !== "allow" && answer !== "deny") return context.text("this is not an answer\n", 400);
    const given = {
      machine: field("machine"),
      id: field("id"),
      request: field("request"),
      answer,
      note: field("note").trim(),
      proof: field("proof"),
    } as const;
    const result = await answerAs(db, person.name, given, now());
    tell("answered", { person: person.name, machine: given.machine.slice(0, 30), question: given.id.slice(0, 30), result });
    metrics.count("assent_team_answers_total", "Answers of people.", { result });
    const { text, status } = SAID[result];
    const shown = await view(person, placeOf(field("first"), field("after")));
    return context.html(questionsPage({ ...shown, ...(status === 200 ? { note: text } : { problem: text }) }), status);
  });

  async function view(person: TeamPerson, place: WaitingPlace): Promise<WaitingView> {
    return { person, waiting: await openQuestionsFor(db, person, place, now()), past: await pastQuestionsFor(db, person) };
  }
}

const placeIn = (context: WebContext): WaitingPlace => placeOf(context.req.query("first"), context.req.query("after"));
