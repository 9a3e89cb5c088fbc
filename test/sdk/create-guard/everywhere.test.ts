import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { type CallDecision, createGuard, type Guard, type GuardAnswer, type GuardOptions, memoryApprovals } from "@assent/library/sdk";
import { canAutoApprove, createConsoleToolset, LocalBackend } from "@assent/library/sdk/compat";
import { guardTransport } from "@assent/library/sdk/mcp-transport";

/** One guard, whatever does the work: its policy, principal, answers and listeners hold in all of them. */

let cwd = "";
beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), "assent-everywhere-")));
  for (const folder of ["src", "home"]) mkdirSync(join(cwd, folder));
  writeFileSync(join(cwd, "src/a.txt"), "old\n");
  writeFileSync(join(cwd, ".env"), "KEY=1");
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

type Kind = "allowed" | "denied" | "asked";

interface Surface {
  /** Does something that the policy allows, denies or asks about; what came of it: whether it was done. */
  readonly act: (guard: Guard, kind: Kind) => Promise<boolean>;
  /** It is for programs that ask by themselves. */
  readonly asks?: false;
  /** What it does is allowed by a mode, without a rule. */
  readonly byMode?: true;
}

const POLICY = {
  permissions: {
    allow: ["Edit(src/allowed/**)", "Bash(touch src/allowed/made)", "mcp__db__allowed"],
    deny: ["Edit(src/denied/**)", "Bash(touch src/denied/made)", "mcp__db__denied"],
    ask: ["Edit(src/asked/**)", "Bash(touch src/asked/made)", "mcp__db__asked"],
  },
} as const;

const made = (kind: Kind): string => join(cwd, `src/${kind}/made`);

const WORDS = (kind: Kind): readonly [string, string] => ["touch", `src/${kind}/made`];
const PATCH = (kind: Kind): string => `*** Begin Patch\n*** Add File: src/${kind}/made\n+x\n*** End Patch`;

async function overMcp(guard: Guard, kind: Kind): Promise<boolean> {
  const server = new McpServer({ name: "db", version: "1" });
  const called: string[] = [];
  for (const name of ["allowed", "denied", "asked"])
    server.registerTool(name, { inputSchema: { id: z.number() } }, () => {
      called.push(name);
      return { content: [{ type: "text", text: "done" }] };
    });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  const client = new Client({ name: "agent", version: "1" });
  await client.connect(guardTransport(guard, near, { name: "db" }));
  const result = await client.callTool({ name: kind, arguments: { id: 1 } });
  await client.close();
  expect(result.isError === true).toBe(called.length === 0);
  return called.length === 1;
}

const SURFACES: Readonly<Record<string, Surface>> = {
  "LocalBackend, a file": {
    act: async (guard, kind) => {
      const backend = new LocalBackend({ root: cwd, guard });
      return (await backend.write(`src/${kind}/made`, "x")).ok;
    },
  },
  "LocalBackend, a command": {
    act: async (guard, kind) => {
      mkdirSync(join(cwd, `src/${kind}`), { recursive: true });
      const { ended, exitCode } = await new LocalBackend({ root: cwd, guard }).execute(WORDS(kind).join(" "));
      expect(ended === "itself" ? exitCode : 1).toBe(ended === "itself" ? 0 : 1);
      return ended === "itself";
    },
  },
  "LocalBackend, a command in the background": {
    act: async (guard, kind) => {
      mkdirSync(join(cwd, `src/${kind}`), { recursive: true });
      const backend = new LocalBackend({ root: cwd, guard });
      const started = await backend.start(WORDS(kind).join(" "));
      if ("error" in started) return false;
      await expect.poll(() => backend.output(started.id)?.running).toBe(false);
      return true;
    },
  },
  "the toolset": {
    act: async (guard, kind) => {
      const tools = createConsoleToolset(new LocalBackend({ root: cwd, guard }));
      const write = tools.find(({ name }) => name === "write_file");
      const output = await write?.execute({ path: `src/${kind}/made`, content: "x" });
      return typeof output === "string" && !output.startsWith("Error");
    },
  },
  canAutoApprove: {
    asks: false,
    act: async (guard, kind) => {
      const { type } = canAutoApprove(WORDS(kind), { guard, policy: "suggest" });
      if (type === "auto-approve") writeHere(kind);
      return await Promise.resolve(type === "auto-approve");
    },
  },
  "the gate of patches": {
    asks: false,
    byMode: true,
    act: async (guard, kind) => {
      const said = canAutoApprove(["apply_patch", PATCH(kind)], { guard, policy: "auto-edit" });
      if (said.type === "auto-approve") writeHere(kind);
      return await Promise.resolve(said.type === "auto-approve");
    },
  },
  "a patch as a call": {
    act: async (guard, kind) => {
      const { verdict } = await guard.check({ patch: PATCH(kind) });
      if (verdict === "allow") writeHere(kind);
      return verdict === "allow";
    },
  },
  "an MCP server": {
    act: async (guard, kind) => {
      const done = await overMcp(guard, kind);
      if (done) writeHere(kind);
      return done;
    },
  },
};

function writeHere(kind: Kind): void {
  mkdirSync(join(cwd, `src/${kind}`), { recursive: true });
  writeFileSync(made(kind), "x");
}

const guardOf = (options: GuardOptions = {}): Guard => createGuard({ cwd, home: join(cwd, "home"), policy: POLICY, ...options });

describe.each(Object.entries(SURFACES))("%s", (_, { act, asks = true, byMode = false }) => {
  it.each<readonly [string, Kind, GuardOptions, boolean]>([
    ["what a rule of the code allows", "allowed", {}, true],
    ["what it denies", "denied", { onAsk: () => true }, false],
    ["what it asks about, with nobody there", "asked", {}, false],
    ["with a no", "asked", { onAsk: () => ({ no: "not now" }) }, false],
    ["with an answer that is none", "asked", { onAsk: () => ({ yes: "perhaps" }) as unknown as GuardAnswer }, false],
    ["with an error", "asked", { onAsk: () => Promise.reject(new Error("down")) }, false],
    ["with an answer that comes later", "asked", { approvals: memoryApprovals() }, false],
    ["in shadow, what is denied", "denied", { shadow: true }, true],
    ["in shadow, what is asked", "asked", { shadow: true }, true],
  ])("%s: %s", async (_name, kind, options, done) => {
    expect([await act(guardOf(options), kind), existsSync(made(kind))]).toEqual([done, done]);
  });

  it.runIf(asks)("with a yes", async () => {
    const questions: string[] = [];
    const onAsk: GuardOptions["onAsk"] = ({ text }) => {
      questions.push(text);
      return { yes: "once" };
    };
    expect([await act(guardOf({ onAsk }), "asked"), questions.length > 0]).toEqual([true, true]);
  });

  it("goes by the principal: a rule that is about others does not help", async () => {
    const rule = (role: string) => ({
      permissions: { allow: POLICY.permissions.allow.map((text) => ({ rule: text, when: { role } })) },
    });
    const dev = guardOf({ policy: rule("dev"), principal: { user: "u", role: "dev" } });
    const other = dev.with({ principal: { user: "v", role: "guest" } });
    const denied = dev.with({ policy: { permissions: { deny: ["Edit(src/**)", "Bash(touch:*)", "mcp__db__*"] } } });
    expect([await act(dev, "allowed"), await act(denied, "allowed")]).toEqual([true, false]);
    rmSync(made("allowed"), { force: true });
    expect(await act(other, "allowed")).toBe(byMode);
  });

  it("tells who listens, with the principal, and what it throws changes nothing", async () => {
    const told: CallDecision[] = [];
    const onDecision = (decision: CallDecision): void => {
      told.push(decision);
      throw new Error("listener");
    };
    const guard = guardOf({ onDecision, principal: { user: "u1" } });
    expect([await act(guard, "allowed"), await act(guard, "denied")]).toEqual([true, false]);
    expect(new Set(told.map(({ verdict, principal }) => `${verdict} ${principal?.user}`))).toEqual(new Set(["allow u1", "deny u1"]));
  });

  it("no file of the machine counts unless it is asked for", async () => {
    writeFileSync(join(cwd, "home/.agent-permissions.jsonc"), JSON.stringify({ permissions: { deny: ["Edit", "Bash", "mcp__db__*"] } }));
    expect(await act(guardOf(), "allowed")).toBe(true);
    expect(await act(guardOf({ files: "user", audit: false }), "allowed")).toBe(false);
  });
});

it("a guard and what it says itself are not given both", () => {
  const guard = guardOf();
  for (const [name, value] of Object.entries({ permissions: {}, onAsk: () => true, files: "none", policyFiles: [], env: {}, audit: false }))
    expect(() => new LocalBackend({ root: cwd, guard, [name]: value })).toThrow(`the option \`${name}\` is the guard's own`);
  expect(() => new LocalBackend({ root: cwd, guard: {} as Guard })).toThrow("must be a guard of createGuard");
  expect(canAutoApprove(["ls"], { guard, policy: "suggest", policyFiles: [] })).toMatchObject({ type: "ask-user" });
  expect(() => guardTransport(guard, InMemoryTransport.createLinkedPair()[0], { name: "a b" })).toThrow("`name`");
});

it("what is answered for a time, and what is refused, holds in the others as well", async () => {
  const asked: string[] = [];
  const guard = guardOf({
    onAsk: ({ text }) => {
      asked.push(text);
      return text.includes("yes.txt") ? { yes: { for: "10m" } } : { no: "" };
    },
  });
  const backend = new LocalBackend({ root: cwd, guard });
  expect([(await backend.write("src/yes.txt", "x")).ok, (await guard.check({ write: "src/yes.txt" })).verdict]).toEqual([true, "allow"]);
  expect(asked.length).toBe(1);
  const tools = createConsoleToolset(new LocalBackend({ root: cwd, guard }));
  expect(await tools.find(({ name }) => name === "write_file")?.execute({ path: "src/yes.txt", content: "y" })).toMatch(/replaced/);
  expect(asked.length).toBe(1);
});

it("a toolset does not offer what the guard denies altogether", () => {
  const names = (policy: NonNullable<GuardOptions["policy"]>): readonly string[] =>
    createConsoleToolset(new LocalBackend({ root: cwd, guard: guardOf({ policy }) })).map(({ name }) => name);
  expect(names("readonly")).not.toContain("write_file");
  expect(names(["readonly", { permissions: { deny: ["Bash"] } }])).not.toContain("execute");
  expect(names("default")).toEqual(expect.arrayContaining(["write_file", "execute"]));
});

it("the content of what is denied is not found by searching, nor read through a link", async () => {
  const backend = new LocalBackend({ root: cwd, guard: guardOf() });
  writeFileSync(join(cwd, "src/plain"), "KEY=2\n");
  symlinkSync("../.env", join(cwd, "src/link"));
  const found = await backend.grep("KEY", { hidden: true });
  expect(found.ok && found.matches.map(({ path }) => path)).toEqual([join(cwd, "src/plain")]);
  expect(await backend.read("src/link")).toMatchObject({ ok: false, code: "denied" });
});
