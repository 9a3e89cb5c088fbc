import { paintPatch } from "./file-diff.ts";
import { createTwoFilesPatch } from "diff";
import { visible } from "@assent/core/action";
import type { Change } from "@assent/hosts/agents/install";
import { styleFor } from "./style.ts";
import { askLine, isYes } from "./terminal.ts";

/** More files than these are counted: a page of a terminal has 24 lines. */
const MOST_FILES = 6;

/** A row of a page: a word in front, and lines behind it. */
type Row = readonly [word: string, ...lines: readonly string[]];

const WIDTH = 11;

/** Rows under each other, at a terminal in colours. */
export function pageOf(rows: readonly Row[], env: NodeJS.ProcessEnv): string {
  const style = styleFor({ isTTY: true }, env);
  return rows
    .flatMap(([word, ...lines]) => lines.map((line, at) => `${style.bold((at === 0 ? word : "").padEnd(WIDTH))} ${line}\n`))
    .join("");
}

/** The files of changes, each once. */
export function fileLines(changes: readonly Change[], short: (path: string) => string): readonly string[] {
  const files = [...new Set(changes.map(({ file }) => visible(short(file))))];
  const shown = files.slice(0, files.length > MOST_FILES ? MOST_FILES - 1 : MOST_FILES);
  return files.length === shown.length ? shown : [...shown, `and ${files.length - shown.length} more`];
}

/** What protects from the yes on. One sentence, and the whole of it is in docs/policy.md. */
export const ON_THEN: readonly string[] = [
  "What only looks goes ahead. Secrets, your home folder and what nobody can take",
  "back are refused or asked. About everything else your agent asks as before.",
];

/** The one way in which these commands ask: Enter is the answer in capitals, `d` shows every line first. Undefined: there is no terminal. */
export async function agreeToPage(page: string, difference: string, question: string): Promise<boolean | undefined> {
  for (let text = page; ; text = difference) {
    const answer = await askLine(text, `${question} [Y/n, d shows every line]`, "no");
    if (answer === undefined) return undefined;
    if (!/^d(?:iff)?$/i.test(answer)) return isYes(answer, "[Y/n]");
  }
}

/** Every line that changes. */
export function patchOf({ file, now, next }: Change, short: (path: string) => string): string {
  const name = short(file);
  const [from, to] = [now === undefined ? "/dev/null" : name, next === undefined ? "/dev/null" : name];
  const patch = createTwoFilesPatch(from, to, now ?? "", next ?? "", "", "");
  return paintPatch(patch.split("\n").filter((line) => !line.startsWith("=====")));
}
