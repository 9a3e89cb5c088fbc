/** A key, or what else a terminal sends. `text` of `char` is one visible code point. */
export type Key =
  | { readonly is: "char"; readonly text: string }
  | { readonly is: "paste"; readonly text: string }
  | {
      readonly is:
        | "up"
        | "down"
        | "left"
        | "right"
        | "home"
        | "end"
        | "delete"
        | "backspace"
        | "enter"
        | "tab"
        | "escape"
        /** Ctrl-C */
        | "interrupt"
        /** Ctrl-D */
        | "end-of-input"
        /** Ctrl-L */
        | "redraw"
        | "kill-before"
        | "kill-after"
        | "kill-word"
        | "other"
        /** Reports that no person typed: focus, mouse, answers to queries, releases of keys. */
        | "report";
    };

type NamedKey = Exclude<Key["is"], "char" | "paste">;

const CONTROL: Readonly<Record<string, NamedKey>> = {
  "\u0001": "home",
  "\u0002": "left",
  "\u0003": "interrupt",
  "\u0004": "end-of-input",
  "\u0005": "end",
  "\u0006": "right",
  "\u0008": "backspace",
  "\t": "tab",
  "\n": "enter",
  "\u000b": "kill-after",
  "\u000c": "redraw",
  "\r": "enter",
  "\u000e": "down",
  "\u0010": "up",
  "\u0015": "kill-before",
  "\u0017": "kill-word",
  "\u001b": "escape",
  "\u007f": "backspace",
};
const FINAL: Readonly<Record<string, NamedKey>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  H: "home",
  F: "end",
  I: "report",
  O: "report",
};
const TILDE: Readonly<Record<string, NamedKey>> = { "1": "home", "3": "delete", "4": "end", "7": "home", "8": "end" };

const PASTE_START = "\u001b[200~";
const PASTE_END = "\u001b[201~";
// CSI: parameters, intermediates, final (ECMA-48 5.4). SS3: one more character, as cursor keys send in application mode.
// oxlint-disable-next-line no-control-regex -- these are what terminals send
const CSI = /^\u001b\[([0-?]*)([ -/]*)([@-~])/;
// oxlint-disable-next-line no-control-regex -- as above
const CUT_OFF = /^\u001b(?:\[[0-?]*[ -/]*|O|\[M[^]{0,2}|[P\]X^_][^\u0007\u001b]*\u001b?)$/;
// Answers to what the program asked the terminal; its text may be the program's own, and hold any letter.
// oxlint-disable-next-line no-control-regex -- as above
const STRING_SEQUENCE = /^\u001b[P\]X^_][^\u0007\u001b]*(?:\u0007|\u001b\\)/;
/** X10 mouse reports: button, column and row are characters of any kind (xterm, "Mouse Tracking"). */
// oxlint-disable-next-line no-control-regex -- as above
const MOUSE = /^\u001b\[M[^]{3}/;

/**
 * The keys in what a terminal sent, and the rest that is the beginning of a sequence. The program that shares the terminal
 * may have switched modes on (application cursor keys, bracketed paste, focus reports, kitty's keyboard protocol).
 */
export function readKeys(input: string): { readonly keys: readonly Key[]; readonly rest: string } {
  const keys: Key[] = [];
  let rest = input;
  while (rest !== "") {
    if (rest.startsWith(PASTE_START)) {
      const end = rest.indexOf(PASTE_END);
      if (end === -1) return { keys, rest };
      keys.push({ is: "paste", text: rest.slice(PASTE_START.length, end) });
      rest = rest.slice(end + PASTE_END.length);
      continue;
    }
    if (CUT_OFF.test(rest)) return { keys, rest };
    const [length, key] = first(rest);
    keys.push(key);
    rest = rest.slice(length);
  }
  return { keys, rest: "" };
}

function first(text: string): readonly [length: number, key: Key] {
  if (text.startsWith("\u001b") && text.length > 1) {
    if (MOUSE.test(text)) return [6, { is: "report" }];
    const csi = CSI.exec(text);
    if (csi !== null) return [csi[0].length, controlSequence(csi[1] ?? "", csi[3] ?? "")];
    if (text[1] === "O") return [3, { is: FINAL[text[2] ?? ""] ?? (text[2] === "M" ? "enter" : "other") }];
    const string = STRING_SEQUENCE.exec(text);
    if (string !== null) return [string[0].length, { is: "report" }];
    // Alt and a key.
    return [1 + (String.fromCodePoint(text.codePointAt(1) ?? 0).length || 1), { is: "other" }];
  }
  const char = String.fromCodePoint(text.codePointAt(0) ?? 0);
  return [char.length, plain(char)];
}

function plain(char: string): Key {
  const control = CONTROL[char];
  if (control !== undefined) return { is: control };
  // oxlint-disable-next-line no-control-regex -- the rest of the control characters
  return /[\u0000-\u001f\u007f-\u009f\ufffd]/.test(char) ? { is: "other" } : { is: "char", text: char };
}

function controlSequence(parameters: string, final: string): Key {
  if (final === "~") return { is: TILDE[parameters.split(";")[0] ?? ""] ?? "other" };
  if (final === "u" && /^\d/.test(parameters)) return kittyKey(parameters);
  if (final === "R" || final === "c" || final === "n" || final === "y" || final === "t") return { is: "report" };
  if (final === "M" || final === "m") return { is: "report" };
  // A release has event type 3 after the modifiers.
  if (/^1;\d+:3$/.test(parameters)) return { is: "report" };
  return { is: FINAL[final] ?? "other" };
}

/** `CSI code:shifted ; modifiers:event u`. Modifiers are 1 + bits: shift 1, alt 2, control 4. */
function kittyKey(parameters: string): Key {
  const [codes = "", modifier = "1"] = parameters.split(";");
  const [mask = "1", event = "1"] = modifier.split(":");
  if (event === "3") return { is: "report" };
  const bits = Number(mask) - 1;
  const [code = 0, shifted = 0] = codes.split(":").map(Number);
  if (code === 0 || code > 0x10ffff) return { is: "other" };
  if ((bits & 4) !== 0) return code >= 97 && code <= 122 ? plain(String.fromCharCode(code - 96)) : { is: "other" };
  if ((bits & 2) !== 0) return { is: "other" };
  const char = String.fromCodePoint(shifted !== 0 && shifted <= 0x10ffff ? shifted : code);
  return plain((bits & 1) !== 0 && shifted === 0 ? char.toUpperCase() : char);
}
