/**
 * One thing a patch does to a file. Paths are as the patch has them, quotes and the `a/` and `b/` of git taken away.
 *
 * - `add` creates or replaces, `update` changes what is there, `delete` removes.
 * - `move` takes `path` away and makes `to`; `copy` leaves `path` as it is.
 * - `mode` changes the mode; `link` makes a symbolic link.
 */
export type PatchChange =
  | { readonly does: "add" | "update" | "delete" | "mode" | "link"; readonly path: string; readonly line: number }
  | { readonly does: "move" | "copy"; readonly path: string; readonly to: string; readonly line: number };

/** A patch that was understood whole, or what is wrong with it. Lines count from 1. */
export type PatchReading =
  | { readonly ok: true; readonly format: "apply_patch" | "unified"; readonly changes: readonly PatchChange[] }
  | { readonly ok: false; readonly line: number; readonly message: string; readonly help: string };

/** How a patch is read. */
export interface PatchOptions {
  /** Nothing is forgiven: blanks around headers, context lines without their blank, other line ends. */
  readonly strict?: boolean;
}

export const MAX_PATCH = 8 << 20;

/** What is wrong with the name of a file; undefined for nothing. */
export function wrongName(name: string): string | undefined {
  if (name === "") return "the name of the file is missing";
  // oxlint-disable-next-line no-control-regex -- a name that a terminal or a line reader would not show as it is
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(name)) return "the name of the file has control characters";
  if (/\p{Surrogate}/u.test(name)) return "the name of the file is not valid text";
  if (name.length > 4096) return "the name of the file is too long";
  return undefined;
}

export const malformed = (line: number, message: string, help: string): PatchReading & { readonly ok: false } => ({
  ok: false,
  line,
  message,
  help,
});
