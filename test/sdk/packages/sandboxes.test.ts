import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createJustBashSandbox } from "@ai-sdk/sandbox-just-bash";
import { createVercelSandbox } from "@ai-sdk/sandbox-vercel";
import { Manifest } from "@openai/agents/sandbox";
import { E2BSandboxClient } from "@openai/agents-extensions/sandbox/e2b";
import { UnixLocalSandboxClient } from "@openai/agents/sandbox/local";
import { expect, it, onTestFinished, vi } from "vitest";
import { createGuard, type Guard } from "@assent/library/sdk";
import { type Sandboxed, sandboxContract, type SandboxPlace } from "../sandbox/contract.ts";
import { behindAiSession } from "../sandbox/places.ts";
import { e2bApi } from "./e2b-api.ts";
import { vercelApi } from "./vercel-api.ts";

/** `guard.sandbox` in front of the sandboxes of the AI SDK and of OpenAI's Agents SDK themselves. */

async function justBash(): Promise<SandboxPlace> {
  const network = await createJustBashSandbox({}).createSession();
  const session = network.restricted();
  return {
    cwd: "/home/user",
    home: "/home/user",
    raw: async (command) => (await session.run({ command })).stdout.trimEnd(),
    behind: behindAiSession(session, "/home/user"),
    close: async () => await Promise.resolve(),
  };
}

/** Vercel's own client, whose requests are answered here. */
async function vercel(): Promise<SandboxPlace> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "assent-vercel-")));
  const [cwd, home] = [join(root, "work"), join(root, "home")];
  for (const folder of [cwd, home]) mkdirSync(folder);
  const { fetch } = vercelApi({ cwd, home });
  const session = (await createVercelSandbox({ token: "t", teamId: "team", projectId: "project", fetch }).createSession()).restricted();
  return {
    cwd,
    home,
    raw: async (command) => (await session.run({ command })).stdout.trimEnd(),
    behind: behindAiSession(session, cwd),
    close: async () => await Promise.resolve(rmSync(root, { recursive: true, force: true })),
  };
}

type OpenAiSession = Awaited<ReturnType<UnixLocalSandboxClient["create"]>>;
type E2bSession = Awaited<ReturnType<E2BSandboxClient["create"]>>;

/** Sessions of remote sandboxes give text for the model alone. */
async function runIn(
  session: OpenAiSession | E2bSession,
  cmd: string,
): Promise<{ readonly exitCode: number | null; readonly output: string }> {
  if ("exec" in session) {
    const { exitCode = null, output } = await session.exec({ cmd, login: false, yieldTimeMs: 20_000 });
    return { exitCode, output };
  }
  const text = await session.execCommand({ cmd });
  const [, exitCode = "126", output = ""] = /exited with code (\d+)[^]*?\nOutput:\n([^]*)$/.exec(text) ?? [];
  return { exitCode: Number(exitCode), output: output.trimEnd() };
}

function behindOpenAi(session: OpenAiSession | E2bSession): Sandboxed {
  const run = async (cmd: string) => await runIn(session, cmd);
  return {
    run: async (command, env = {}) => {
      const set = Object.entries(env).map(([name, value]) => `${name}='${value}' `);
      const { exitCode, output } = await run(`${set.join("")}${command}`);
      return { done: exitCode === 0, output };
    },
    read: async (path) =>
      await session.readFile({ path }).then(
        (bytes) => Buffer.from(bytes).toString(),
        () => undefined,
      ),
    write: async (path, text) => {
      const diff = text
        .split("\n")
        .map((line) => `+${line}`)
        .join("\n");
      return await session
        .createEditor()
        .createFile({ type: "create_file", path, diff })
        .then(
          () => true,
          () => false,
        );
    },
    list: async (path) =>
      "listDir" in session ? (await session.listDir({ path })).map(({ name }) => name) : (await run(`ls -1 '${path}'`)).output.split("\n"),
  };
}

async function openAi(): Promise<SandboxPlace> {
  const session = await new UnixLocalSandboxClient().create();
  return {
    cwd: "/workspace",
    home: "/workspace",
    raw: async (cmd) => (await session.exec({ cmd, login: false, yieldTimeMs: 20_000 })).stdout.trimEnd(),
    behind: (guard) => behindOpenAi(guard.sandbox(session)),
    close: async () => await session.close(),
  };
}

/** OpenAI's client of E2B with E2B's own SDK, whose requests are answered here. */
async function e2b(): Promise<SandboxPlace> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "assent-e2b-")));
  const [cwd, home] = [join(root, "work"), join(root, "home")];
  for (const folder of [cwd, home]) mkdirSync(folder);
  const { url, close } = await e2bApi({ cwd, home });
  for (const [name, value] of Object.entries({ E2B_API_URL: url, E2B_SANDBOX_URL: url, E2B_API_KEY: `e2b_${"0".repeat(40)}` }))
    vi.stubEnv(name, value);
  const session = await new E2BSandboxClient().create({ manifest: new Manifest({ root: cwd }) });
  return {
    cwd,
    home,
    raw: async (cmd) => (await runIn(session, cmd)).output,
    behind: (guard) => behindOpenAi(guard.sandbox(session)),
    close: async () => {
      await session.close();
      close();
      vi.unstubAllEnvs();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

sandboxContract("just-bash by the AI SDK", justBash);
sandboxContract("Vercel's client by the AI SDK, in front of a server of ours", vercel);
sandboxContract("a session of OpenAI's Agents SDK", openAi);
sandboxContract("E2B by OpenAI's Agents SDK, in front of a server of ours", e2b);

const guardOf = (): Guard => createGuard({ policy: { permissions: { allow: ["Edit(src/**)"] } } });

it("sessions that a client of OpenAI's makes are judged, and have nothing that leads past", async () => {
  const session = await guardOf().sandbox(new UnixLocalSandboxClient()).create();
  onTestFinished(async () => await session.close());
  expect(await session.exec({ cmd: "rm -rf ~", login: false })).toMatchObject({ exitCode: 126 });
  expect(await session.execCommand({ cmd: "rm -rf ~" })).toMatch(/^Permission denied/);
  expect(await session.exec({ cmd: "ls", runAs: "root" })).toMatchObject({ exitCode: 126 });
  await expect(session.writeStdin({ sessionId: 1, chars: "rm -rf ~\n" })).rejects.toThrow(/write_stdin/);
  await expect(session.readFile({ path: "a", runAs: "root" })).rejects.toThrow("runAs");
  await expect(session.createEditor().deleteFile({ type: "delete_file", path: "src/../a" })).rejects.toThrow(/approval required|denied/);
  expect(Reflect.get(session, "files")).toBeUndefined();
  expect(Reflect.get(session, "runCode")).toBeUndefined();
  expect(session.state.workspaceRootPath).toMatch(/^\//);
});
