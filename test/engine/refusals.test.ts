import { linkSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { protocol as claude } from "@assent/hosts/agents/claude";
import { decide, rememberAnswer, type Outcome, type Request } from "@assent/guard/engine";
import { refusalsSince, stateFolder } from "@assent/guard/state";
import { engine, scratch, type Scratch } from "../scratch.ts";

// Memory of refusals.

const HOST = { shell: "any", decides: true, asks: true, bypassed: false, planning: false } as const;

interface Asked {
  readonly tool?: string;
  readonly input: Readonly<Record<string, unknown>>;
}

function asks(place: Scratch, asked: string | Asked, more: Partial<Request> = {}): Outcome {
  const { tool = "Bash", input } = typeof asked === "string" ? { input: { command: asked } } : asked;
  const facts = Object.hasOwn(claude.tools, tool) ? claude.tools[tool] : undefined;
  const request: Request = { tool, facts, input, cwd: place.project, host: HOST, point: "test", agent: "claude", session: "s1", ...more };
  return decide(request, { machine: place.machine, ...engine, audit: false });
}

const read = (path: string): Asked => ({ tool: "Read", input: { file_path: path } });
const edit = (path: string): Asked => ({ tool: "Edit", input: { file_path: path, old_string: "a", new_string: "b" } });
const decision = ({ verdict }: Outcome): string => verdict.decision;

/** A project in which `notes/plan.txt` may be read by nobody, and everything else goes. */
function place(): Scratch {
  const made = scratch();
  made.write(
    "~/.agent-permissions.jsonc",
    JSON.stringify({ preset: "permissive", permissions: { deny: ["Read(notes/plan.txt)", "mcp__fs__*(path:notes/own.txt)"] } }),
  );
  for (const name of ["plan.txt", "own.txt", "other.txt"]) made.write(`notes/${name}`, name);
  return made;
}

/** As the place's own approver does when a person says no, or yes after all. */
function answered(at: Scratch, asked: Asked | string, answer: "allowed" | "refused"): void {
  const outcome = asks(at, asked, { host: { ...HOST, decides: false } });
  if (outcome.basis === undefined) throw new Error("not judged");
  expect(rememberAnswer(outcome.request, outcome.verdict, answer, { ...outcome.basis, machine: at.machine })).toBeUndefined();
}

/** A new file, changed once the kernel's clock has ticked, so that it can be told from a link to an older one. */
function born(path: string): void {
  writeFileSync(path, "new");
  for (let stats = statSync(path, { bigint: true }); stats.ctimeNs === stats.birthtimeNs; stats = statSync(path, { bigint: true }))
    writeFileSync(path, "newer");
}

describe("D28: what the policy denied by its name is denied by another", () => {
  const notes = (at: Scratch, name: string): string => join(at.project, "notes", name);
  it.each<readonly [how: string, make: (at: Scratch) => void, asked: string | Asked, expected: string]>([
    ["the same file through the shell", () => undefined, "cat notes/plan.txt", "deny"],
    ["a hard link", (at) => linkSync(notes(at, "plan.txt"), notes(at, "x")), "cat notes/x", "deny"],
    ["a hard link through a tool", (at) => linkSync(notes(at, "plan.txt"), join(at.project, "x")), read("x"), "deny"],
    ["a symbolic link", (at) => symlinkSync("plan.txt", notes(at, "x")), "cat notes/x", "deny"],
    ["a rename", (at) => renameSync(notes(at, "plan.txt"), notes(at, "x")), "head -1 notes/x", "deny"],
    ["a link that is still to be made", () => undefined, "ln notes/plan.txt notes/x && cat notes/x", "ask"],
    ["a rename that is still to come", () => undefined, "mv notes/plan.txt notes/x && cat notes/x", "ask"],
    [
      "a link in a chain",
      (at) => (linkSync(notes(at, "plan.txt"), notes(at, "x")), symlinkSync("x", notes(at, "y"))),
      "cat notes/y",
      "deny",
    ],
    ["not what may be done with it anyway", () => undefined, edit("notes/plan.txt"), "allow"],
    ["not another file", () => undefined, "cat notes/other.txt", "allow"],
    ["not another file with its number", (at) => (rmSync(notes(at, "plan.txt")), born(notes(at, "x"))), "cat notes/x", "allow"],
  ])("%s", (_, make, asked, expected) => {
    const at = place();
    expect(decision(asks(at, "cat notes/other.txt"))).toBe("allow");
    expect(decision(asks(at, read("notes/plan.txt")))).toBe("deny");
    make(at);
    expect(decision(asks(at, asked))).toBe(expected);
  });

  it("says what it is", () => {
    const at = place();
    asks(at, read("notes/plan.txt"));
    linkSync(notes(at, "plan.txt"), notes(at, "x"));
    expect(asks(at, "cat notes/x").verdict).toMatchObject({
      basis: "rule",
      reason: expect.stringContaining("the same file as /") as unknown,
    });
  });

  it("a policy that has changed counts at once", () => {
    const at = place();
    asks(at, read("notes/plan.txt"));
    linkSync(notes(at, "plan.txt"), notes(at, "x"));
    at.write("~/.agent-permissions.jsonc", JSON.stringify({ preset: "permissive" }));
    expect(decision(asks(at, "cat notes/x"))).toBe("allow");
    expect(decision(asks(at, "cat notes/plan.txt"))).toBe("allow");
  });

  it.each<readonly [title: string, request: Partial<Request>]>([
    ["another session", { session: "s2" }],
    ["no session", { session: undefined }],
  ])("%s knows nothing of it", (_, request) => {
    const at = place();
    asks(at, read("notes/plan.txt"));
    linkSync(notes(at, "plan.txt"), notes(at, "x"));
    expect(decision(asks(at, "cat notes/x", request))).toBe("allow");
    expect(decision(asks(at, "cat notes/x", { agent: "codex", subagent: "helper:1" }))).toBe("deny");
  });

  it("what a server's tool was denied because of its path is asked through others", () => {
    const at = place();
    const tool = { tool: "mcp__fs__write", input: { path: "notes/own.txt", content: "x" } };
    expect(decision(asks(at, edit("notes/own.txt")))).toBe("allow");
    expect(decision(asks(at, tool))).toBe("deny");
    for (const asked of [edit("notes/own.txt"), "echo x > notes/own.txt", "cp a.txt notes/own.txt", "git checkout -- notes/own.txt"])
      expect([asked, decision(asks(at, asked))]).toEqual([asked, "ask"]);
  });
});

describe("D28: what a person refused is asked again, through whatever tool", () => {
  it.each<readonly [refused: Asked | string, asked: Asked | string, expected: string]>([
    [edit("notes/other.txt"), "echo x >> notes/other.txt", "ask"],
    [edit("notes/other.txt"), "sed -i s/a/b/ notes/other.txt", "ask"],
    [edit("notes/other.txt"), "mv notes/other.txt notes/y", "ask"],
    [edit("notes/other.txt"), "ln notes/other.txt notes/y", "ask"],
    [edit("notes/other.txt"), read("notes/other.txt"), "allow"],
    [edit("notes/other.txt"), edit("notes/own.txt"), "allow"],
    [edit("notes/new.txt"), "touch notes/new.txt", "ask"],
    [read("notes/other.txt"), "cat notes/other.txt", "ask"],
    [read("notes/other.txt"), "cat notes/*", "ask"],
    [read("notes/other.txt"), "grep -r x .", "ask"],
    [read("notes/other.txt"), "tar cf /dev/null notes", "ask"],
    [read("notes/other.txt"), "ls src", "allow"],
  ])("%j, then %j: %s", (refused, asked, expected) => {
    const at = place();
    const asking = { preset: "permissive", permissions: { ask: ["Edit(notes/**)", "Read(notes/**)"] } };
    const policy = at.write("~/.agent-permissions.jsonc", JSON.stringify(asking));
    answered(at, refused, "refused");
    writeFileSync(policy, JSON.stringify({ preset: "permissive" }));
    const { verdict } = asks(at, asked);
    expect(verdict.decision).toBe(expected);
    if (expected === "ask") expect(verdict).toMatchObject({ builtin: "refused.before", basis: "protection" });
  });

  it("a yes ends it", () => {
    const at = place();
    const policy = at.write(
      "~/.agent-permissions.jsonc",
      JSON.stringify({ preset: "permissive", permissions: { ask: ["Edit(notes/**)"] } }),
    );
    answered(at, edit("notes/other.txt"), "refused");
    writeFileSync(policy, JSON.stringify({ preset: "permissive" }));
    expect(decision(asks(at, "touch notes/other.txt"))).toBe("ask");
    answered(at, "touch notes/other.txt", "allowed");
    expect(decision(asks(at, "touch notes/other.txt"))).toBe("allow");
    expect(decision(asks(at, edit("notes/other.txt")))).toBe("allow");
  });

  it("a bypass of the host skips the question, and no silence is remembered as a no", () => {
    const at = place();
    at.write("~/.agent-permissions.jsonc", JSON.stringify({ preset: "permissive", permissions: { ask: ["Read(notes/other.txt)"] } }));
    const nobody = { host: { ...HOST, decides: false, asks: false } };
    expect(asks(at, read("notes/other.txt"), nobody).answer.decision).toBe("deny");
    expect(refusalsSince(at.machine, "s1", 0)).toEqual([]);
  });
});

describe("D28: for a while", () => {
  it.each([
    ["ten minutes, unless said otherwise", {}, 9, "deny"],
    ["not for longer", {}, 11, "allow"],
    ["as long as the policy says", { refusals: { minutes: 60 } }, 59, "deny"],
    ["not at all", { refusals: { minutes: 0 } }, 0, "allow"],
  ])("%s", (_, automation, minutes, expected) => {
    const at = place();
    const policy = { preset: "permissive", automation, permissions: { deny: ["Read(notes/plan.txt)"] } };
    at.write("~/.agent-permissions.jsonc", JSON.stringify(policy));
    asks(at, read("notes/plan.txt"));
    linkSync(join(at.project, "notes/plan.txt"), join(at.project, "x"));
    const folder = join(stateFolder(at.machine), "refusals");
    if (minutes > 0)
      for (const name of readdirSync(folder)) {
        const lines = refusalsSince(at.machine, "s1", 0).map((refusal) => ({ ...refusal, time: refusal.time - minutes * 60_000 }));
        writeFileSync(join(folder, name), lines.map((line) => `${JSON.stringify(line)}\n`).join(""), { mode: 0o600 });
      }
    expect(decision(asks(at, "cat x"))).toBe(expected);
  });

  it("is bounded, and what sessions leave behind goes", () => {
    const at = place();
    const folder = join(stateFolder(at.machine), "refusals");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const old = join(folder, "old.");
    writeFileSync(old, "");
    utimesSync(old, 0, 0);
    const line = (number: number): string =>
      `${JSON.stringify({ time: Date.now(), what: "read", path: `/x/${number}/${"y".repeat(200)}`, by: "policy", tool: "Read" })}\n`;
    asks(at, read("notes/plan.txt"));
    expect(readdirSync(folder)).toEqual(["s1."]);
    writeFileSync(join(folder, "s1."), Array.from({ length: 1000 }, (_, number) => line(number)).join(""), { mode: 0o600 });
    asks(at, read("notes/plan.txt"));
    expect(refusalsSince(at.machine, "s1", 0)).toHaveLength(201);
  });

  it.each(["", "x\n", "[]\n", '{"time":1e99}\n', `{"time":${Date.now()},"what":"read","path":7,"by":"person","tool":"x"}\n`])(
    "a damaged file remembers what is whole: %j",
    (text) => {
      const at = place();
      asks(at, read("notes/plan.txt"));
      const file = join(stateFolder(at.machine), "refusals/s1.");
      const lines = refusalsSince(at.machine, "s1", 0).map((line) => JSON.stringify(line));
      writeFileSync(file, `${text}${lines.join("\n")}\n{"time":`, { mode: 0o600 });
      linkSync(join(at.project, "notes/plan.txt"), join(at.project, "x"));
      expect(decision(asks(at, "cat x"))).toBe("deny");
    },
  );
});
