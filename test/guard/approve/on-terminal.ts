// Asks on its controlling terminal, for pty.test.ts: `node on-terminal.mjs RESULT [throw]`.
import { writeFileSync } from "node:fs";
import { terminalApprover } from "../../../src/guard/approve/index.ts";
import { checkRule, question } from "./question.ts";

const [result = "", how] = process.argv.slice(2);
const approver = terminalApprover({ env: process.env, home: "/home/me", checkRule });
if (approver === undefined) writeFileSync(result, JSON.stringify("no terminal"));
else {
  // A session leader dies of a hang-up by default.
  if (how === "ignore-hangup") process.on("SIGHUP", () => undefined);
  const wait = how === "late" ? 700 : 0;
  setTimeout(() => {
    const signal = new AbortController().signal;
    if (how === "throw")
      setTimeout(() => {
        throw new Error("thrown on purpose");
      }, 300);
    const asked = [approver.ask(question(1), signal), approver.ask(question(2, { group: "other" }), signal)];
    void Promise.all(asked).then(async (answers) => {
      writeFileSync(result, JSON.stringify({ answers, cpu: process.cpuUsage().user + process.cpuUsage().system }));
      await approver.close(0);
    });
  }, wait);
}
