import type { Approver } from "./types.ts";
import { callText, who } from "./render.ts";

/**
 * Never waits for anybody (`ASSENT_NO_BLOCK`, `PTAPP_NO_BLOCK`): the first question ends the run. `onBlock` gets the
 * explanation, once, before the run ends; the exit status is then 3.
 */
export function noBlockApprover(onBlock: (explanation: string) => void): Approver {
  let said = false;
  return {
    ask(question) {
      if (!said) {
        said = true;
        onBlock(
          [
            `a question would block, and the environment says never to: ${callText(question)}`,
            `asked by ${who(question)}`,
            "to answer questions from a program, run it with `--background-dir DIR` (`assent run --skill` explains);",
            `to deny whatever profile \`${question.profile}\` does not allow, use \`--no-prompt\``,
          ].join("\n"),
        );
      }
      return Promise.resolve({ answer: "quit" });
    },
    close: () => Promise.resolve(),
  };
}
