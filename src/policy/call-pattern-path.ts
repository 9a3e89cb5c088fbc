import type { CallPattern } from "./types.ts";

/** The path pattern (`glob.ts`) that an argument stands for; undefined for what is none. Only `*` and `**` are wildcards in a call. */
export function pathTextOf(pattern: CallPattern): string | undefined {
  if (pattern.is === "text") return escaped(pattern.text.replace(/(?<=.)\/+$/, ""), true);
  if (pattern.is !== "glob") return undefined;
  const parts = pattern.parts.map((part, at) => (part === 1 ? "*" : part === 2 ? "**" : escaped(part, at === 0 && pattern.home !== true)));
  return `${pattern.home === true ? "~" : ""}${parts.join("")}`;
}

function escaped(text: string, start: boolean): string {
  const out = text.replace(/[\\*?[\]{}]/g, "\\$&");
  return start && out.startsWith("~") ? `\\${out}` : out;
}
