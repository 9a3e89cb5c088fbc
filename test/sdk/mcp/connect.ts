import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { DIST, scratch, type Scratch } from "../../scratch.ts";

/** `assent mcp` between a client and a server of the official SDK. */

export const SERVER = join(import.meta.dirname, "server.mjs");
const ALLOWED = ["echo", "big", "crash", "hang", "progress", "sample", "elicit", "roots", "say", "drop", "forget"];
export const POLICY = JSON.stringify({
  permissions: {
    allow: ALLOWED.map((name) => `mcp__files__${name}`),
    deny: [{ rule: "mcp__files__delete_all", reason: "never" }, "mcp__files__echo(text:*secret*)"],
  },
});

export type Answer = { action: "accept" | "decline" | "cancel"; content?: Record<string, boolean> };
/** Client to gateway, gateway to server. */
export type Way = `${"stdio" | "http"} to ${"stdio" | "http" | "json" | "stateless"}`;

export interface Connected {
  readonly client: Client;
  readonly place: Scratch;
  readonly questions: string[];
  /** What the server says in the log, by itself. */
  readonly logged: unknown[];
  /** The calls that reached the server. */
  readonly calls: () => readonly string[];
  /** The headers that reached a server over HTTP. */
  readonly headers: () => readonly Record<string, string>[];
  readonly gateway: { readonly url: string; readonly process: ChildProcess } | undefined;
  readonly server: ChildProcess | undefined;
}

export interface ConnectOptions {
  readonly way?: Way;
  readonly name?: readonly string[];
  /** Further options of the gateway. */
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function connect(answer?: () => Answer | Promise<Answer>, options: ConnectOptions = {}): Promise<Connected> {
  const { way = "stdio to stdio", name = ["--name", "files"], flags = [], headers = {} } = options;
  const [front, back] = way.split(" to ");
  const place = scratch();
  place.write("~/.agent-permissions.jsonc", POLICY);
  const log = join(place.root, "log");
  const env = { PATH: process.env["PATH"] ?? "", HOME: place.home, ...options.env };
  const server = back === "stdio" ? undefined : start([SERVER, log, back ?? ""], place, env);
  const to =
    server === undefined ? ["--", process.execPath, SERVER, log] : ["--url", `http://127.0.0.1:${await said(server, "stdout", /\d+/)}/mcp`];
  const args = [join(DIST, "bin.cjs"), "mcp", ...name, ...flags];
  const gateway = front === "stdio" ? undefined : start([...args, "--listen", "0", ...to], place, env);
  const url = gateway === undefined ? undefined : await said(gateway, "stderr", /http:\S+/);
  const { client, questions, logged } = clientFor(answer);
  onTestFinished(async () => await client.close());
  await client.connect(
    url === undefined
      ? new StdioClientTransport({ command: process.execPath, args: [...args, ...to], cwd: place.project, env, stderr: "ignore" })
      : new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
  );
  const linesOf = (file: string): readonly string[] => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : []);
  return {
    client,
    place,
    questions,
    logged,
    calls: () => linesOf(log),
    headers: () => linesOf(`${log}.headers`).map((line) => JSON.parse(line) as Record<string, string>),
    gateway: gateway === undefined || url === undefined ? undefined : { url, process: gateway },
    server,
  };
}

export function clientFor(answer: (() => Answer | Promise<Answer>) | undefined): Pick<Connected, "client" | "questions" | "logged"> {
  const questions: string[] = [];
  const logged: unknown[] = [];
  const client = new Client(
    { name: "test", version: "1" },
    { capabilities: { sampling: {}, roots: {}, ...(answer === undefined ? {} : { elicitation: {} }) } },
  );
  if (answer !== undefined)
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      questions.push(params.message);
      return params.message === "the server's own" ? { action: "accept", content: {} } : await answer();
    });
  client.setRequestHandler(CreateMessageRequestSchema, () => ({
    model: "m",
    role: "assistant",
    content: { type: "text", text: "sampled" },
  }));
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: "file:///repo" }] }));
  client.fallbackNotificationHandler = async ({ method, params }) => {
    if (method === "notifications/message") logged.push(params?.["data"]);
    await Promise.resolve();
  };
  return { client, questions, logged };
}

export function start(args: readonly string[], place: Scratch, env: Readonly<Record<string, string>>): ChildProcess {
  const child = spawn(process.execPath, args, { cwd: place.project, env, stdio: ["ignore", "pipe", "pipe"] });
  child.stderr.resume();
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** Waits until a process says where it listens. */
export async function said(child: ChildProcess, stream: "stdout" | "stderr", what: RegExp): Promise<string> {
  return await new Promise((resolve, reject) => {
    let text = "";
    child[stream]?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const [found] = what.exec(text) ?? [];
      if (found !== undefined && text.endsWith("\n")) resolve(found);
    });
    child.once("exit", () => reject(new Error(`it has ended: ${text}`)));
  });
}

export const call = async (
  { client }: Pick<Connected, "client">,
  name: string,
  input: Record<string, unknown> = {},
): Promise<{ readonly text: string; readonly isError: boolean }> => {
  const { content, isError } = await client.callTool({ name, arguments: input });
  const [first] = Array.isArray(content) ? (content as readonly { readonly text: string }[]) : [];
  return { text: first?.text ?? "", isError: isError === true };
};
