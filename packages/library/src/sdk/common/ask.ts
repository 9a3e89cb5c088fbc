import { AsyncLocalStorage } from "node:async_hooks";
import { visible } from "@assent/core/action";
import { isObject } from "@assent/core/data";
import { hear, type ReadAnswer, understandAnswer } from "./read-answer.ts";
import type { Question } from "@assent/guard/approve";
import type { RequestVerdict, Verdict } from "@assent/core/policy";

/** A question to a person. All texts are free of control characters. */
export interface AskQuestion {
  /** `execute`, `read`, `write`, …, or the name of a tool. */
  readonly operation: string;
  /** The path, or the whole command. */
  readonly target: string;
  /** Why the agent wants it, in its own words; empty where it said nothing. Never a reason to say yes. */
  readonly reason: string;
  /** One line to show: what would happen and why it is asked. */
  readonly question: string;
  /** What was found, action by action, each with its rule and what to do next. */
  readonly verdict: RequestVerdict;
}

/** Answers a question. Only `true` is a yes, and `false` a no. An error, a rejection or anything else: nobody could be asked. */
export type OnAsk = (question: AskQuestion) => boolean | Promise<boolean>;

/** There is no one to ask: thrown by an `OnAsk` of ours, where an answer of no would be nobody's. */
export class NobodyThereError extends Error {
  override readonly name = "NobodyThereError";
  readonly code = "nobody-there";
  constructor() {
    super("nobody is there to answer");
  }
}

/** A yes to a call of a tool with another input than the model wrote. What is denied stays denied. */
export class EditedInput {
  readonly input: Readonly<Record<string, unknown>>;
  constructor(input: Readonly<Record<string, unknown>>) {
    this.input = input;
  }
}

/** A no, with a word for the model. */
export class RefusedWith {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

/** Answers a question about a call of a tool: as `OnAsk`, with another input, or with a no that says something to the model. */
export type OnToolAsk = (question: AskQuestion) => ToolAnswer | Promise<ToolAnswer>;

/** Only `true` and another input are a yes. */
export type ToolAnswer = boolean | EditedInput | RefusedWith;

/** Of a question of a command that runs: what made it one. */
export const verdictOfQuestion = ({ basis = "default", reason, rule, help }: Question): Verdict => ({
  decision: "ask",
  basis,
  reason,
  ...(rule === undefined ? {} : { rule }),
  ...(help === undefined ? {} : { help }),
});

/** As the answer of a guard in code, whatever form it has. */
const plain = (answer: unknown): unknown =>
  answer instanceof EditedInput && isObject(answer.input)
    ? { yes: "once", input: answer.input }
    : answer instanceof RefusedWith && typeof answer.message === "string"
      ? { no: answer.message }
      : answer;

/** Of an answer in whatever form. What is remembered of it is for a guard in code, which has done that. */
export const readPlain = (answer: unknown): ReadAnswer => understandAnswer(plain(answer), () => false);

/** A yes to exactly what was asked about. */
export const isPlainYes = (read: ReadAnswer): boolean => read.is === "yes" && read.call === undefined && read.input === undefined;

/** Puts a question. Never throws: where nobody can be asked, asking has failed. */
export async function ask(onAsk: OnToolAsk | undefined, asked: Omit<AskQuestion, "question">): Promise<ReadAnswer> {
  const operation = visible(asked.operation);
  const target = visible(asked.target);
  const { verdict } = asked;
  const question = `${operation} ${target}? ${verdict.reason}`;
  const put = async (): Promise<unknown> => {
    try {
      return await onAsk?.({ operation, target, reason: visible(asked.reason), question, verdict });
    } catch (error) {
      if (error instanceof NobodyThereError) return "later";
      throw error;
    }
  };
  return await hear(put, readPlain);
}

/** What a person says, where only a plain yes is one. Throws where nobody has answered. */
export async function askPerson(onAsk: OnAsk, asked: Omit<AskQuestion, "question">): Promise<boolean> {
  const read = await ask(onAsk, asked);
  if (read.is === "failed") throw new Error(read.why);
  if (read.is === "later") throw new NobodyThereError();
  return isPlainYes(read);
}

/** Inside a call that a person has approved where the call was made: in the dialogue of an SDK. */
const scope = new AsyncLocalStorage<true>();

/** Runs a call whose question has been answered with yes already. Denies hold all the same. */
export async function approved<T>(work: () => Promise<T>): Promise<T> {
  return await scope.run(true, work);
}

export const isApproved = (): boolean => scope.getStore() === true;
