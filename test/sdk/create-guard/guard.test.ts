import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from "vitest";
import fc from "fast-check";
import { guardTools } from "@assent/library/sdk/ai-sdk";
import type { PolicyInput } from "../../../packages/core/src/policy/read/schema.ts";
import { z } from "zod";
import {
  type CallDecision,
  type CallOutcome,
  createGuard,
  type DeniedOutcome,
  type GuardAnswer,
  type GuardCall,
  type GuardChange,
  type GuardOptions,
  type GuardQuestion,
  isAssentError,
  mcpEffects,
  memoryApprovals,
  type PolicyObject,
  probeSandbox,
  type ToolEffects,
} from "@assent/library/sdk";

let cwd = "";
beforeAll(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), "assent-create-guard-")));
  for (const folder of ["src", "home", "secrets"]) mkdirSync(join(cwd, folder));
  writeFileSync(join(cwd, "src/a.ts"), "");
  writeFileSync(join(cwd, ".env"), "KEY=1");
  symlinkSync("../secrets", join(cwd, "src/linked"));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const guardOf = (options: GuardOptions = {}) => createGuard({ cwd, home: join(cwd, "home"), ...options });
const said = ({ verdict, answer }: CallDecision): string => (answer === undefined ? verdict : `${verdict}, ${answer}`);
const ended = (outcome: CallOutcome): string => `${outcome.verdict} (${said(outcome.decision)})`;

describe("what a call may be, and what the default preset says about it", () => {
  it.each<readonly [GuardCall, string]>([
    [{ shell: "ls -la" }, "allow"],
    [{ shell: "git status && rm -rf ~" }, "deny"],
    [{ argv: ["ls", "-la"] }, "allow"],
    [{ argv: ["ls", "; rm -rf ~"] }, "allow"],
    [{ read: "src/a.ts" }, "allow"],
    [{ read: [".env"] }, "deny"],
    [{ write: "src/b.ts" }, "ask"],
    [{ edit: "src/a.ts" }, "ask"],
    [{ delete: "src", tree: true }, "ask"],
    [{ list: "." }, "allow"],
    [{ mkdir: "new" }, "ask"],
    [{ patch: "*** Begin Patch\n*** Delete File: src/a.ts\n*** End Patch" }, "ask"],
    [{ fetch: "https://example.com/" }, "ask"],
    [{ fetch: new URL("https://example.com/") }, "ask"],
    [{ mcp: { server: "db", tool: "query", input: {} } }, "ask"],
    [{ tool: "save", input: { path: "src/a.ts" } }, "ask"],
    [{ tool: "bash", input: { cmd: "rm -rf ~" }, facts: { does: "shell", field: "cmd" } }, "deny"],
  ])("%j: %s", async (call, verdict) => {
    expect((await guardOf().decide(call)).verdict).toBe(verdict);
  });

  const update = (header: string, context: string): string => `*** Begin Patch\n${header}\n@@\n${context}\n-old\n+new\n*** End Patch`;
  it.each<readonly [string, string, string, string]>([
    ["the plain form", update("*** Update File: src/a.ts", " same"), "allow", "allow"],
    ["blanks in front of a header", update("  *** Update File: src/a.ts", " same"), "allow", "ask"],
    ["a context line that lost its blank", update("*** Update File: src/a.ts", "same"), "allow", "ask"],
    ["blanks behind the first line", update("*** Update File: src/a.ts", " same").replace("Patch\n", "Patch  \n"), "allow", "ask"],
    ["other line ends", update("*** Update File: src/a.ts", " same").replaceAll("\n", "\r\n"), "allow", "ask"],
    ["a unified diff", "--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-old\n+new\n", "allow", "allow"],
    ["what is denied", update("*** Update File: .env", "same"), "deny", "deny"],
  ])("a patch with %s: forgiven or, with `strict`, not", async (_, patch, forgiving, strict) => {
    const guard = guardOf({ policy: { permissions: { allow: ["Edit(src/**)"] } } });
    expect((await guard.decide({ patch })).verdict).toBe(forgiving);
    expect((await guard.decide({ patch, strict: false })).verdict).toBe(forgiving);
    expect((await guard.decide({ patch, strict: true })).verdict).toBe(strict);
  });

  it("judges several as one: the strictest counts", async () => {
    const { verdict, verdicts, calls } = await guardOf().decide([{ read: "src/a.ts" }, { read: ".env" }]);
    expect([verdict, verdicts.length, calls.length]).toEqual(["deny", 2, 2]);
  });

  it("says why, for a person and for the model, and which rule of the code it was", async () => {
    const guard = guardOf({ policy: { permissions: { deny: [{ rule: "Bash(make:*)", reason: "use npm" }] } } });
    const { rule, forPerson, forModel, reason, id } = await guard.decide({ shell: "make all" });
    expect(rule).toEqual({ text: "Bash(make:*)", source: "the guard's policy" });
    expect([forPerson, forModel]).toEqual([expect.stringContaining("use npm"), expect.stringContaining("use npm")]);
    expect([reason, id]).toEqual([undefined, expect.stringMatching(/^[\da-f-]{36}$/)]);
  });
});

function nested(levels: number): Record<string, unknown> {
  let value: Record<string, unknown> = {};
  for (let level = 0; level < levels; level += 1) value = { value };
  return value;
}

describe("a misuse is an error that names what is wrong, in plain JavaScript, too", () => {
  it.each<readonly [unknown, string]>([
    [{ polcy: "readonly" }, "does not know the option `polcy`: did you mean `policy`?"],
    [{ policy: "readonyl" }, 'the preset "readonyl" does not exist: did you mean `readonly`?'],
    [{ policy: { permissions: { denny: [] } } }, "unknown key `denny` (did you mean `deny`?)"],
    [{ policy: { permissions: { deny: ["Bash("] } } }, "permissions.deny[0]"],
    [{ policy: ["strict", { preset: "readonly" }] }, "the preset readonly is not stricter than strict in everything"],
    [{ policy: { permissions: { allow: [() => true] } } }, "a policy is plain data"],
    [{ files: "everything" }, 'must be "none", "user", "project", "all"'],
    [{ files: ["policy.jsonc"] }, "a list of absolute paths"],
    [{ cwd: "src" }, "must be an absolute path"],
    [{ onAsk: "yes" }, "the option `onAsk` must be a function"],
    [{ approvals: { put: () => undefined } }, "has no function `take`"],
    [{ principal: { usr: "ann" } }, "does not know the option `usr`: did you mean `user`?"],
    [{ principal: { role: [1] } }, "must be a text or a list of texts"],
    [{ principal: { user: "" } }, "is empty"],
    [{ shadow: "yes" }, "must be true or false"],
  ])("createGuard(%j): %s", (options, message) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as plain JavaScript calls it
    expect(() => createGuard(options as GuardOptions)).toThrow(message);
  });

  it.each<readonly [unknown, string]>([
    ["ls", "a call is an object"],
    [{}, "a call has one of"],
    [{ sell: "ls" }, "did you mean `shell`?"],
    [{ shell: "ls", read: "a" }, "a call has one form: shell or read"],
    [{ shell: ["ls"] }, "`shell` is a text"],
    [{ argv: [] }, "the program first"],
    // oxlint-disable-next-line no-sparse-arrays -- gaps are what it is about
    [{ argv: ["rm", , "x"] }, "the program first"],
    // oxlint-disable-next-line no-sparse-arrays
    [{ read: ["a", ,] }, "is a path, or a list of paths"],
    // oxlint-disable-next-line no-sparse-arrays
    [[{ shell: "ls" }, ,], "a call is an object"],
    [{ patch: "x", strict: "yes" }, "`strict` is true or false"],
    [{ patch: "x", strikt: true }, "does not take `strikt`: did you mean `strict`?"],
    [{ write: "a", contents: "x" }, "does not take `contents`: did you mean `content`?"],
    [{ read: 3 }, "is a path, or a list of paths"],
    [{ mcp: { server: "db" } }, "`mcp` is { server, tool, input }"],
    [{ tool: "x", input: "text" }, "the input of x is not an object"],
    [{ tool: "x", input: {}, facts: { does: "shel" } }, "`facts` say what a tool does"],
  ])("decide(%j): %s", async (call, message) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as plain JavaScript calls it
    await expect(guardOf().decide(call as GuardCall)).rejects.toThrow(message);
  });

  it("lists and objects that are nested too deeply for anybody to judge", async () => {
    const input = nested(100_000);
    await expect(guardOf().decide({ tool: "x", input })).rejects.toThrow("more than 200 levels deep");
    const keep = guardOf().tool({ name: "keep", does: "nothing" }, (given: unknown) => given);
    await expect(keep(input)).rejects.toThrow("more than 200 levels deep");
  });

  it("whatever else it is: an error of its own, or a verdict that allows nothing but looking", async () => {
    const facts = fc.record({
      does: fc.constantFrom("shell", "file", "patch", "fetch", "tool", "argv", "opaque"),
      field: fc.anything(),
      fields: fc.anything(),
      operation: fc.anything(),
    });
    const text = fc.string({ unit: "binary" });
    const mcp = fc.constant({ server: "a", tool: "b", input: {} });
    const whatever = fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true, withMap: true, withSparseArray: true });
    const fields = ["shell", "argv", "read", "write", "edit", "delete", "list", "mkdir", "patch", "fetch", "mcp", "tool", "input", "facts"];
    const odd = fc.dictionary(
      fc.constantFrom(...fields, "tree", "content", "does", "__proto__"),
      fc.oneof(whatever, text, fc.array(text), mcp, facts),
      { maxKeys: 3 },
    );
    const guard = guardOf();
    await fc.assert(
      fc.asyncProperty(fc.oneof(whatever, odd), async (call) => {
        try {
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as plain JavaScript calls it
          const { verdict, actions } = await guard.decide(call as GuardCall);
          const looks = actions.every((action) => action.kind === "file" && ["read", "list"].includes(action.operation));
          expect(verdict !== "allow" || looks || (typeof call === "object" && call !== null && ("shell" in call || "argv" in call))).toBe(
            true,
          );
        } catch (error) {
          expect(error).toMatchObject({ name: "GuardCallError" });
        }
      }),
      { numRuns: 500 },
    );
  });

  it("options of a call", async () => {
    const options: object = { cwdd: "/" };
    await expect(guardOf().check({ shell: "ls" }, options)).rejects.toThrow("does not know the option `cwdd`");
  });
});

it("the type of a policy is what a policy file may hold", () => {
  type Loose<T> = T extends readonly (infer Item)[]
    ? readonly Loose<Item>[]
    : T extends object
      ? { readonly [Name in keyof T]: Loose<T[Name]> }
      : T;
  expectTypeOf<Loose<Omit<PolicyInput, "$schema" | "profile" | "shell">>>().toExtend<PolicyObject>();
  expectTypeOf<PolicyObject>().toExtend<Loose<Omit<PolicyInput, "$schema" | "profile" | "shell">>>();
});

describe("questions", () => {
  const write: GuardCall = { write: "src/b.ts" };

  it.each<readonly [GuardAnswer | (() => never) | undefined, string]>([
    [true, "allow (ask, allowed)"],
    [{ yes: "once" }, "allow (ask, allowed)"],
    [{ yes: "session" }, "allow (ask, allowed)"],
    [{ yes: { for: "10m" } }, "allow (ask, allowed)"],
    [{ yes: { rule: "Edit(src/**)" } }, "allow (ask, allowed)"],
    [false, "deny (ask, refused)"],
    [{ no: "not now" }, "deny (ask, refused)"],
    ["later", "deny (ask, nobody)"],
    [
      () => {
        throw new Error("gone");
      },
      "deny (ask, failed)",
    ],
  ])("answered %j: %s", async (answer, end) => {
    const onAsk = (): GuardAnswer => (typeof answer === "function" ? answer() : (answer ?? false));
    expect(ended(await guardOf({ onAsk }).check(write))).toBe(end);
  });

  it.each<unknown>([
    "yes",
    1,
    { yes: true },
    { yes: "always" },
    { yes: { for: "ten" } },
    { yes: { rule: "Bash(" } },
    { yes: "once", always: true },
    {},
    [],
    undefined,
    null,
  ])("what is no answer lets nothing go ahead, and is nobody's no: %j", async (answer) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as plain JavaScript answers
    const guard = guardOf({
      onAsk: () => answer as GuardAnswer,
      policy: { permissions: { allow: ["Bash(touch:*)"], ask: ["Edit(src/**)"] } },
    });
    expect(ended(await guard.check(write))).toBe("deny (ask, failed)");
    // Remembered is what a person refused, for other tools as well: nobody has.
    expect((await guard.decide({ shell: "touch src/b.ts" })).verdict).toBe((await guardOf().decide({ shell: "touch src/b.ts" })).verdict);
  });

  it("a no beside a yes is a no", async () => {
    expect(ended(await guardOf({ onAsk: () => ({ yes: "once", no: "x" }) }).check(write))).toBe("deny (ask, refused)");
  });

  it.each<readonly [DeniedOutcome["by"], GuardCall, GuardOptions, RegExp]>([
    [
      "policy",
      { read: "secrets/key" },
      { policy: { permissions: { deny: ["Read(secrets/**)"] } }, onAsk: () => true },
      /^(?!.*approval required)/,
    ],
    ["person", write, { onAsk: () => ({ no: "not now" }) }, /^the user refused, and said: not now/],
    ["nobody", write, {}, /^approval required, and nobody can be asked/],
    ["nobody", write, { onAsk: () => "later" }, /^approval required, and nobody can be asked/],
    [
      "failure",
      write,
      { onAsk: async () => await Promise.reject(new Error("no network")) },
      /^approval required, and asking failed: no network/,
    ],
    ["failure", write, { onAsk: () => "yes" as never }, /^approval required, and asking failed: the answer was not understood/],
  ])("refused by %s: the program and the model can tell", async (by, call, options, told) => {
    const outcome = await guardOf(options).check(call);
    expect(outcome).toMatchObject({ verdict: "deny", by, forModel: expect.stringMatching(told) as unknown });
    const error: unknown = await guardOf(options)
      .require(call)
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "permission-denied", by, message: expect.stringMatching(told) as unknown });
    expect(isAssentError(error)).toBe(true);
  });

  it("nobody there: a refusal that says so", async () => {
    const outcome = await guardOf().check(write);
    expect(outcome).toMatchObject({ verdict: "deny", forModel: expect.stringContaining("nobody can be asked") as unknown });
  });

  it("a question shows what would happen, why, what the agent says, and which rules would do", async () => {
    let shown: GuardQuestion | undefined;
    const onAsk = (question: GuardQuestion): GuardAnswer => ((shown = question), { no: "" });
    await guardOf({ onAsk, principal: { user: "ann" } }).check(write, { reason: "to\nadd it" });
    expect(shown).toMatchObject({ principal: { user: "ann" }, calls: [write], agentSays: expect.not.stringContaining("\n") as unknown });
    expect(shown?.text).toMatch(/^write src\/b\.ts\? /);
    expect(shown?.rules).toEqual(["Edit(src/**)"]);
  });

  it("a yes for longer answers the same again, for the same principal alone", async () => {
    let asked = 0;
    const guard = guardOf({ onAsk: () => ((asked += 1), { yes: "session" }), principal: { user: "ann", session: "s" } });
    await guard.check(write);
    expect(ended(await guard.check(write))).toBe("allow (allow)");
    expect(ended(await guard.with({ principal: { user: "bob", session: "s" } }).check(write))).toBe("allow (ask, allowed)");
    expect(ended(await guard.with({ principal: { user: "ann", session: "other" } }).check(write))).toBe("allow (ask, allowed)");
    expect(asked).toBe(3);
  });

  it.each<readonly [GuardAnswer, string]>([
    [{ yes: { for: "10m" } }, "allow"],
    [{ yes: { rule: "Edit(src/**)" } }, "allow"],
  ])("%j holds in the project that was asked about, and for the session where nobody is named", async (answer, here) => {
    const guard = guardOf({ cwd: join(cwd, "home"), onAsk: () => answer, principal: { session: "s" } });
    await guard.check(write);
    const said = async (change: GuardChange): Promise<string> => (await guard.with(change).decide(write)).verdict;
    expect([await said({}), await said({ cwd: join(cwd, "secrets") }), await said({ principal: { session: "other" } })]).toEqual([
      here,
      "ask",
      "ask",
    ]);
  });

  it("a changed call that is none is a refusal", async () => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as plain JavaScript answers
    const onAsk = (): GuardAnswer => ({ yes: "once", call: { sell: "ls" } }) as unknown as GuardAnswer;
    expect(await guardOf({ onAsk }).check(write)).toMatchObject({
      verdict: "deny",
      forModel: expect.stringContaining("was not understood") as unknown,
    });
  });

  it("a question that cannot be kept is a refusal that says so", async () => {
    const approvals = { ...memoryApprovals(), put: async () => await Promise.reject(new Error("disk full")) };
    expect(await guardOf({ approvals }).check(write)).toMatchObject({
      verdict: "deny",
      forModel: expect.stringContaining("disk full") as unknown,
    });
  });

  it("what somebody refused is asked about through other tools, for him alone", async () => {
    const guard = guardOf({
      policy: { permissions: { allow: ["Bash(touch:*)", "Edit(src/**)"], ask: ["Delete(src/**)"] } },
      onAsk: () => false,
    });
    const ann = guard.with({ principal: { user: "ann" } });
    await ann.check({ delete: "src/a.ts" });
    expect((await ann.decide({ edit: "src/a.ts" })).verdict).toBe("ask");
    expect((await guard.with({ principal: { user: "bob" } }).decide({ edit: "src/a.ts" })).verdict).toBe("allow");
  });

  it("a call that a person changed is judged once more", async () => {
    const to = (call: GuardCall) => guardOf({ onAsk: () => ({ yes: "once", call }) }).check(write);
    expect(await to({ write: "src/c.ts" })).toMatchObject({ verdict: "allow", calls: [{ write: "src/c.ts" }] });
    expect(await to({ shell: "rm -rf ~" })).toMatchObject({ verdict: "deny" });
  });

  it("a call that is given up meanwhile does not go ahead", async () => {
    const stop = new AbortController();
    const onAsk = (): GuardAnswer => (stop.abort(), true);
    expect(await guardOf({ onAsk }).check(write, { signal: stop.signal })).toMatchObject({ verdict: "deny", forModel: "cancelled" });
  });

  it("require throws, with a message for the model", async () => {
    await expect(guardOf().require({ shell: "rm -rf ~" })).rejects.toMatchObject({
      code: "permission-denied",
      decision: { verdict: "deny" },
    });
    expect((await guardOf().require({ shell: "ls" })).verdict).toBe("allow");
  });
});

describe("with", () => {
  it("another folder", async () => {
    expect((await guardOf().with({ cwd: "src" }).decide({ read: "../.env" })).verdict).toBe("deny");
  });
  it("a policy can only make it stricter", async () => {
    const guard = guardOf({ policy: { preset: "readonly", permissions: { deny: ["Read(src/**)"] } } });
    const loose = guard.with({
      policy: { preset: "permissive", mode: "full-auto", permissions: { allow: ["*", "Read(src/**)", "Edit(**)"] } },
    });
    expect((await loose.decide({ read: "src/a.ts" })).verdict).toBe("deny");
    expect((await loose.decide({ write: "src/b.ts" })).verdict).toBe("deny");
    const strict = guardOf({ policy: { permissions: { allow: ["Edit(src/**)"] } } }).with({
      policy: { permissions: { ask: ["Edit(src/a.ts)"] } },
    });
    expect((await strict.decide({ edit: "src/a.ts" })).verdict).toBe("ask");
    expect((await strict.decide({ edit: "src/b.ts" })).verdict).toBe("allow");
  });
  it("rules for some", async () => {
    const guard = guardOf({ policy: { permissions: { allow: [{ rule: "Edit(src/**)", when: { role: ["dev"] } }] } } });
    const as = async (principal?: object) =>
      (await (principal === undefined ? guard : guard.with({ principal })).decide({ edit: "src/a.ts" })).verdict;
    expect([await as(), await as({ role: "dev" }), await as({ role: ["ops", "dev"] }), await as({ role: "ops" })]).toEqual([
      "ask",
      "allow",
      "allow",
      "ask",
    ]);
  });
});

describe("tools", () => {
  const schema = z.object({ path: z.string(), text: z.string().default("") });
  const saver = (options: GuardOptions, ran: unknown[] = []) =>
    guardOf(options).tool(
      { name: "save", input: schema, does: ({ path }) => ({ write: path }) },
      (input) => (ran.push(input), `saved ${input.path}`),
    );

  it("runs what is allowed, with what the schema made of its input", async () => {
    const ran: unknown[] = [];
    const save = saver({ policy: { permissions: { allow: ["Edit(src/**)"] } } }, ran);
    expect(await save({ path: "src/a.ts", text: "x" })).toBe("saved src/a.ts");
    expect(ran).toEqual([{ path: "src/a.ts", text: "x" }]);
  });
  it("refuses by throwing, and runs nothing", async () => {
    const ran: unknown[] = [];
    await expect(saver({}, ran)({ path: ".env", text: "" })).rejects.toMatchObject({ code: "permission-denied" });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as a model gives it
    await expect(saver({}, ran)({ path: 3 } as unknown as { path: string; text: string })).rejects.toThrow("the input of save is wrong");
    expect(ran).toEqual([]);
  });
  it("asks with the tool's own name and input, and takes a changed one", async () => {
    let shown: GuardQuestion | undefined;
    const onAsk = (question: GuardQuestion): GuardAnswer => ((shown = question), { yes: "once", input: { path: "src/b.ts" } });
    expect(await saver({ onAsk })({ path: "a.txt", text: "" })).toBe("saved src/b.ts");
    expect(shown).toMatchObject({
      tool: { name: "save", input: { path: "a.txt" } },
      text: expect.stringMatching(/^save: write a\.txt\?/) as unknown,
    });
  });
  it("a rule about the tool's name holds beside what it does", async () => {
    const save = saver({ policy: { permissions: { allow: ["Edit(src/**)"], deny: ["save"] } } });
    await expect(save({ path: "src/a.ts", text: "" })).rejects.toMatchObject({ code: "permission-denied" });
  });
  it("a rule about what the tool is given holds, too", async () => {
    const save = saver({ policy: { permissions: { allow: ["Edit(src/**)"], deny: ["save(path:src/a.ts)"] } } });
    await expect(save({ path: "src/a.ts", text: "" })).rejects.toMatchObject({ code: "permission-denied" });
    expect(await save({ path: "src/b.ts", text: "" })).toBe("saved src/b.ts");
  });
  it("is told from where its paths were judged", async () => {
    const where = guardOf().tool({ name: "where", does: "nothing" }, (_, context) => context.cwd);
    expect([await where(undefined), await where(undefined, { cwd: "src" })]).toEqual([cwd, join(cwd, "src")]);
  });
  it("what does nothing needs no rule", async () => {
    const now = guardOf({ policy: "strict" }).tool({ name: "now", does: "nothing" }, () => 5);
    expect(await now(undefined)).toBe(5);
  });
  it("guards plain functions and tools of libraries", async () => {
    const library = { description: "d", execute: async ({ path }: { path: string }) => await Promise.resolve(`read ${path}`) };
    const guarded = guardOf().tools(
      { library, plain: ({ path }: { path: string }) => path },
      { library: ({ path }) => ({ read: path }), plain: ({ path }) => ({ read: path }) },
    );
    expect(await guarded.library.execute({ path: "src/a.ts" })).toBe("read src/a.ts");
    expect(guarded.library.description).toBe("d");
    await expect(guarded.library.execute({ path: ".env" })).rejects.toMatchObject({ code: "permission-denied" });
    await expect(Promise.resolve(guarded.plain({ path: ".env" }))).rejects.toMatchObject({ code: "permission-denied" });
  });
  it("a tool of which nobody says what it does is an error", () => {
    const tools: Record<string, unknown> = { a: () => 1 };
    expect(() => guardOf().tools(tools, {})).toThrow("nothing says what the tool `a` does");
    expect(() => guardOf().tools({}, { b: "nothing" } as object)).toThrow("the tool `b` does not exist");
    expect(() => guardOf().tools({ a: 3 }, { a: "nothing" })).toThrow("cannot be guarded");
  });
  it("hides what is always denied", () => {
    const guard = guardOf({ policy: { permissions: { deny: ["drop_*", "mcp__db__*"] } } });
    expect(Object.keys(guard.visible({ drop_table: 1, mcp__db__query: 1, save: 1 }))).toEqual(["save"]);
  });
});

describe.runIf(process.platform === "linux")("confine", () => {
  const script = "./x.sh";
  it("is for every guard, whatever its policy, files and principal; and without the option for none", async () => {
    const env = { PATH: "/usr/bin:/bin", XDG_STATE_HOME: join(cwd, "state") };
    const supervised = await probeSandbox(cwd);
    for (const options of [
      {},
      { policy: { permissions: { deny: ["Read(secrets/**)"] } } },
      { files: "user" },
      { files: "all", principal: { user: "ann" } },
    ] as const) {
      const said = await guardOf({ confine: true, env, home: cwd, ...options }).check({ shell: script });
      expect([said.verdict, said.decision.confined]).toEqual(supervised ? ["allow", true] : ["deny", false]);
      expect((await guardOf({ env, home: cwd, ...options }).check({ shell: script })).verdict).toBe("deny");
    }
    for (const policy of ["strict", "readonly", { unknown: "deny" }] as const)
      expect((await guardOf({ confine: true, env, home: cwd, policy }).check({ shell: script })).verdict).toBe("deny");
  });
  it("never stands for a tool or for several calls, which nobody starts in another way", async () => {
    const guard = guardOf({ confine: true, files: "all", env: { PATH: "/usr/bin:/bin", XDG_STATE_HOME: join(cwd, "state") } });
    const alone = await guard.check({ shell: script });
    // Where the kernel lets runs be: else this, too, is a question.
    if (alone.verdict === "allow") expect(alone.start).toBeDefined();
    expect((await guard.check([{ shell: script }, { read: "src/a.ts" }])).verdict).toBe("deny");
    expect((await guard.tool({ name: "run", does: () => ({ shell: script }) }, () => 1).check(undefined)).verdict).toBe("deny");
    const facts = { bash: { does: "shell", field: "cmd" } } as const;
    const call = { toolName: "bash", toolCallId: "1", input: { cmd: script } };
    expect(await guardTools(guard, { facts })({ toolCall: call })).toMatchObject({ type: "user-approval" });
    expect(await guard.aiSdk({ bash: () => ({ shell: script }) })({ toolCall: call })).toMatchObject({ type: "user-approval" });
  });
});

describe("in an SDK", () => {
  const call = { toolName: "save", toolCallId: "1", input: { path: "src/a.ts" } };
  it("an effect that fails, or says nothing, is a refusal and ends no run", async () => {
    const failing = (): never => {
      throw new Error("no such field");
    };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as plain JavaScript gives it
    for (const effect of [failing, (() => undefined) as unknown as () => GuardCall])
      expect(await guardOf().aiSdk({ save: effect })({ toolCall: call })).toMatchObject({ type: "denied" });
  });
  it("tools that a server has are known by its name, all of them", async () => {
    const listed = { github_get_issue: {}, github_delete_repo: {}, github_new_since_today: {} };
    const guard = guardOf({ policy: { permissions: { allow: ["mcp__github__get_*"], deny: ["mcp__github__delete_*"] } } });
    const said = async (effects: ToolEffects, toolName: string, input: unknown = {}) =>
      (await guard.aiSdk(effects)({ toolCall: { toolName, toolCallId: "1", input } }))?.type ?? "runs";
    for (const effects of [
      mcpEffects("github", listed, { prefix: "github_" }),
      mcpEffects(
        "github",
        Object.keys(listed).map((name) => ({ name })),
        { prefix: "github_" },
      ),
    ]) {
      expect(await Promise.all(Object.keys(listed).map(async (name) => await said(effects, name)))).toEqual([
        "runs",
        "denied",
        "user-approval",
      ]);
      expect(await said(effects, "constructor")).toBe("user-approval");
      expect(await said(effects, "github_get_issue", "no object")).toBe("denied");
    }
    const tools = { delete_repo: async ({ name }: { name: string }) => await Promise.resolve(name) };
    await expect(guard.tools(tools, mcpEffects("github", tools)).delete_repo({ name: "all" })).rejects.toMatchObject({
      code: "permission-denied",
    });
  });
  it.each<readonly [string, Readonly<Record<string, unknown>>]>([
    ["", {}],
    ["github", { github_: {} }],
    ["github", { other: {} }],
  ])("a server or tool without a name is an error: %j %j", (server, listed) => {
    expect(() => mcpEffects(server, listed, { prefix: "github_" })).toThrow("has no name");
  });
  it("shadow hides no tool", () => {
    expect(Object.keys(guardOf({ shadow: true, policy: { permissions: { deny: ["save"] } } }).visible({ save: 1 }))).toEqual(["save"]);
  });
});

describe("who listens", () => {
  it("hears each decision once it stands, and changes nothing by throwing", async () => {
    const heard: string[] = [];
    const guard = guardOf({
      onDecision: (decision) => {
        heard.push(said(decision));
        throw new Error("deaf");
      },
      onAsk: () => true,
    });
    const warnings: string[] = [];
    const note = (warning: Error): void => void warnings.push(warning.message);
    process.on("warning", note);
    await guard.check({ shell: "ls" });
    await guard.check({ write: "src/b.ts" });
    await guard.check({ shell: "rm -rf ~" });
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", note);
    expect(heard).toEqual(["allow", "ask, allowed", "deny"]);
    expect(warnings).toEqual(["onDecision failed: deaf", "onDecision failed: deaf", "onDecision failed: deaf"]);
  });

  it("shadow: decides and reports, and stops nothing", async () => {
    const heard: CallDecision[] = [];
    const guard = guardOf({ shadow: true, onDecision: (decision) => void heard.push(decision) });
    expect((await guard.check({ shell: "rm -rf ~" })).verdict).toBe("allow");
    expect(heard).toMatchObject([{ verdict: "deny", shadow: true }]);
  });
});
