import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
// @ts-expect-error -- a plain script
import { scriptedApi } from "../../adapters/agents/anthropic-api.mjs";
import { newerNode, placeFor } from "../../adapters/places.ts";
import { CALLS, type Report } from "../agents/script.ts";
import { DIST } from "../../scratch.ts";
import { fetchInto } from "./fetch.ts";

/**
 * Agents as somebody writes them who has read the docs: no annotation says what a tool takes, `tsc --init` chooses the compiler's options, and
 * what the compiler wrote is run. Some of their lines must not compile.
 */

const ROOT = join(import.meta.dirname, "../../..");
const COMPILERS = join(ROOT, "test/sdk/declarations");
const AGENTS = ["ai-sdk", "openai-agents", "langchain", "mcp", "mastra", "claude-agent-sdk"] as const;

describe.each(AGENTS)("an agent of %s", (sdk) => {
  it("reads, is refused a secret, asks, and goes on after each refusal with its reason", { timeout: 600_000 }, async () => {
    fetchInto(COMPILERS);
    const large = sdk === "mastra" || sdk === "claude-agent-sdk";
    const node = large ? newerNode() : process.execPath;
    const { below } = placeFor(sdk === "mcp" ? "langchain" : sdk, DIST, node);
    mkdirSync(below, { recursive: true });
    const folder = mkdtempSync(join(below, `new-user-${sdk}-`));
    const cwd = realpathSync(mkdtempSync(join(tmpdir(), "assent-new-user-")));
    const api = sdk === "claude-agent-sdk" ? await scriptedClaude() : undefined;
    try {
      const own = join(folder, "node_modules/assent");
      mkdirSync(own, { recursive: true });
      copyFileSync(join(ROOT, "package.json"), join(own, "package.json"));
      symlinkSync(DIST, join(own, "dist"));
      writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
      for (const name of [sdk, "script"]) copyFileSync(join(ROOT, "test/sdk/agents", `${name}.ts`), join(folder, `${name}.ts`));
      const tsc = join(COMPILERS, "node_modules/typescript-7/bin/tsc");
      await ended(process.execPath, [tsc, "--init"], folder);
      expect(await ended(process.execPath, [tsc], folder)).toEqual({ status: 0, out: "" });

      const home = join(cwd, "home");
      mkdirSync(home);
      const env = { PATH: process.env["PATH"], HOME: home, MASTRA_TELEMETRY_DISABLED: "1", ...api?.env };
      const { status, out } = await ended(node, [join(folder, `${sdk}.js`)], cwd, env);
      expect([status, out.slice(0, 1)]).toEqual([0, "{"]);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `report` prints
      const { ran, asked, told, said } = JSON.parse(out) as Report;
      expect({ ran, asked: asked.map((name) => name.replace("mcp__box__", "")), said }).toEqual({
        ran: ["README.md", "git push"],
        asked: ["bash"],
        said: "done",
      });
      const read = api === undefined ? JSON.stringify(told) : api.told();
      for (const words of [
        /text of README/,
        /this file may hold a secret/,
        /delete your whole home folder/,
        /ran git push/,
        /a person publishes/,
      ])
        expect(read).toMatch(words);
    } finally {
      api?.close();
      for (const made of [folder, cwd]) rmSync(made, { recursive: true, force: true });
    }
  });
});

/** The model of Claude Code. */
async function scriptedClaude() {
  const calls = CALLS.map(([name, args], at) => ({ id: `toolu_${at}`, name: `mcp__box__${name}`, args }));
  let told = "";
  // oxlint-disable-next-line typescript/no-unsafe-assignment, typescript/no-unsafe-call -- a plain script
  const { url, close } = await scriptedApi(({ messages }: { messages: unknown }) => {
    told = JSON.stringify(messages);
    return calls.splice(0, 1);
  });
  const env = {
    ANTHROPIC_BASE_URL: String(url),
    ANTHROPIC_API_KEY: "sk-ant-fake000",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_AUTOUPDATER: "1",
    IS_SANDBOX: "1",
  };
  // oxlint-disable-next-line typescript/no-unsafe-assignment
  return { env, told: () => told, close };
}

/** What a program printed, on either way, and how it ended. Claude Code is served by this very process. */
async function ended(program: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = process.env) {
  const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], timeout: 120_000 });
  let out = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (part: string) => (out += part));
  const status = await new Promise<number | null>((resolve, reject) => child.on("error", reject).on("close", resolve));
  return { status, out };
}
