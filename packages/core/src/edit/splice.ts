/** One change of a text: at `at`, `was` gives way to `becomes`. */
export interface Splice {
  /** UTF-16 offset in the text before the patch. */
  readonly at: number;
  readonly was: string;
  readonly becomes: string;
}

/** Splices in the order of the text; none touches what another one takes away. */
export type Patch = readonly Splice[];

/** The changed text; undefined when `text` is not the one that the patch was made for. */
export function applyPatch(text: string, patch: Patch): string | undefined {
  let out = "";
  let from = 0;
  for (const { at, was, becomes } of patch) {
    if (at < from || !text.startsWith(was, at) || at > text.length) return undefined;
    out += text.slice(from, at) + becomes;
    from = at + was.length;
  }
  return out + text.slice(from);
}

/** The patch that takes `patch` back, byte for byte. */
export function invert(patch: Patch): Patch {
  let moved = 0;
  return patch.map(({ at, was, becomes }) => {
    const inverse = { at: at + moved, was: becomes, becomes: was };
    moved += becomes.length - was.length;
    return inverse;
  });
}

/** A part of a text, end exclusive. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

export function cut(text: string, { start, end }: TextRange): Splice {
  return { at: start, was: text.slice(start, end), becomes: "" };
}

export function put(at: number, becomes: string): Splice {
  return { at, was: "", becomes };
}
