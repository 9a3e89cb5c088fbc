import { ACTIONS, actionWord, type BackgroundEvent, printable, respond, safeJson, skillText, wait } from "@assent/guard/approve";
import { writeStderr, writeStdout } from "./stdio.ts";

const COMMAND = "assent run";

/** `assent run --background-wait DIR`: prints the next event. Exit 0; 1 when the run is gone or the folder cannot be used. */
export async function backgroundWait(folder: string): Promise<number> {
  const event = await wait(folder);
  return tell(event, () => 0);
}

/**
 * `assent run --background-respond DIR SEQ ACTION`: answers, then prints the next event. Exit 0 at a question, the
 * program's own status at the end of the run, 1 when there is neither, 2 wrong usage.
 */
export async function backgroundRespond(folder: string, seq: string, action: string, pattern: string | undefined): Promise<number> {
  if (!/^[1-9]\d{0,14}$/.test(seq)) {
    writeStderr(`${COMMAND}: \`${printable(seq, 60)}\` is not a number of a question: \`--background-wait\` prints it as \`seq\`\n`);
    return 2;
  }
  if (actionWord(action) === undefined)
    writeStderr(`${COMMAND}: \`${printable(action, 60)}\` is not an action, so it denies; actions: ${ACTIONS.join(", ")}\n`);
  else if (pattern !== undefined && action !== "pattern" && action !== "deny_pattern")
    writeStderr(`${COMMAND}: \`--background-pattern\` counts only with \`pattern\` and \`deny_pattern\`\n`);
  return tell(await respond(folder, Number(seq), action, pattern), (exit) => exit);
}

/** `assent run --skill` */
export function skill(): number {
  writeStdout(skillText());
  return 0;
}

function tell(event: BackgroundEvent, exitOf: (code: number) => number): number {
  switch (event.is) {
    case "pending":
      writeStdout(`${safeJson(event.pending)}\n`);
      return 0;
    case "done":
      writeStdout(`${safeJson({ exit_code: event.exit, status: "done" })}\n`);
      return exitOf(event.exit);
    case "failed":
      writeStderr(`${COMMAND}: ${event.why}\n`);
      return 1;
  }
}
