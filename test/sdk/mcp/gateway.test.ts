import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DIST, scratch } from "../../scratch.ts";
import { call, connect, POLICY, SERVER, type Answer } from "./connect.ts";

/** `assent mcp` between a client and a server of the official SDK, on standard input and output. */

describe("tools", () => {
  it("that are denied are not listed; the others are", async () => {
    const { tools } = await (await connect()).client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "echo",
      "ask_me",
      "big",
      "crash",
      "hang",
      "progress",
      "sample",
      "elicit",
      "roots",
      "say",
      "drop",
      "forget",
    ]);
    expect(tools[0]?.inputSchema).toMatchObject({ type: "object", properties: { text: { type: "string" } } });
  });

  it("are called when allowed, refused with the reason when denied", async () => {
    const there = await connect();
    expect(await call(there, "echo", { text: "hi" })).toEqual({ text: "hi", isError: false });
    expect(await call(there, "delete_all")).toEqual({ text: expect.stringMatching(/^Assent: never/) as unknown, isError: true });
    expect(await call(there, "echo", { text: "my secret" })).toMatchObject({ isError: true });
    expect(there.calls()).toEqual(['echo {"text":"hi"}']);
  });

  it("that are asked about are refused where nobody can be asked, with the way out", async () => {
    const there = await connect();
    expect(await call(there, "ask_me", { what: "x" })).toEqual({
      text: expect.stringMatching(/approval required.*: assent allow 'mcp__files__ask_me'/) as unknown,
      isError: true,
    });
    expect(there.calls()).toEqual([]);
  });

  it.each<readonly [string, Answer | Error, boolean]>([
    ["yes", { action: "accept", content: { allow: true } }, true],
    ["an empty yes", { action: "accept", content: { allow: false } }, false],
    ["no", { action: "decline" }, false],
    ["nothing", { action: "cancel" }, false],
    ["an error", new Error("x"), false],
  ])("that are asked about: %s", async (_, answer, goesAhead) => {
    const there = await connect(() => {
      if (answer instanceof Error) throw answer;
      return answer;
    });
    expect(await call(there, "ask_me", { what: "x\u001b[2J" })).toMatchObject({ isError: !goesAhead });
    expect(there.questions).toEqual([expect.stringMatching(/^Allow `mcp__files__ask_me` with \{"what":"x\\\\?u/) as unknown]);
    expect(there.calls()).toHaveLength(goesAhead ? 1 : 0);
  });

  it("the server's own name is not a name in rules", async () => {
    const there = await connect(undefined, { name: [] });
    // Named after its file.
    expect(await call(there, "echo", { text: "x" })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/mcp__server__echo/) as unknown,
    });
  });

  it("resources that are files are read as files are", async () => {
    const there = await connect();
    there.place.write("~/.ssh/id_rsa", "k");
    for (const uri of ["file:///etc/shadow", `file://${there.place.home}/.ssh/id_%72sa`, " FILE:/etc/shadow"])
      await expect(there.client.readResource({ uri })).rejects.toThrow(/Assent: .*this file may hold a secret/);
  });

  it("decisions are logged", async () => {
    const there = await connect();
    await call(there, "delete_all");
    const log = readFileSync(join(there.place.home, ".local/state/assent/audit.jsonl"), "utf8").trim().split("\n");
    expect(JSON.parse(log.at(-1) ?? "")).toMatchObject({ point: "mcp", tool: "mcp__files__delete_all", answer: "deny" });
  });

  it.each<readonly [string, Record<string, unknown>]>([
    ["echo", { text: "hi" }],
    // It ends the server at once, and the gateway with it.
    ["crash", {}],
  ])("a call that is passed on is in the log when its answer is there: %s", async (name, input) => {
    const there = await connect();
    await call(there, name, input).catch(() => undefined);
    const log = readFileSync(join(there.place.home, ".local/state/assent/audit.jsonl"), "utf8").trim().split("\n");
    expect(JSON.parse(log.at(-1) ?? "")).toMatchObject({ point: "mcp", tool: `mcp__files__${name}`, input, answer: "allow" });
  });
});

describe("all else passes", () => {
  it("resources, prompts, progress, sampling, the server's own questions, large results", async () => {
    const there = await connect(() => ({ action: "decline" }));
    expect(await there.client.readResource({ uri: "test://file" })).toMatchObject({ contents: [{ text: "resource" }] });
    expect(await there.client.getPrompt({ name: "greet", arguments: { name: "you" } })).toMatchObject({
      messages: [{ content: { text: "hello you" } }],
    });
    const steps: number[] = [];
    await there.client.callTool({ name: "progress", arguments: {} }, undefined, { onprogress: ({ progress }) => steps.push(progress) });
    expect(steps).toEqual([1, 2, 3]);
    expect(await call(there, "sample")).toEqual({ text: "sampled", isError: false });
    expect(await call(there, "elicit")).toEqual({ text: "accept", isError: false });
    expect((await call(there, "big", { size: 3_000_000 })).text).toHaveLength(3_000_000);
    expect((await call(there, "echo", { text: "y".repeat(3_000_000) })).text).toHaveLength(3_000_000);
    expect(await Promise.all(Array.from({ length: 50 }, async (_, at) => (await call(there, "echo", { text: `${at}` })).text))).toEqual(
      Array.from({ length: 50 }, (_, at) => `${at}`),
    );
  });

  it("cancelling, of a call that runs and of one that is asked about", async () => {
    const there = await connect(async () => await new Promise<Answer>(() => undefined));
    for (const name of ["hang", "ask_me"]) {
      const controller = new AbortController();
      const running = there.client.callTool({ name, arguments: { what: "x" } }, undefined, { signal: controller.signal });
      setTimeout(() => controller.abort(), 300);
      await expect(running).rejects.toThrow(/abort/i);
    }
    expect(await call(there, "echo", { text: "still here" })).toMatchObject({ text: "still here" });
    expect(there.calls()).toEqual(["hang {}", "cancelled", 'echo {"text":"still here"}']);
  });

  it("a server that ends answers what it has not answered", async () => {
    const there = await connect();
    await expect(there.client.callTool({ name: "crash", arguments: {} })).rejects.toThrow(/the server has ended \(exit code 9\)|closed/);
  });
});

describe("messages that servers read differently", () => {
  const INITIALIZE = {
    jsonrpc: "2.0",
    id: 0,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
  };

  /** What comes back for a line of the client's. */
  async function answers(line: string): Promise<{ readonly out: string; readonly calls: boolean }> {
    const place = scratch();
    place.write("~/.agent-permissions.jsonc", POLICY);
    const log = join(place.root, "log");
    const gateway = spawn(process.execPath, [join(DIST, "bin.cjs"), "mcp", "--name", "files", "--", process.execPath, SERVER, log], {
      cwd: place.project,
      env: { PATH: process.env["PATH"] ?? "", HOME: place.home },
      stdio: ["pipe", "pipe", "ignore"],
    });
    let out = "";
    gateway.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
    gateway.stdin.end(
      `${JSON.stringify(INITIALIZE)}\n${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n${line}\n`,
    );
    await new Promise((resolve) => gateway.once("close", resolve));
    return { out, calls: existsSync(log) };
  }

  it.each([
    ["a key twice", '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{"name":"delete_all","arguments":{}}}'],
    ["a key twice, in another case", '{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call","params":{"name":"delete_all"}}'],
    [
      "a key twice, escaped",
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","n\\u0061me":"delete_all","arguments":{"text":"a"}}}',
    ],
    ["a name in another case", '{"jsonrpc":"2.0","id":1,"METHOD":"tools/call","params":{"name":"delete_all","arguments":{}}}'],
    ["a batch", '[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete_all","arguments":{}}}]'],
    ["no JSON", '{"jsonrpc":"2.0","id":1,"method":"tools/call",}'],
    ["a call without a name", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}'],
    ["a call without an id", '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"delete_all","arguments":{}}}'],
  ])("%s does not reach the server", async (_, line) => {
    const { out, calls } = await answers(line);
    expect(out).toMatch(/Assent: /);
    expect(calls).toBe(false);
  });
});
