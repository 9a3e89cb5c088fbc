import { readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { z } from "zod";
import { describe, expect, it } from "vitest";
import { listenOptions, remoteOptions, type HttpFlags } from "../../../packages/assent/src/cli/mcp.ts";
import { assent, scratch } from "../../scratch.ts";
import { call, connect, type Answer, type Connected, type Way } from "./connect.ts";

/** `assent mcp` over streamable HTTP, between a client and a server of the official SDK. */

const WAYS: readonly Way[] = ["stdio to http", "http to stdio", "http to http"];
const anything = z.looseObject({});
const yes = (): Answer => ({ action: "accept", content: { allow: true } });

describe.each(WAYS)("%s", (way) => {
  it("judges, filters and asks, and passes all else", async () => {
    const answers: Answer[] = [{ action: "accept", content: {} }, yes(), { action: "decline" }];
    // After these nobody answers any more.
    const there = await connect(() => answers.shift() ?? new Promise<Answer>(() => undefined), { way });
    const { tools } = await there.client.listTools();
    expect(tools.map(({ name }) => name)).toContain("echo");
    expect(tools.map(({ name }) => name)).not.toContain("delete_all");
    expect(await call(there, "echo", { text: "hi" })).toEqual({ text: "hi", isError: false });
    expect(await call(there, "echo", { text: "my secret" })).toMatchObject({ isError: true });
    expect(await call(there, "delete_all")).toEqual({ text: expect.stringMatching(/^Assent: never/) as unknown, isError: true });
    expect(await call(there, "ask_me", { what: "a" })).toMatchObject({ isError: true });
    expect(await call(there, "ask_me", { what: "b" })).toEqual({ text: "did b", isError: false });
    expect(await call(there, "ask_me", { what: "c" })).toMatchObject({ isError: true });
    expect(there.questions).toHaveLength(3);
    expect(there.calls()).toEqual(['echo {"text":"hi"}', 'ask_me {"what":"b"}']);
    const log = readFileSync(join(there.place.home, ".local/state/assent/audit.jsonl"), "utf8");
    expect(log).toMatch(/"point":"mcp"/);

    const { client } = there;
    expect(await client.readResource({ uri: "test://file" })).toMatchObject({ contents: [{ text: "resource" }] });
    expect(await client.getPrompt({ name: "greet", arguments: { name: "you" } })).toMatchObject({
      messages: [{ content: { text: "hello you" } }],
    });
    expect(
      (await client.complete({ ref: { type: "ref/prompt", name: "greet" }, argument: { name: "name", value: "" } })).completion,
    ).toEqual({
      values: ["you", "me"],
      total: 2,
      hasMore: false,
    });
    expect(await client.ping()).toEqual({});
    await expect(client.request({ method: "unheard/of" }, anything)).rejects.toThrow(/Method not found/);
    expect((await call(there, "big", { size: 3_000_000 })).text).toHaveLength(3_000_000);
    expect((await call(there, "echo", { text: "y".repeat(3_000_000) })).text).toHaveLength(3_000_000);
    expect(await Promise.all(Array.from({ length: 50 }, async (_, at) => (await call(there, "echo", { text: `${at}` })).text))).toEqual(
      Array.from({ length: 50 }, (_, at) => `${at}`),
    );
    const steps: number[] = [];
    await client.callTool({ name: "progress", arguments: {} }, undefined, { onprogress: ({ progress }) => steps.push(progress) });
    expect(steps).toEqual([1, 2, 3]);
    expect(await call(there, "sample")).toEqual({ text: "sampled", isError: false });
    expect(await call(there, "elicit")).toEqual({ text: "accept", isError: false });
    expect(await call(there, "roots")).toEqual({ text: "file:///repo", isError: false });
    expect(await call(there, "say")).toEqual({ text: "said", isError: false });
    await expect.poll(() => there.logged).toEqual(["logged"]);

    // Cancelling, of a call that runs and of one that is asked about.
    for (const name of ["hang", "ask_me"]) {
      const controller = new AbortController();
      const running = there.client.callTool({ name, arguments: { what: "x" } }, undefined, { signal: controller.signal });
      await expect.poll(() => (name === "hang" ? there.calls().includes("hang {}") : there.questions.length === 5)).toBe(true);
      controller.abort();
      await expect(running).rejects.toThrow(/abort/i);
    }
    expect(await call(there, "echo", { text: "still here" })).toMatchObject({ text: "still here" });
    await expect.poll(() => there.calls().slice(-3)).toEqual(["hang {}", "cancelled", 'echo {"text":"still here"}']);
  });

  it("says so when the server ends", async () => {
    const there = await connect(undefined, { way });
    await expect(there.client.callTool({ name: "crash", arguments: {} })).rejects.toThrow(
      way.endsWith("stdio") ? /the server has ended \(exit code 9\)/ : /the server cannot be reached/,
    );
  });
});

describe("a server over HTTP", () => {
  it.each<Way>(["stdio to http", "http to http"])("%s: a stream that breaks is resumed, by the server's own numbers", async (way) => {
    const there = await connect(undefined, { way });
    expect(await call(there, "drop")).toEqual({ text: "resumed", isError: false });
    expect(there.headers().some((headers) => headers["last-event-id"] !== undefined)).toBe(true);
  });

  it.each<Way>(["stdio to json", "http to json"])("%s: that answers in JSON", async (way) => {
    const there = await connect(yes, { way });
    const { tools } = await there.client.listTools();
    expect(tools.map(({ name }) => name)).not.toContain("delete_all");
    expect(await call(there, "delete_all")).toMatchObject({ isError: true });
    expect(await call(there, "ask_me", { what: "a" })).toEqual({ text: "did a", isError: false });
    expect((await call(there, "big", { size: 300_000 })).text).toHaveLength(300_000);
  });

  it("that forgets the session gets a new one", async () => {
    const there = await connect(undefined, { way: "stdio to http" });
    await call(there, "forget");
    await expect
      .poll(async () => new Set((await call(there, "echo", { text: "x" }), there.headers().map((each) => each["mcp-session-id"]))).size)
      .toBe(3);
  });

  it("that keeps no sessions is asked about all the same", async () => {
    for (const way of ["stdio to stateless", "http to stateless"] as const) {
      const there = await connect(yes, { way });
      expect(await call(there, "delete_all")).toMatchObject({ isError: true });
      expect(await call(there, "ask_me", { what: "a" })).toEqual({ text: "did a", isError: false });
    }
  });

  it("is told what the variables say, and nothing that a client says in their place", async () => {
    const flags = ["--header", "Authorization: Bearer ${THE_TOKEN}", "--header", "X-Team: a"];
    for (const way of ["stdio to http", "http to http"] as const) {
      const there = await connect(undefined, {
        way,
        flags,
        env: { THE_TOKEN: "s3cret" },
        headers: { authorization: "Bearer other", "x-team": "b" },
      });
      await call(there, "echo", { text: "x" });
      for (const headers of there.headers()) expect(headers).toMatchObject({ authorization: "Bearer s3cret", "x-team": "a" });
    }
  });

  it("that is not there, or refuses, is said to be so", async () => {
    const place = scratch();
    place.write("~/.agent-permissions.jsonc", "{}");
    const line = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "initialize", params: {} });
    const { stdout, status } = assent(place, ["mcp", "--url", "http://127.0.0.1:1/mcp"], `${line}\n`);
    expect(JSON.parse(stdout)).toMatchObject({
      id: 7,
      error: { message: expect.stringMatching(/^Assent: the server cannot be reached/) as unknown },
    });
    expect(status).toBe(0);
  });
});

/** Of a request with any headers: fetch has its own `host`. */
async function status(url: string, init: RequestInit, headers: Record<string, string>): Promise<number> {
  return await new Promise((resolve, reject) => {
    const sent = request(url, { method: init.method ?? "GET", headers }, (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    sent.on("error", reject);
    sent.end(typeof init.body === "string" ? init.body : undefined);
  });
}

describe("who may come in", () => {
  const INITIALIZE = {
    jsonrpc: "2.0",
    id: 0,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
  };
  const TOKEN = "a-token-of-some-length";
  const HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream", authorization: `Bearer ${TOKEN}` };
  const open = async (): Promise<Connected> =>
    await connect(undefined, {
      way: "http to stdio",
      flags: ["--token-env", "GATE", "--allow-host", "gate.test", "--allow-origin", "https://page.test"],
      env: { GATE: TOKEN },
      headers: { authorization: `Bearer ${TOKEN}` },
    });

  it("is asked for its name, its page, its token, and what it wants", async () => {
    const { gateway } = await open();
    const { url = "" } = gateway ?? {};
    const ask = async (changed: Record<string, string>, init: RequestInit = {}, at = url): Promise<number> => {
      return await status(at, { method: "POST", body: JSON.stringify(INITIALIZE), ...init }, { ...HEADERS, ...changed });
    };
    expect(await ask({})).toBe(200);
    expect(await ask({ host: "gate.test" })).toBe(200);
    expect(await ask({ host: "localhost:1" })).toBe(200);
    expect(await ask({ host: "evil.test" })).toBe(403);
    expect(await ask({ host: "127.0.0.1.evil.test" })).toBe(403);
    expect(await ask({ origin: "https://page.test" })).toBe(200);
    expect(await ask({ origin: "https://evil.test" })).toBe(403);
    expect(await ask({ origin: "null" })).toBe(403);
    expect(await ask({ authorization: "Bearer other" })).toBe(401);
    expect(await ask({ authorization: "" })).toBe(401);
    expect(await ask({ "content-type": "text/plain" })).toBe(415);
    expect(await ask({ accept: "text/html" })).toBe(406);
    expect(await ask({}, {}, `${url}/../other`)).toBe(404);
    expect(await ask({}, { method: "PUT" })).toBe(405);
    expect(await ask({}, { body: "{" })).toBe(400);
    expect(await ask({}, { body: '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}' })).toBe(400);
    expect(await ask({ "mcp-session-id": "none" }, { body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' })).toBe(404);
    expect(await ask({}, { body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' })).toBe(400);
    expect(await ask({ authorization: "", origin: "https://page.test" }, { method: "OPTIONS", body: null })).toBe(204);
  });

  it("a batch is judged message by message", async () => {
    const { gateway, calls } = await open();
    const { url = "" } = gateway ?? {};
    const opened = await fetch(url, { method: "POST", headers: HEADERS, body: JSON.stringify(INITIALIZE) });
    await opened.text();
    const headers = { ...HEADERS, "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
    const tool = (id: number, name: string, input: object): object => ({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name, arguments: input },
    });
    const batch = [tool(1, "echo", { text: "1.0" }), tool(2, "delete_all", {}), { jsonrpc: "2.0", method: "notifications/initialized" }];
    const text = await (await fetch(url, { method: "POST", headers, body: JSON.stringify(batch) })).text();
    const messages = [...text.matchAll(/^data: (.*)$/gm)].map(
      ([, data = ""]) => JSON.parse(data) as { id: number; result: { isError?: boolean } },
    );
    expect(new Map(messages.map(({ id, result }) => [id, result.isError === true]))).toEqual(
      new Map([
        [1, false],
        [2, true],
      ]),
    );
    expect(calls()).toEqual(['echo {"text":"1.0"}']);
    const gone = await fetch(url, { method: "DELETE", headers });
    expect(gone.status).toBe(200);
  });

  it.each<readonly [Partial<HttpFlags>, RegExp]>([
    [{ listen: "0.0.0.0:0" }, /other machines.*--token-env/],
    [{ listen: "[::]:0" }, /--token-env/],
    [{ listen: "elsewhere" }, /127\.0\.0\.1:PORT/],
    [{ listen: "127.0.0.1:70000" }, /127\.0\.0\.1:PORT/],
    [{ listen: "0", tokenEnv: "NOT_SET" }, /NOT_SET has no token/],
    [{ listen: "0", tokenEnv: "SHORT" }, /at least 16 characters/],
    [{ tokenEnv: "NOT_SET" }, /are for --listen/],
    [{ url: "ftp://x" }, /is not an address/],
    [{ url: "https://me:pw@x/mcp" }, /no password in it/],
    [{ url: "https://x/mcp", header: ["Authorization: Bearer ${NOT_SET}"] }, /NOT_SET is not set/],
    [{ url: "https://x/mcp", header: ["X: ${LINES}"] }, /line break/],
    [{ url: "https://x/mcp", header: ["no header"] }, /is not a header/],
    [{ header: ["a: b"] }, /--url/],
  ])("wrong usage: %j", (given, says) => {
    const flags: HttpFlags = { header: [], allowHost: [], allowOrigin: [], ...given };
    const env = { SHORT: "short", LINES: "a\r\nb" };
    expect(JSON.stringify([remoteOptions(flags, env), listenOptions(flags, env)])).toMatch(says);
  });

  it("wrong usage: a server that is given twice, or not at all", () => {
    expect(assent(scratch(), ["mcp", "--url", "https://x/mcp", "--", "true"])).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/twice/) as unknown,
    });
    expect(assent(scratch(), ["mcp"])).toMatchObject({ status: 2, stderr: expect.stringMatching(/--url/) as unknown });
  });
});
