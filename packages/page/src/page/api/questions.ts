import { type Detail, detailsOf, endText, said, who, wrongRuleIn } from "@assent/guard/approve";
import {
  announceApprover,
  askerText,
  answerOf,
  answerQuestion,
  choicesOf,
  noteSignOfLife,
  openQuestions,
  type QueuedQuestion,
  watchQuestions,
} from "@assent/guard/approve/queue";
import { isObject, POINTS } from "@assent/core/data";
import { messageOf } from "@assent/guard/state";
import { shown } from "../text.ts";
import { type Endpoint, json, type NewsSource, type PageReply, refused } from "./endpoint.ts";

/** A question as the page shows it; all of it is safe to show. */
export interface CardShape {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly asked: number;
  readonly until?: number;
  /** `claude, confined, in ~/project` */
  readonly about: string;
  readonly who: string;
  /** After "wants to". */
  readonly what: string;
  readonly reason: string;
  readonly help?: string;
  /** What would change in files, as lines of a patch. */
  readonly difference?: readonly string[];
  /** How many questions one answer serves, and the first of the others. */
  readonly alike: number;
  readonly others: readonly string[];
  readonly details: readonly Detail[];
  /** Rules that an answer for always could write, the narrowest first. */
  readonly proposals: readonly { readonly rule: string; readonly said: string; readonly covers: string }[];
  /** Where such a rule is kept: `the profile npm`. */
  readonly keptIn: string;
  /** What can be answered, each with its key, as in the terminal. */
  readonly choices: readonly { readonly key: string; readonly does: string }[];
}

export interface EndedShape {
  readonly question: CardShape;
  /** `yes, once (answered in the terminal)` */
  readonly how: string;
}

/** What the news of the questions says. */
export interface QueueNews {
  readonly open: readonly CardShape[];
  readonly ended: readonly EndedShape[];
  /** Why no question can come here. */
  readonly problem?: string;
}

export interface AnswerResult {
  readonly is: "taken" | "late" | "gone";
  readonly said: string;
}

function shapeOf(queued: QueuedQuestion, home: string): CardShape {
  const { id, asked, until, point, session, question, alike, others } = queued;
  const { what, reason, help, proposals, profile, command, difference } = question;
  const row = ({ label, text }: Detail): Detail => ({ label, text: shown(text, 1000) });
  // These it shows by themselves.
  const known = detailsOf(question, [], home).filter(({ label }) => label !== "help" && label !== "always writes");
  return {
    id,
    asked,
    ...(until === undefined ? {} : { until }),
    about: shown(askerText(queued, home), 600),
    who: who(question),
    what: shown(what, 1000),
    reason: shown(reason, 400),
    ...(help === undefined ? {} : { help: shown(help, 400) }),
    ...(difference === undefined ? {} : { difference: difference.map((line) => shown(line, 400)) }),
    alike,
    others: others.map((other) => shown(other.what, 400)),
    details: [
      ...(command === undefined ? [] : [row({ label: "command", text: command.join(" ") })]),
      ...known.map(row),
      ...(session === undefined ? [] : [row({ label: "session", text: session })]),
    ],
    proposals: proposals.map(({ rule: text, covers }) => ({ rule: text, said: shown(text, 400), covers: shown(covers, 200) })),
    keptIn: POINTS[point].ofPrograms === true ? `the profile ${shown(profile, 400)}` : "your own policy",
    // The page has its own way to tell more.
    choices: choicesOf(queued).filter(({ key }) => key !== "?"),
  };
}

function answered(body: unknown, machine: Parameters<typeof openQuestions>[0]): PageReply {
  if (!isObject(body) || typeof body["id"] !== "string") return refused("this is not an answer");
  const { id, seen } = body;
  const answer = answerOf(body["answer"]);
  if (answer === undefined) return refused("this is not an answer");
  // It is told before it answers anything: the asker would deny, and remember nothing.
  const wrong = wrongRuleIn(answer);
  if (wrong !== undefined) return refused(`this is not a rule: ${wrong}`);
  const outcome = answerQuestion(machine, id, answer, "page", typeof seen === "number" ? seen : 1);
  const told =
    outcome.is === "taken" ? said(answer) : outcome.is === "late" ? `too late: ${endText(outcome.end)}` : "too late: whoever asked is gone";
  return json({ is: outcome.is, said: shown(told) } satisfies AnswerResult);
}

/** What waits for a person, and the answers. */
export const QUESTIONS: readonly Endpoint[] = [
  {
    method: "GET",
    path: "/api/questions",
    answer: (_, { machine }) =>
      json({ open: openQuestions(machine).map((one) => shapeOf(one, machine.home)), ended: [] } satisfies QueueNews),
  },
  {
    method: "POST",
    path: "/api/questions/here",
    answer: (_, { machine }) => {
      noteSignOfLife(machine);
      return json(null);
    },
  },
  { method: "POST", path: "/api/questions/answer", answer: ({ body }, { machine }) => answered(body, machine) },
];

/** As long as a page is open, somebody is there to answer. */
export const QUESTION_NEWS: NewsSource = {
  name: "questions",
  watch: ({ machine }, tell) => {
    try {
      const there = announceApprover(machine, "page");
      const watching = watchQuestions(machine, ({ open, ended }) =>
        tell({
          open: open.map((one) => shapeOf(one, machine.home)),
          ended: ended.map(({ queued, end }) => ({ question: shapeOf(queued, machine.home), how: shown(endText(end)) })),
        } satisfies QueueNews),
      );
      return () => {
        watching.close();
        there.close();
      };
    } catch (error) {
      tell({ open: [], ended: [], problem: shown(messageOf(error)) } satisfies QueueNews);
      return () => undefined;
    }
  },
};
