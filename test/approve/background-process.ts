// The two sides of a question folder as processes, for background.test.ts:
// `run DIR COUNT HOW` asks COUNT questions one after the other; `wait DIR`, `respond DIR SEQ ACTION [RULE]` and `skill` are the commands' bodies.
import { backgroundRespond, backgroundWait, skill } from "../../packages/assent/src/cli/run-background.ts";
import { askedIn } from "./asked.ts";
import { question } from "./question.ts";

const [role, dir = "", first = "", second = "", third] = process.argv.slice(2);

async function run(count: number): Promise<number> {
  const approver = askedIn(dir, "n", (text) => process.stderr.write(`${text}\n`));
  let denied = 0;
  for (let seq = 1; seq <= count; seq++) {
    const { answer } = await approver.ask(question(seq), new AbortController().signal);
    process.stderr.write(`${seq} ${answer}\n`);
    if (answer === "quit") break;
    if (answer === "deny") denied += 1;
  }
  const exit = 40 + denied;
  await approver.close(exit);
  return exit;
}

process.exitCode =
  role === "run"
    ? await run(Number(first))
    : role === "wait"
      ? await backgroundWait(dir)
      : role === "respond"
        ? await backgroundRespond(dir, first, second, third)
        : skill();
