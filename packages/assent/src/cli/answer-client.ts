import { fstatSync } from "node:fs";
import { attempt, parseObject } from "@assent/core/data";
import { writeStdout } from "./stdio.ts";

/** A client sends its first request as soon as it has started a server. Milliseconds. */
const PATIENCE_MS = 1000;
const LONGEST = 1 << 20;

/**
 * A client of MCP waits on our standard streams for a server that was refused, or that ended before it read anything: the first request
 * there is answered with the reason, which is all that a model gets to see of it. Where nothing of the kind stands there, nothing is said.
 */
export async function answerClient(why: string): Promise<void> {
  const { jsonrpc, id, method } = parseObject(await firstLine()) ?? {};
  if (jsonrpc !== "2.0" || typeof method !== "string" || (typeof id !== "string" && typeof id !== "number")) return;
  // An error that is the server's own (JSON-RPC 2.0, 5.1).
  writeStdout(`${JSON.stringify({ jsonrpc, id, error: { code: -32_000, message: `Assent: ${why}` } })}\n`);
}

async function firstLine(): Promise<string> {
  const from = attempt(() => fstatSync(0), undefined);
  if (from?.isFIFO() !== true && from?.isSocket() !== true) return "";
  const { stdin } = process;
  return await new Promise((resolve) => {
    let text = "";
    const end = (): void => {
      clearTimeout(timer);
      stdin.off("data", take).pause();
      resolve(text.split("\n", 1)[0] ?? "");
    };
    const take = (chunk: Buffer): void => {
      text += chunk.toString("utf8");
      if (text.includes("\n") || text.length > LONGEST) end();
    };
    const timer = setTimeout(end, PATIENCE_MS);
    stdin.on("data", take).once("end", end).once("error", end);
  });
}
