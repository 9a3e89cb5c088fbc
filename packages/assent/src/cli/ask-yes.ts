import { createInterface } from "node:readline/promises";
import { isYes } from "./terminal.ts";

/** Asks on standard error; Enter alone is a no. */
export async function askYes(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const closed = new Promise<string>((resolve) => lines.once("close", () => resolve("")));
    const answer = await Promise.race([lines.question(`${question} [y/N] `), closed]);
    return isYes(answer);
  } finally {
    lines.close();
  }
}
