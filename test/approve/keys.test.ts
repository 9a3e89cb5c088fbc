import { expect, it } from "vitest";
import { readKeys } from "../../packages/guard/src/approve/keys.ts";

const names = (text: string): string =>
  readKeys(text)
    .keys.map((key) => (key.is === "char" || key.is === "paste" ? `${key.is}:${key.text}` : key.is))
    .join(" ");

it.each<[what: string, text: string, keys: string]>([
  ["letters", "aD?", "char:a char:D char:?"],
  ["wide letters", "日😀", "char:日 char:😀"],
  ["Enter either way", "\r\n", "enter enter"],
  ["arrows", "\u001b[A\u001b[B\u001b[C\u001b[D", "up down right left"],
  ["arrows in application mode", "\u001bOA\u001bOB", "up down"],
  ["Home and End, three ways", "\u001b[H\u001b[F\u001b[1~\u001b[4~\u001bOH\u001b[8~", "home end home end home end"],
  ["Delete and Backspace", "\u001b[3~\u007f\b", "delete backspace backspace"],
  [
    "control keys",
    "\u0003\u0004\f\u0001\u0005\u000b\u0015\u0017",
    "interrupt end-of-input redraw home end kill-after kill-before kill-word",
  ],
  ["other control keys", "\0\u001a\u001c", "other other other"],
  ["Escape", "\u001b", "escape"],
  ["Alt and a letter is not the letter", "\u001ba", "other"],
  ["a bracketed paste", "\u001b[200~a\r\u001b[201~d", "paste:a\r char:d"],
  ["focus reports", "\u001b[I\u001b[O", "report report"],
  ["a cursor report", "\u001b[12;40R", "report"],
  ["an X11 colour report", "\u001b]11;rgb:0000/0000/0000\u0007a", "report char:a"],
  ["mouse", "\u001b[<0;10;10M", "report"],
  ["mouse, in three characters", "\u001b[M aDd", "report char:d"],
  ["a string that a key breaks off", "\u001b]11;a\u001b[A", "other char:1 char:1 char:; char:a up"],
  ["a function key", "\u001b[15~", "other"],
  ["bytes that are no UTF-8", "\ufffd", "other"],
  ["kitty: a letter", "\u001b[97u", "char:a"],
  ["kitty: a shifted letter", "\u001b[100;2u", "char:D"],
  ["kitty: shifted, as it says", "\u001b[47:63;2u", "char:?"],
  ["kitty: Ctrl-C", "\u001b[99;5u", "interrupt"],
  ["kitty: Enter and Escape", "\u001b[13u\u001b[27u", "enter escape"],
  ["kitty: a release is no key", "\u001b[97;1:3u", "report"],
  ["kitty: Alt and a letter", "\u001b[97;3u", "other"],
])("%s", (_, text, keys) => expect(names(text)).toBe(keys));

it.each([
  "\u001b[",
  "\u001b[1;",
  "\u001bO",
  "\u001b[200~half",
  "\u001b[M",
  "\u001b[M a",
  "\u001b]11;rgb:aaaa/",
  "\u001b]l the program's title: a",
  "\u001bP1$r0;1\u001b",
])("%j waits for its rest", (text) => {
  expect(readKeys(`a${text}`)).toEqual({ keys: [{ is: "char", text: "a" }], rest: text });
});
