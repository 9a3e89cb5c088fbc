import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect, type AddressInfo } from "node:net";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTlsServer, type Server as TlsServer } from "node:tls";
import * as v from "valibot";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { stateFolder } from "@assent/guard/state";
import { askRemote, hashRequest, isTeamReached, readAnswer } from "@assent/team/team/remote";
import { askServer, hearServer, type TeamServer } from "../../packages/team/src/team/client.ts";
import { connectThrough } from "../../packages/team/src/team/proxy/tunnel.ts";
import { readMembership, readSender } from "@assent/team/team";
import { HAS_CLIENT, startJudge } from "../daemon/judge.ts";
import { assent, DIST, scratch } from "../scratch.ts";
import { onEveryDatabase } from "./harness/databases.ts";
import { OURS, startRaw, TestProxy } from "./harness/proxy.ts";
import { TestServer } from "./harness/server.ts";

const Said = v.object({ said: v.string() });
const Count = v.object({ count: v.number() });
const Listed = v.object({ questions: v.array(v.object({ id: v.string() })) });
const SERVER = "https://team.example.com";
const TARGET = "team.example.com:443";
const TOKEN = "a-token-that-nobody-else-may-see";
const soon = { timeout: 40_000, interval: 50 };

const portOf = (server: TlsServer): number => (server.address() as AddressInfo).port;
const listen = (server: TlsServer): Promise<void> => new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));

let folder: string;
let ca: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "assent-proxy-"));
  ca = join(folder, "ca.pem");
  writeFileSync(ca, OURS.cert);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("one request through a proxy", () => {
  /** What reached the server. */
  let arrived: (string | undefined)[];
  let proxy: TestProxy;
  const server = createServer(OURS, (request, response) => {
    arrived.push(request.headers.authorization);
    if (request.url !== "/events") return void response.end('{"said":"yes"}');
    response.writeHead(200, { "content-type": "text/event-stream" });
    const beat = setInterval(() => response.write("event: beat\ndata: \n\n"), 20);
    response.on("close", () => clearInterval(beat));
  });
  beforeAll(() => listen(server));
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  beforeEach(async () => {
    arrived = [];
    proxy = await TestProxy.start(portOf(server));
  });
  afterEach(() => proxy.close());

  const at = (more: Partial<TeamServer> = {}): TeamServer => ({ url: SERVER, token: TOKEN, ca, proxy: proxy.address(), ...more });
  const ask = (more: Partial<TeamServer> = {}, body?: unknown) => askServer(at(more), body === undefined ? "GET" : "POST", "/", Said, body);
  const why = async (more: Partial<TeamServer> = {}): Promise<string> => {
    const asked = await ask(more);
    expect(arrived).toEqual([]);
    return asked.is === "away" ? asked.why : `it is ${asked.is}`;
  };

  it("gets there and back; the proxy sees the server's name, and nothing of what is said", async () => {
    expect(await ask({}, { said: "a".repeat(300_000) })).toMatchObject({ is: "answered", message: { said: "yes" } });
    expect(arrived).toEqual([`Bearer ${TOKEN}`]);
    expect(proxy.asked).toEqual([{ target: TARGET, headers: { host: TARGET, connection: expect.any(String) as unknown } }]);
    const seen = Buffer.concat(proxy.seen);
    expect(seen.length).toBeGreaterThan(300_000);
    expect(seen.includes(TOKEN) || seen.includes("aaaaaaaa") || seen.includes("said")).toBe(false);
    await vi.waitFor(() => expect(proxy.open).toBe(0), soon);
  });

  it("through one that speaks TLS itself, with a name and a password", async () => {
    const secure = await TestProxy.start(portOf(server), "https");
    secure.wants = "me@work:p:ä/";
    expect(await ask({ proxy: secure.address("me%40work:p%3A%C3%A4%2F") })).toMatchObject({ is: "answered" });
    expect(secure.asked).toHaveLength(1);
    const noCa = await ask({ proxy: secure.address(), ca: undefined });
    expect(noCa).toMatchObject({
      is: "away",
      why: expect.stringMatching(/the proxy localhost:\d+ has a certificate that nobody vouches for/) as unknown,
    });
    expect(await ask({ proxy: secure.address("me:wrong") })).toMatchObject({
      is: "away",
      why: expect.stringMatching(/^the proxy localhost:\d+ does not take the name and the password/) as unknown,
    });
    expect(arrived).toHaveLength(1);
    // Named as the wrong kind, one way and the other.
    expect(await why2(secure.address().replace("https:", "http:"))).toMatch(
      /the proxy localhost:\d+ (?:speaks TLS: name it as https|closed the connection)/,
    );
    expect(await why2(proxy.address().replace("http:", "https:"))).toMatch(
      /the proxy localhost:\d+ (?:does not speak TLS: name it as http:|closed the connection)/,
    );
    await secure.close();
  });
  const why2 = async (address: string): Promise<string> => {
    const asked = await ask({ proxy: address });
    return asked.is === "away" ? asked.why : asked.is;
  };

  it.each([
    ["wants a password", "HTTP/1.1 407 No\r\n\r\n", /wants a name and a password \(407\): give them/],
    [
      "forbids",
      "HTTP/1.1 403 No\r\ncontent-length: 5\r\n\r\nsorry",
      /does not let this machine reach team\.example\.com:443 \(403\): ask who runs it/,
    ],
    ["cannot get there", "HTTP/1.1 502 Bad\r\n\r\n", /cannot reach team\.example\.com:443, or will not \(502\)/],
    ["sends elsewhere", "HTTP/1.1 302 Found\r\nlocation: http://x/\r\n\r\n", /or will not \(302\)/],
    ["says more than yes", "HTTP/1.1 200 OK\r\n\r\n<html>", /is not a proxy/],
    ["is a mail server", "220 mail.example.com ESMTP\r\n", /is not a proxy/],
    ["has a head without end", `HTTP/1.1 200 OK\r\nx: ${"a".repeat(100_000)}`, /is not a proxy/],
    ["says nothing", "", /closed the connection/],
    ["breaks off in its head", "HTTP/1.1 200", /closed the connection|is not a proxy/],
  ])("that %s: said with its name and what to do", async (_, text, said) => {
    proxy.manner = { is: "answers", text };
    const told = await why();
    expect(told).toMatch(said);
    expect(told).toContain(`localhost:${proxy.port}`);
    expect(told).toMatch(/assent team proxy/);
  });

  it("that hangs up, or is not there", async () => {
    proxy.manner = { is: "hangs up" };
    expect(await why()).toMatch(/^the proxy localhost:\d+ closed the connection/);
    const address = proxy.address("u:s3cret");
    await proxy.close();
    const told = await why({ proxy: address });
    expect(told).toMatch(/^the proxy localhost:\d+ cannot be reached \(ECONNREFUSED\)/);
    expect(told).not.toContain("s3cret");
  });

  it("that hangs, before its yes or after it, or drips: given up in time, and no connection stays", async () => {
    const signal = new AbortController().signal;
    const way = { server: SERVER, ca: [OURS.cert], timeoutMs: 300, signal };
    proxy.manner = { is: "hangs" };
    await expect(connectThrough(proxy.address(), way)).rejects.toThrow(/the proxy localhost:\d+ does not answer: `assent team proxy/);
    proxy.manner = { is: "swallows" };
    await expect(connectThrough(proxy.address(), way)).rejects.toThrow(
      /nothing comes from team\.example\.com:443 through the proxy localhost:\d+/,
    );
    await vi.waitFor(() => expect(proxy.open).toBe(0), soon);
    const drips = await startRaw((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      const drip = setInterval(() => socket.write("x: 1\r\n"), 20);
      socket.on("close", () => clearInterval(drip));
    });
    await expect(connectThrough(drips.address, way)).rejects.toThrow("does not answer");
    drips.close();
    const given = new AbortController();
    proxy.manner = { is: "hangs" };
    const waits = connectThrough(proxy.address(), { ...way, timeoutMs: 60_000, signal: given.signal });
    given.abort();
    await expect(waits).rejects.toThrow("given up");
    await vi.waitFor(() => expect(proxy.open).toBe(0), soon);
  });

  it("that opens TLS, or leads to another server, gets no token", async () => {
    proxy.manner = { is: "intercepts" };
    expect(await why()).toMatch(/what comes through the proxy localhost:\d+ is not team\.example\.com:443 by its certificate/);
    expect(Buffer.concat(proxy.seen).includes(TOKEN)).toBe(false);
    proxy.manner = { is: "through" };
    expect(await why({ url: "https://other.example.com" })).toMatch(/is not other\.example\.com:443 by its certificate \(Hostname/);
    expect(await why({ url: "https://192.0.2.1" })).toMatch(/is not 192\.0\.2\.1:443 by its certificate/);
    expect(await why({ ca: undefined })).toMatch(/by its certificate/);
    expect(await why({ url: "http://127.0.0.1:1" })).toContain("what is not encrypted goes through no proxy");
    expect(await ask({ url: "https://127.0.0.1:8443" })).toMatchObject({ is: "answered" });
  });

  it("that breaks off in the middle: said with its name", async () => {
    proxy.manner = { is: "through", after: 200 };
    expect(await why()).toMatch(/the proxy localhost:\d+/);
    proxy.manner = { is: "through" };
    expect(await ask()).toMatchObject({ is: "answered" });
  });

  it("what the server tells as it happens comes through, with its beats, until the proxy is gone", async () => {
    let beats = 0;
    const heard = hearServer(at(), "/events", (event) => void (event === "beat" && (beats += 1)), new AbortController().signal);
    await vi.waitFor(() => expect(beats).toBeGreaterThan(5), soon);
    proxy.cut();
    expect(await heard).toMatchObject({ is: "ended", why: expect.stringMatching(/through the proxy localhost:\d+/) as unknown });
    const over = new AbortController();
    const again = hearServer(at(), "/events", () => over.abort(), over.signal);
    expect(await again).toMatchObject({ is: "ended" });
    await vi.waitFor(() => expect(proxy.open).toBe(0), soon);
  });
});

describe.skipIf(!HAS_CLIENT)("a machine behind a proxy", () => {
  onEveryDatabase("of a team", (where) => {
    let server: TestServer;
    let front: TlsServer;
    let proxy: TestProxy;
    const children: ChildProcess[] = [];
    beforeEach(async () => {
      server = await TestServer.start(await where.fresh());
      server.now = new Date();
      const port = Number(new URL(server.base).port);
      front = createTlsServer(OURS, (socket) => {
        const to = connect(port, "127.0.0.1");
        socket.on("error", () => to.destroy()).on("close", () => to.destroy());
        to.on("error", () => socket.destroy()).on("close", () => socket.destroy());
        socket.pipe(to).pipe(socket);
      });
      await listen(front);
      proxy = await TestProxy.start(portOf(front));
      proxy.wants = "u:s3cret";
    });
    afterEach(async () => {
      for (const child of children.splice(0)) child.kill("SIGKILL");
      await proxy.close();
      front.close();
      await server.close();
    });

    // Whatever the database is, the way there is the same.
    it.runIf(where.kind === "embedded")(
      "joins by HTTPS_PROXY; the judge that stays, which has no environment, goes the same way, and nothing is lost when the proxy fails",
      async () => {
        const place = scratch();
        const run = (words: readonly string[], env: Readonly<Record<string, string>> = {}) => {
          const child = spawn(process.execPath, [join(DIST, "bin.cjs"), ...words], {
            cwd: place.project,
            env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: place.home, ...env },
            stdio: ["ignore", "pipe", "pipe"],
          });
          children.push(child);
          const text = { said: "" };
          for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => (text.said += part.toString()));
          return { text, ended: once(child, "close").then(() => child.exitCode) };
        };
        const refused = run(["team", "join", SERVER, "--ca", ca], { HTTPS_PROXY: proxy.address("u:wr0ng") });
        expect(await refused.ended).toBe(1);
        expect(refused.text.said).toMatch(/the proxy localhost:\d+ does not take the name and the password/);
        const joining = run(["team", "join", SERVER, "--ca", ca, "--json"], {
          HTTPS_PROXY: proxy.address("u:s3cret"),
          NO_PROXY: "other.example.com",
        });
        await vi.waitFor(() => expect(joining.text.said).toContain('"code":"'), soon);
        const admin = await server.admin();
        server.now = new Date();
        await server.form("/confirm", { code: /"code":"([\w-]+)"/.exec(joining.text.said)?.[1] ?? "" }, admin);
        expect(await joining.ended).toBe(0);
        const file = join(stateFolder(place.machine), "team-member/membership.json");
        expect(statSync(file).mode & 0o777).toBe(0o600);
        expect(readFileSync(file, "utf8")).toContain("u:s3cret@");
        const membership = readMembership(place.machine);
        if (typeof membership === "string") throw new Error(membership);

        const decide = (command: string): void => {
          const call = { tool: "shell", input: { command }, cwd: place.project, session: "s1" };
          expect(assent(place, ["check", "--agent", "generic"], JSON.stringify(call)).stdout).toContain("decision");
        };
        const records = async (): Promise<number> =>
          (await server.db.rows(Count, "select count(*)::int as count from log where machine = $1", [membership.machine]))[0]?.count ?? 0;
        children.push(await startJudge(place));
        const connected = () =>
          vi.waitFor(() => expect([readSender(place.machine)?.by, isTeamReached(place.machine)]).toEqual(["daemon", true]), soon);
        await connected();
        decide("echo a");
        await vi.waitFor(async () => expect(await records()).toBe(1), soon);

        const about = { point: "hook", agent: "claude", what: "run weird", reason: "no rule allows it", folder: "~" } as const;
        const asked = askRemote(place.machine, {
          request: hashRequest(["x"]),
          asked: Date.now(),
          until: Date.now() + 600_000,
          people: 1,
          passkeys: undefined,
          about,
        });
        const approver = await server.person("Ada", "approver");
        server.now = new Date();
        const shown = async () => v.parse(Listed, JSON.parse((await server.get("/questions.json", approver)).text)).questions;
        await vi.waitFor(async () => expect((await shown()).map(({ id }) => id)).toEqual([asked.id]), soon);
        await server.form("/answer", { machine: membership.machine, id: asked.id, request: asked.request, answer: "allow" }, approver);
        await vi.waitFor(() => expect(readAnswer(place.machine, asked)).toMatchObject({ answer: "allow", by: ["Ada"] }), soon);

        proxy.manner = { is: "answers", text: "HTTP/1.1 403 No\r\n\r\n" };
        proxy.cut();
        decide("echo b");
        await vi.waitFor(() => expect(isTeamReached(place.machine)).toBe(false), soon);
        const away = run(["team", "status"]);
        expect(await away.ended).toBe(1);
        expect(away.text.said).toMatch(/\n {2}through the proxy localhost:\d+\n[^]*does not let this machine reach team\.example\.com:443/);
        expect(away.text.said).not.toContain("s3cret");

        // Another one is taken only if it leads there; then the sender goes that way by itself.
        const other = await TestProxy.start(portOf(front));
        const wrong = run(["team", "proxy", proxy.address("u:s3cret")]);
        expect(await wrong.ended).toBe(1);
        expect(readMembership(place.machine)).toEqual(membership);
        const changed = run(["team", "proxy", "environment"], { https_proxy: other.address() });
        expect([await changed.ended, changed.text.said]).toEqual([0, `${SERVER} is reached through the proxy localhost:${other.port}.\n`]);
        expect(readMembership(place.machine)).toEqual({ ...membership, proxy: other.address() });
        await vi.waitFor(async () => expect(await records()).toBe(2), soon);
        await connected();
        const status = run(["team", "status", "--json"], { HTTPS_PROXY: "http://127.0.0.1:1" });
        expect(await status.ended).toBe(0);
        expect(JSON.parse(status.text.said)).toMatchObject({
          team: { proxy: `localhost:${other.port}`, unsent: 0, server: { head: { epoch: 1, seq: 2 } } },
        });
        for (const each of [proxy, other]) {
          expect(new Set(each.asked.map(({ target }) => target))).toEqual(new Set([TARGET]));
          const seen = Buffer.concat(each.seen);
          expect(seen.length).toBeGreaterThan(1000);
          expect([membership.token, "Bearer", "echo ", "run weird"].filter((word) => seen.includes(word))).toEqual([]);
        }
        await other.close();
      },
    );
  });
});
