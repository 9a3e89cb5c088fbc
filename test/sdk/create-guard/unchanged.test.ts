import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { guardTools as guardToolsOfMastra } from "@assent/library/sdk/mastra";
import { createGuard, type GuardAnswer, type GuardCall, type GuardOptions, memoryApprovals } from "@assent/library/sdk";

// Mechanism: an answer takes time, and the objects of a call belong to whoever asked. What was judged and what was answered is what runs.

let cwd = "";
beforeAll(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), "assent-unchanged-")));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const guardOf = (options: GuardOptions = {}) => createGuard({ cwd, home: join(cwd, "home"), ...options });

/** Answers yes, after it has changed something. */
const yesAfter = (change: () => void) => async (): Promise<GuardAnswer> => {
  await Promise.resolve();
  change();
  return { yes: "once" };
};

describe("what is changed while a person answers does not run", () => {
  it("the input of a tool", async () => {
    const input = { path: "src/a.ts", options: { flags: ["r"] } };
    const onAsk = yesAfter(() => {
      input.path = ".git/hooks/pre-commit";
      input.options.flags.push("w");
    });
    const save = guardOf({ onAsk }).tool({ name: "save", does: ({ path }: typeof input) => ({ write: path }) }, (given) => given);
    expect(await save(input)).toEqual({ path: "src/a.ts", options: { flags: ["r"] } });
  });

  it("the input of a plain function, with its further parameters as they are", async () => {
    const input = { path: "src/a.ts" };
    const more = { messages: [] };
    const tools = { save: async (given: { path: string }, beside: unknown) => await Promise.resolve([given.path, beside === more]) };
    const guard = guardOf({ onAsk: yesAfter(() => void (input.path = ".env")) });
    expect(await guard.tools(tools, { save: ({ path }) => ({ write: path }) }).save(input, more)).toEqual(["src/a.ts", true]);
  });

  it.each<readonly [string, GuardCall & Record<string, unknown>, () => GuardCall]>([
    ["a command", { shell: "make" }, () => ({ shell: "make" })],
    ["a list of words", { argv: ["make", "all"] }, () => ({ argv: ["make", "all"] })],
    ["paths", { write: ["src/a.ts"] }, () => ({ write: ["src/a.ts"] })],
    [
      "a server's tool",
      { mcp: { server: "db", tool: "query", input: { sql: ["select 1"] } } },
      () => ({ mcp: { server: "db", tool: "query", input: { sql: ["select 1"] } } }),
    ],
  ])("%s", async (_, call, asGiven) => {
    const spoil = (value: unknown): void => {
      if (typeof value !== "object" || value === null) return;
      for (const [key, inner] of Object.entries(value)) {
        spoil(inner);
        if (typeof inner === "string") Reflect.set(value, key, "rm");
      }
    };
    const outcome = await guardOf({ onAsk: yesAfter(() => spoil(call)) }).check(call);
    expect(outcome).toMatchObject({ verdict: "allow", calls: [asGiven()], decision: { calls: [asGiven()] } });
    expect(call).not.toEqual(asGiven());
  });

  it("the calls that wait for an answer", async () => {
    const approvals = memoryApprovals();
    const call = { argv: ["make", "all"] };
    const guard = guardOf({ approvals });
    const waits = await guard.check(call);
    call.argv[0] = "rm";
    expect(waits).toMatchObject({ verdict: "pending" });
    const outcome = await guard.resume(waits.verdict === "pending" ? waits.token : "", { yes: "once" }, "me");
    expect(outcome).toMatchObject({ verdict: "allow", calls: [{ argv: ["make", "all"] }] });
  });

  it("for whom it is: the principal of a guard and of a call", async () => {
    const roles = ["reader"];
    const policy = { permissions: { deny: [{ rule: "Bash(make:*)", when: { role: ["reader"] } }] } };
    const guard = guardOf({ policy, principal: { user: "u", role: roles }, onAsk: () => true });
    const other = guardOf({ policy, onAsk: () => true }).with({ principal: { user: "u", role: roles } });
    roles[0] = "owner";
    expect([(await guard.check({ shell: "make" })).verdict, (await other.check({ shell: "make" })).verdict]).toEqual(["deny", "deny"]);
  });
});

describe("an adapter runs what was asked about, or nothing", () => {
  it.each([
    ["changed", (input: { path: string }) => void (input.path = ".env"), [], "changed while it was asked about"],
    ["as it was", () => {}, ["src/a.ts"], "ran"],
  ] as const)("a tool of Mastra whose input is %s", async (_, change, ran, said) => {
    const input = { path: "src/a.ts" };
    const writes: string[] = [];
    const execute = async ({ path }: typeof input): Promise<string> => await Promise.resolve(`ran${String(writes.push(path))}`);
    const guard = guardOf({ onAsk: yesAfter(() => change(input)) });
    const { save } = guardToolsOfMastra(
      guard,
      { save: { id: "save", execute } },
      { effects: { save: ({ path }: typeof input) => ({ write: path }) } },
    );
    const ended = await save.execute(input).catch(String);
    expect([writes, ended]).toEqual([ran, expect.stringContaining(said)]);
  });
});

describe("what is read twice is the same both times", () => {
  it("a command that gives another text each time", async () => {
    let reads = 0;
    const call = {
      get shell(): string {
        reads += 1;
        return reads === 1 ? "ls" : "rm -rf ~";
      },
    };
    const outcome = await guardOf().check(call);
    expect(outcome).toMatchObject({ verdict: "allow", calls: [{ shell: "ls" }] });
  });

  it("the input of a tool, between what it does and its run", async () => {
    let reads = 0;
    const input = {
      get path(): string {
        reads += 1;
        return reads === 1 ? "src/a.ts" : ".env";
      },
    };
    const read = guardOf().tool({ name: "read", does: ({ path }: { path: string }) => ({ read: path }) }, ({ path }) => path);
    expect(await read(input)).toBe("src/a.ts");
  });
});

describe("what is more than data reaches a tool as it is", () => {
  it("streams, dates, bytes, functions, and what holds itself", async () => {
    const itself: { self?: unknown } = {};
    itself.self = itself;
    const input = { when: new Date(0), bytes: new Uint8Array(2), call: () => 1, url: new URL("https://example.com/"), itself };
    const keep = guardOf().tool({ name: "keep", does: "nothing" }, (given: typeof input) => given);
    const got = await keep(input);
    expect([got.when === input.when, got.bytes === input.bytes, got.call === input.call, got.url === input.url]).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(got.itself.self).toBe(got.itself);
  });

  it("a key `__proto__` stays a key", async () => {
    const input: unknown = JSON.parse('{"__proto__":{"path":".env"},"a":1}');
    const keep = guardOf().tool({ name: "keep", does: "nothing" }, (given: unknown) => given);
    expect(JSON.stringify(await keep(input))).toBe('{"__proto__":{"path":".env"},"a":1}');
  });
});

describe("who is cancelled waits for nobody", () => {
  it("though whoever is asked never answers", async () => {
    const cancel = new AbortController();
    const asked = guardOf({
      onAsk: async () => {
        cancel.abort();
        return await new Promise<never>(() => {});
      },
    }).check({ shell: "make" }, { signal: cancel.signal });
    expect(await asked).toMatchObject({ verdict: "deny", forModel: "cancelled" });
  });

  it("and a yes that comes too late allows nothing", async () => {
    const cancel = new AbortController();
    const onAsk = yesAfter(() => cancel.abort());
    expect(await guardOf({ onAsk }).check({ shell: "make" }, { signal: cancel.signal })).toMatchObject({ verdict: "deny" });
  });
});

describe("a tool that was asked about later", () => {
  it("is given back with its name and input", async () => {
    const approvals = memoryApprovals();
    const guard = guardOf({ approvals });
    const save = guard.tool({ name: "save", does: ({ path }: { path: string }) => ({ write: path }) }, ({ path }) => path);
    const waits = await save.check({ path: "src/a.ts" });
    const outcome = await guard.resume(waits.verdict === "pending" ? waits.token : "", { yes: "once" }, "me");
    expect(outcome).toMatchObject({ verdict: "allow", tool: { name: "save", input: { path: "src/a.ts" } } });
  });
});

describe("a tool that streams", () => {
  it("gives its parts once it may run, and none before", async () => {
    const ran: string[] = [];
    const tools = {
      watch: async function* ({ path }: { path: string }) {
        ran.push(path);
        yield await Promise.resolve(1);
        yield 2;
      },
    };
    const collect = async (parts: AsyncIterable<number>): Promise<readonly number[]> => {
      const all: number[] = [];
      for await (const part of parts) all.push(part);
      return all;
    };
    const guarded = guardOf().tools(tools, { watch: ({ path }) => ({ read: path }) });
    expect(await collect(guarded.watch({ path: "a" }))).toEqual([1, 2]);
    await expect(collect(guarded.watch({ path: ".env" }))).rejects.toThrow(".env");
    expect(ran).toEqual(["a"]);
  });
});
