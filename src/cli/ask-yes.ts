import { createInterface } from "node:readline/promises";

/** Asks on standard error; only the whole word is a yes. */
export async function askYes(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const closed = new Promise<string>((resolve) => lines.once("close", () => resolve("")));
    const answer = await Promise.race([lines.question(`${question} Type yes: `), closed]);
    return answer.trim().toLowerCase() === "yes";
  } finally {
    lines.close();
  }
}
