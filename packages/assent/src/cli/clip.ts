import { spawnSync } from "node:child_process";
import { visible } from "@assent/core/action";
import { thisMachine } from "@assent/guard/state";
import { absolute } from "./place.ts";
import { failing } from "./policy-target.ts";
import { run, type RunParts } from "./run.ts";
import type { RunFlags } from "./run-options.ts";
import { findProgram } from "./run-program.ts";
import { styleFor } from "./style.ts";
import { confirmed } from "./terminal.ts";

const COMMAND = "clip";
const fail = failing(COMMAND);
/** Longer text is no command line. Bytes. */
const LONGEST = 65_536;
/** A clipboard whose owner does not answer. Milliseconds. */
const PATIENCE = 10_000;

/** What prints the clipboard, and the variable that says its display is there. */
const TOOLS: readonly { readonly command: readonly [string, ...string[]]; readonly display?: string }[] = [
  { command: ["wl-paste", "--no-newline"], display: "WAYLAND_DISPLAY" },
  { command: ["xclip", "-selection", "clipboard", "-o"], display: "DISPLAY" },
  { command: ["xsel", "--clipboard", "--output"], display: "DISPLAY" },
  { command: ["pbpaste"] },
];

type ClipFlags = Pick<RunFlags, "profile" | "prompt" | "logOnly" | "bestEffort" | "undo" | "policy" | "quiet" | "debug">;

/** `assent clip`: the command line on the clipboard, shown, confirmed, and run under supervision. */
export async function clip(flags: ClipFlags, parts: RunParts = {}): Promise<number> {
  const read = clipboard();
  if ("problem" in read) return fail(read.problem, read.help);
  const line = read.text.replace(/\n+$/, "");
  if (line.trim() === "") return fail("the clipboard is empty");
  if (line.includes("\0")) return fail("the clipboard holds no text");
  const yes = await confirmed(page(line), "Run this under supervision?");
  if (yes === undefined) return fail("this is not a terminal, so nobody can be asked");
  if (!yes) return fail("nothing is run");
  // INVARIANT: the text is one argument of `sh -c`, after all options: nothing in it can become an option of ours.
  return run(["sh", "-c", line], flags, parts);
}

function clipboard(): { readonly text: string } | { readonly problem: string; readonly help: string } {
  const { env } = thisMachine();
  const usable = TOOLS.filter(
    ({ command: [tool], display }) =>
      (display === undefined || (env[display] ?? "") !== "") && findProgram(tool, env["PATH"], absolute(".")).is === "program",
  );
  const help = "install wl-clipboard, xclip or xsel";
  let problem: string | undefined;
  for (const { command } of usable) {
    const [tool, ...args] = command;
    const { status, stdout, error, signal } = spawnSync(tool, args, {
      stdio: ["ignore", "pipe", "ignore"],
      maxBuffer: LONGEST,
      timeout: PATIENCE,
    });
    if (error !== undefined && "code" in error && error.code === "ENOBUFS")
      return { problem: `the clipboard holds more than ${LONGEST} bytes`, help: "copy one command line" };
    if (status === 0) {
      const text = stdout.toString("utf8");
      return Buffer.from(text, "utf8").equals(stdout)
        ? { text }
        : { problem: "the clipboard holds no text", help: "copy one command line" };
    }
    problem ??= `${tool} cannot read the clipboard: ${error?.message ?? (signal === null ? `exit ${status}` : signal)}`;
  }
  return { problem: problem ?? "no program that reads the clipboard was found", help };
}

/** The lines as they will run, with everything hidden in them visible. */
function page(text: string): string {
  const style = styleFor({ isTTY: true }, process.env);
  const lines = text.split("\n");
  const hidden = lines.some((line) => visible(line) !== line);
  const title = lines.length === 1 ? "On the clipboard:" : `On the clipboard, ${lines.length} lines:`;
  const warning = hidden ? `${style.verdict("ask", "Invisible or control characters are shown as escapes.")}\n` : "";
  return `${style.bold(title)}\n${lines.map((line) => `  ${visible(line)}\n`).join("")}${warning}`;
}
