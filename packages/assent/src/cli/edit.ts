import { TERMINAL } from "#knowledge/traits";
import { spawnSync } from "node:child_process";
import { constants as system } from "node:os";
import { visible } from "@assent/core/action";
import { readPlace, startPolicy } from "@assent/guard/policy-edit";
import { isProgram, type Machine } from "@assent/guard/state";
import { writeJson } from "./json.ts";
import { complain, showProblems, targetOf, trustEnded, type PolicyTarget, type TargetOptions } from "./policy-target.ts";
import { writeStderr, writeStdout } from "./stdio.ts";

const EDITORS = ["nvim", "vim", "vi", "nano"];

/** `assent edit`: opens the policy in the person's editor, then says what is wrong with it. Exits as the editor does. */
export function edit(options: TargetOptions): number {
  const target = targetOf("edit", options);
  return target === undefined ? 2 : editPlace("edit", target);
}

/** Opens a policy file, which is made when it is missing. */
export function editPlace(command: string, target: Omit<PolicyTarget, "cwd">): number {
  const editor = editorOf(target.machine);
  if (typeof editor === "string") {
    complain(command, editor, "set VISUAL or EDITOR");
    return 1;
  }
  if (needsTerminal(editor) && !(process.stdin.isTTY && process.stdout.isTTY)) {
    complain(
      command,
      `this is not a terminal, and \`${visible(editor[0] ?? "")}\` needs one`,
      `open ${target.short(target.place.file)} in another program, then type \`assent lint\``,
    );
    return 1;
  }
  const started = startPolicy(target.place, target.starter);
  if (typeof started === "object") {
    complain(command, `${target.short(target.place.file)}: ${visible(started.why)}`);
    return 1;
  }
  const [program = "", ...args] = editor;
  // An interrupt is the editor's to handle.
  const ignore = (): void => undefined;
  process.on("SIGINT", ignore);
  const { error, status, signal } = spawnSync(program, [...args, target.place.file], { stdio: "inherit" });
  process.off("SIGINT", ignore);
  if (error !== undefined) {
    complain(
      command,
      `\`${visible(program)}\` cannot be started: ${unstartable(error)}`,
      "set VISUAL or EDITOR to a program that is installed",
    );
    return 1;
  }
  check(command, target);
  return status ?? 128 + (signal === null ? 0 : system.signals[signal]);
}

/** By the name of the program: what else VISUAL names may have a window of its own. */
const needsTerminal = ([program = ""]: readonly string[]): boolean =>
  TERMINAL.has(program.slice(program.lastIndexOf("/") + 1).replace(/\..*$/, ""));

function unstartable(error: NodeJS.ErrnoException): string {
  if (error.code === "ENOENT") return "no such program";
  return error.code === "EACCES" ? "it may not be executed" : visible(error.message);
}

function check(command: string, target: Omit<PolicyTarget, "cwd">): void {
  const { place, short } = target;
  const found = readPlace(place);
  if (found.is === "unreadable") complain(command, `${short(place.file)} ${visible(found.why)}`);
  if (found.is === "text") showProblems(found.read.ok ? found.read.warnings : found.read.problems, short);
  const ended = trustEnded(target);
  if (ended !== undefined) writeStderr(`warning: ${ended}\n`);
}

/** The editor's command line, or why there is none. */
export function editorOf({ env }: Pick<Machine, "env">): readonly string[] | string {
  for (const name of ["VISUAL", "EDITOR"]) {
    const value = env[name]?.trim() ?? "";
    if (value === "") continue;
    const words = shellWords(value);
    return words === undefined || words[0] === undefined || words[0] === "" ? `${name} is not a command: \`${visible(value)}\`` : words;
  }
  const folders = (env["PATH"] ?? "").split(":").filter((folder) => folder.startsWith("/"));
  const found = EDITORS.find((name) => folders.some((folder) => isProgram(`${folder}/${name}`)));
  return found === undefined ? `none of ${EDITORS.join(", ")} is installed` : [found];
}

/** `assent init`: a commented policy to start from. Exit 1 when there is one already: nothing is ever overwritten. */
export function init(options: TargetOptions & { readonly json?: boolean }): number {
  const target = targetOf("init", options);
  if (target === undefined) return 2;
  const { place, starter, short } = target;
  const outcome = startPolicy(place, starter);
  if (outcome === "exists") complain("init", `${short(place.file)} is there already`, "`assent edit` opens it");
  else if (outcome !== "done") complain("init", `${short(place.file)}: ${visible(outcome.why)}`);
  if (outcome !== "done") return 1;
  if (options.json === true) writeJson({ file: place.file, created: true });
  else writeStdout(`made ${short(place.file)}\n`);
  return 0;
}

/** Splits the value of $EDITOR as a shell would: quotes and backslashes, nothing else. Undefined when a quote is not closed. */
export function shellWords(text: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const c = text.charAt(at);
    if (/\s/.test(c)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (c === "'" || c === '"') {
      const part = quoted(text, at);
      if (part === undefined) return undefined;
      word = (word ?? "") + part.text;
      at = part.end;
    } else {
      if (c === "\\") at++;
      word = (word ?? "") + text.charAt(at);
    }
  }
  if (word !== undefined) words.push(word);
  return words;
}

/** The text in the quotes at `start`; `end` is at the closing one. */
function quoted(text: string, start: number): { readonly text: string; readonly end: number } | undefined {
  const quote = text.charAt(start);
  let out = "";
  for (let at = start + 1; at < text.length; at++) {
    const c = text.charAt(at);
    if (c === quote) return { text: out, end: at };
    const next = text.charAt(at + 1);
    // Between double quotes a backslash is itself, except before these.
    if (c === "\\" && quote === '"' && next !== "" && '"\\$`'.includes(next)) at++;
    out += text.charAt(at);
  }
  return undefined;
}
