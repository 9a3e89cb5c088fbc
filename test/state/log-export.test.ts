import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { Claim, openOtlp, pump, type Pump, type Pumped } from "@assent/guard/audit/export";
import { appendAudit, KEEP, type Keep, verifyLog } from "@assent/guard/audit";
import { stateFolder } from "@assent/guard/state";
import { assent, DIST, scratch, type Scratch } from "../scratch.ts";

// The log sent to a collector: a real receiver of OTLP over HTTP, as good and as bad as they come.

/** Of nobody, for nothing else: `openssl req -x509 -newkey ec …`. */
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQglhJudIn9FviQ8aro
2/4LALmXNUUNQ00Ew8OMajCrErahRANCAASgQnaUVpFH0CX6WW0+nrad5+6jIdA7
eCbifoPBGui2S26wQFdQhKcbvFMJ1N3omsTN7b93imW9ycqinuGiByak
-----END PRIVATE KEY-----
`;
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBfzCCASSgAwIBAgITWYd5C6I2lx+YwNbLzWqOtAwZJjAKBggqhkjOPQQDAjAU
MRIwEAYDVQQDDAlsb2NhbGhvc3QwIBcNMjYxMTIyMTI1MDU3WhgPMjEyNjEwMjkx
MjUwNTdaMBQxEjAQBgNVBAMMCWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49
AwEHA0IABKBCdpRWkUfQJfpZbT6etp3n7qMh0Dt4JuJ+g8Ea6LZLbrBAV1CEpxu8
UwnU3eiaxM3tv3eKZb3JyqKe4aIHJqSjUzBRMB0GA1UdDgQWBBRF+HSWawMXXURg
5neXroba7FXp3TAfBgNVHSMEGDAWgBRF+HSWawMXXURg5neXroba7FXp3TAPBgNV
HRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0kAMEYCIQCC5iLr0xwwl2Sf4M9M1CeZ
4QoctP8yJXRMqjRB3tQGEAIhANlV8dRgI6BeC+D/RXfVHbjx8Gv1O+wGcdpskuua
vvHT
-----END CERTIFICATE-----
`;

interface OtlpValue {
  readonly stringValue?: string;
  readonly intValue?: number;
  readonly arrayValue?: { readonly values: readonly OtlpValue[] };
}
interface OtlpRecord {
  readonly timeUnixNano: string;
  readonly severityText: string;
  readonly severityNumber: number;
  readonly body: OtlpValue;
  readonly eventName: string;
  readonly traceId?: string;
  readonly attributes: readonly { readonly key: string; readonly value: OtlpValue }[];
}
interface OtlpRequest {
  readonly resourceLogs: readonly {
    readonly resource: { readonly attributes: OtlpRecord["attributes"] };
    readonly scopeLogs: readonly { readonly scope: { readonly name: string }; readonly logRecords: readonly OtlpRecord[] }[];
  }[];
}

type Behaviour = (request: IncomingMessage, response: ServerResponse, body: string) => void;
const takes: Behaviour = (_request, response) => void response.writeHead(200, { "content-type": "application/json" }).end("{}");
const says =
  (status: number, headers: Record<string, string> = {}, body = ""): Behaviour =>
  (_request, response) =>
    void response.writeHead(status, headers).end(body);

interface Receiver {
  readonly url: string;
  readonly port: number;
  /** Of what it took. */
  readonly seqs: () => readonly number[];
  readonly requests: { readonly headers: IncomingMessage["headers"]; readonly path: string; readonly body: OtlpRequest }[];
  readonly records: OtlpRecord[];
}

const recordsOf = (request: OtlpRequest): readonly OtlpRecord[] =>
  request.resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords));
const attribute = (record: OtlpRecord, key: string): OtlpValue | undefined => record.attributes.find((each) => each.key === key)?.value;

/** Behaves as listed, one after the other, then takes everything. */
async function receiver(behaviours: readonly Behaviour[] = [], port = 0, make: (on: Behaviour) => Server = plain): Promise<Receiver> {
  const requests: Receiver["requests"] = [];
  const records: OtlpRecord[] = [];
  let at = 0;
  const server = make((request, response, body) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the SDK sends
    const parsed = JSON.parse(body) as OtlpRequest;
    requests.push({ headers: request.headers, path: request.url ?? "", body: parsed });
    response.once("finish", () => {
      if (response.statusCode === 200) records.push(...recordsOf(parsed));
    });
    (behaviours[at++] ?? takes)(request, response, body);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const own = typeof address === "object" && address !== null ? address.port : 0;
  const seqs = (): readonly number[] => records.flatMap((record) => attribute(record, "assent.log.seq")?.intValue ?? []);
  return { url: `http://127.0.0.1:${own}`, port: own, seqs, requests, records };
}

const plain = (on: Behaviour): Server => createServer(listener(on));

function listener(on: Behaviour) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => on(request, response, Buffer.concat(parts).toString("utf8")));
  };
}

const line = (number: number, more: object = {}): string =>
  JSON.stringify({
    v: 1,
    time: "2026-03-04T05:06:07.089Z",
    point: "hook",
    agent: "claude",
    session: "s1",
    tool: "Bash",
    input: { command: `ls ${number}` },
    verdict: "allow",
    basis: "knowledge",
    answer: "allow",
    reason: "only reads",
    actions: [{ action: "exec ls", verdict: "allow" }],
    ...more,
  });

function written(place: Scratch, count: number, keep: Keep = KEEP): string {
  for (let at = 0; at < count; at += 1) expect(appendAudit(place.machine, line(at), keep)).toBeUndefined();
  return stateFolder(place.machine);
}

const numbers = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at);

async function sent(
  folder: string,
  url: string,
  more: Partial<Pump> = {},
  headers: Record<string, string> = {},
): Promise<Pumped & { readonly said: string }> {
  const sender = openOtlp({ endpoint: url, headers, timeoutMs: 500, version: "1.2.3" });
  const said: string[] = [];
  const pumped = await pump({
    folder,
    claim: new Claim(folder),
    sender,
    follow: false,
    ended: async () => true,
    notice: (text) => void said.push(text),
    now: Date.now,
    ...more,
  });
  await sender.end();
  return { ...pumped, said: said.join("\n") };
}

describe("what is sent", () => {
  it("every record once, in order, as OpenTelemetry has logs", async () => {
    const place = scratch();
    const folder = written(place, 3);
    appendAudit(
      place.machine,
      line(3, {
        verdict: "deny",
        basis: "rule",
        rule: { text: "Bash(rm:*)", file: "/p", line: 3 },
        reason: "no",
        subagent: "reviewer:a1",
        input: { command: "rm -rf x" },
        actions: [
          { action: "exec rm -rf x", verdict: "deny" },
          { action: "delete x", verdict: "ask" },
        ],
      }),
    );
    const collector = await receiver();
    expect(await sent(folder, collector.url)).toEqual({ records: 4, said: "" });
    expect(collector.seqs()).toEqual([1, 2, 3, 4]);
    const [request] = collector.requests;
    expect(request?.path).toBe("/v1/logs");
    expect(request?.body.resourceLogs[0]?.resource.attributes).toContainEqual({ key: "service.name", value: { stringValue: "assent" } });
    expect(request?.body.resourceLogs[0]?.scopeLogs[0]?.scope.name).toBe("assent");
    expect(collector.records[3]).toMatchObject({
      timeUnixNano: "1772600767089000000",
      severityText: "ERROR",
      severityNumber: 17,
      eventName: "assent.decision",
      body: { stringValue: "deny Bash rm -rf x: no" },
    });
    const of = (key: string): unknown => collector.records[3] && attribute(collector.records[3], key);
    expect(of("assent.verdict")).toEqual({ stringValue: "deny" });
    expect(of("assent.rule.line")).toEqual({ intValue: 3 });
    expect(of("gen_ai.tool.name")).toEqual({ stringValue: "Bash" });
    expect(of("assent.subagent")).toEqual({ stringValue: "reviewer:a1" });
    expect(of("assent.input")).toEqual({ stringValue: '{"command":"rm -rf x"}' });
    expect(of("assent.actions")).toEqual({
      arrayValue: { values: [{ stringValue: "deny exec rm -rf x" }, { stringValue: "ask delete x" }] },
    });
    expect(collector.records[3]?.traceId ?? "").toBe("");
  });

  it("in messages of bounded size, and only what is new", async () => {
    const place = scratch();
    const folder = written(place, 1100);
    const collector = await receiver();
    expect((await sent(folder, collector.url)).records).toBe(1100);
    expect(collector.requests.map(({ body }) => recordsOf(body).length)).toEqual([512, 512, 76]);
    expect((await sent(folder, collector.url)).records).toBe(0);
    written(place, 2);
    expect((await sent(folder, collector.url)).records).toBe(2);
    expect(collector.seqs()).toEqual(numbers(1, 1102));
  });

  it("across the files it is put aside in; torn lines are left out", async () => {
    const place = scratch();
    const folder = written(place, 5);
    writeFileSync(join(folder, "audit.jsonl"), '{"v":1,"ti', { flag: "a" });
    written(place, 20, { ...KEEP, segmentBytes: 2000 });
    const collector = await receiver();
    await sent(folder, collector.url);
    written(place, 20, { ...KEEP, segmentBytes: 2000 });
    await sent(folder, collector.url);
    expect(collector.seqs().toSorted((a, b) => a - b)).toEqual(numbers(1, verifyLog(folder).records));
  });

  it("when the file is put aside after a part of it was sent, the rest follows", async () => {
    const place = scratch();
    const folder = written(place, 5);
    const collector = await receiver();
    await sent(folder, collector.url);
    written(place, 5);
    renameSync(join(folder, "audit.jsonl"), join(folder, "audit-000001.jsonl"));
    written(place, 5);
    await sent(folder, collector.url);
    expect(collector.seqs()).toEqual(numbers(1, 15));
  });

  it("the secrets that headers are do not show", async () => {
    const place = scratch();
    const folder = written(place, 1);
    const collector = await receiver([
      says(401, {}, "bad token hunter2secret"),
      (_request, response) => response.writeHead(403, "no hunter2secret").end(),
    ]);
    const first = await sent(folder, collector.url, {}, { authorization: "hunter2secret" });
    const second = await sent(folder, collector.url, {}, { authorization: "hunter2secret" });
    expect(collector.requests[0]?.headers.authorization).toBe("hunter2secret");
    expect(`${first.problem} ${second.problem}`).toContain("403 no [redacted]");
    expect(`${first.problem} ${second.problem}`).not.toContain("hunter2");
    expect(
      readdirSync(folder)
        .map((name) => readFileSync(join(folder, name), "utf8"))
        .join(),
    ).not.toContain("hunter2");
  });
});

describe("a collector that does not take it", () => {
  const secure = (on: Behaviour): Server => createSecureServer({ key: KEY, cert: CERTIFICATE }, listener(on));

  it.each<readonly [string, Behaviour, RegExp]>([
    ["is overloaded", says(503), /retryable/],
    ["says when to come again, later than a message lasts", says(503, { "retry-after": "60" }), /retryable/],
    ["is too slow", () => undefined, /timed out/],
    ["hangs up", (request) => request.socket.destroy(), /hang up|ECONNRESET/],
    ["does not know us", says(401), /^401/],
    ["is not there", says(404, {}, "<html>"), /^404/],
    ["fails", says(500), /^500/],
    ["sends us elsewhere", says(302, { location: "http://127.0.0.1:9/" }), /^302/],
    ["is a login page", says(200, { "content-type": "text/html" }, "<html>welcome"), /not a collector/],
  ])("%s: says so, keeps it, and sends it the next time", async (_what, behaviour, problem) => {
    const place = scratch();
    const folder = written(place, 3);
    // The SDK asks again while a message lasts.
    const collector = await receiver([behaviour]);
    const first = await sent(folder, collector.url);
    expect(first.problem).toMatch(problem);
    expect(first.records).toBe(0);
    expect((await sent(folder, collector.url)).problem).toBeUndefined();
    expect([...new Set(collector.seqs())]).toEqual([1, 2, 3]);
  });

  it("is down, comes up while we follow the log: nothing is lost, nothing sent twice", async () => {
    const place = scratch();
    const folder = written(place, 3);
    const spare = createTcpServer().listen(0, "127.0.0.1");
    await once(spare, "listening");
    const address = spare.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    spare.close();
    await once(spare, "close");
    let collector: Receiver | undefined;
    const pauses: number[] = [];
    const { said, records } = await sent(folder, `http://127.0.0.1:${port}`, {
      follow: true,
      ended: async (pause) => {
        pauses.push(pause);
        if (pauses.length === 2) {
          written(place, 3);
          collector = await receiver([says(503)], port);
        }
        return pauses.length === 5;
      },
    });
    expect(collector?.seqs()).toEqual(numbers(1, 6));
    expect(records).toBe(6);
    expect(said).toMatch(/the collector is away: .*ECONNREFUSED[\s\S]*takes records again/);
    // Patience grows, and is over with the first success.
    expect(pauses[1]).toBeGreaterThan(1500);
  });

  it("says Retry-After: is asked again then, not before", async () => {
    const place = scratch();
    const folder = written(place, 1);
    const collector = await receiver([says(503, { "retry-after": "1" })]);
    const sender = openOtlp({ endpoint: collector.url, headers: {}, timeoutMs: 5000, version: "1" });
    const start = performance.now();
    await pump({
      folder,
      claim: new Claim(folder),
      sender,
      follow: false,
      ended: async () => true,
      notice: () => undefined,
      now: Date.now,
    });
    await sender.end();
    expect(collector.seqs()).toEqual([1]);
    expect(performance.now() - start).toBeGreaterThan(990);
  });

  it("takes only small messages: gets small ones", async () => {
    const place = scratch();
    const folder = written(place, 9);
    const picky: Behaviour = (request, response, body) =>
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the SDK sends
      (recordsOf(JSON.parse(body) as OtlpRequest).length > 2 ? says(413) : takes)(request, response, body);
    const collector = await receiver(Array.from({ length: 30 }, () => picky));
    expect((await sent(folder, collector.url)).problem).toBeUndefined();
    expect(collector.seqs()).toEqual(numbers(1, 9));
  });

  it("takes a part: says which it did not want, and is not asked again (OTLP, Partial Success)", async () => {
    const place = scratch();
    const folder = written(place, 2);
    const collector = await receiver([says(200, {}, '{"partialSuccess":{"rejectedLogRecords":"1","errorMessage":"too old"}}')]);
    expect((await sent(folder, collector.url)).said).toContain("too old");
    expect(collector.requests).toHaveLength(1);
  });

  it("has a certificate nobody vouches for: is sent nothing", async () => {
    const place = scratch();
    const folder = written(place, 1);
    const collector = await receiver([], 0, secure);
    expect((await sent(folder, collector.url.replace("http:", "https:"))).problem).toMatch(/SELF_SIGNED/);
    expect(collector.requests).toEqual([]);
  });
});

describe("who sends", () => {
  it("one process at a time; one that died is followed", async () => {
    const place = scratch();
    const folder = written(place, 1);
    const other = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
    onTestFinished(() => void other.kill("SIGKILL"));
    expect(new Claim(folder, other.pid).take(Date.now())).toMatchObject({ position: { seq: 0 } });
    expect(new Claim(folder).take(Date.now())).toEqual({ problem: `process ${other.pid} is sending the log already` });
    other.kill("SIGKILL");
    await once(other, "exit");
    expect(new Claim(folder).take(Date.now())).toMatchObject({ position: { seq: 0 } });
  });

  it("killed before it noted what it sent: sends that message again, and no other", async () => {
    const place = scratch();
    const folder = written(place, 600);
    const collector = await receiver();
    await sent(folder, collector.url);
    const note = readFileSync(join(folder, "audit.exported"));
    written(place, 2);
    await sent(folder, collector.url);
    writeFileSync(join(folder, "audit.exported"), note);
    await sent(folder, collector.url);
    expect(collector.seqs()).toEqual([...numbers(1, 602), 601, 602]);
  });

  it("a note that is damaged begins anew", async () => {
    const place = scratch();
    const folder = written(place, 2);
    const collector = await receiver();
    await sent(folder, collector.url);
    writeFileSync(join(folder, "audit.exported"), '{"segment":"x"');
    await sent(folder, collector.url);
    expect(collector.seqs()).toEqual([1, 2, 1, 2]);
  });
});

describe("what is kept until it is sent", () => {
  const small = { ...KEEP, segmentBytes: 1500, sent: true };
  const age = (folder: string): void => {
    const old = new Date(Date.now() - 100 * 86_400_000);
    for (const name of readdirSync(folder)) if (name.startsWith("audit-")) utimesSync(join(folder, name), old, old);
  };

  it("what is too old, but was not sent yet, stays; once it was sent it goes", async () => {
    const place = scratch();
    const folder = written(place, 30, small);
    age(folder);
    written(place, 10, small);
    expect(readdirSync(folder)).toContain("audit-000001.jsonl");
    const collector = await receiver();
    await sent(folder, collector.url);
    age(folder);
    written(place, 10, small);
    expect(readdirSync(folder)).not.toContain("audit-000001.jsonl");
    expect(verifyLog(folder).flaws).toEqual([]);
  });

  it("above the size that is kept it goes all the same: the log says so, and so does what is sent", async () => {
    const place = scratch();
    const folder = written(place, 2, small);
    const collector = await receiver();
    await sent(folder, collector.url);
    written(place, 60, { ...small, bytes: 6000 });
    expect(
      readFileSync(join(folder, "audit.jsonl"), "utf8") +
        readdirSync(folder)
          .filter((name) => name.startsWith("audit-"))
          .map((name) => readFileSync(join(folder, name), "utf8"))
          .join(""),
    ).toContain('"unsent":true');
    const { said } = await sent(folder, collector.url);
    expect(said).toMatch(/^\d+ records were dropped before they could be sent/);
    expect(collector.records.some(({ eventName, severityText }) => eventName === "assent.log" && severityText === "WARN")).toBe(true);
    expect(verifyLog(folder).flaws).toEqual([]);
  });
});

describe("assent log export", () => {
  const shown = ({ status, stderr }: { readonly status: number | null; readonly stderr: string }): string => `${status} ${stderr}`;

  it("prints JSON Lines, and writes them into a new file only", () => {
    const place = scratch();
    const folder = written(place, 3);
    const stored = readFileSync(join(folder, "audit.jsonl"), "utf8");
    expect(assent(place, ["log", "export"])).toEqual({ status: 0, stdout: stored, stderr: "" });
    expect(assent(place, ["log", "export", "--to", "-"]).stdout).toBe(stored);
    expect(assent(place, ["log", "export", "--to", "out.jsonl"]).status).toBe(0);
    expect(readFileSync(join(place.project, "out.jsonl"), "utf8")).toBe(stored);
    expect(statSync(join(place.project, "out.jsonl")).mode & 0o777).toBe(0o600);
    expect(shown(assent(place, ["log", "export", "--to", "out.jsonl"]))).toMatch(/^1 .*is there already/);
    expect(assent(place, ["log", "export", "--since", "1h"]).stdout).toBe("");
    expect(assent(place, ["log", "export", "--since", "2026-03-04"]).stdout).toBe(stored);
  });

  const asks = (place: Scratch, args: readonly string[], env: Record<string, string> = {}) =>
    new Promise<{ readonly status: number | null; readonly stderr: string }>((resolve) => {
      const child = spawn(process.execPath, [join(DIST, "bin.cjs"), "log", "export", "--otlp", ...args], {
        cwd: place.project,
        env: { PATH: "/usr/bin:/bin", HOME: place.home, ...env },
        stdio: ["ignore", "ignore", "pipe"],
      });
      let stderr = "";
      child.stderr.on("data", (part: Buffer) => {
        stderr += part.toString();
      });
      child.on("close", (status) => resolve({ status, stderr }));
    });

  it("sends to the collector of the person's own policy, with headers from the environment", async () => {
    const place = scratch();
    written(place, 2);
    const collector = await receiver();
    place.write(
      "~/.agent-permissions.jsonc",
      JSON.stringify({ audit: { otlp: { endpoint: collector.url, headers: { "x-key": "MY_KEY" } } } }),
    );
    expect(shown(await asks(place, []))).toContain(`2 assent log export: the variable MY_KEY is not set`);
    expect(shown(await asks(place, [], { MY_KEY: "a\nb" }))).toContain(`2 assent log export: the value of MY_KEY cannot be a header`);
    expect(
      await asks(place, [], { MY_KEY: "k1", OTEL_EXPORTER_OTLP_HEADERS: "evil=1", OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: "http://127.0.0.1:9" }),
    ).toEqual({ status: 0, stderr: "2 records sent\n" });
    expect(collector.requests[0]?.headers).toMatchObject({ "x-key": "k1" });
    expect(collector.requests[0]?.headers).not.toHaveProperty("evil");
  });

  it("a project, a trusted one too, and a variable name no collector", async () => {
    const place = scratch();
    written(place, 1);
    const collector = await receiver();
    const policy = JSON.stringify({ audit: { otlp: { endpoint: collector.url } } });
    place.write(".agent-permissions.jsonc", policy);
    const other = place.write("other.jsonc", policy);
    assent(place, ["trust", "--yes"]);
    for (const env of [{}, { ASSENT_POLICY: other }, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }] as Record<string, string>[])
      expect(shown(await asks(place, [], env))).toContain(`2 assent log export: no collector is named`);
    expect(collector.requests).toEqual([]);
  });

  it("follows the log until it is told to end; a hook waits for nothing", async () => {
    const place = scratch();
    written(place, 1);
    const collector = await receiver();
    place.write("~/.agent-permissions.jsonc", JSON.stringify({ audit: { otlp: { endpoint: collector.url } } }));
    const child = spawn(process.execPath, [join(DIST, "bin.cjs"), "log", "export", "--otlp", "--follow"], {
      cwd: place.project,
      env: { PATH: "/usr/bin:/bin", HOME: place.home },
      stdio: ["ignore", "ignore", "pipe"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    await expect.poll(() => collector.seqs(), { timeout: 20_000 }).toEqual([1]);
    written(place, 3);
    await expect.poll(() => collector.seqs(), { timeout: 20_000 }).toEqual([1, 2, 3, 4]);
    child.kill("SIGTERM");
    await once(child, "exit");
    expect(child.exitCode).toBe(0);
  });
});
