// Other processes around a queue, for queue.test.ts: `answer HOME ID WORD AT` answers at that moment, `there HOME` is somebody.
import { announceApprover, answerQuestion } from "@assent/guard/approve/queue";
import { type Machine, thisMachine } from "@assent/guard/state";

const [role, home = "", id = "", word, at] = process.argv.slice(2);
const machine: Machine = { ...thisMachine({}), home };

if (role === "there") {
  announceApprover(machine, "terminal");
  setInterval(() => undefined, 1000);
  process.stdout.write("there\n");
} else {
  while (Date.now() < Number(at));
  const scope = "once";
  process.stdout.write(answerQuestion(machine, id, word === "allow" ? { answer: "allow", scope } : { answer: "deny", scope }, "page").is);
}
