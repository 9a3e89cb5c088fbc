import { build } from "esbuild";
import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ACTIONS } from "@assent/guard/approve";
import { FILES } from "../../packages/guard/src/approve/exchange.ts";
import { scratch } from "../scratch.ts";

/** The folder protocol between processes, as an agent uses it. */
const source = fileURLToPath(new URL("background-process.ts", import.meta.url));
const program = join(import.meta.dirname, "../../node_modules/.cache/assent/background-process.mjs");

beforeAll(async () => {
  await build({
    entryPoints: [source],
    outfile: program,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    packages: "external",
    logLevel: "warning",
  });
});

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly event: Record<string, unknown> | undefined;
}

function start(args: readonly string[]): { readonly child: ChildProcess; readonly ended: Promise<Ended> } {
  const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stdout = "";
  let stderr = "";
  child.stdout?.on("data", (text: Buffer) => (stdout += text.toString()));
  child.stderr?.on("data", (text: Buffer) => (stderr += text.toString()));
  const ended = new Promise<Ended>((resolve) =>
    child.on("close", (status) =>
      resolve({ status, stdout, stderr, event: stdout.startsWith("{") ? (JSON.parse(stdout) as Record<string, unknown>) : undefined }),
    ),
  );
  return { child, ended };
}
const command = (...args: readonly string[]): Promise<Ended> => start(args).ended;
const folder = (): string => join(scratch().root, "questions");

describe("an agent answers a run", () => {
  it("question by question, to the end", async () => {
    const dir = folder();
    const run = start(["run", dir, "3"]);
    expect(await command("wait", dir)).toMatchObject({ status: 0, event: { seq: 1, status: "pending", app_key: "npm", pid: 4121 } });
    expect(await command("wait", dir)).toMatchObject({ status: 0, event: { seq: 1 } });
    expect(await command("respond", dir, "1", "approve")).toMatchObject({ status: 0, event: { seq: 2, status: "pending" } });
    expect(await command("respond", dir, "2", "nonsense")).toMatchObject({
      status: 0,
      event: { seq: 3 },
      stderr: expect.stringMatching(/`nonsense` is not an action, so it denies/) as string,
    });
    const last = await command("respond", dir, "3", "pattern", "Net(a:1)");
    expect(last).toMatchObject({ status: 41, stdout: '{"exit_code":41,"status":"done"}\n' });
    expect(await command("wait", dir)).toMatchObject({ status: 0, stdout: '{"exit_code":41,"status":"done"}\n' });
    expect(await run.ended).toMatchObject({ status: 41, stderr: expect.stringMatching(/^1 allow\n.*\n2 deny\n3 allow\n$/) as string });
  });

  it("PW11: a run that was killed is said by both commands", async () => {
    const dir = folder();
    const run = start(["run", dir, "2"]);
    await command("wait", dir);
    const waiting = start(["respond", dir, "1", "approve"]);
    await waiting.ended;
    const blocked = start(["respond", dir, "2", "approve"]);
    run.child.kill("SIGKILL");
    await run.ended;
    expect([0, 1, 40]).toContain((await blocked.ended).status);
    const { status, stdout, stderr } = await command("wait", dir);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(/^assent run: the run \(process \d+\) is gone without having said how it ended\n$/);
    expect(await command("respond", dir, "2", "approve")).toMatchObject({ status: 1, stdout: "" });
  });

  it("a run that is killed while it is waited for", async () => {
    const dir = folder();
    const run = start(["run", dir, "1"]);
    await command("wait", dir);
    const blocked = start(["respond", dir, "1", "x"]);
    // Stopped, it can neither answer nor end: the client waits until it is gone.
    run.child.kill("SIGSTOP");
    setTimeout(() => run.child.kill("SIGKILL"), 300);
    expect((await blocked.ended).status).toBeGreaterThan(0);
  });

  it.each(["0", "x", "1e3", "-1", ""])("`%s` is not a number of a question", async (seq) => {
    expect(await command("respond", folder(), seq, "approve")).toMatchObject({
      status: 2,
      stdout: "",
      stderr: expect.stringMatching(/is not a number/) as string,
    });
  });
});

it("the guide names every action and every file", async () => {
  const { status, stdout } = await command("skill");
  expect(status).toBe(0);
  for (const word of ACTIONS) expect(stdout).toContain(`- \`${word}\`:`);
  for (const file of Object.values(FILES).filter((name) => name.includes("."))) expect(stdout).toContain(`\`${file}\`:`);
  expect(stdout.split("\n").every((line) => line.length <= 120)).toBe(true);
});
