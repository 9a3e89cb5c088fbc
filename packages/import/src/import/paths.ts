import { made } from "./command.ts";
import type { Effect } from "@assent/core/policy";
import type { Converted, Loss, NativeOrigin } from "./types.ts";

/** What a path rule speaks of: reading, writing content, or every change. */
export type Access = "read" | "content" | "change";

const NAMES: Readonly<Record<Access, string>> = { read: "Read", content: "Edit", change: "Write" };

/** A rule about paths, from a pattern in our notation. */
export function pathRule(origin: NativeOrigin, access: Access, pattern: string, samples: readonly string[] = []): readonly Converted[] {
  return [made(origin, { list: "permissions", rule: `${NAMES[access]}(${pattern})` }, { match: samples })];
}

/** Every path. */
export function everyPath(origin: NativeOrigin, access: Access): readonly Converted[] {
  return [made(origin, { list: "permissions", rule: NAMES[access] }, { match: ["src/x1"] })];
}

/**
 * A pattern of gitignore, whose anchor the host has taken off, as one of ours: what a pattern matches holds everything
 * in it. One without a slash inside matches in every folder; as hosts' pages also say that it starts at its anchor, an
 * allow does.
 */
export function gitignorePattern(
  effect: Effect,
  anchor: string,
  written: string,
): { readonly pattern: string; readonly samples: readonly string[] } | Loss {
  if (written.startsWith("!")) return { why: "a pattern that takes back another one" };
  if (/[{}]/.test(written)) return { why: "braces stand for themselves there", help: "write `?` for each brace" };
  if (/\\/.test(written)) return { why: "a backslash in a path pattern" };
  const text = written.replace(/^\.\//, "").replace(/\/+$/, "");
  if (/(?:^|\/)\.\.(?:\/|$)/.test(text)) return { why: "`..` in a pattern" };
  if (text === "" || text === "." || text === "**" || text === "*") return { pattern: `${anchor}**`, samples: [sample(anchor, "x1")] };
  // A pattern that begins with a slash, or has one inside, starts at its anchor.
  const anchored = effect === "allow" || text.includes("/");
  const body = text.replace(/^\/+/, "");
  const inside = body.endsWith("/**") ? body : `${body}/**`;
  // Without an anchor `**` at the front would mean the whole machine.
  const start = anchor === "" && (!anchored || inside.startsWith("**")) ? "./" : anchor;
  const pattern = anchored ? `${start}${inside}` : `${start}**/${inside}`;
  const name = body
    .replace(/\/\*\*$/, "/x1")
    .replaceAll("**/", "")
    .replaceAll("**", "x1")
    .replaceAll("*", "x1")
    .replaceAll("?", "x");
  return { pattern, samples: /[[\]]/.test(name) ? [] : [sample(anchor, name), ...(anchored ? [] : [sample(anchor, `a/b/${name}`)])] };
}

function sample(anchor: string, name: string): string {
  return `${anchor === "" || anchor === "./" ? "" : anchor}${name}`;
}

/** A pattern whose `*` also matches `/`: `docs/*` is `docs/**` here. */
export function flatPattern(written: string): { readonly pattern: string; readonly samples: readonly string[] } | Loss {
  if (/[{}[\]\\]/.test(written)) return { why: "braces, brackets and backslashes stand for themselves there", help: "write `?` for each" };
  if (/(?:^|\/)\.\.(?:\/|$)/.test(written)) return { why: "`..` in a pattern" };
  const text = written.replace(/\*+/g, "**");
  const samples = [written.replace(/\*+/g, "x1").replaceAll("?", "x")];
  // Alone or at the front `**` would mean every folder of the machine, not of the project.
  return { pattern: text.startsWith("**") ? `./${text}` : text, samples };
}
