import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/** What a registry would hand out, compiled into programs: nothing is skipped, by whichever compiler and way of looking for modules. */

const ROOT = join(import.meta.dirname, "../../..");
const FETCHED = join(import.meta.dirname, "node_modules");
const COMPILERS = { "TypeScript 5.9": "typescript", "TypeScript 7.0": "typescript-7" } as const;

const PLAIN = `
import { createGuard, LocalBackend, openGuard, PermissionDenied, presets, type CallOutcome, type GuardQuestion } from "assent";
import { createGuard as createCoreGuard, compilePolicy, plainWorld } from "assent/core";
import { createGuard as createRulesGuard } from "assent/core/rules";

const guard = createGuard({ cwd: "/", policy: { permissions: { allow: ["Bash(npm test:*)"], deny: [{ rule: "Read(x/**)", when: { role: "dev" } }] } } });
const save = guard.tool({ name: "save", does: ({ path }: { path: string }) => ({ write: path }) }, ({ path }) => path.length);
export const saved: Promise<number> = save({ path: "a" });
export const asked = (question: GuardQuestion): string => question.text;
export const outcome: Promise<CallOutcome> = guard.check({ shell: "ls" });
export const backend = new LocalBackend({ root: "/", permissions: presets.readonly });
export const opened = openGuard({ cwd: "/" }).decide({ command: "ls" }).decision;
export const isDenied = (error: unknown): boolean => error instanceof PermissionDenied && error.code === "permission-denied";
// @ts-expect-error -- an option that does not exist
createGuard({ polcy: "readonly" });
// @ts-expect-error -- a tool of which nothing says what it does
guard.tools({ read: async (input: { path: string }) => input.path }, {});

const world = plainWorld({ cwd: "/repo", home: "/home/u", files: { "/repo/a": "file" } });
const core = createCoreGuard({ world, policy: "strict", onAsk: ({ text }) => text === "" });
export const verdict: Promise<"allow" | "deny"> = core.check({ read: "a" }).then((said) => said.verdict);
export const rules = createRulesGuard({ world, policy: compilePolicy({ mode: "suggest" }) });
// @ts-expect-error -- a policy that was not compiled
createRulesGuard({ world, policy: { mode: "suggest" } });
`;

const ADAPTERS = `
import { openGuard, createGuard } from "assent";
import { guardTools as forAi } from "assent/ai-sdk";
import { canUseTool } from "assent/claude-agent-sdk";
import { permissionMiddleware } from "assent/langchain";
import { guardTools as forMastra } from "assent/mastra";
import { recordDecisions } from "assent/opentelemetry";
import { guardTools as forOpenAi } from "assent/openai-agents";
import { generateText } from "ai";
import { tool } from "@openai/agents";
import { createAgent } from "langchain";
import { z } from "zod";

const guard = createGuard({ onDecision: recordDecisions() });
const bash = tool({ name: "bash", description: "x", parameters: z.object({ command: z.string() }), execute: ({ command }) => command });
export const tools = forOpenAi(guard, [bash], { facts: { bash: { does: "shell", field: "command" } } });
export const text = () => generateText({ model: "x", prompt: "x", toolApproval: forAi(openGuard({ cwd: "/" })) });
export const same = () => generateText({ model: "x", prompt: "x", toolApproval: guard.aiSdk() });
export const agent = () => createAgent({ model: "x", tools: [], middleware: [permissionMiddleware(guard)] });
export const others = [canUseTool(guard), forMastra];
`;

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "assent-declarations-"));
  const environment = { ...process.env, npm_config_cache: join(folder, "cache") };
  const pack = ["pack", "--ignore-scripts", "--loglevel=error", "--pack-destination", folder];
  execFileSync("npm", pack, { cwd: ROOT, env: environment, stdio: ["ignore", "ignore", "inherit"] });
  const [tarball = ""] = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
  for (const app of ["plain", "with-peers"]) {
    mkdirSync(join(folder, app, "node_modules/assent"), { recursive: true });
    execFileSync("tar", ["-xzf", join(folder, tarball), "-C", join(folder, app, "node_modules/assent"), "--strip-components=1"]);
  }
  mkdirSync(join(folder, "plain/node_modules/@types"));
  symlinkSync(join(FETCHED, "@types/node"), join(folder, "plain/node_modules/@types/node"));
  for (const name of readdirSync(FETCHED).filter((one) => !one.startsWith(".") && !one.startsWith("typescript")))
    symlinkSync(join(FETCHED, name), join(folder, "with-peers/node_modules", name));
  for (const app of ["plain", "with-peers"]) {
    writeFileSync(join(folder, app, "package.json"), '{ "type": "module" }');
    writeFileSync(join(folder, app, "plain.ts"), PLAIN);
    writeFileSync(join(folder, app, "adapters.ts"), ADAPTERS);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the compiler says of a program; nothing where it is right. */
function compiled(app: string, file: string, compiler: keyof typeof COMPILERS, module: string, moduleResolution: string) {
  const options = { module, moduleResolution, target: "es2022", lib: ["es2023", "dom"], strict: true, noEmit: true, skipLibCheck: false };
  const config = join(folder, app, `${file}-${module}-${COMPILERS[compiler]}.json`);
  const compilerOptions = { ...options, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, types: ["node"] };
  writeFileSync(config, JSON.stringify({ compilerOptions, files: [`${file}.ts`] }));
  try {
    return execFileSync(process.execPath, [join(FETCHED, COMPILERS[compiler], "bin/tsc"), "-p", config], { encoding: "utf8" });
  } catch (error) {
    const said = error instanceof Error && "stdout" in error ? String(error.stdout) : "";
    return /error TS\d/.test(said) ? said : `failed: ${String(error)}`;
  }
}

const WAYS = [
  ["node16", "node16"],
  ["nodenext", "nodenext"],
  ["esnext", "bundler"],
] as const;
const COMPILER_NAMES = Object.keys(COMPILERS) as (keyof typeof COMPILERS)[];

describe.each(COMPILER_NAMES)("with %s", (compiler) => {
  it.each(WAYS)("%s, %s: no SDK is installed", (module, moduleResolution) => {
    expect(compiled("plain", "plain", compiler, module, moduleResolution)).toBe("");
  });

  // Their own declarations take the compilers a minute: `npm run test:declarations`.
  it.skipIf(process.env["TEST_DECLARATIONS"] === undefined).each(WAYS)("%s, %s: SDKs are installed", (module, moduleResolution) => {
    // Declarations of SDKs have faults of their own: of ours there are none.
    const said = compiled("with-peers", "adapters", compiler, module, moduleResolution);
    expect(said.split("\n").filter((line) => /^(?:failed|adapters\.ts|node_modules\/assent)/.test(line))).toEqual([]);
  });
});
