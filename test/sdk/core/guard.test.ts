import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  compilePolicy,
  type CompiledPolicy,
  type CoreAnswer,
  type CoreQuestion,
  createGuard,
  type GuardCall,
  PermissionDenied,
  plainWorld,
  type World,
} from "@assent/library/sdk/core";
import { createGuard as createRulesGuard } from "@assent/library/sdk/core/rules";

const FILES = { "/p/src/a.ts": "file", "/p/.env": "file", "/p/src/out": { link: "/etc" }, "/etc/shadow": "file" } as const;
const world = plainWorld({ cwd: "/p", home: "/home/u", files: FILES });
type Options = Parameters<typeof createGuard>[0];
const guardOf = (options: Partial<Options> = {}) => createGuard({ world, ...options });
const write: GuardCall = { write: "src/b.ts" };

describe("a misuse is an error that names what is wrong, in plain JavaScript, too", () => {
  it.each<readonly [unknown, string]>([
    [undefined, "the option `world` is missing"],
    [{}, "the option `world` is missing"],
    [{ wrold: world }, "does not know the option `wrold`: did you mean `world`?"],
    [{ world: { ...world, cwd: "p" } }, "`cwd` of the world must be an absolute path"],
    [{ world: { ...world, temp: ["tmp"] } }, "`temp` of the world must be a list of absolute paths"],
    [{ world: { ...world, canonical: undefined } }, "the world has no function `canonical`"],
    [{ world: { ...world, mayHold: true } }, "`mayHold` of the world must be a function"],
    [{ world, policy: "readonyl" }, "did you mean `readonly`?"],
    [{ world, policy: { permissions: { deny: ["Bash("] } } }, "permissions.deny[0]"],
    [{ world, policy: ["strict", { preset: "readonly" }] }, "the preset readonly is not stricter than strict in everything"],
    [{ world, principal: { usr: "ann" } }, "did you mean `user`?"],
    [{ world, onAsk: "yes" }, "the option `onAsk` must be a function"],
    [{ world, approvals: {} }, "does not know the option `approvals`"],
    [{ world, shell: "fish" }, 'must be "any" or "bash" or "sh" or "zsh"'],
  ])("createGuard(%j): %s", (options, message) => {
    expect(() => createGuard(options as Options)).toThrow(message);
  });

  it.each<readonly [unknown, string]>([
    [{ cwd: "/p", home: "/h", files: { "a.ts": "file" } }, "a path that is not absolute"],
    [{ cwd: "/p", home: "/h", files: { "/a.ts": "text" } }, '"file", "directory", { link } or { text }'],
  ])("plainWorld(%j): %s", (options, message) => {
    expect(() => plainWorld(options as Parameters<typeof plainWorld>[0])).toThrow(message);
  });
});

describe("what a world answers is looked at: nothing that it should not say allows", () => {
  const promised = (value: unknown) => (): never => Promise.resolve(value) as never;
  it.each<readonly [string, Partial<World>, GuardCall, string]>([
    ["as it should be", {}, { shell: "cat src/a.ts" }, "allow"],
    ["a promise of a path", { canonical: promised("/p/src/a.ts") }, { shell: "cat src/a.ts" }, "ask"],
    ["a relative path", { canonical: () => "src/a.ts" }, { read: "src/a.ts" }, "ask"],
    ["a promise of a program", { lookup: promised({ path: "/usr/bin/cat", trusted: true }) }, { shell: "cat src/a.ts" }, "ask"],
    ["a yes as a text", { lookup: () => ({ path: "/usr/bin/cat", trusted: "yes" }) as never }, { shell: "cat src/a.ts" }, "ask"],
    ["a promise of trust", { trustedProgram: promised(true) }, { shell: "/opt/x/ls" }, "ask"],
    ["a kind of its own", { kind: () => "text" as never }, { read: "src", tree: true }, "ask"],
    [
      "what was found, without whether all was looked at",
      { find: () => ({ found: undefined }) as never },
      { shell: "grep -rn x src" },
      "ask",
    ],
    [
      "an error",
      {
        canonical: () => {
          throw new Error("gone");
        },
      },
      { read: "src/a.ts" },
      "ask",
    ],
  ])("%s", async (_, changes, call, verdict) => {
    expect((await createGuard({ world: { ...world, ...changes } }).decide(call)).verdict).toBe(verdict);
  });

  it("answers of a class are asked of the class", async () => {
    class Held {
      readonly #inner = world;
      readonly cwd = "/p";
      readonly home = "/home/u";
      readonly projectRoot = "/p";
      readonly temp = ["/tmp"];
      readonly foldsCase = false;
      env = (name: string) => this.#inner.env(name);
      canonical(path: string) {
        return this.#inner.canonical(path);
      }
      kind(path: string) {
        return this.#inner.kind(path);
      }
      lookup(name: string) {
        return this.#inner.lookup(name);
      }
      trustedProgram(path: string) {
        return this.#inner.trustedProgram(path);
      }
      find(...given: Parameters<World["find"]>) {
        return this.#inner.find(...given);
      }
      tracked(path: string) {
        return this.#inner.tracked(path);
      }
      names(directory: string) {
        return this.#inner.names(directory);
      }
      exhausted() {
        return this.#inner.exhausted?.() ?? false;
      }
    }
    const guard = createGuard({ world: new Held() });
    expect((await guard.decide({ shell: "cat src/a.ts" })).verdict).toBe("allow");
    expect((await guard.decide({ shell: "cat .env" }, { cwd: "/p" })).verdict).toBe("deny");
  });
});

describe("a plain world", () => {
  it.each<readonly [string, string, string]>([
    ["/p/src/a.ts", "/p/src/a.ts", "file"],
    ["/p/src", "/p/src", "directory"],
    ["/", "/", "directory"],
    ["/p/none", "/p/none", "missing"],
    ["/p/src/out/shadow", "/etc/shadow", "file"],
    ["/p/src/out/../p/.env", "/p/.env", "file"],
  ])("%s is %s, a %s", (path, canonical, kind) => {
    expect([world.canonical(path), world.kind(path)]).toEqual([canonical, kind]);
  });

  it("ends where links lead in circles, or to one another a thousandfold", () => {
    const many = Array.from({ length: 30 }, (_, at) => [`/l${at}`, { link: `/l${at + 1}/../l${at + 1}/../l${at + 1}` }] as const);
    const hostile = plainWorld({
      cwd: "/",
      home: "/h",
      files: { "/a": { link: "/b" }, "/b": { link: "/a" }, ...Object.fromEntries(many) },
    });
    expect(hostile.kind("/a")).toBe("missing");
    expect(hostile.canonical("/l0")).toMatch(/^\/l\d+$/);
  });

  it.each<readonly [GuardCall, string]>([
    [{ shell: "git status" }, "allow"],
    [{ read: "src/a.ts" }, "allow"],
    [{ read: ".env" }, "deny"],
    [{ shell: "rm -rf ~" }, "deny"],
    // What lies below nobody knows.
    [{ shell: "grep -rn x src" }, "ask"],
    [{ shell: "cat src/*" }, "ask"],
    [{ read: "src", tree: true }, "ask"],
  ])("without files nobody knows what is there: %j: %s", async (call, verdict) => {
    const guard = createGuard({ world: plainWorld({ cwd: "/p", home: "/home/u" }) });
    expect((await guard.decide(call)).verdict).toBe(verdict);
  });
});

describe("questions", () => {
  const gone = (): never => {
    throw new Error("gone");
  };
  it.each<readonly [CoreAnswer | (() => never) | undefined, string]>([
    [true, "allow, allowed"],
    [{ yes: "once" }, "allow, allowed"],
    [{ yes: "session" }, "allow, allowed"],
    [{ yes: { for: "10m" } }, "allow, allowed"],
    [{ yes: "once", call: { write: "src/c.ts" } }, "allow, allowed"],
    [{ yes: "once", call: { write: "~/.bashrc" } }, "deny, undefined"],
    [{ yes: "once", call: { write: "~/.agent-permissions.jsonc" } }, "deny, undefined"],
    [{ yes: "once", input: {} }, "deny, failed"],
    [{ yes: { for: "10 minutes" } }, "deny, failed"],
    [{ yes: { rule: "Edit(src/**)" } } as unknown as CoreAnswer, "deny, failed"],
    [{ yes: "always" } as unknown as CoreAnswer, "deny, failed"],
    ["later" as unknown as CoreAnswer, "deny, failed"],
    [1 as unknown as CoreAnswer, "deny, failed"],
    [false, "deny, refused"],
    [{ no: "not now" }, "deny, refused"],
    [gone, "deny, failed"],
    [undefined, "deny, nobody"],
  ])("answered %j: %s", async (answer, end) => {
    const onAsk = (): CoreAnswer => (typeof answer === "function" ? answer() : (answer ?? false));
    const { verdict, decision } = await guardOf(answer === undefined ? {} : { onAsk }).check(write);
    expect(`${verdict}, ${decision.answer}`).toBe(end);
  });

  it("say what would happen, for whom, and nothing that moves a cursor", async () => {
    const asked: CoreQuestion[] = [];
    const guard = guardOf({ principal: { user: "ann" }, onAsk: (question) => (asked.push(question), false) });
    await guard.check({ write: "src/\u001b[2Jb.ts" }, { reason: "please\u001b[0m" });
    const [question] = asked;
    expect(question?.text).toMatch(/^write src\/.*b\.ts\? /);
    // oxlint-disable-next-line no-control-regex -- that is what is looked for
    expect(`${question?.text}${question?.agentSays}`).not.toMatch(/\u001b/);
    expect(question?.principal).toEqual({ user: "ann" });
  });

  describe("an answer for the session is about this very question", () => {
    it.each<readonly [string, GuardCall, Parameters<ReturnType<typeof guardOf>["check"]>[1], number]>([
      ["the same", write, {}, 1],
      ["another path", { write: "src/c.ts" }, {}, 2],
      ["another folder", write, { cwd: "/p/src" }, 2],
      ["another user", write, { principal: { user: "bob" } }, 2],
      ["a sub-agent", write, { subagent: "helper" }, 2],
      ["other content", { write: "src/b.ts", content: "x" }, {}, 2],
    ])("%s", async (_, call, options, asks) => {
      let asked = 0;
      const guard = guardOf({ onAsk: () => ((asked += 1), { yes: "session" }) });
      await guard.check(write);
      expect((await guard.check(call, options)).verdict).toBe("allow");
      expect(asked).toBe(asks);
    });

    it("what no text tells apart is asked again", async () => {
      let asked = 0;
      const guard = guardOf({ onAsk: () => ((asked += 1), { yes: "session" }) });
      const save = guard.tool({ name: "save", does: ({ at }: { at: Date | number }) => ({ write: `src/${String(at)}` }) }, () => 1);
      await save({ at: new Date(0) });
      await save({ at: new Date(0) });
      expect(asked).toBe(2);
    });

    it("a stricter guard's no stands above it", async () => {
      const guard = guardOf({ onAsk: () => ({ yes: "session" }) });
      await guard.check(write);
      expect((await guard.with({ policy: { permissions: { deny: ["Edit(src/**)"] } } }).check(write)).verdict).toBe("deny");
    });
  });

  it("ends as a refusal when the call is cancelled, whatever is answered later", async () => {
    const cancel = new AbortController();
    const guard = guardOf({ onAsk: async () => await new Promise<boolean>(() => cancel.abort()) });
    const { verdict, decision } = await guard.check(write, { signal: cancel.signal });
    expect([verdict, decision.answer]).toEqual(["deny", "nobody"]);
  });
});

describe("tools", () => {
  const schema = z.object({ path: z.string() });
  const saved: string[] = [];
  const guard = guardOf({ policy: { permissions: { allow: ["Edit(src/**)"], deny: ["wipe"] } } });
  const save = guard.tool({ name: "save", input: schema, does: ({ path }) => ({ write: path }) }, ({ path }, { cwd }) =>
    saved.push(`${cwd} ${path}`),
  );

  it("run when they may, and throw when not", async () => {
    await save({ path: "src/b.ts" });
    await expect(save({ path: ".env" })).rejects.toBeInstanceOf(PermissionDenied);
    expect(saved).toEqual(["/p src/b.ts"]);
  });

  it("are guarded as they are, and hidden where they are denied by name", async () => {
    const tools = { read: async ({ path }: { path: string }) => await Promise.resolve(path), wipe: () => 1 };
    const guarded = guard.tools(tools, { read: ({ path }) => ({ read: path }), wipe: "nothing" });
    expect(await guarded.read({ path: "src/a.ts" })).toBe("src/a.ts");
    await expect(guarded.read({ path: ".env" })).rejects.toBeInstanceOf(PermissionDenied);
    expect(Object.keys(guard.visible(guarded))).toEqual(["read"]);
  });

  it("a guard that only reports stops nothing, and says what it would have said", async () => {
    const told: string[] = [];
    const shadow = guardOf({ shadow: true, onDecision: ({ verdict, shadow: only }) => told.push(`${verdict} ${only}`) });
    expect((await shadow.check({ read: ".env" })).verdict).toBe("allow");
    expect(told).toEqual(["deny true"]);
  });

  it("what onDecision throws changes nothing", async () => {
    const failing = guardOf({
      onDecision: () => {
        throw new Error("full");
      },
    });
    expect((await failing.check({ read: "src/a.ts" })).verdict).toBe("allow");
  });
});

describe("without commands: `assent/core/rules`", () => {
  const policy = compilePolicy({
    permissions: { allow: ["Edit(src/**)", "Bash(npm test:*)"], deny: ["Read(secrets/**)", "Bash(git push:*)"] },
  });
  const restored = JSON.parse(JSON.stringify(policy)) as CompiledPolicy;

  it.each<readonly [GuardCall, string]>([
    [{ write: "src/b.ts" }, "allow"],
    [{ read: "secrets/a" }, "deny"],
    [{ read: ".env" }, "deny"],
    [{ fetch: "https://example.com/" }, "ask"],
    [{ shell: "npm test" }, "deny"],
    [{ argv: ["ls"] }, "deny"],
    [{ tool: "bash", input: { cmd: "ls" }, facts: { does: "shell", field: "cmd" } }, "deny"],
  ])("%j: %s", async (call, verdict) => {
    const guard = createRulesGuard({ world, policy: restored, shadow: false });
    expect((await guard.decide(call)).verdict).toBe(verdict);
  });

  it("nobody's yes lets a command go", async () => {
    const guard = createRulesGuard({ world, policy: restored, onAsk: () => true });
    expect((await guard.check({ shell: "npm test" })).verdict).toBe("deny");
  });

  it.each<readonly [unknown, string]>([
    ["readonyl", "did you mean `readonly`?"],
    [{ permissions: {} }, "what `compilePolicy` of `assent/core` made"],
    [{ ...restored, version: "0.0.1" }, "compile it again"],
    [{ ...restored, policy: { ...restored.policy, rules: [] } }, "was changed after it was made"],
    [{ ...restored, sum: undefined }, "was changed after it was made"],
    [undefined, "works"],
    ["readonly", "works"],
  ])("policy %j: %s", (given, message) => {
    const make = () => createRulesGuard({ world, ...(given === undefined ? {} : { policy: given as "readonly" }) });
    if (message === "works") expect(make()).toBeDefined();
    else expect(make).toThrow(message);
  });

  it("becomes only stricter by others", async () => {
    const guard = createRulesGuard({ world, policy: [restored, compilePolicy({ permissions: { deny: ["Edit(src/**)"] } })] });
    expect((await guard.decide(write)).verdict).toBe("deny");
    expect(() => createRulesGuard({ world, policy: "strict" }).with({ policy: "readonly" })).toThrow("is not stricter");
  });
});
