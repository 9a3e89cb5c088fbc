import { writeStderr } from "./stdio.ts";

/** Sooner than this nobody wonders. Milliseconds. */
const SILENT_MS = 1000;
const EVERY_MS = 200;
/** Takes the line away that is there: ECMA-48 `EL`. */
const CLEAR = "\r\u001b[K";

/** How far something long is: a line on the terminal that changes, once it has taken a second. */
export interface ProgressLine {
  /** `all` is absent where nobody knows how many there are. */
  readonly at: (done: number, all?: number) => void;
  /** Takes the line away. */
  readonly end: () => void;
}

/** Says nothing where standard error is no terminal: a log or a program gets the result alone. */
export function progressLine(what: string): ProgressLine {
  if (!process.stderr.isTTY) return { at: () => undefined, end: () => undefined };
  const began = performance.now();
  let told = 0;
  return {
    at: (done, all) => {
      const now = performance.now();
      if (now - began < SILENT_MS || now - told < EVERY_MS) return;
      told = now;
      const number = (value: number): string => value.toLocaleString("en-US");
      writeStderr(`${CLEAR}${what}: ${number(done)}${all === undefined ? "" : ` of ${number(all)}`}`);
    },
    end: () => {
      if (told > 0) writeStderr(CLEAR);
    },
  };
}
