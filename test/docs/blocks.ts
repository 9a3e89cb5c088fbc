import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The examples of a page. What is said about one stands in front of it in comments that the page does not show:
 *
 * - `<!-- not run: WHY -->`: it needs a host's client, root, a network, or is the form of something and no example
 * - `<!-- slow: WHY -->`: it is run by `npm run examples` alone
 * - `<!-- before: … -->`: lines of shell that are run first, also without a block behind them
 * - `<!-- before ts: … -->`: lines of JavaScript that are run first in the same program
 * - `<!-- answers: y, n -->`: it is run at a terminal, and these are typed at its questions
 * - `<!-- terminal -->`: it is run at a terminal and asks nothing
 * - `<!-- place: new -->`: from here on in another scratch home
 *
 * A line of code `console.log(…); // deny` (allow, ask, pending) has to print that.
 */
export interface Block {
  readonly file: string;
  /** Of the fence, from 1. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
  readonly notRun?: string;
  readonly slow?: string;
  readonly before: readonly string[];
  readonly beforeTs: readonly string[];
  readonly answers?: readonly string[];
  readonly newPlace: boolean;
}

const DIRECTIVE = /^<!-- (not run|slow|before ts|before|answers|terminal|place)(?:: ?([\s\S]*?))? ?-->$/;

/** Blocks of a page in order. Shell lines with no block behind them become a block of no language. */
export function readBlocks(file: string, text: string): readonly Block[] {
  const lines = text.split("\n");
  const blocks: Block[] = [];
  let said = nothingSaid();
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const fence = /^( *)(```+)([\w-]*)/.exec(line);
    if (fence !== null) {
      const [, indent = "", ticks = "", language = ""] = fence;
      const end = lines.findIndex((other, index) => index > at && other.trim() === ticks);
      if (end < 0) throw new Error(`${file}:${at + 1}: a block without an end`);
      const body = lines.slice(at + 1, end).map((one) => (one.startsWith(indent) ? one.slice(indent.length) : one));
      blocks.push({ file, line: at + 1, language, text: body.join("\n"), ...said });
      said = nothingSaid();
      at = end;
    } else if (line.trimStart().startsWith("<!-- ")) {
      let end = at;
      while (!(lines[end] ?? "-->").endsWith("-->")) end += 1;
      const comment = lines
        .slice(at, end + 1)
        .join("\n")
        .trim();
      said = take(said, comment, `${file}:${at + 1}`);
      at = end;
    } else if (line.trim() !== "" && said.before.length > 0) {
      blocks.push({ file, line: at, language: "", text: "", ...said });
      said = nothingSaid();
    }
  }
  if (said.before.length > 0) blocks.push({ file, line: lines.length, language: "", text: "", ...said });
  return blocks;
}

type Said = Omit<Block, "file" | "line" | "language" | "text">;
const nothingSaid = (): Said => ({ before: [], beforeTs: [], newPlace: false });

function take(said: Said, comment: string, place: string): Said {
  const [, name, value = ""] = DIRECTIVE.exec(comment) ?? [];
  switch (name) {
    case undefined:
      if (/^<!-- (?:not|slow|before|answer|terminal|place)/.test(comment)) throw new Error(`${place}: ${comment} is nothing that is known`);
      return said;
    case "not run":
      if (value.length < 10) throw new Error(`${place}: why is it not run?`);
      return { ...said, notRun: value };
    case "slow":
      return { ...said, slow: value };
    case "before":
      return { ...said, before: [...said.before, ...value.split("\n").filter((line) => line !== "")] };
    case "before ts":
      return { ...said, beforeTs: [...said.beforeTs, value] };
    case "answers":
      return { ...said, answers: value.split(",").map((one) => one.trim()) };
    case "terminal":
      return { ...said, answers: [] };
    default:
      return { ...said, newPlace: true };
  }
}

/** A command of a `console` block, and what it is said to print; undefined: the page does not say. */
export interface Typed {
  readonly command: string;
  readonly prints?: readonly string[];
  /** Of its first line in the block's text, from 0. */
  readonly line: number;
}

/** What is typed in a `console` block. A command goes on after a backslash at the end of a line. */
export function readTyped(text: string): readonly Typed[] {
  const typed: { command: string; prints?: string[]; line: number }[] = [];
  let goesOn = false;
  for (const [index, line] of text.split("\n").entries()) {
    const last = typed.at(-1);
    if (goesOn && last !== undefined) last.command += `\n${line.replace(/^> /, "")}`;
    else if (line.startsWith("$ ")) typed.push({ command: line.slice(2), line: index });
    else if (last === undefined) throw new Error(`a console block begins with what is printed: ${line}`);
    else (last.prints ??= []).push(line);
    goesOn = (line.startsWith("$ ") || goesOn) && line.endsWith("\\");
  }
  return typed;
}

/** The pages that people read, from the top of the repository. */
export function pages(root: string): readonly string[] {
  const below = (folder: string): string[] =>
    readdirSync(join(root, folder), { withFileTypes: true })
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((entry) => {
        if (entry.isDirectory()) return below(`${folder}/${entry.name}`);
        return entry.name.endsWith(".md") ? [`${folder}/${entry.name}`] : [];
      });
  return ["README.md", "SECURITY.md", ...below("docs")];
}

export const readPage = (root: string, file: string): readonly Block[] => readBlocks(file, readFileSync(join(root, file), "utf8"));
