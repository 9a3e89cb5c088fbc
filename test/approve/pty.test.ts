import { build } from "esbuild";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { scratch } from "../scratch.ts";
import { Screen } from "./screen.ts";

/** The prompt on a real terminal, driven from the other side of it. */
const source = fileURLToPath(new URL("on-terminal.ts", import.meta.url));
const program = join(import.meta.dirname, "../../node_modules/.cache/assent/on-terminal.mjs");
const execute = promisify(execFile);

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

type Step =
  | { readonly until: string }
  | { readonly send: string }
  | { readonly sleep: number }
  | { readonly kill: string }
  | { readonly size: readonly [rows: number, columns: number] }
  | { readonly hangup: true }
  | { readonly mode: string };
interface Mode {
  readonly canonical: boolean;
  readonly echo: boolean;
  readonly signals: boolean;
}
interface Played {
  readonly output: string;
  readonly status: number;
  readonly modes: Readonly<Record<string, Mode>>;
  readonly before: Mode;
  readonly after: Mode | null;
  readonly result: unknown;
}

async function play(steps: readonly Step[], how = "", env: Record<string, string> = {}): Promise<Played> {
  const result = join(scratch().root, "result.json");
  const driver = join(import.meta.dirname, "pty_driver.py");
  const stdout = await execute(
    "python3",
    [driver, JSON.stringify(steps), "--", process.execPath, program, result, ...(how === "" ? [] : [how])],
    {
      env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", TERM: "xterm", NO_COLOR: "1", ...env },
      timeout: 55_000,
    },
  ).then(
    (ended) => ended.stdout,
    // It says why on standard output.
    (error: Error & { readonly stdout?: string }) => {
      throw new Error(`${error.message}\n${error.stdout ?? ""}`, { cause: error });
    },
  );
  const played = JSON.parse(stdout) as Omit<Played, "result">;
  let answers: unknown;
  try {
    answers = JSON.parse(readFileSync(result, "utf8"));
  } catch {
    answers = undefined;
  }
  return { ...played, result: answers };
}

const shown: Step = { until: "q  end the run" };
/** Longer than keys are not heard. */
const seen: Step = { sleep: 0.5 };
const ALLOW = { answer: "allow", scope: "once" };
const DENY = { answer: "deny", scope: "once" };
const RAW = { canonical: false, echo: false, signals: false };
const COOKED = { canonical: true, echo: true, signals: true };

describe("on a real terminal", () => {
  it("raw while a question is open, as before afterwards, and nothing is left of the prompt", async () => {
    const { result, output, before, after, modes, status } = await play([
      shown,
      { mode: "open" },
      seen,
      { send: "y" },
      shown,
      seen,
      { send: "\u001b[C" },
      { sleep: 0.1 },
      { send: "\u001b[D" },
      { sleep: 0.1 },
      { send: "\r" },
    ]);
    expect(result).toMatchObject({ answers: [ALLOW, DENY] });
    expect([modes["open"], before, after, status]).toEqual([RAW, COOKED, COOKED, 0]);
    const screen = new Screen(140);
    screen.write(output);
    expect(screen.lines).toEqual([
      "  yes, once: npm (node) wanted to write ~/.npm/_cacache/1 (new file)",
      "  no: npm (node) wanted to write ~/.npm/_cacache/2 (new file)",
    ]);
  });

  it.each<[what: string, typed: string]>([
    ["a line", "y\n"],
    ["a letter without Enter, which waits in the kernel", "y"],
    ["much", "y\nyyyy\nrrrr\r\ntt\nqn"],
  ])("typed before the question: %s", async (_, typed) => {
    const { result } = await play(
      [
        { sleep: 0.3 },
        { send: typed },
        shown,
        { sleep: 1.2 },
        { send: "n" },
        { until: "no: npm" },
        { until: "q  end the run" },
        seen,
        { send: "y" },
      ],
      "late",
    );
    expect(result).toMatchObject({ answers: [DENY, ALLOW] });
  });

  it("typed as the question appears", async () => {
    const { result, output } = await play([shown, { send: "y" }, { until: "are ignored" }, { sleep: 0.8 }, { send: "\u0003" }]);
    expect(result).toMatchObject({ answers: [{ answer: "quit" }, { answer: "quit" }] });
    expect(output).not.toContain("yes, once:");
  });

  it("typed while the process is held up: the clock alone does not make it an answer", async () => {
    const { result, output } = await play([shown, { send: "y" }, { until: "are ignored" }, { sleep: 0.8 }, { send: "q" }], "busy");
    expect(result).toMatchObject({ answers: [{ answer: "quit" }, { answer: "quit" }] });
    expect(output).not.toContain("yes, once:");
  });

  it("Ctrl-C ends the run, Ctrl-D denies", async () => {
    expect((await play([shown, seen, { send: "\u0003" }])).result).toMatchObject({ answers: [{ answer: "quit" }, { answer: "quit" }] });
    expect((await play([shown, seen, { send: "\u0004" }, shown, seen, { send: "y" }])).result).toMatchObject({ answers: [DENY, ALLOW] });
  });

  it("PW10: a terminal that is closed denies, at once and without spinning", async () => {
    const { result, status } = await play([shown, seen, { hangup: true }], "ignore-hangup");
    expect(status).toBe(0);
    expect(result).toMatchObject({ answers: [DENY, DENY] });
    expect((result as { cpu: number }).cpu).toBeLessThan(3_000_000);
  });

  it.each(["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT"])("%s ends the process as ever, and the terminal is as before", async (signal) => {
    const { after, status, result } = await play([shown, { kill: signal }]);
    expect(after).toEqual(COOKED);
    expect(status).toBe(-{ SIGTERM: 15, SIGHUP: 1, SIGINT: 2, SIGQUIT: 3 }[signal]!);
    expect(result).toBeUndefined();
  });

  it("a bug ends the process, and the terminal is as before", async () => {
    const { after, status } = await play([shown], "throw");
    expect([after, status]).toEqual([COOKED, 1]);
  });

  it("is drawn anew when the size changes", async () => {
    const { output } = await play([shown, { size: [24, 50] }, { until: "│ write" }, { sleep: 0.5 }, { send: "q" }]);
    expect(output).toMatch(/\(node\) wants to\r+\n {2}│ write/);
  });

  it("stopped and continued, it is drawn anew in raw mode", async () => {
    const { modes, result } = await play([
      shown,
      { kill: "SIGSTOP" },
      { sleep: 0.2 },
      { kill: "SIGCONT" },
      shown,
      { mode: "again" },
      seen,
      { send: "y" },
      shown,
      seen,
      { send: "y" },
    ]);
    expect(modes["again"]).toEqual(RAW);
    expect(result).toMatchObject({ answers: [ALLOW, ALLOW] });
  });

  it("a program with a foreground group of its own neither takes the keys nor writes over the question", async () => {
    const { result, output, after } = await play(
      [
        { until: "noise" },
        shown,
        { sleep: 1 },
        { send: "y" },
        shown,
        { sleep: 1 },
        { send: "n" },
        { until: "no: npm" },
        { until: "noise" },
        { send: "end\n" },
        { until: "got end" },
      ],
      "shared",
    );
    expect(result).toMatchObject({ answers: [ALLOW, DENY] });
    expect(after).toEqual(COOKED);
    const whileOpen = output.slice(output.indexOf("wants to"), output.lastIndexOf("no: npm"));
    expect(whileOpen).not.toMatch(/noise|got/);
  });

  it("TERM=dumb: lines", async () => {
    const { result, output } = await play(
      [
        { until: "answer [n]: " },
        seen,
        { send: "p\r" },
        { until: "goes back: " },
        { sleep: 0.1 },
        { send: "2\r" },
        { until: "answer [n]: " },
        seen,
        { send: "\r" },
      ],
      "",
      { TERM: "dumb" },
    );
    expect(result).toMatchObject({ answers: [{ answer: "allow", scope: "always", rule: "Write(~/.npm/_cacache/**)" }, DENY] });
    expect(output).not.toContain("\u001b");
  });

  it("without a terminal there is no approver", async () => {
    const result = join(scratch().root, "result.json");
    await execute("setsid", ["--wait", process.execPath, program, result]);
    expect(JSON.parse(readFileSync(result, "utf8"))).toBe("no terminal");
  });
});
