import { closeSync, constants, openSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { ReadStream, WriteStream } from "node:tty";
import { agentMark } from "@assent/core/policy";
import type { Machine } from "@assent/guard/state";

/** True when there is a terminal to ask on, whatever the standard streams are. */
export function hasTerminal(): boolean {
  try {
    closeSync(openSync("/dev/tty", constants.O_RDWR | constants.O_NOCTTY));
    return true;
  } catch {
    return false;
  }
}

/** In these nobody sits at the terminal, whatever it looks like. */
const UNATTENDED = ["CI", "GITHUB_ACTIONS", "GITLAB_CI", "CIRCLECI", "TRAVIS", "JENKINS_HOME"];

/** The variable that says that nobody is here; undefined: somebody may be. */
export const unattended = (env: NodeJS.ProcessEnv): string | undefined => UNATTENDED.find((name) => (env[name] ?? "") !== "");

/** Why whoever types this is no person; undefined: it may be one. The floor denies it to agents whose commands are judged. */
export function noPerson(env: Machine["env"]): string | undefined {
  const nobody = unattended(env);
  if (nobody !== undefined) return `${nobody} is set: nobody is here to answer anything`;
  const mark = agentMark(env);
  return mark === undefined ? undefined : `${mark} is set, as agents set it for what they start: questions are for you to answer`;
}

/** Typed text that came before the question was shown answers nothing. Milliseconds. */
const TYPED_AHEAD_MS = 120;

/** What the Enter key alone means; `y` and `yes` are a yes everywhere. */
export type Agreement = "[y/N]" | "[Y/n]";

export const isYes = (answer: string, agreement: Agreement = "[y/N]"): boolean =>
  /^y(?:es)?$/i.test(answer.trim()) || (agreement === "[Y/n]" && answer.trim() === "");

/** Shows `page` and asks on the terminal itself, so that neither a pipe nor the clipboard can answer. Undefined: there is no terminal. */
export async function confirmed(page: string, question: string, agreement: Agreement = "[y/N]"): Promise<boolean | undefined> {
  const answer = await askLine(page, `${question} ${agreement}`, "no");
  return answer === undefined ? undefined : isYes(answer, agreement);
}

/** Why nobody has agreed to what stands on the page; undefined: somebody has. */
export async function whyNotAgreed(page: string, question = "Agree?"): Promise<string | undefined> {
  const nobody = unattended(process.env);
  if (nobody !== undefined) return `${nobody} is set: nobody is here to agree, so say it at a terminal of your own`;
  const agreed = await confirmed(page, question);
  return agreed === true ? undefined : agreed === undefined ? "this is not a terminal, so nobody can be asked" : "you did not agree";
}

/** The line that a person types, without blanks around it; `closed` where the terminal goes away. Undefined: there is no terminal. */
export async function askLine(page: string, question: string, closed: string): Promise<string | undefined> {
  let descriptor: number;
  try {
    descriptor = openSync("/dev/tty", constants.O_RDWR | constants.O_NOCTTY);
  } catch {
    return undefined;
  }
  const input = new ReadStream(descriptor);
  const output = new WriteStream(descriptor);
  try {
    output.write(page);
    await drained(input);
    const lines = createInterface({ input, output, terminal: false });
    const gone = new Promise<string>((resolve) => lines.once("close", () => resolve(closed)));
    const answer = await Promise.race([lines.question(`${question} `), gone]);
    lines.close();
    return answer.trim();
  } finally {
    input.destroy();
    output.destroy();
  }
}

/** Takes away what is waiting. A line that is not finished waits in the kernel until it is, unless the mode is raw. */
async function drained(input: ReadStream): Promise<void> {
  const drop = (): void => undefined;
  input.setRawMode(true);
  input.on("data", drop);
  await new Promise((resolve) => setTimeout(resolve, TYPED_AHEAD_MS));
  input.off("data", drop);
  input.pause();
  input.setRawMode(false);
}
