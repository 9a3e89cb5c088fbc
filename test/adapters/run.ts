import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { installedBelow, LARGE, newerNode } from "./places.ts";

/**
 * `npm run test:adapters`: the adapters of SDKs that are too large to be installed for every test run (one brings a program
 * of 377 MB), in the real SDKs with a scripted model: their tests, their types, their examples.
 */

const ROOT = resolve(".");
const CACHE = join(ROOT, "node_modules/.cache/adapters");
/** Each SDK: its tests and example are called `id`; `types` is a program that only has to compile. */
const SDKS = [
  {
    id: "mastra",
    package: LARGE.mastra,
    types: `
      import { Agent } from "@mastra/core/agent";
      import { createTool } from "@mastra/core/tools";
      import { z } from "zod";
      import { openGuard } from "assent/compat";
      import { guardTools, permissionHooks } from "assent/mastra";
      const guard = openGuard();
      const bash = createTool({ id: "bash", description: "x", inputSchema: z.object({ command: z.string() }), execute: async ({ command }) => command });
      const tools = guardTools(guard, { bash });
      const same: { bash: typeof bash } = tools;
      export const agent = new Agent({ id: "a", name: "a", instructions: "x", model: "openai/gpt-5", tools: same, hooks: permissionHooks(guard) });
    `,
  },
  {
    id: "claude-agent-sdk",
    package: LARGE["claude-agent-sdk"],
    types: `
      import { query, type CanUseTool, type Options, type PermissionUpdate } from "@anthropic-ai/claude-agent-sdk";
      import { openGuard } from "assent/compat";
      import { canUseTool, hooks, type PermissionChange } from "assent/claude-agent-sdk";
      const guard = openGuard();
      export const can: CanUseTool = canUseTool(guard, { onAsk: ({ suggestions }) => ({ allow: true, updatedPermissions: suggestions }) });
      export const options: Options = { hooks: hooks(guard), canUseTool: can };
      export const change: PermissionUpdate = {} as PermissionChange;
      void query({ prompt: "x", options });
    `,
  },
] as const;

function main(): boolean {
  if (process.platform !== "linux" || process.arch !== "x64") throw new Error("the SDKs are installed for Linux on x86-64");
  const dist = join(CACHE, "dist");
  mkdirSync(CACHE, { recursive: true });
  if (!run(process.execPath, [join(ROOT, "scripts/build.mjs"), dist], ROOT)) return false;
  const program = newerNode();
  return SDKS.map((sdk) => tested(sdk, dist, program)).every(Boolean);
}

function tested({ id, package: wanted, types }: (typeof SDKS)[number], dist: string, node: string): boolean {
  process.stdout.write(`\n${wanted.name} ${wanted.version}\n`);
  const folder = mkdtempSync(join(installedBelow(wanted), "run-"));
  try {
    const own = join(folder, "node_modules/assent");
    mkdirSync(own, { recursive: true });
    copyFileSync(join(ROOT, "package.json"), join(own, "package.json"));
    symlinkSync(dist, join(own, "dist"));
    symlinkSync(join(ROOT, "node_modules/@koromix"), join(folder, "node_modules/@koromix"));
    for (const [from, to] of [
      [`test/adapters/${id}.test.mjs`, `${id}.test.mjs`],
      [`examples/${id}.mjs`, "example.mjs"],
    ] as const)
      copyFileSync(join(ROOT, from), join(folder, to));
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(join(folder, "types.ts"), types);
    const compiler = [
      "--ignoreConfig",
      "--module",
      "nodenext",
      "--target",
      "es2023",
      "--lib",
      "es2023,dom",
      "--strict",
      "--skipLibCheck",
      "--noEmit",
    ];
    const typeRoots = ["--types", "node", "--typeRoots", join(ROOT, "node_modules/@types")];
    return [
      run(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), ...compiler, ...typeRoots, "types.ts"], folder),
      run(node, ["--test", `${id}.test.mjs`], folder),
    ].every(Boolean);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(program: string, argv: readonly string[], cwd: string): boolean {
  const env = { ...process.env, MASTRA_TELEMETRY_DISABLED: "1" };
  const { status, error } = spawnSync(program, argv, { cwd, env, stdio: "inherit", timeout: 600_000 });
  if (error !== undefined) process.stderr.write(`${program}: ${error.message}\n`);
  return status === 0;
}

process.exitCode = main() ? 0 : 1;
