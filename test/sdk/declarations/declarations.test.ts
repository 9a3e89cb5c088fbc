import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installedBelow, LARGE } from "../../adapters/places.ts";

/** What a registry would hand out, compiled into programs: nothing is skipped, by whichever compiler and way of looking for modules. */

const ROOT = join(import.meta.dirname, "../../..");
const FETCHED = join(import.meta.dirname, "node_modules");
const LONG = process.env["TEST_DECLARATIONS"] !== undefined;
const COMPILERS = { "TypeScript 5.9": "typescript", "TypeScript 7.0": "typescript-7" } as const;

const PLAIN = `
import { createGuard, PermissionDenied, type CallOutcome, type GuardQuestion } from "assent";
import { LocalBackend, openGuard, presets } from "assent/compat";
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

/** The agents of test/sdk/agents, one for each SDK: together their declarations take a compiler minutes. `own`: it comes from a cache of its own. */
const SDKS: Readonly<Record<string, { readonly own?: (typeof LARGE)[keyof typeof LARGE]; readonly program?: string }>> = {
  "ai-sdk": {},
  "openai-agents": {},
  langchain: {},
  mcp: {},
  opentelemetry: {
    program: `
import { createGuard } from "assent";
import { recordDecisions } from "assent/opentelemetry";
import { trace } from "@opentelemetry/api";
export const guard = createGuard({ onDecision: recordDecisions() });
export const tracer = trace.getTracer("x");
`,
  },
  "claude-agent-sdk": { own: LARGE["claude-agent-sdk"] },
  mastra: { own: LARGE.mastra },
};
const AGENTS = join(ROOT, "test/sdk/agents");

/** Those whose own declarations, or those of what they bring, have faults where nothing is skipped; of ours there are none. */
const FAULTY: readonly string[] = ["ai-sdk", "openai-agents", "langchain", "mastra"];

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "assent-declarations-"));
  const environment = { ...process.env, npm_config_cache: join(folder, "cache") };
  const pack = ["pack", "--ignore-scripts", "--loglevel=error", "--pack-destination", folder];
  execFileSync("npm", pack, { cwd: ROOT, env: environment, stdio: ["ignore", "ignore", "inherit"] });
  const [tarball = ""] = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
  const program = (app: string, text: string, links: Readonly<Record<string, string>>): void => {
    mkdirSync(join(folder, app, "node_modules/assent"), { recursive: true });
    execFileSync("tar", ["-xzf", join(folder, tarball), "-C", join(folder, app, "node_modules/assent"), "--strip-components=1"]);
    for (const [name, target] of Object.entries(links)) symlinkSync(target, join(folder, app, "node_modules", name));
    writeFileSync(join(folder, app, "package.json"), '{ "type": "module" }');
    writeFileSync(join(folder, app, "program.ts"), text);
  };
  program("plain", PLAIN, {});
  mkdirSync(join(folder, "plain/node_modules/@types"));
  symlinkSync(join(FETCHED, "@types/node"), join(folder, "plain/node_modules/@types/node"));
  if (!LONG) return;
  for (const [sdk, { own, program: text }] of Object.entries(SDKS)) {
    // The SDK of MCP is our own: the gateway's tests talk to it.
    const from = sdk === "mcp" ? join(ROOT, "node_modules") : own === undefined ? FETCHED : join(installedBelow(own), "node_modules");
    program(sdk, text ?? readFileSync(join(AGENTS, `${sdk}.ts`), "utf8"), linksTo(from));
    copyFileSync(join(AGENTS, "script.ts"), join(folder, sdk, "script.ts"));
  }
}, 600_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function linksTo(packages: string): Readonly<Record<string, string>> {
  const names = readdirSync(packages).filter((one) => !one.startsWith(".") && !one.startsWith("typescript") && one !== "assent");
  const links = Object.fromEntries(names.map((name) => [name, join(packages, name)]));
  // Types of Node are the program's own: few bring them, but some bring others.
  return existsSync(join(packages, "@types/node")) ? links : { ...links, "@types": join(FETCHED, "@types") };
}

/** What the compiler says of a program; nothing where it is right. */
function compiled(app: string, compiler: keyof typeof COMPILERS, module: string, moduleResolution: string, more: object = {}) {
  const options = { module, moduleResolution, target: "es2022", lib: ["es2023", "dom"], strict: true, noEmit: true, skipLibCheck: false };
  const config = join(folder, app, `${module}-${COMPILERS[compiler]}${Object.keys(more).join("-")}.json`);
  const compilerOptions = { ...options, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, types: ["node"], ...more };
  writeFileSync(config, JSON.stringify({ compilerOptions, files: ["program.ts"] }));
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
    expect(compiled("plain", compiler, module, moduleResolution)).toBe("");
  });

  it("as `tsc --init` has it, without types of Node, and no library beyond the target's", () => {
    const init = { target: "es2022", lib: ["es2022", "dom"], types: [], verbatimModuleSyntax: true, isolatedModules: true };
    expect(compiled("plain", compiler, "nodenext", "nodenext", init)).toBe("");
  });
});

// Their own declarations take the compilers a minute: `npm run test:declarations`.
describe.skipIf(!LONG).each(COMPILER_NAMES)("with %s and an SDK", (compiler) => {
  it.each(WAYS.flatMap((way) => Object.keys(SDKS).map((sdk) => [...way, sdk] as const)))("%s, %s: %s", (module, moduleResolution, sdk) => {
    const lines = compiled(sdk, compiler, module, moduleResolution).split("\n");
    expect(lines.filter((line) => /^(?:failed|program\.ts|node_modules\/assent)/.test(line))).toEqual([]);
    const theirs = lines.filter((line) => /error TS\d/.test(line));
    if (theirs.length > 0)
      process.stdout.write(`${sdk}, ${compiler}, ${module}: ${theirs.length} faults of its own: ${theirs[0]?.slice(0, 200)}\n`);
    expect(theirs.length > 0 ? [sdk] : []).toEqual(theirs.length > 0 ? FAULTY.filter((one) => one === sdk) : []);
  });
});
