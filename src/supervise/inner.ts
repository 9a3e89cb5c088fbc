import { Socket } from "node:net";
import { LONGEST_LINE, type OuterAnswer, type OuterQuestion } from "./outer/index.ts";
import type { RunOptions } from "./types.ts";

/** Answers one question of a program inside the run. `fd` is our end of its socket; `cwd` is where it works, as the kernel says. */
export function answerInner(
  fd: number,
  cwd: string,
  run: { readonly id: string; readonly profile: string },
  onHook: RunOptions["onHook"],
): void {
  const socket = new Socket({ fd, readable: true, writable: true });
  const parts: Buffer[] = [];
  let length = 0;
  const reply = (answer: OuterAnswer): void => void socket.end(`${JSON.stringify(answer)}\n`);
  socket.on("error", () => socket.destroy());
  socket.on("data", (part: Buffer) => {
    parts.push(part);
    length += part.length;
    if (length > LONGEST_LINE) return void socket.destroy();
    if (part.at(-1) !== 0x0a) return;
    socket.pause();
    try {
      reply(answerFor(Buffer.concat(parts).toString("utf8"), cwd, run, onHook));
    } catch (error) {
      reply({ is: "problem", why: error instanceof Error ? error.message : String(error) });
    }
  });
}

function answerFor(
  text: string,
  cwd: string,
  run: { readonly id: string; readonly profile: string },
  onHook: RunOptions["onHook"],
): OuterAnswer {
  const question: unknown = JSON.parse(text);
  if (isQuestion(question, "run")) return { is: "run", run: run.id, profile: run.profile };
  if (!isQuestion(question, "hook") || onHook === undefined) return { is: "problem", why: "this supervisor does not know the question" };
  const { argv, input, env } = question;
  if (!Array.isArray(argv) || typeof input !== "string" || typeof env !== "object")
    return { is: "problem", why: "the question is incomplete" };
  return { is: "hook", ...onHook({ argv: argv.map(String), input, env, cwd }) };
}

function isQuestion<K extends OuterQuestion["ask"]>(value: unknown, ask: K): value is Extract<OuterQuestion, { ask: K }> {
  return typeof value === "object" && value !== null && "ask" in value && value.ask === ask;
}
