import { Socket } from "node:net";
import { isObject } from "@assent/core/data";
import { messageOf } from "@assent/guard/state";
import { LONGEST_LINE, type OuterAnswer, type OuterRequest } from "./outer/index.ts";
import type { Inner } from "./trap/options.ts";
import type { RunOptions } from "./types.ts";

interface ThisRun {
  readonly id: string;
  readonly profile: string;
  readonly policyFiles: readonly string[];
}

type Answering = Pick<RunOptions, "onHook" | "onGuard">;

/** At once, each with at most LONGEST_LINE; a hook asks one question and goes. */
const MOST_OPEN = 16;
const MOST_BYTES = 2 * LONGEST_LINE;
/** From the opening to the end of the question, and from the answer until it is taken. */
const PATIENCE_MS = 10_000;

/**
 * Answers questions of programs inside the run. `fd` is our end of a socket. Whoever floods it gets no answers, and a hook
 * without an answer gives its host's safe one.
 */
export function serveInner(run: ThisRun, answering: Answering): (fd: number, from: Inner) => void {
  let open = 0;
  let held = 0;
  return (fd, from) => {
    const socket = new Socket({ fd, readable: true, writable: true });
    const parts: Buffer[] = [];
    let length = 0;
    open += 1;
    const release = (): void => {
      held -= length;
      length = 0;
      parts.length = 0;
    };
    const reply = (answer: OuterAnswer): void => void socket.end(`${JSON.stringify(answer)}\n`);
    socket.setTimeout(PATIENCE_MS, () => socket.destroy());
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      open -= 1;
      release();
    });
    if (open > MOST_OPEN) return reply({ is: "problem", why: "too many questions at once from inside the run" });
    socket.on("data", (part: Buffer) => {
      parts.push(part);
      length += part.length;
      held += part.length;
      if (length > LONGEST_LINE || held > MOST_BYTES) return void socket.destroy();
      if (part.at(-1) !== 0x0a) return;
      socket.pause();
      const text = Buffer.concat(parts).toString("utf8");
      release();
      try {
        reply(answerFor(text, from, run, answering));
      } catch (error) {
        reply({ is: "problem", why: messageOf(error) });
      }
    });
  };
}

function answerFor(text: string, { cwd, leaveAlone }: Inner, run: ThisRun, { onHook, onGuard }: Answering): OuterAnswer {
  const question: unknown = JSON.parse(text);
  if (isQuestion(question, "run")) {
    if (question.alone === true) leaveAlone();
    return { is: "run", run: run.id, profile: run.profile, policyFiles: run.policyFiles };
  }
  if (isQuestion(question, "guard") && onGuard !== undefined) {
    const { from, request } = question;
    if (!isObject(from) || !isObject(request) || typeof from.cwd !== "string") return { is: "problem", why: "the question is incomplete" };
    return { is: "guard", decision: onGuard(from, request) };
  }
  if (!isQuestion(question, "hook") || onHook === undefined) return { is: "problem", why: "this supervisor does not know the question" };
  const { argv, input, env } = question;
  if (!Array.isArray(argv) || typeof input !== "string" || typeof env !== "object")
    return { is: "problem", why: "the question is incomplete" };
  return { is: "hook", ...onHook({ argv: argv.map(String), input, env, cwd }) };
}

function isQuestion<K extends OuterRequest["ask"]>(value: unknown, ask: K): value is Extract<OuterRequest, { ask: K }> {
  return typeof value === "object" && value !== null && "ask" in value && value.ask === ask;
}
