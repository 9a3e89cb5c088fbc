import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { assent, scratch, type Run } from "../scratch.ts";

const ARGS = ["check", "--agent", "claude", "--event", "PreToolUse"];
const envelope = (input: unknown, more: Record<string, unknown> = {}): string =>
  JSON.stringify({ session_id: "s", hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: input, ...more });
const nested = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;

/** Whatever came in, the host gets one JSON object, exit code 0, and nobody sees a stack trace. */
function decisionOf({ status, stdout, stderr }: Run): string {
  expect(status).toBe(0);
  expect(stderr).not.toMatch(/\n\s+at /);
  expect(stdout.endsWith("}\n")).toBe(true);
  const parsed = JSON.parse(stdout) as {
    hookSpecificOutput?: { hookEventName: string; permissionDecision?: string; permissionDecisionReason?: string };
  };
  if (parsed.hookSpecificOutput?.permissionDecision === undefined) return "silence";
  expect(parsed.hookSpecificOutput.hookEventName).toBe("PreToolUse");
  expect(parsed.hookSpecificOutput.permissionDecisionReason).not.toBe("");
  // oxlint-disable-next-line no-control-regex -- none may pass
  expect(parsed.hookSpecificOutput.permissionDecisionReason).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
  return parsed.hookSpecificOutput.permissionDecision;
}

/** [what, standard input, answer, said on stderr] */
const BAD: [what: string, input: string | Uint8Array, expected: string, said: RegExp | undefined][] = [
  ["nothing", "", "ask", /empty/],
  ["no JSON", "{not json", "ask", /not JSON/],
  ["JSON that is not an object", "[1,2]", "ask", /not a JSON object/],
  ["null", "null", "ask", /not a JSON object/],
  ["a text", '"ls"', "ask", /not a JSON object/],
  ["an empty object", "{}", "ask", /tool_name/],
  [
    "invalid UTF-8",
    Buffer.concat([Buffer.from('{"tool_name":"Bash","tool_input":{"command":"ls '), Buffer.from([0xff, 0xfe]), Buffer.from('"}}')]),
    "ask",
    /UTF-8/,
  ],
  ["a byte order mark", `\ufeff${envelope({ command: "ls" })}`, "ask", /not JSON/],
  ["UTF-16", Buffer.from(envelope({ command: "ls" }), "utf16le"), "ask", /not JSON|UTF-8/],
  ["a NUL in the command", envelope({ command: "ls\0 rm" }), "ask", undefined],
  ["control characters in the command", envelope({ command: "ls \u001b[2J\u0007\u202e" }), "allow|ask|silence", undefined],
  ["a 10 MB command", envelope({ command: `echo ${"a".repeat(10_000_000)}` }), "ask", undefined],
  [
    "10 MB of content for a file",
    envelope({ file_path: "a.txt", content: "x".repeat(10_000_000) }, { tool_name: "Write" }),
    "silence",
    undefined,
  ],
  ["a deeply nested command", envelope({ command: `${"(".repeat(30_000)}ls${")".repeat(30_000)}` }), "ask", undefined],
  ["deeply nested substitutions", envelope({ command: `echo ${"$(echo ".repeat(3000)}x${")".repeat(3000)}` }), "ask", undefined],
  ["deeply nested JSON", nested(200_000), "ask", /not a JSON object/],
  ["deeply nested input of a tool", envelope("X", { tool_name: "mcp__a__b" }).replace('"X"', `{"a":${nested(100_000)}}`), "ask", undefined],
  ["a tool that is not text", envelope({}, { tool_name: { a: 1 } }), "ask", /tool_name/],
  ["input that is not an object", envelope("ls"), "ask", /tool_input/],
  ["a relative cwd", envelope({ command: "ls" }, { cwd: "x" }), "ask", /cwd/],
  ["a cwd that is not text", envelope({ command: "ls" }, { cwd: 5 }), "ask", /cwd/],
  ["a cwd that does not exist", envelope({ command: "ls" }, { cwd: "/no/such/folder" }), "allow|silence|ask", undefined],
  ["an unknown event", envelope({ command: "ls" }, { hook_event_name: "Frobnicate" }), "allow", undefined],
];

describe("assent check", () => {
  it.each(BAD)("%s", (_what, input, expected, said) => {
    const run = assent(scratch(), ARGS, input);
    expect(expected.split("|")).toContain(decisionOf(run));
    if (said !== undefined) expect(run.stderr).toMatch(said);
  });

  it("judges, logs, and reads the compiled policy back", () => {
    const place = scratch();
    place.write("~/.agent-permissions.jsonc", '{ "permissions": { "deny": ["Bash(ls:*)"] } }');
    for (const round of [1, 2]) expect([round, decisionOf(assent(place, ARGS, envelope({ command: "ls" })))]).toEqual([round, "deny"]);
    place.write("~/.agent-permissions.jsonc", "{ }");
    expect(decisionOf(assent(place, ARGS, envelope({ command: "ls" })))).toBe("allow");
    const lines = readFileSync(join(place.home, ".local/state/assent/audit.jsonl"), "utf8").trim().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { verdict: string }).verdict)).toEqual(["deny", "deny", "allow"]);
  });

  it("answers an unknown registered event with a question", () => {
    const run = assent(
      scratch(),
      ["check", "--agent", "claude", "--event", "Nope"],
      envelope({ command: "ls" }, { hook_event_name: "Nope" }),
    );
    expect(decisionOf(run)).toBe("ask");
    expect(run.stderr).toMatch(/unknown event/);
  });

  it("A42: `auto` finds agent and event in the payload", () => {
    expect(decisionOf(assent(scratch(), ["check", "--agent", "auto", "--event=auto"], envelope({ command: "ls" })))).toBe("allow");
  });

  /** [arguments] */
  it.each([[["--agent", "nobody"]], [["--event"]], [["--frobnicate"]], [["extra"]]])("wrong usage %s exits 2", (args) => {
    const run = assent(scratch(), ["check", ...args], "{}");
    expect(run.status).toBe(2);
    expect(run.stdout).toBe("");
    expect(run.stderr).toMatch(/usage/);
  });

  /** AW13 and A50: what a broken policy file does. [file, how it is broken, command, answer] */
  const BROKEN: [file: string, how: "syntax" | "directory" | "unreadable" | "pipe" | "huge", command: string, expected: string][] = [
    ["~/.agent-permissions.jsonc", "syntax", "ls", "ask"],
    ["~/.agent-permissions.jsonc", "directory", "ls", "ask"],
    ["~/.agent-permissions.jsonc", "pipe", "ls", "ask"],
    ["~/.agent-permissions.jsonc", "huge", "ls", "ask"],
    ["~/.agent-permissions.jsonc", "syntax", "cat .env", "deny"],
    ["~/.agent-permissions.jsonc", "syntax", "./build.sh", "ask"],
    [".agent-permissions.jsonc", "syntax", "ls", "allow"],
    [".agent-permissions.jsonc", "directory", "ls", "allow"],
  ];
  it.each(BROKEN)("%s broken (%s): %s", (file, how, command, expected) => {
    const place = scratch();
    const path = file.startsWith("~") ? join(place.home, file.slice(2)) : join(place.project, file);
    if (how === "syntax") writeFileSync(path, '{ "permissions": { "denny": [] } }');
    else if (how === "directory") mkdirSync(path);
    else if (how === "huge") writeFileSync(path, " ".repeat(2 << 20));
    else symlinkSync("/dev/zero", path);
    const run = assent(place, ARGS, envelope({ command }));
    expect(decisionOf(run)).toBe(expected);
    if (how === "syntax" && expected !== "deny") expect(run.stdout + run.stderr).toMatch(/permissions\.jsonc:1:\d+: unknown key/);
  });

  it("a broken project file does not switch off the user's denies (AW13)", () => {
    const place = scratch();
    place.write("~/.agent-permissions.jsonc", '{ "permissions": { "deny": ["Bash(ls:*)"] } }');
    place.write(".agent-permissions.jsonc", "{ nonsense");
    expect(decisionOf(assent(place, ARGS, envelope({ command: "ls" })))).toBe("deny");
  });

  it("without HOME, and with a HOME that cannot be written, it answers and says that it does not log", () => {
    const place = scratch();
    const blocked = join(place.root, "file");
    writeFileSync(blocked, "");
    const readOnly = assent({ ...place, home: blocked }, ARGS, envelope({ command: "ls" }));
    expect(decisionOf(readOnly)).toBe("allow");
    expect(readOnly.stderr).toMatch(/not logged/);
    expect(readOnly.stderr.trim().split("\n")).toHaveLength(1);
    expect(decisionOf(assent(place, ARGS, envelope({ command: "ls" }), { HOME: undefined, XDG_STATE_HOME: place.root }))).toBe("allow");
  });

  it("an explicit policy adds a layer, and one that does not exist breaks", () => {
    const place = scratch();
    const file = place.write(join(place.root, "more.jsonc"), '{ "permissions": { "deny": ["Bash(ls:*)"] } }');
    expect(decisionOf(assent(place, [...ARGS, "--policy", file], envelope({ command: "ls" })))).toBe("deny");
    expect(decisionOf(assent(place, ARGS, envelope({ command: "ls" }), { ASSENT_POLICY: file }))).toBe("deny");
    expect(decisionOf(assent(place, [...ARGS, "--policy", "/no/such/file"], envelope({ command: "ls" })))).toBe("ask");
  });

  it("does not use a cache that others could have written, nor one that is damaged", () => {
    const place = scratch();
    place.write("~/.agent-permissions.jsonc", '{ "permissions": { "deny": ["Bash(ls:*)"] } }');
    const state = join(place.home, ".local/state/assent");
    assent(place, ARGS, envelope({ command: "ls" }));
    const cache = join(state, compiledIn(state));
    const good = readFileSync(cache, "utf8");
    writeFileSync(cache, good.replaceAll('"deny"', '"allow"'));
    chmodSync(cache, 0o666);
    expect(decisionOf(assent(place, ARGS, envelope({ command: "ls" })))).toBe("deny");
    for (const text of ["", "{", "null", '{"build":1}', good.slice(0, -20)]) {
      writeFileSync(cache, text, { mode: 0o600 });
      expect(decisionOf(assent(place, ARGS, envelope({ command: "ls" })))).toBe("deny");
    }
  });
});

function compiledIn(state: string): string {
  const found = readdirSync(state).find((name) => name.startsWith("policy-"));
  if (found === undefined) throw new Error("no compiled policy");
  return found;
}
