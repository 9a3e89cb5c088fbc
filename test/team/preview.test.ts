import fs, { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { readRecord } from "@assent/guard/audit";
import { previewInThread } from "../../packages/assent/src/cli/preview-thread.ts";
import { judgePast, previewPolicies } from "@assent/page/preview";
import { hashStatement, makeKeyPair, type PolicyVersion, type Signed, signStatement } from "@assent/guard/signature";
import { thisMachine } from "@assent/guard/state";
import { historyOf } from "@assent/guard/suggest";
import { chainRecords, chainStart, type PolicyPreview, type PreviewAsk } from "@assent/team/team/protocol";
import { DIST } from "../scratch.ts";
import { organisationOf } from "@assent/team-server/enrol";
import { addFirstKey, pushPolicy, releasePolicy } from "@assent/team-server/policies";
import { onEveryDatabase } from "./harness/databases.ts";
import { type TestMachine, TestServer } from "./harness/server.ts";

/** What the page says a version would change, before it is released. */

const deny = (...commands: readonly string[]): string => JSON.stringify({ permissions: { deny: commands.map((one) => `Bash(${one})`) } });
const MARK = `echo "'><img src=x onerror=alert(1)>"`;

const bodyOf = (command: string, more: object = {}): string =>
  JSON.stringify({
    v: 1,
    time: "2026-11-20T09:00:00.000Z",
    point: "hook",
    agent: "claude",
    tool: "Bash",
    input: { command },
    subject: command,
    cwd: "/home/bob/project",
    verdict: "allow",
    reason: "only looks",
    ...more,
  });

onEveryDatabase("the preview of a policy", (place) => {
  const key = makeKeyPair();
  let server: TestServer;
  let admin: { readonly cookie: string };
  let asked: PreviewAsk[] = [];
  let judge: (ask: PreviewAsk) => Promise<PolicyPreview>;
  let previous: Signed<PolicyVersion> | undefined;

  beforeEach(async () => {
    asked = [];
    previous = undefined;
    judge = (ask) => previewInThread(ask, join(DIST, "policy-preview.mjs"));
    server = await TestServer.start(await place.fresh(), [], {
      preview: (ask) => {
        asked.push(ask);
        return judge(ask);
      },
    });
    await addFirstKey(server.db, key.publicKey, "a test", server.now);
    admin = await server.admin();
  });
  afterEach(() => server.close());

  async function push(policy: string, group = "default"): Promise<number> {
    const version = previous?.statement.group === group ? previous.statement.version + 1 : 1;
    previous = signStatement<PolicyVersion>(
      {
        is: "policy",
        organisation: await organisationOf(server.db),
        group,
        version,
        previous: version === 1 ? null : hashStatement(previous!.statement),
        made: server.now.toISOString(),
        expires: null,
        renewal: null,
        policy,
      },
      key,
    );
    await pushPolicy(server.db, previous, server.now);
    return version;
  }
  const release = (version: number, percent = 100) =>
    releasePolicy(server.db, { group: "default", version, percent }, "a test", server.now);
  async function send({ machine, token }: TestMachine, bodies: readonly string[]): Promise<void> {
    const start = chainStart(machine, 1);
    const records = bodies.map((body) => ({ body, salt: "s".repeat(22) }));
    const message = { v: 1, epoch: 1, after: start, records, hash: chainRecords(start, records).at(-1)!.hash };
    const { status, text } = await server.post("/v1/log", message, token);
    if (status !== 200) throw new Error(text);
  }
  const page = async (version: number, group = "default", who: { readonly cookie: string } = admin) =>
    server.get(`/policy?group=${group}&version=${version}`, who);
  const textOf = async (version: number, group = "default"): Promise<string> => (await page(version, group)).text.replace(/\s+/g, " ");

  it("says how many decisions become stricter, looser, and stay, and then which", async () => {
    await send(await server.join(), [bodyOf("echo 1"), bodyOf("echo 1"), bodyOf("echo 2"), bodyOf("echo 3"), bodyOf("cat [redacted]")]);
    await release(await push(deny("echo 2")));
    const text = await textOf(await push(deny("echo 1")));
    expect(text).toContain("2 stricter, 1 looser, 1 the same</strong>, against version 1");
    expect(text).toContain("5 decisions of the last 7 days on 1 machine of default");
    expect(text).toContain("1 cannot be judged again");
    const words = text.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
    expect(words).toContain(" 1 looser deny allow echo 2 ");
    expect(words).toContain(" 2 stricter allow deny echo 1 ");
  });

  it("is for the group that the version is meant for, and for what is not out to all", async () => {
    await send(await server.join("box"), [bodyOf("echo 1")]);
    const first = await push(deny("echo 1"));
    expect(await textOf(first)).toContain("1 stricter, 0 looser, 0 the same</strong>, against no policy of the team");
    await release(first, 10);
    expect(await textOf(first)).toContain("1 stricter");
    await release(first);
    expect(await textOf(first)).not.toContain("What it would change");
    expect(await textOf(await push(deny("echo 1"), "ci"), "ci")).toContain("The machines of ci have sent no decisions in the last 7 days");
    expect(asked.at(-1)?.bodies).toEqual([]);
  });

  it("shows what machines sent as text", async () => {
    await send(await server.join(), [bodyOf(MARK), bodyOf("echo \u202e1")]);
    const text = await textOf(await push(JSON.stringify({ permissions: { deny: ["Bash(echo:*)"] } })));
    expect(text).toContain("&lt;img src=x");
    expect(text).not.toContain("<img");
    expect(text).not.toContain("\u202e");
  });

  it("is made once for who loads the page again, and says where it cannot be made", async () => {
    const version = await push(deny("echo 1"));
    await send(await server.join(), [bodyOf("echo 1")]);
    admin = await server.admin();
    await Promise.all([page(version), page(version), page(version)]);
    await page(version);
    expect(asked.length).toBe(1);
    server.pass(61_000);
    judge = () => Promise.reject(new Error("it takes too long"));
    expect(await textOf(version)).toContain("assent team policy preview 1 --group default");
    let done: (() => void) | undefined;
    judge = (ask) => new Promise((resolve) => (done = () => resolve(previewPolicies(ask))));
    const waits = page(version);
    await expect.poll(() => done, { timeout: 60_000 }).toBeDefined();
    expect(await textOf(await push(deny("echo 1"), "ci"), "ci")).toContain("Another version is being looked at");
    done?.();
    expect((await waits).text).toContain("1 stricter");
  });

  it("is made for nobody but an administrator", async () => {
    const version = await push(deny("echo 1"));
    const left = await server.admin();
    await server.form("/sign-out", {}, left);
    const rows: readonly (readonly [{ readonly cookie: string }, number])[] = [
      [await server.person("Vera", "viewer"), 403],
      [await server.person("Ada", "approver"), 403],
      [await server.person("Theo", "approver", "default"), 403],
      [left, 401],
      [{ cookie: "assent_team=x" }, 401],
    ];
    for (const [who, status] of rows) expect((await page(version, "default", who)).status).toBe(status);
    expect(asked).toEqual([]);
  });
});

describe("what a record names is on another machine", () => {
  const scratch = mkdtempSync(join(tmpdir(), "assent-preview-"));
  afterAll(() => rmSync(scratch, { recursive: true }));
  beforeAll(() => {
    writeFileSync(join(scratch, "kept"), "");
    symlinkSync("kept", join(scratch, "link"));
    mkdirSync(join(scratch, "sub"));
    writeFileSync(join(scratch, "change.diff"), "--- a/kept\n+++ b/kept\n@@ -0,0 +1 @@\n+x\n");
  });

  const versionOf = (rule: string) => ({ group: "default", version: 1, policy: JSON.stringify({ permissions: { deny: [rule] } }) });
  const requests: readonly (readonly [what: string, command: string, rule: string])[] = [
    ["where a link leads", "cat link", `Read(/${scratch}/kept)`],
    ["what is a folder", "mv kept sub", `Edit(/${scratch}/sub/kept)`],
    ["what a patch says", "git apply change.diff", `Edit(/${scratch}/kept)`],
  ];
  it.each(requests)("%s is not looked at here, and would count: %s", (_, command, rule) => {
    const bodies = [bodyOf(command, { cwd: scratch })];
    const here = historyOf(bodies.flatMap((body) => readRecord(body) ?? [])).requests.map((past) =>
      judgePast(past, thisMachine(), {
        select: () => [{ layer: "managed", file: "v1", mayGrant: true, content: { is: "text", text: versionOf(rule).policy } }],
      }),
    );
    expect(here.map(({ verdict }) => verdict.decision)).toEqual(["deny"]);
    expect(previewPolicies({ after: versionOf(rule), bodies })).toMatchObject({ stricter: 0, looser: 0, same: 1 });
  });

  it("no policy file is looked for where a record says it was asked", () => {
    const looked = [vi.spyOn(fs, "statSync"), vi.spyOn(fs, "lstatSync"), vi.spyOn(fs, "openSync"), vi.spyOn(fs, "readFileSync")];
    syncBuiltinESMExports();
    try {
      const cwd = `${scratch}/deep/project`;
      previewPolicies({ after: versionOf("Bash(echo:*)"), bodies: [bodyOf("echo 1", { cwd }), bodyOf("cat a", { cwd })] });
      const files = looked.flatMap(({ mock }) => mock.calls.map(([file]) => String(file)));
      expect(files.filter((file) => file.endsWith(".jsonc") || file.startsWith(scratch))).toEqual([]);
    } finally {
      for (const spy of looked) spy.mockRestore();
      syncBuiltinESMExports();
    }
  });

  const homes: readonly (readonly [cwd: string, file: string, is: "stricter" | "same"])[] = [
    ["/home/bob/project", "/home/bob/notes/a", "stricter"],
    ["/Users/bob/project", "/Users/bob/notes/a", "stricter"],
    ["/Users/bob/project", "/Users/bob/Notes/a", "stricter"],
    ["/home/bob/project", "/home/bob/Notes/a", "same"],
    ["/home/bob/project", "/home/eve/notes/a", "same"],
    ["/workspace", "/root/notes/a", "stricter"],
  ];
  it.each(homes)("`~` is the home of whoever asked in %s: %s is %s", (cwd, file, is) => {
    const found = previewPolicies({
      after: versionOf("Read(~/notes/**)"),
      bodies: [bodyOf(file, { cwd, tool: "Read", input: { file_path: file } })],
    });
    expect(found).toMatchObject({ stricter: 0, same: 0, looser: 0, [is]: 1 });
  });
});
