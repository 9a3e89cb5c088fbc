// The Claude Agent SDK with a policy in code: every call is judged, those of sub-agents included. Needs ANTHROPIC_API_KEY.
import { createInterface } from "node:readline/promises";
import { query } from "@anthropic-ai/claude-agent-sdk";
import { createGuard } from "assent";
import { canUseTool, hooks } from "assent/claude-agent-sdk";

const cwd = process.cwd();
const guard = createGuard({ cwd, policy: { permissions: { deny: ["Bash(git push:*)"] } } });

const onAsk = async ({ question, reason, subagent, signal }) => {
  if (!process.stdin.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const who = subagent === undefined ? "" : `[${subagent}] `;
    return /^y(?:es)?$/i.test(
      await terminal.question(`${who}${question}${reason === "" ? "" : ` (it says: ${reason})`} [y/N] `, { signal }),
    );
  } finally {
    terminal.close();
  }
};

const prompt = process.argv[2] ?? "List the files here, then delete the folder build.";
for await (const message of query({ prompt, options: { cwd, hooks: hooks(guard), canUseTool: canUseTool(guard, { onAsk }) } }))
  if (message.type === "result") console.log(message.subtype === "success" ? message.result : message.subtype);
