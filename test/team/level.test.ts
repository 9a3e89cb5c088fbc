import { describe, expect, it } from "vitest";
import { appendAll, KEEP, withoutContents } from "@assent/guard/audit";
import { changeMembership, lastSent, readProgress, type SentLevel } from "@assent/team/team";
import { lineSent } from "../../packages/team/src/team/level.ts";
import type { LogBatch } from "@assent/team/team/protocol";
import { head, json, machineAt, send, taken } from "./harness/server-that-says.ts";

const LEFT = "[not sent]";
const MANY = "line\n".repeat(40);

describe("the content of files is never sent", () => {
  it.each<[string, unknown, unknown]>([
    ["Claude's Write", { file_path: "/p/a", content: "a word" }, { file_path: "/p/a", content: LEFT }],
    ["Edit", { file_path: "/p/a", old_string: "a", new_string: "b" }, { file_path: "/p/a", old_string: LEFT, new_string: LEFT }],
    [
      "MultiEdit",
      { file_path: "/p/a", edits: [{ old_string: "a", new_string: "b", replace_all: true }] },
      { file_path: "/p/a", edits: [{ old_string: LEFT, new_string: LEFT, replace_all: true }] },
    ],
    [
      "a notebook",
      { notebook_path: "/p/a.ipynb", new_source: "x", cell_id: "3" },
      { notebook_path: "/p/a.ipynb", new_source: LEFT, cell_id: "3" },
    ],
    ["OpenCode's write", { filePath: "/p/a", content: "x" }, { filePath: "/p/a", content: LEFT }],
    ["a server's tool", { path: "/p/a", fileText: "x", mode: "0644" }, { path: "/p/a", fileText: LEFT, mode: "0644" }],
    ["a list of lines", { target_file: "a", lines: ["x", "y"] }, { target_file: "a", lines: [LEFT, LEFT] }],
    ["several files", { files: [{ name: "a", path: "a", data: "x" }] }, { files: [{ name: "a", path: "a", data: LEFT }] }],
    ["a field of a content's", { path: "a", body: { kind: "x", rows: [["y"]] } }, { path: "a", body: { kind: LEFT, rows: [[LEFT]] } }],
    ["a long text of any name", { uri: "file:///a", whatever: MANY }, { uri: "file:///a", whatever: LEFT }],
    [
      "a patch",
      { input: "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch" },
      { input: `*** Begin Patch\n*** Update File: a\n*** End Patch\n${LEFT}` },
    ],
    [
      "a patch as the log has it",
      { patch: String.raw`diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-x\n+y` },
      { patch: `diff --git a/x b/x\n--- a/x\n+++ b/x\n${LEFT}` },
    ],
    [
      "a patch in a command",
      { command: "cd a && apply_patch <<'E'\n*** Begin Patch\n*** Add File: b\n+x\n*** End Patch\nE\nls" },
      { command: `cd a && apply_patch <<'E'\n*** Begin Patch\n*** Add File: b\n*** End Patch\n${LEFT}\nE\nls` },
    ],
    [
      "a patch in a list of words, cut off",
      { command: ["apply_patch", "*** Begin Patch\n*** Update File: b\n-*** Add File: words\n+y…"] },
      { command: ["apply_patch", `*** Begin Patch\n*** Update File: b\n${LEFT}`] },
    ],
    [
      "lines of files that look like a patch's",
      { diff: "--- a/q.sql\n+++ b/q.sql\n@@ -1,2 +1,2 @@ words of a function\n--- an old comment\n+++ a new one\n x\n--- a/z\n+++ b/z" },
      { diff: `--- a/q.sql\n+++ b/q.sql\n--- a/z\n+++ b/z\n${LEFT}` },
    ],
    [
      "a file that begins like a patch, or has one in it",
      { path: "a.yml", content: "--- a\nrename words", body: "words *** Begin Patch" },
      { path: "a.yml", content: LEFT, body: LEFT },
    ],
    ["an empty file", { file_path: "/p/a", content: "" }, { file_path: "/p/a", content: LEFT }],
    // What is no content stays as it is.
    ["a command", { command: `cat > a <<E\n${MANY}E` }, { command: `cat > a <<E\n${MANY}E` }],
    ["a search", { path: "src", pattern: MANY, query: MANY }, { path: "src", pattern: MANY, query: MANY }],
    ["a place to read", { file_path: "/p/a", offset: 3, limit: 10 }, { file_path: "/p/a", offset: 3, limit: 10 }],
    ["a message to nobody's file", { channel: "c", text: "hello" }, { channel: "c", text: "hello" }],
    [
      "a name that the language has",
      JSON.parse('{"__proto__":{"path":"a"},"text":"x"}'),
      JSON.parse('{"__proto__":{"path":"a"},"text":"x"}'),
    ],
  ])("%s", (_, input, left) => {
    expect(withoutContents(input)).toEqual(left);
    if (JSON.stringify(input) === JSON.stringify(left)) expect(withoutContents(input)).toBe(input);
  });

  it("however deep it is nested", () => {
    const deep = Array.from({ length: 2000 }).reduce<unknown>((inner) => ({ a: inner }), { path: "a", content: "secret words" });
    expect(JSON.stringify(withoutContents(deep))).not.toContain("secret words");
  });
});

const line = (more: object = {}): string =>
  JSON.stringify({
    v: 1,
    time: "2026-11-20T10:00:00.000Z",
    point: "hook",
    agent: "claude",
    session: "s",
    cwd: "/home/me/secret-project",
    tool: "Bash",
    input: { command: "deploy --to prod", description: "a word on it" },
    verdict: "ask",
    basis: "rule",
    answer: "ask",
    note: "what a person wrote",
    reason: "deploy asks",
    rule: { text: "Bash(deploy:*)", file: "/home/me/p", line: 1 },
    actions: [{ action: "exec deploy" }],
    unknowns: [],
    ms: 1,
    seq: 7,
    hash: "h".repeat(43),
    ...more,
  });

describe("what is sent of a record", () => {
  it.each<[SentLevel, readonly string[], readonly string[]]>([
    [
      "verdict",
      ["claude", "Bash", '"verdict":"ask"', '"seq":7', '"sent":"verdict"'],
      ["deploy", "secret-project", "word", "hash", "wrote"],
    ],
    ["command", ["deploy --to prod", "secret-project", "deploy asks", '"sent":"command"'], ["a word on it", "what a person wrote", "hash"]],
  ])("by the level %s", (level, has, hasNot) => {
    const sent = lineSent(line(), level) ?? "";
    for (const text of has) expect(sent).toContain(text);
    for (const text of hasNot) expect(sent).not.toContain(text);
  });

  it("by the level full: the line, word for word", () => {
    expect(lineSent(line(), "full")).toBe(line());
  });

  it("by the level full: without the content of files, and then without the hash by which it could be tried", () => {
    const sent = lineSent(line({ tool: "Write", input: { file_path: "a", content: "x" } }), "full") ?? "";
    expect(JSON.parse(sent)).toMatchObject({ tool: "Write", input: { file_path: "a", content: LEFT }, seq: 7 });
    expect(sent).not.toContain("hash");
  });

  it.each(["verdict", "command", "full"] as const)("by the level %s: nothing of a line that cannot be read", (level) => {
    expect([lineSent('{"torn', level), lineSent("[1]", level), lineSent('"x"', level)]).toEqual([undefined, undefined, undefined]);
  });
});

describe("another level", () => {
  /** A server that keeps what it gets, and loses answers. */
  const keeping = async () => {
    const kept: { seq: number; body: string }[] = [];
    let last: ReturnType<typeof head> | undefined;
    let loses = false;
    const at = await machineAt(
      (path, batch) => {
        if (path === "/v1/machine" || batch === undefined)
          return json(200, {
            v: 1,
            machine: "M".repeat(22),
            name: "box",
            organisation: "O".repeat(22),
            forks: 0,
            ...(last && { head: last }),
          });
        take(batch);
        return loses ? { status: 502, body: "" } : json(200, taken(head(batch)));
      },
      [line({ seq: undefined, hash: undefined }), line({ seq: undefined, hash: undefined })],
    );
    const take = (batch: LogBatch): void => {
      batch.records.forEach(({ body }, nth) => kept.push({ seq: batch.after.seq + nth + 1, body }));
      last = head(batch);
    };
    return { at, kept, losing: (is: boolean) => (loses = is) };
  };
  const level = async ({ at: { place, membership } }: Awaited<ReturnType<typeof keeping>>, to: SentLevel) =>
    expect(changeMembership(place.machine, { ...membership, level: to })).toBeUndefined();
  const levelsOf = (kept: readonly { seq: number; body: string }[]) =>
    kept.map(({ seq, body }) => [seq, (JSON.parse(body) as { sent?: string }).sent ?? "full"]);

  it("counts from the next record on", async () => {
    const server = await keeping();
    const { at, kept } = server;
    expect((await send(at)).records).toBe(2);
    await level(server, "verdict");
    appendAll(at.place.machine, [line()], KEEP);
    expect((await send(at)).records).toBe(1);
    await level(server, "command");
    appendAll(at.place.machine, [line()], KEEP);
    expect((await send(at)).records).toBe(1);
    expect(levelsOf(kept)).toEqual([
      [1, "full"],
      [2, "full"],
      [3, "verdict"],
      [4, "command"],
    ]);
    // What is shown as sent is what was sent.
    expect(lastSent(at.place.machine, at.membership, 10).records).toEqual(kept.map(({ body }) => body));
  });

  it("what the server took before its answer was lost is sent again as it was, and what came since as it is to be", async () => {
    const server = await keeping();
    const { at, kept, losing } = server;
    losing(true);
    expect((await send(at)).problem).toContain("away");
    losing(false);
    await level(server, "verdict");
    appendAll(at.place.machine, [line()], KEEP);
    expect((await send(at)).records).toBe(3);
    expect(levelsOf(kept)).toEqual([
      [1, "full"],
      [2, "full"],
      [1, "full"],
      [2, "full"],
      [3, "verdict"],
    ]);
    expect(kept[2]).toEqual(kept[0]);
  });

  it("nothing is sent while it is not known what the server has", async () => {
    let answers = 0;
    const at = await machineAt((path) =>
      path === "/v1/machine" ? json(503, { v: 1, is: "error", why: "later" }) : json(500, (answers += 1)),
    );
    changeMembership(at.place.machine, { ...at.membership, level: "verdict" });
    // As if something had been sent before.
    const before = { ...at.membership, level: undefined };
    expect((await send({ ...at, membership: before })).problem).toContain("away");
    expect([answers, readProgress(at.place.machine)]).toEqual([0, undefined]);
  });
});
