import { callHere } from "./older-calls.ts";
import { ARM64, ARM64_NUMBERS, NR, type Name } from "./syscalls.ts";

/**
 * What a label of the program's output must be. `[bare, supervised]` where the two differ otherwise.
 * - `refused`: bare it works; supervised it is EACCES or EPERM (`failed` for a shell line).
 * - `hidden`: as refused, or ENOENT.
 * - `absent`: as refused, or ENOSYS: a call that is switched off as a whole.
 * - `works`: a number, or `ok`.
 * - `same`: what it is without supervision.
 * - `any`: not looked at; for steps that only prepare.
 * - else the text itself, or a pattern; a label that was not printed is `undefined` to it.
 */
export type Expect = One | readonly [bare: One, supervised: One];
export type One = "refused" | "hidden" | "absent" | "works" | "same" | "any" | (string & {}) | RegExp;

export type Argument =
  | number
  | bigint
  /** The address of a text; `$W`, `$O`, `$S`, `$T` and `$HOME` are filled in. */
  | string
  | { readonly bytes: Buffer }
  | { readonly zeros: number }
  | { readonly result: string }
  | { readonly buffer: string; readonly holds?: Buffer }
  | { readonly loaded: string }
  /** The address of a record of 8-byte cells. */
  | readonly Argument[];

export interface Step {
  readonly label: string;
  readonly expect: Expect;
  readonly nr: number;
  readonly args: readonly Argument[];
}

export interface Program {
  /** Placeholders are filled in. */
  readonly argv: readonly string[];
  /** Text of `/srv/log/program`. What is typed says what it is for, and a run may believe it; what a program does is another matter. */
  readonly script?: string;
  readonly expect: Readonly<Record<string, Expect>>;
}

/** One system call by name, or by number. */
export function step(label: string, expect: Expect, call: Name | number, ...args: readonly Argument[]): Step {
  return { label, expect, nr: typeof call === "number" ? call : NR[call], args };
}

export const result = (label: string): Argument => ({ result: label });
export const bytes = (...values: readonly (number | Buffer | string)[]): Argument => ({
  bytes: Buffer.concat(values.map((each) => (typeof each === "number" ? Buffer.of(each) : Buffer.from(each)))),
});
export const zeros = (size: number): Argument => ({ zeros: size });
export const buffer = (name: string, holds?: Buffer): Argument => ({ buffer: name, ...(holds === undefined ? {} : { holds }) });
export const loaded = (name: string): Argument => ({ loaded: name });

/** Makes the calls one after the other, but for those that this machine does not have. */
export function calls(...all: readonly Step[]): Program {
  const steps = all.flatMap(({ nr, args, ...step }) => {
    const call = callHere(nr, args);
    return call === undefined ? [] : [{ ...step, ...call }];
  });
  return {
    argv: ["/media/calls", ...steps.flatMap(({ label, nr, args }) => [`@${label}`, String(nr), ...args.flatMap(words)])],
    expect: Object.fromEntries(steps.map(({ label, expect }) => [label, expect])),
  };
}

function words(argument: Argument): string[] {
  if (typeof argument === "number" || typeof argument === "bigint") return [`i${argument}`];
  if (typeof argument === "string") return [`s${argument}`];
  if ("bytes" in argument) return [`x${argument.bytes.toString("hex")}`];
  if ("zeros" in argument) return [`z${argument.zeros}`];
  if ("result" in argument) return [`r${argument.result}`];
  if ("buffer" in argument) return [`b${argument.buffer}${argument.holds === undefined ? "" : `=${argument.holds.toString("hex")}`}`];
  if ("loaded" in argument) return [`d${argument.loaded}`];
  return ["{", ...argument.flatMap(words), "}"];
}

const SCRIPT = "/srv/log/program";
/** `t label 'line'` runs a line and prints `label ok` or `label failed`; what the line prints is kept. */
const SHELL = `t() { l=$1; shift; if ( eval "$*" ) </dev/null; then echo "$l ok"; else echo "$l failed"; fi; }\n`;

/** A script for dash, `W`, `O`, `S` and `T` being set. */
export function sh(text: string, expect: Readonly<Record<string, Expect>>): Program {
  return { argv: ["/bin/sh", SCRIPT], script: SHELL + text, expect };
}

/** The same as a line that was typed: `sh -c TEXT`. */
export function typed(text: string, expect: Readonly<Record<string, Expect>>): Program {
  return { argv: ["/bin/sh", "-c", SHELL + text], expect };
}

/** `t(label, f)` prints what f returns (0 for None), or the name of the error. `sc` is syscall(2), failing as Python calls do. */
const PYTHON = `
import os, sys, ctypes, socket, struct, signal, errno, threading, time, subprocess, mmap
L = ctypes.CDLL(None, use_errno=True)
L.syscall.restype = ctypes.c_long
W, O, S, T, HOME = (os.environ[n] for n in ("W", "O", "S", "T", "HOME"))
def B(s): return ctypes.c_char_p(s if isinstance(s, bytes) else os.fsencode(s))
NUMBERS = ${ARM64 ? `{${[...ARM64_NUMBERS].map(([of, here]) => `${of}:${here}`).join(",")}}` : "None"}
def sc(*a):
    if NUMBERS is not None and a[0] < 424: a = (NUMBERS[a[0]], *a[1:])
    r = L.syscall(*[ctypes.c_long(x) if isinstance(x, int) else x for x in a])
    if r == -1: raise OSError(ctypes.get_errno(), "")
    return r
def t(label, f):
    try: r = f(); r = 0 if r is None else r
    except OSError as e: r = errno.errorcode.get(e.errno, "failed") if e.errno else type(e).__name__
    except Exception as e: r = type(e).__name__
    print(label, r, flush=True)
`;

export function python(text: string, expect: Readonly<Record<string, Expect>>): Program {
  return { argv: ["/usr/bin/python3", SCRIPT], script: PYTHON + text, expect };
}

/** A compiled probe, or any other program. */
export function program(argv: readonly string[], expect: Readonly<Record<string, Expect>>): Program {
  return { argv, expect };
}
