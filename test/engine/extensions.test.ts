import { chmodSync, mkdirSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { protocol as claude } from "@assent/hosts/agents/claude";
import { decide, type Input, type Outcome } from "@assent/guard/engine";
import { openGuard } from "@assent/library/sdk/compat";
import { assent, engine, scratch, type Scratch } from "../scratch.ts";

// Checks of the user's own: they can only tighten, and whatever happens to one is a question.

const FOLDER = "~/.config/assent/extensions";
const HOST = { shell: "any", decides: true, asks: true, bypassed: false, planning: false } as const;
const LIMITS = { milliseconds: 3000, megabytes: 256 };

function asks(place: Scratch, command: string | { readonly tool: string; readonly input: Input }, limits = LIMITS): Outcome {
  const { tool, input } = typeof command === "string" ? { tool: "Bash", input: { command } } : command;
  return decide(
    { tool, facts: claude.tools[tool], input, cwd: place.project, host: HOST, point: "test", agent: "claude", session: "s1" },
    { machine: place.machine, ...engine, audit: false, extensions: limits },
  );
}

const verdict = ({ verdict: { decision, reason } }: Outcome): string => `${decision} ${reason}`;
const says = (body: string): string => `export default { check(question) { ${body} } };`;
const DENY = says('return { decision: "deny", reason: "not today" };');
const ASK = says('return { decision: "ask", reason: "sure?" };');

describe("what an extension says", () => {
  it.each<readonly [string, Readonly<Record<string, string>>, command: string, expected: string]>([
    ["nothing", { "a.mjs": says("") }, "ls", "allow"],
    ["null", { "a.mjs": says("return null;") }, "ls", "allow"],
    ["ask", { "a.mjs": ASK }, "ls", "ask your extension a.mjs: sure?"],
    ["deny", { "a.mjs": DENY }, "ls", "deny your extension a.mjs: not today"],
    ["deny, about what would be asked", { "a.mjs": DENY }, "git push --force", "deny your extension a.mjs: not today"],
    ["nothing, about what is denied", { "a.mjs": ASK }, "rm -rf ~", "deny it would delete your whole home folder"],
    ["deny beats ask, in either order", { "a.mjs": ASK, "b.mjs": DENY, "c.mjs": ASK }, "ls", "deny your extension b.mjs: not today"],
    ["deny beats one that fails", { "a.mjs": "throw 1", "b.mjs": DENY }, "ls", "deny your extension b.mjs: not today"],
    [
      "a promise",
      { "a.mjs": 'export const check = async () => ({ decision: "deny", reason: "later" });' },
      "ls",
      "deny your extension a.mjs: later",
    ],
    [
      "a function for a default",
      { "a.mjs": 'export default () => ({ decision: "ask", reason: "f" });' },
      "ls",
      "ask your extension a.mjs: f",
    ],
    ["CommonJS", { "a.cjs": 'exports.check = () => ({ decision: "ask", reason: "c" });' }, "ls", "ask your extension a.cjs: c"],
    [
      "with a helper beside it",
      {
        "a.mjs": 'import { why } from "./lib/b.mjs"; export const check = () => ({ decision: "ask", reason: why });',
        "lib/b.mjs": 'export const why = "helped";',
      },
      "ls",
      "ask your extension a.mjs: helped",
    ],
    [
      "lines and colours in a reason",
      { "a.mjs": says('return { decision: "ask", reason: "a\\nb\\u001b[31mc" };') },
      "ls",
      "ask your extension a.mjs: a\\nb\\u{1b}[31mc",
    ],
    [
      "it is told everything",
      {
        "a.mjs": says(
          'return { decision: "deny", reason: JSON.stringify([question.version, question.request.tool, question.request.input.command, question.request.session, question.actions.map((action) => action.kind), question.verdict.decision]) };',
        ),
      },
      "echo a > b",
      'deny your extension a.mjs: [1,"Bash","echo a > b","s1",["file","exec"],"ask"]',
    ],
    [
      "what it is told is frozen",
      { "a.mjs": says('"use strict"; try { question.actions[0].kind = "x"; } catch { return { decision: "ask", reason: "frozen" }; }') },
      "ls",
      "ask your extension a.mjs: frozen",
    ],
    ["what it prints is nobody's concern", { "a.mjs": says('console.log("{}"); console.error("x");') }, "ls", "allow"],
    ["other files are no extensions", { "README.md": "x", "types.d.ts": "x" }, "ls", "allow"],
  ])("%s", (_what, files, command, expected) => {
    const place = scratch();
    for (const [name, text] of Object.entries(files)) place.write(`${FOLDER}/${name}`, text);
    expect(verdict(asks(place, command)).slice(0, expected.length)).toBe(expected);
  });
});

describe("whatever happens to one is a question", () => {
  it.each<readonly [string, string, why: string | RegExp]>([
    ["it does not parse", "this is no {", "a.mjs gave no answer"],
    ["it throws when it is loaded", 'throw new Error("boom");', "boom"],
    ["it throws when it is asked", says('throw new Error("bang");'), "bang"],
    ["it throws something that is no error", says("throw undefined;"), "undefined"],
    ["it exports nothing", "export const x = 1;", "it exports no check"],
    ["it ends the process", says("process.exit(0);"), "ended without an answer"],
    ["it is killed", says('process.kill(process.pid, "SIGKILL");'), "ended by SIGKILL"],
    ["it aborts", says("process.abort();"), /ended by SIGABRT|ended without/],
    ["it never answers", says("return new Promise(() => {});"), "ended without an answer"],
    ["it waits for ever", says("return new Promise(() => setInterval(() => {}, 1000));"), "did not answer within 700 ms"],
    ["it loops for ever", says("for (;;);"), "did not answer within 700 ms"],
    ["it loops when it is loaded", "for (;;);", "did not answer within 700 ms"],
    ["it allows", says('return { decision: "allow", reason: "x" };'), "something else"],
    ["it says nonsense", says("return 7;"), "something else"],
    ["it gives no reason", says('return { decision: "deny" };'), "something else"],
    ["its answer breaks when it is read", says('return { get decision() { throw new Error("trap"); } };'), "trap"],
    [
      "it changes what every object is",
      says(
        'Object.prototype.decision = "allow"; Array.prototype.toJSON = () => 1; JSON.stringify = () => "{}"; JSON.parse = () => ({}); return 7;',
      ),
      "something else",
    ],
    [
      "it writes an answer of its own first",
      says("require = 0;") + 'import { writeSync } from "node:fs"; writeSync(3, \'{"said":"nothing"}\\n\');',
      "garbled",
    ],
    ["it talks without end", says("") + 'import { writeSync } from "node:fs"; for (;;) writeSync(3, "x".repeat(1000));', "too long"],
    ["it fills the heap", says("const all = []; for (;;) all.push(new Array(1e6).fill(1.5));"), /ended|did not answer/],
    ["it fills the memory", says("const all = []; for (;;) all.push(Buffer.alloc(1 << 24, 1));"), /failed|ended|did not answer/i],
    ["it recurses without end", says("const f = () => f() + 1; f();"), "Maximum call stack"],
  ])("%s", (_what, text, why) => {
    const place = scratch();
    place.write(`${FOLDER}/a.mjs`, text);
    const limits = typeof why === "string" && why.includes("700") ? { milliseconds: 700, megabytes: 256 } : LIMITS;
    const { verdict: made, answer } = asks(place, "ls", limits);
    expect(made.decision).toBe("ask");
    expect(made.builtin).toBe("failure.extension");
    expect(made.reason).toMatch(why);
    expect(answer.decision).toBe("ask");
  });

  it.each<readonly [string, (place: Scratch) => void, why: string]>([
    ["others may write it", (place) => chmodSync(place.write(`${FOLDER}/a.mjs`, says("")), 0o666), "others could have written it"],
    [
      "others may write its folder",
      (place) => (place.write(`${FOLDER}/a.mjs`, says("")), chmodSync(join(place.home, FOLDER.slice(2)), 0o777)),
      "others could have written it",
    ],
    [
      "others may write the folder above",
      (place) => (place.write(`${FOLDER}/a.mjs`, says("")), chmodSync(join(place.home, ".config/assent"), 0o777)),
      "others could have written it",
    ],
    [
      "it is a link",
      (place) => (
        place.write(`${FOLDER}/x`, says("")),
        symlinkSync(place.write("own.mjs", says("")), join(place.home, ".config/assent/extensions/a.mjs"))
      ),
      "it is a link",
    ],
    [
      "the folder is a link",
      (place) => (
        place.write(`${FOLDER}/a.mjs`, says("")),
        renameSync(join(place.home, FOLDER.slice(2)), join(place.project, "x")),
        symlinkSync(join(place.project, "x"), join(place.home, FOLDER.slice(2)))
      ),
      "it is a link",
    ],
    [
      "there are too many",
      (place) => Array.from({ length: 17 }, (_, at) => place.write(`${FOLDER}/${at}.mjs`, says(""))).length,
      "more than 16",
    ],
    ["it is a folder", (place) => mkdirSync(join(place.home, FOLDER.slice(2), "a.mjs"), { recursive: true }), "gave no answer"],
  ] as const)("%s", (_what, spoil, why) => {
    const place = scratch();
    spoil(place);
    expect(verdict(asks(place, "ls"))).toMatch(new RegExp(`^ask .*${why}`));
  });

  it("TypeScript where Node reads it; elsewhere it is a question that says so", () => {
    const place = scratch();
    place.write(
      `${FOLDER}/a.ts`,
      'export const check = (): { decision: "deny"; reason: string } => ({ decision: "deny", reason: "typed" });',
    );
    const reads = "typescript" in process.features && process.features.typescript !== false;
    expect(verdict(asks(place, "ls"))).toMatch(reads ? /^deny .*typed/ : /^ask .*TypeScript needs Node 22\.18/);
  });
});

describe("where extensions hold", () => {
  it("nothing of an agent's environment reaches them, and no variable sheds them", () => {
    const place = scratch();
    place.write(`${FOLDER}/a.mjs`, says('return { decision: "deny", reason: Object.keys(process.env).sort().join() };'));
    const result = assent(place, ["explain", "--json", "ls"], "", {
      XDG_CONFIG_HOME: "/nowhere",
      HOOK_EXTENSIONS_ENABLED: "false",
      NODE_OPTIONS: "",
      SECRET: "1",
    });
    expect(JSON.parse(result.stdout)).toMatchObject({
      verdict: "deny",
      builtin: "extension.a.mjs",
      reason: "your extension a.mjs: HOME,PATH,PWD",
    });
  });

  const hook = (place: Scratch, tool: string, input: Input, mode = "default") => {
    const payload = {
      hook_event_name: "PreToolUse",
      session_id: "s",
      permission_mode: mode,
      cwd: place.project,
      tool_name: tool,
      tool_input: input,
    };
    return assent(place, ["check", "--agent", "claude"], JSON.stringify(payload));
  };

  it("at hooks, in every mode of the host", () => {
    const place = scratch();
    place.write(`${FOLDER}/a.mjs`, DENY);
    for (const mode of ["default", "acceptEdits", "plan", "bypassPermissions"])
      expect(hook(place, "Bash", { command: "ls" }, mode).stdout).toContain('"permissionDecision":"deny"');
  });

  it("a crash breaks no hook's answer", () => {
    const place = scratch();
    place.write(`${FOLDER}/a.mjs`, 'process.stdout.write("garbage"); process.kill(process.pid, "SIGSEGV");');
    const { status, stdout } = hook(place, "Bash", { command: "ls" });
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: "ask" } });
  });

  it("in the library's guard", () => {
    const place = scratch();
    place.write(`${FOLDER}/a.mjs`, DENY);
    const guard = openGuard({ cwd: place.project, machine: place.machine, audit: false });
    expect(guard.decide({ operation: "read", path: "a.txt" })).toMatchObject({
      decision: "deny",
      reason: "your extension a.mjs: not today (if you want this after all, run it yourself, or change the extension)",
    });
  });

  it("assent explain and doctor name them", () => {
    const place = scratch();
    place.write(`${FOLDER}/good.mjs`, ASK);
    place.write(`${FOLDER}/bad.mjs`, "(");
    expect(assent(place, ["explain", "ls"]).stdout).toMatch(/your extension bad\.mjs gave no answer/);
    const { stdout } = assent(place, ["doctor"]);
    expect(stdout).toMatch(/extensions\n {2}off {3}bad\.mjs .*\n {2}ok {4}good\.mjs .*is asked about every request/);
  });

  it("an agent cannot change them", () => {
    const place = scratch();
    for (const command of [
      "rm -r ~/.config/assent",
      "rm ~/.config/assent/extensions/a.mjs",
      "mv ~/.config/assent x",
      "echo > ~/.config/assent/extensions/a.mjs",
      "chmod 777 ~/.config/assent/extensions",
    ])
      expect(asks(place, command).verdict).toMatchObject({ decision: "deny", basis: "floor" });
    expect(
      asks(place, { tool: "Write", input: { file_path: `${place.home}/.config/assent/extensions/b.mjs`, content: "" } }).verdict,
    ).toMatchObject({ decision: "deny", basis: "floor" });
  });
});
