import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
// @ts-expect-error -- a plain script
import { scriptedApi } from "./agents/anthropic-api.mjs";
import { newerNode, placeFor } from "./places.ts";
import { PRINTS } from "./prints.ts";
import { SDKS } from "./scenarios.ts";

/** Runs the programs of examples/ as a user's are run, with no network: what is wrong, by their names. */
export async function runExamples(
  root: string,
  wanted: (name: string) => boolean = () => true,
): Promise<ReadonlyMap<string, string | undefined>> {
  const names = readdirSync(join(root, "examples")).flatMap((file) => (file.endsWith(".mjs") ? [file.slice(0, -4)] : []));
  const found = new Map<string, string | undefined>();
  for (const name of names.filter(wanted)) found.set(name, await problemWith(root, name));
  return found;
}

async function problemWith(root: string, name: string): Promise<string | undefined> {
  const sdk = SDKS.find((known) => known === name);
  const newer = sdk === undefined || sdk === "langchain" || sdk === "openai-agents" ? process.execPath : newerNode();
  const below = sdk === undefined ? join(root, "node_modules/.cache/adapters") : placeFor(sdk, join(root, "dist"), newer).below;
  mkdirSync(below, { recursive: true });
  const folder = mkdtempSync(join(below, "example-"));
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "assent-example-")));
  const api = sdk === "claude-agent-sdk" ? await scriptedClaude() : undefined;
  try {
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(root, join(folder, "node_modules/assent"));
    copyFileSync(join(root, "examples", `${name}.mjs`), join(folder, `${name}.mjs`));
    mkdirSync(join(cwd, "home"));
    writeFileSync(join(cwd, "README.md"), "");
    const env = { PATH: process.env["PATH"], HOME: join(cwd, "home"), MASTRA_TELEMETRY_DISABLED: "1", ...api?.env };
    const { status, stdout, stderr } = await ended(newer, join(folder, `${name}.mjs`), cwd, env);
    if (status !== 0 || (stderr !== "" && sdk === undefined)) return `ended with ${status}: ${stderr}`;
    const missing = (PRINTS[name] ?? [/./]).filter((words) => !words.test(stdout));
    return missing.length === 0 ? undefined : `did not print ${missing.join(", ")}: ${stdout}${stderr}`;
  } finally {
    api?.close();
    for (const made of [folder, cwd]) rmSync(made, { recursive: true, force: true });
  }
}

/** A model that lists files and then wants to delete a folder. */
async function scriptedClaude(): Promise<{ readonly env: Readonly<Record<string, string>>; readonly close: () => void }> {
  const commands = ["ls", "git push", "rm -rf build"];
  // oxlint-disable-next-line typescript/no-unsafe-assignment, typescript/no-unsafe-call -- a plain script
  const { url, close } = await scriptedApi(() =>
    commands.splice(0, 1).map((command) => ({ id: `toolu_${commands.length}`, name: "Bash", args: { command } })),
  );
  const env = {
    ANTHROPIC_BASE_URL: String(url),
    ANTHROPIC_API_KEY: "sk-ant-fake000",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_AUTOUPDATER: "1",
    IS_SANDBOX: "1",
  };
  // oxlint-disable-next-line typescript/no-unsafe-assignment
  return { env, close };
}

async function ended(
  program: string,
  file: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<{ status: number | null; stdout: string; stderr: string }> {
  const child = spawn(program, [file], { cwd, env, stdio: ["ignore", "pipe", "pipe"], timeout: 120_000 });
  const text = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (part: string) => (text.stdout += part));
  child.stderr.setEncoding("utf8").on("data", (part: string) => (text.stderr += part));
  const status = await new Promise<number | null>((resolve, reject) => child.on("error", reject).on("close", resolve));
  return { status, ...text };
}
