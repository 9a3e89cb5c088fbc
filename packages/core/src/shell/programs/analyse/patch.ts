import type { ExecAction } from "../../../action/index.ts";
import { resolvePath } from "../../../path/index.ts";
import { emitFile, type Invocation } from "../invocation.ts";
import { literal, type Stream, textOf, type Value } from "../../words/value.ts";
import { has, valuesOf } from "../given.ts";

/** Names below the working directory that nobody can tell before. */
const UNTOLD: Value = { atoms: [{ hole: true as const, why: "a file that the patch names", below: true }], many: false };

/** patch(1): without a file of its own to change it changes what the patch names, below the working directory. */
export function patch(inv: Invocation): void {
  const [original] = inv.args.operands;
  if (has(inv, "--dry-run") || (original !== undefined && textOf(original) !== "")) return;
  emitFile(inv, has(inv, "-o", "--output") ? "read" : "write", UNTOLD);
}

/** Lines that name a file: git-diff(1), "generating patch text with -p". */
const NAMED = /^(?:\+\+\+|---|rename (?:from|to)|copy to|diff --git) (.*)$/gm;
/** More names are not looked at one by one. */
const MOST_NAMES = 2000;

/**
 * git-apply(1), git-am(1): they write what the patch names. Where the patch can be read each of its files is judged; else
 * it may name any file of the project.
 */
export function gitPatched(inv: Invocation): void {
  if (has(inv, "--abort", "--quit", "--show-current-patch", "--skip", "--continue", "--resolved")) return;
  const texts = inv.args.operands.length > 0 ? inv.args.operands.map((operand) => textAt(inv, operand)) : [streamText(inv.stdin)];
  const names = texts.every((text) => text !== undefined) ? namesIn(texts, inv) : undefined;
  if (names === undefined) emitFile(inv, "write", UNTOLD);
  else for (const name of names) emitFile(inv, "write", literal(name));
}

function textAt(inv: Invocation, operand: Value): string | undefined {
  const name = textOf(operand);
  if (name === "-") return streamText(inv.stdin);
  const [place, ...others] = inv.places;
  if (name === undefined || place?.is !== "at" || others.length > 0) return undefined;
  // What another command of the line writes is not there yet.
  if (inv.cx.actions.some((action, at) => action.kind === "exec" && at !== inv.exec && !isIdle(action))) return undefined;
  const path = resolvePath(place.path, name);
  return inv.cx.world.kind(path) === "missing" ? "" : inv.cx.world.text?.(path);
}

const isIdle = (action: ExecAction): boolean => action.builtin === true && /^(?:cd|true|:|pwd)$/.test(action.program);

const streamText = (stream: Stream): string | undefined => (stream.is === "text" ? textOf(stream.value) : undefined);

function namesIn(texts: readonly (string | undefined)[], inv: Invocation): readonly string[] | undefined {
  const names = new Set<string>();
  const [folder = ""] = valuesOf(inv, "--directory").map((value) => textOf(value) ?? "");
  for (const text of texts) {
    for (const [, rest = ""] of text?.matchAll(NAMED) ?? []) {
      for (const name of spelt(rest)) names.add(folder === "" ? name : `${folder}/${name}`);
      if (names.size > MOST_NAMES) return undefined;
    }
    // A patch without a name is none that we understand.
    if (text !== undefined && text.trim() !== "" && names.size === 0) return undefined;
  }
  return [...names];
}

/** `b/x`, `"b/\\056x"`, `a/x b/x`, and a time behind a tab. Quoted letters are left for the folder to be told by. */
function spelt(rest: string): readonly string[] {
  const [text = ""] = rest.split("\t");
  const plain = text.replaceAll('"', "").replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
  const parts = /^[abciow]\/.* [abciow]\//.test(plain) ? plain.split(/ (?=[abciow]\/)/) : [plain];
  return parts.flatMap((part) => {
    const name = part.trim();
    return name === "" || name === "/dev/null" ? [] : [name.replace(/^[abciow]\//, "")];
  });
}
