import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import * as library from "@assent/library/sdk";
import * as compat from "@assent/library/sdk/compat";
import * as core from "@assent/library/sdk/core";
import * as aiSdk from "@assent/library/sdk/ai-sdk";

/** What plain JavaScript gets wrong: each mistake throws where it is made, with a class, a code and a word for the place. */

type Loose = (...values: readonly unknown[]) => unknown;
type LooseObject = Readonly<Record<string, Loose>>;

/** A function as plain JavaScript calls it. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing of it is typed there
const loose = (value: unknown): Loose => value as Loose;
/** The same for a class. */
const made =
  (value: unknown): Loose =>
  (...values) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
    const instance: unknown = Reflect.construct(value as new () => object, values);
    return instance;
  };

const plain = (options?: unknown): LooseObject => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
  return loose(library.createGuard)(options) as LooseObject;
};
const guard = plain({ cwd: "/repo", home: "/home/me", approvals: library.memoryApprovals() });
/** A folder that others may enter, with a file in it. */
const open = mkdtempSync(join(tmpdir(), "misuse-"));
writeFileSync(join(open, "x"), "");
chmodSync(open, 0o777);
afterAll(() => rmSync(open, { recursive: true }));

class Computed {
  get user(): number {
    return 5;
  }
}

/** What was thrown. */
type Thrown = readonly [
  class_: "GuardOptionError" | "GuardCallError" | "UnknownApproval" | "RulesetError" | "PermissionDenied",
  message: string,
];
const option = (message: string): Thrown => ["GuardOptionError", message];
const call = (message: string): Thrown => ["GuardCallError", message];

const CODES: Readonly<Record<Thrown[0], string>> = {
  GuardOptionError: "guard-option",
  GuardCallError: "guard-call",
  UnknownApproval: "unknown-approval",
  RulesetError: "ruleset-invalid",
  PermissionDenied: "permission-denied",
};

const rules = (deny: unknown): unknown => ({ policy: { permissions: { deny: [deny] } } });

const MISUSES: readonly (readonly [name: string, call: () => unknown, thrown: Thrown])[] = [
  // The options of createGuard.
  ["options that are a text", () => plain("default"), option("createGuard takes an object of options")],
  ["options that are null", () => plain(null), option("createGuard takes an object of options")],
  ["an option that is misspelt", () => plain({ polcy: "default" }), option("does not know the option `polcy`")],
  ["an option in the wrong case", () => plain({ onask: () => true }), option("does not know the option `onask`")],
  ["a preset that does not exist", () => plain({ policy: "defalt" }), option('policy: the preset "defalt" does not exist')],
  ["a policy that is a number", () => plain({ policy: 5 }), option("policy: a policy is the name of a preset, or an object")],
  ["a policy with a function in it", () => plain({ policy: { preset: () => "default" } }), option("a policy is plain data")],
  ["a policy with a key that is misspelt", () => plain({ policy: { permisions: {} } }), option("policy: permisions")],
  ["a list of rules that is misspelt", () => plain({ policy: { permissions: { alow: [] } } }), option("permissions.alow")],
  ["a rule about a tool that is misspelt", () => plain(rules("Bahs(rm:*)")), option("permissions.deny")],
  ["a rule without its bracket", () => plain(rules("Bash(rm:*")), option("permissions.deny")],
  ["a rule that is a number", () => plain(rules(5)), option("permissions.deny")],
  ["a rule for a role with a misspelt key", () => plain(rules({ rule: "Bash(x)", wen: { role: "a" } })), option("wen")],
  ["a second policy that is none", () => plain({ policy: ["default", 7] }), option("policy[1]: a policy is")],
  // oxlint-disable-next-line no-sparse-arrays -- gaps are what it is about
  ["a gap among policies", () => plain({ policy: ["default", , "strict"] }), option("policy[1]: a policy is")],
  ["policy files of an unknown kind", () => plain({ files: "some" }), option("the option `files` must be")],
  ["a policy file that is relative", () => plain({ files: ["policy.jsonc"] }), option("a list of absolute paths")],
  ["a relative folder", () => plain({ cwd: "repo" }), option("the option `cwd` must be an absolute path")],
  ["a folder that is a number", () => plain({ cwd: 5 }), option("the option `cwd` must be a text")],
  ["a folder that is not there", () => plain({ cwd: "/nowhere", files: "all" }), option("the option `cwd` must be a folder that is there")],
  ["a folder that is a file", () => plain({ cwd: join(open, "x"), confine: true }), option("the option `cwd` must be a folder")],
  ["a relative home", () => plain({ home: "me" }), option("the option `home` must be an absolute path")],
  ["an environment that is a list", () => plain({ env: [] }), option("the option `env` must be an object")],
  ["an environment that is no text", () => plain({ env: { HOME: 5 } }), option("`HOME` of the option `env` must be a text")],
  ["a principal that is a name", () => plain({ principal: "bob" }), option("the option `principal` must be an object")],
  ["a principal with a misspelt key", () => plain({ principal: { usr: "bob" } }), option("does not know the option `usr`")],
  ["a role without a name", () => plain({ principal: { role: ["dev", ""] } }), option("`role` of the principal is empty")],
  // oxlint-disable-next-line no-sparse-arrays -- as above
  ["a gap among roles", () => plain({ principal: { role: ["dev", ,] } }), option("must be a text or a list of texts")],
  ["someone to ask who is no function", () => plain({ onAsk: true }), option("the option `onAsk` must be a function")],
  ["a store that is a folder's name", () => plain({ approvals: "/tmp/x" }), option("the option `approvals` must be an object")],
  ["a store without its functions", () => plain({ approvals: { put: () => 1 } }), option("the option `approvals` has no function `take`")],
  ["a length of time in words", () => plain({ approvalsLast: "soon" }), option("the option `approvalsLast` must be a length of time")],
  ["a question that waits for years", () => plain({ approvalsLast: "400d" }), option("30 days at most")],
  ["a listener that is none", () => plain({ onDecision: "log" }), option("the option `onDecision` must be a function")],
  ["a switch that is a word", () => plain({ confine: "yes" }), option("the option `confine` must be true or false")],
  ["a switch that is a number", () => plain({ shadow: 1 }), option("the option `shadow` must be true or false")],
  ["a log that is a path", () => plain({ audit: "log.txt" }), option("the option `audit` must be true or false")],
  ["a shell that is not known", () => plain({ shell: "fish" }), option("the option `shell` must be")],
  // Calls.
  ["no call", () => guard["check"]?.(), call("a call is an object such as")],
  ["a call that is a text", () => guard["check"]?.("npm test"), call("a call is an object such as")],
  ["a call of nothing", () => guard["check"]?.({}), call("a call has one of `shell`")],
  ["a form that is misspelt", () => guard["check"]?.({ shel: "ls" }), call("not `shel`")],
  ["two forms in one", () => guard["check"]?.({ shell: "ls", read: "a" }), call("a call has one form: shell or read")],
  ["a form with a key of another", () => guard["check"]?.({ shell: "ls", tree: true }), call("does not take `tree`")],
  ["a path that is a number", () => guard["check"]?.({ read: 5 }), call("`read` is a path, or a list of paths")],
  ["no path", () => guard["check"]?.({ write: [] }), call("`write` is a path, or a list of paths")],
  ["a program without a name", () => guard["check"]?.({ argv: [] }), call("`argv` is a list of texts")],
  ["a word that is a number", () => guard["require"]?.({ argv: ["kill", 5] }), call("`argv` is a list of texts")],
  ["a tool without input", () => guard["decide"]?.({ tool: "save" }), call("the input of save is not an object")],
  ["a tool that does something unknown", () => guard["decide"]?.({ tool: "a", input: {}, facts: { does: "x" } }), call("`facts` say what")],
  ["a server without a tool", () => guard["decide"]?.({ mcp: { server: "a" } }), call("`mcp` is { server, tool, input }")],
  // oxlint-disable-next-line no-sparse-arrays -- as above
  ["a gap among calls", () => guard["check"]?.([{ read: "a" }, ,]), call("a call is an object such as")],
  [
    "an option of a call that is misspelt",
    () => guard["check"]?.({ read: "a" }, { folder: "/x" }),
    option("does not know the option `folder`"),
  ],
  ["a controller in the place of its signal", () => guard["check"]?.({ read: "a" }, { signal: new AbortController() }), option("`signal`")],
  ["a policy that loosens", () => plain({ policy: ["strict", "readonly"] }), option("policy: the preset readonly is not stricter")],
  [
    "another guard with a loose policy",
    () => plain({ policy: "strict" })["with"]?.({ policy: "readonly" }),
    option("policy: the preset readonly is not stricter"),
  ],
  ["another guard with a misspelt change", () => guard["with"]?.({ principle: {} }), option("with does not know the option `principle`")],
  ["a principal that computes a number", () => guard["with"]?.({ principal: new Computed() }), option("the option `user` must be a text")],
  // Tools.
  ["no tool at all", () => guard["tool"]?.(), option("tool takes an object of options")],
  ["a tool without a name", () => guard["tool"]?.({ does: "nothing" }, () => 1), option("`name` must be the name of the tool")],
  ["a tool without a function", () => guard["tool"]?.({ name: "save", does: "nothing" }), option("must be the tool's function")],
  ["a tool without an effect", () => guard["tool"]?.({ name: "save" }, () => 1), option("`does` must be")],
  ["a tool whose schema is none", () => guard["tool"]?.({ name: "a", does: "nothing", input: {} }, () => 1), option("standardschema.dev")],
  ["no tools", () => guard["tools"]?.(undefined, {}), option("tools: `tools` must be an object")],
  ["tools of which nothing is said", () => guard["tools"]?.({}), option("tools: `effects` must be an object")],
  ["a tool without a stated effect", () => guard["tools"]?.({ save: () => 1 }, {}), option("nothing says what the tool `save` does")],
  ["the effect of a tool that is not there", () => guard["tools"]?.({}, { save: "nothing" }), option("the tool `save` does not exist")],
  [
    "an effect that is a word",
    () => guard["tools"]?.({ save: () => 1 }, { save: "none" }),
    option("nothing says what the tool `save` does"),
  ],
  ["a tool that runs nothing", () => guard["tools"]?.({ save: {} }, { save: "nothing" }), option("`save` cannot be guarded")],
  ["nothing to be seen", () => guard["visible"]?.(null), option("visible: `tools` must be an object")],
  [
    "a tool that the SDK did not make",
    () => guard["openAiTool"]?.({ name: 5 }, () => []),
    option("openAiTool takes what `tool()` of the SDK made"),
  ],
  ["a tool whose name is no text", () => guard["openAiTool"]?.(() => [], ""), option("toolGuard takes the name of the tool")],
  [
    "the effect of a tool that an SDK does not have",
    () => guard["aiSdk"]?.({ save: {} }, { sav: "nothing" }),
    option("the tool `sav` does not exist"),
  ],
  ["the same, in a list", () => guard["middleware"]?.([{ name: "save" }], { sav: "nothing" }), option("the tool `sav` does not exist")],
  ["effects that are words, for an SDK", () => guard["aiSdk"]?.({ save: "writes" }), option("the effect of `save` must be")],
  ["a guard that is none, for an SDK", () => loose(aiSdk.guardTools)({}), option("takes a guard first")],
  ["a command without its field", () => loose(library.commandIn)(), option("commandIn takes the name of the field")],
  [
    "an effect that gives no call",
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
    async () => await (guard["tools"]?.({ a: () => 1 }, { a: () => 5 }) as LooseObject | undefined)?.["a"]?.({}),
    call("a call is an object such as"),
  ],
  // Answers that come later.
  ["no token", () => guard["resume"]?.(undefined, true, "bob"), ["UnknownApproval", "this question was not found"]],
  ["a token of nobody", () => guard["resume"]?.("a.b", true, "bob"), ["UnknownApproval", "this question was not found"]],
  ["an answer that is none", () => guard["resume"]?.("a.b", "yes", "bob"), option("resume: the answer was not understood")],
  ["an answer for ever", () => guard["resume"]?.("a.b", { yes: "always" }, "bob"), option("resume: the answer was not understood")],
  ["a folder of questions that is a number", () => loose(library.folderApprovals)(5), option("`folder`")],
  ["a folder of questions that others enter", async () => await library.folderApprovals(open).secret?.(), option("others may enter")],
  ["a database that is none", () => loose(library.sqliteApprovals)(), option("sqliteApprovals")],
  ["a client that is none", () => loose(library.postgresApprovals)({}), option("postgresApprovals")],
  [
    "a queue that waits in words",
    () => loose(library.queueApprover)({ patience: "10m" }),
    option("the option `patience` must be a number"),
  ],
  ["an undo of nothing", async () => await loose(library.undoRun)("no-such-run"), option("no-such-run")],
  ["an undo of a number", async () => await loose(library.undoRun)(5), option("undoRun")],
  ["a server's tools without a name", () => loose(library.mcpEffects)(), call("mcpEffects: the server has no name")],
  ["a server's tools that are not there", () => loose(library.mcpEffects)("a"), call("mcpEffects: the server's tools are")],
  // The shapes of other tools.
  [
    "an operation that is misspelt",
    () => loose(checkerOf().checkSync.bind(checkerOf()))("raed", "a"),
    option('the operation "raed" does not exist'),
  ],
  ["a ruleset with a misspelt key", () => loose(compat.readRuleset)({ raed: {} }), ["RulesetError", "unknown key `raed`"]],
  ["a ruleset that is a number", () => loose(compat.readRuleset)(5), ["RulesetError", "it is not an object"]],
  ["a flag that is misspelt", () => loose(compat.createRuleset)({ allowRaed: true }), option("does not know the option `allowRaed`")],
  ["a guard of files that asks a text", () => loose(compat.openGuard)({ onAsk: "me" }), option("the option `onAsk` must be a function")],
  ["a backend without options", () => made(compat.LocalBackend)(), option("LocalBackend")],
  ["a backend without a root", () => made(compat.LocalBackend)({}), option("the option `root`")],
  ["a backend behind something else", () => made(compat.LocalBackend)({ root: open, guard: {} }), option("must be a guard of createGuard")],
  ["tools without a backend", () => loose(compat.createConsoleToolset)(), option("createConsoleToolset")],
  // Without a machine.
  ["a browser's guard without a world", () => loose(core.createGuard)({}), option("the option `world` is missing")],
  [
    "a world in a relative folder",
    () => loose(core.createGuard)({ world: core.plainWorld({ cwd: "repo", home: "/" }) }),
    option("`cwd` of the world must be"),
  ],
  ["a policy to compile that is none", () => loose(core.compilePolicy)(7), option("policy: a policy is")],
];

describe("a mistake is told where it is made", () => {
  it.each(MISUSES)("%s", async (_, misuse, [name, message]) => {
    const error = await thrownBy(misuse);
    expect(error).toMatchObject({ name, code: CODES[name], message: expect.stringContaining(message) as unknown });
    expect(library.isAssentError(error)).toBe(true);
  });
  it("is played by more than 66 of them", () => expect(MISUSES.length).toBeGreaterThanOrEqual(66));
});

async function thrownBy(misuse: () => unknown): Promise<unknown> {
  try {
    return { returned: await misuse() };
  } catch (error) {
    return error;
  }
}

describe("whoever is asked gets it wrong, and nothing goes ahead", () => {
  const never = async (): Promise<never> => await new Promise<never>(() => undefined);
  const throwing = (): never => {
    throw new Error("the dialogue is closed");
  };
  it.each<readonly [name: string, onAsk: unknown, by: string, why: string]>([
    ["a yes in a word", () => "yes", "failure", "the answer was not understood"],
    ["nothing", () => undefined, "failure", "the answer was not understood"],
    ["a number", () => 1, "failure", "the answer was not understood"],
    ["a yes for ever", () => ({ yes: "always" }), "failure", "the answer was not understood"],
    ["a yes with a key too many", () => ({ yes: "once", note: "ok" }), "failure", "the answer was not understood"],
    ["a rule that is none", () => ({ yes: { rule: "Bahs(" } }), "failure", "the answer was not understood"],
    ["an error", throwing, "failure", "the dialogue is closed"],
    ["a rejection", async () => await Promise.reject(new Error("the dialogue is closed")), "failure", "the dialogue is closed"],
    ["a yes and a no", () => ({ yes: "once", no: "" }), "person", "the user refused"],
    ["later, where nothing waits", () => "later", "nobody", "nobody can be asked"],
  ])("%s", async (_, onAsk, by, why) => {
    const said = await plain({ cwd: "/repo", home: "/home/me", onAsk })["check"]?.({ shell: "weird" });
    expect(said).toMatchObject({ verdict: "deny", by, forModel: expect.stringContaining(why) as unknown });
  });

  it("no answer at all, until the call is cancelled", async () => {
    const asking = plain({ cwd: "/repo", home: "/home/me", onAsk: never });
    const said = await asking["check"]?.({ shell: "weird" }, { signal: AbortSignal.timeout(20) });
    expect(said).toMatchObject({ verdict: "deny", by: "nobody", forModel: "cancelled" });
  });

  it("a second answer to one question is none", async () => {
    const said = await guard["check"]?.({ shell: "weird" });
    expect(said).toMatchObject({ verdict: "pending" });
    const { token } = said as { readonly token: string };
    expect(await guard["resume"]?.(token, { no: "" }, "bob")).toMatchObject({ verdict: "deny", by: "person" });
    expect(await thrownBy(() => guard["resume"]?.(token, true, "bob"))).toMatchObject({ code: "unknown-approval" });
  });
});

it("an unknown operation throws, whichever way it is asked about", () => {
  const checker = checkerOf();
  for (const asks of [checker.checkSync, checker.explain, checker.isAllowed, checker.isDenied, checker.requiresApproval])
    expect(() => loose(asks.bind(checker))("raed", "a")).toThrow(expect.objectContaining({ code: "guard-option" }) as Error);
});

function checkerOf(): compat.PermissionChecker {
  return new compat.PermissionChecker(compat.presets.default, { cwd: open, files: "none", audit: false });
}
