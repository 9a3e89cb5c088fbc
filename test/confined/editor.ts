import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { MOUNTED, PROJECT } from "../clients/place.ts";

/** What came of a session in which nobody says yes. */
interface EditorSession {
  readonly status: number | null;
  readonly timedOut: boolean;
  readonly seconds: number;
  /** What a person was asked. */
  readonly questions: readonly string[];
  /** What was shown beside. */
  readonly shown: readonly string[];
}

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: {
    readonly options?: readonly { readonly optionId: string; readonly kind: string }[];
    readonly toolCall?: { readonly title?: string; readonly content?: readonly { readonly content?: { readonly text?: string } }[] };
  };
  readonly result?: { readonly sessionId?: string };
  readonly error?: { readonly message?: string };
}

/** An editor around a client that speaks the Agent Client Protocol (agentclientprotocol.com): one session, one prompt, every question refused. */
export async function editAround(
  [program = "", ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
  prompt: string,
  seconds: number,
): Promise<EditorSession> {
  const began = Date.now();
  const child = spawn(program, args, { cwd: PROJECT, env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (part: string) => (errors += part));
  const said: string[] = [];
  const questions: string[] = [];
  const shown: string[] = [];
  const waiting = new Map<number, (message: Message) => void>();
  const send = (message: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const call = async (id: number, method: string, params: object): Promise<Message> => {
    send({ id, method, params });
    return new Promise((resolve) => waiting.set(id, resolve));
  };
  createInterface({ input: child.stdout }).on("line", (line) => {
    said.push(line);
    if (!line.startsWith("{")) return;
    const message = JSON.parse(line) as Message;
    if (message.method === undefined) return typeof message.id === "number" ? waiting.get(message.id)?.(message) : undefined;
    if (message.id === undefined) return;
    if (message.method !== "session/request_permission") return send({ id: message.id, error: { code: -32601, message: "not here" } });
    questions.push(message.params?.toolCall?.title ?? "a question");
    shown.push(...(message.params?.toolCall?.content ?? []).map(({ content }) => content?.text ?? ""));
    const no = message.params?.options?.find(({ kind }) => kind.startsWith("reject"))?.optionId;
    send({ id: message.id, result: { outcome: no === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId: no } } });
  });
  const over = new Promise<"over">((resolve) => child.on("exit", () => resolve("over")));
  const late = new Promise<"late">((resolve) => setTimeout(resolve, seconds * 1000, "late"));
  const work = async (): Promise<"done"> => {
    await call(1, "initialize", { protocolVersion: 1, clientCapabilities: { fs: { readTextFile: false, writeTextFile: false } } });
    const { result } = await call(2, "session/new", { cwd: PROJECT, mcpServers: [] });
    await call(3, "session/prompt", { sessionId: result?.sessionId, prompt: [{ type: "text", text: prompt }] });
    return "done";
  };
  const how = await Promise.race([work(), over, late]);
  child.stdin.end();
  if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
  writeFileSync(join(MOUNTED.out, "client.stdout"), said.join("\n"));
  writeFileSync(join(MOUNTED.out, "client.stderr"), errors);
  return { status: how === "done" ? 0 : child.exitCode, timedOut: how === "late", seconds: (Date.now() - began) / 1000, questions, shown };
}
