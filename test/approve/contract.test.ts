import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { type Answer, directoryClient, noBlockApprover, type Approver, type Client, said, unanswered } from "@assent/guard/approve";
import { announceApprover, queueApprover } from "@assent/guard/approve/queue";
import { teamClient } from "@assent/team/team/remote";
import { TerminalClient } from "../../packages/guard/src/approve/terminal.ts";
import { scratch } from "../scratch.ts";
import { askedIn, askedOn, queueOf } from "./asked.ts";
import { checkRule, question } from "./question.ts";

const quiet = { open: () => undefined, write: () => undefined, size: () => ({ columns: 80, rows: 24 }), close: () => undefined };
const terminal = (): Client => new TerminalClient(quiet, { env: { TERM: "xterm" }, checkRule });
const folder = (): Client => directoryClient(join(scratch().root, "questions"), { nonce: "n" });
const team = (): Client => teamClient({ machine: scratch().machine, point: "run", patience: 10 });

/** The queue of a machine; `there`: somebody has `assent approvals` open. */
function queue(there: boolean, ...clients: readonly Client[]): Approver {
  const { machine } = scratch();
  if (there) {
    const announced = announceApprover(machine, "terminal");
    onTestFinished(() => announced.close());
  }
  return queueApprover({ machine, point: "run", checkRule }, ...clients);
}

/** What every approver promises (`types.ts`), whoever answers. Nobody answers here. */
const APPROVERS: [name: string, make: () => Approver][] = [
  ["terminal", () => queueOf(terminal())],
  ["terminal that only prints", () => askedOn(quiet, { env: { TERM: "dumb" } })],
  [
    "broken terminal",
    () => {
      const fail = (): never => {
        throw new Error("EIO");
      };
      return askedOn({ open: fail, write: fail, size: fail, close: fail });
    },
  ],
  ["folder", () => queueOf(folder())],
  [
    "broken folder",
    () => {
      const dir = join(scratch().root, "questions");
      const approver = askedIn(dir);
      mkdirSync(join(dir, "away"));
      // No question can be written.
      for (let seq = 0; seq < 100; seq++) mkdirSync(join(dir, `pending/${seq}.json/x`), { recursive: true });
      writeFileSync(join(dir, "response.json"), "{");
      return approver;
    },
  ],
  [
    "client that fails",
    () => {
      const fail = (): never => {
        throw new Error("EIO");
      };
      return queueOf({ begin: () => undefined, show: fail, drop: () => undefined });
    },
  ],
  ["no block", () => noBlockApprover(() => undefined)],
  ["queue", () => queue(true)],
  ["queue where nobody is", () => queue(false)],
  ["terminal and queue", () => queue(true, terminal())],
  ["folder and queue", () => queue(true, folder())],
  ["queue and team", () => queue(true, team())],
  ["team where nobody is", () => queue(false, team())],
];

const hostile = question(3, {
  path: `/\u001b[2J\n\udcff${"x".repeat(5000)}`,
  what: "\u001b]0;x\u0007",
  proposals: [],
  ancestry: [],
  profile: "../../x",
  process: { pid: 0, name: "", argv: [] },
});

it.each(APPROVERS)("%s: a question that is void already is no allow", async (_, make) => {
  const approver = make();
  expect((await approver.ask(question(1), AbortSignal.abort())).answer).not.toBe("allow");
  await approver.close(0);
});

it.each(APPROVERS)("%s: a question that becomes void is settled, and no allow", async (_, make) => {
  const approver = make();
  const controller = new AbortController();
  const asked = approver.ask(question(1), controller.signal);
  setTimeout(() => controller.abort(), 10);
  expect((await asked).answer).not.toBe("allow");
  await approver.close(0);
});

it.each(APPROVERS)("%s: the end of the run settles all, and no allow", async (_, make) => {
  const approver = make();
  const asked = [question(1), question(2), hostile, question(4, { group: "x" })].map((one) =>
    approver.ask(one, new AbortController().signal),
  );
  await approver.close(0);
  for (const { answer } of await Promise.all(asked)) expect(answer).not.toBe("allow");
  expect((await approver.ask(question(5), new AbortController().signal)).answer).not.toBe("allow");
});

it.each(APPROVERS)("%s: takes many questions at once", async (_, make) => {
  const approver = make();
  const asked = Array.from({ length: 200 }, (_, at) =>
    approver.ask(question(at + 1, { group: String(at % 7) }), new AbortController().signal),
  );
  await approver.close(0);
  expect((await Promise.all(asked)).some(({ answer }) => answer === "allow")).toBe(false);
});

it.each(APPROVERS)("%s: ends twice without harm", async (_, make) => {
  const approver = make();
  await approver.close(0);
  await expect(approver.close(0)).resolves.toBeUndefined();
});

it.each<[answer: Answer, because: ReturnType<typeof unanswered>, words: string]>([
  [{ answer: "deny", scope: "once" }, undefined, "no"],
  [{ answer: "deny", scope: "once", note: "later" }, undefined, "no"],
  [{ answer: "deny", scope: "once", nobody: true }, "nobody", "nobody answered, so no"],
  [{ answer: "deny", scope: "once", nobody: true, waits: true }, "waits", "nobody answered, so no"],
  [{ answer: "deny", scope: "always", rule: "Read" }, undefined, "no, never, by the rule Read"],
  [{ answer: "allow", scope: "once" }, undefined, "yes, once"],
  [{ answer: "quit" }, undefined, "you ended the run"],
])("%j is nobody's answer, or somebody's: %s", (answer, because, words) => {
  expect(unanswered(answer)).toBe(because);
  expect(said(answer)).toBe(words);
});

it("no block: ends the run at the first question, and explains itself once", async () => {
  const said: string[] = [];
  const approver = noBlockApprover((text) => said.push(text));
  expect(await approver.ask(question(1), new AbortController().signal)).toEqual({ answer: "quit" });
  expect(await approver.ask(question(2), new AbortController().signal)).toEqual({ answer: "quit" });
  expect(said).toHaveLength(1);
  expect(said[0]).toContain("open(/home/me/.npm/_cacache/1, create+write)");
  expect(said[0]).toContain("--background-dir");
});
