import { describe, expect, it } from "vitest";
import { answerFor } from "../../packages/guard/src/approve/questions.ts";
import type { Answer } from "@assent/guard/approve";
import { question } from "./question.ts";

const SHOWN = { difference: [".mcp.json", "+{}"] };
const ANSWERS: readonly Answer[] = [
  { answer: "allow", scope: "once" },
  { answer: "deny", scope: "once" },
  { answer: "allow", scope: "session" },
  { answer: "allow", scope: "time", minutes: 5 },
  { answer: "allow", scope: "tree" },
  { answer: "allow", scope: "always", rule: "Bash(git:*)" },
];

describe("what an answer says about another open question", () => {
  it.each(ANSWERS)("$answer, $scope: it serves one that is alike", (answer) => {
    expect(answerFor(answer, question(1), question(2), true, () => true)).toBeDefined();
  });

  it.each(ANSWERS)("$answer, $scope: each difference is looked at for itself", (answer) => {
    for (const first of [question(1), question(1, SHOWN)])
      expect(answerFor(answer, first, question(2, { difference: [".mcp.json", "+{}"] }), true, () => true)).toBeUndefined();
  });

  it("the end of the run answers all that it asks", () => {
    expect(answerFor({ answer: "quit" }, question(1), question(2, SHOWN), true, () => false)).toEqual({ answer: "quit" });
  });
});
