import { closeSync, constants, fstatSync, openSync, realpathSync, writeSync } from "node:fs";
import { sayAction, printCall, visible } from "@assent/core/action";
import { ruleEntries } from "@assent/guard/policy-edit";
import { errorCode, readProfile, type Machine } from "@assent/guard/state";
import type { RunEvent } from "@assent/supervisor/supervise";
import { JSON_VERSION, verdictFields } from "./json.ts";
import { shorten } from "./place.ts";
import { writeStderr } from "./stdio.ts";
import { styleFor } from "./style.ts";

/** Where lines about a run go: standard error, or a file. Each is written before the next event is looked at. */
export interface LineOutput {
  readonly write: (line: string) => void;
  readonly close: () => void;
  /** A regular file that the program must not change. */
  readonly file?: string;
}

export const toStderr: LineOutput = { write: (line) => writeStderr(`${line}\n`), close: () => undefined };

const PAUSE_MS = 2;
const PATIENCE_MS = 30_000;

/** A file that only its owner reads, emptied if it is there. Says once when it cannot be written any more. */
export function toFile(path: string): LineOutput | { readonly problem: string } {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOCTTY, 0o600);
  } catch (error) {
    return { problem: `${visible(path)} cannot be written: ${errorCode(error)}` };
  }
  let broken = false;
  const write = (line: string): void => {
    if (broken) return;
    const problem = writeAll(descriptor, Buffer.from(`${line}\n`));
    if (problem === undefined) return;
    broken = true;
    writeStderr(`assent run: ${visible(path)} cannot be written: ${problem}; what follows is missing from it\n`);
  };
  const regular = fstatSync(descriptor).isFile();
  return { write, close: () => closeSync(descriptor), ...(regular ? { file: realpathSync.native(path) } : {}) };
}

function writeAll(descriptor: number, bytes: Buffer): string | undefined {
  for (let at = 0, waited = 0; at < bytes.length;) {
    try {
      at += writeSync(descriptor, bytes, at);
    } catch (error) {
      if (errorCode(error) !== "EAGAIN" || waited >= PATIENCE_MS) return errorCode(error);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
      waited += PAUSE_MS;
    }
  }
  return undefined;
}

const WOULD: Readonly<Record<string, string>> = { ask: "would ask", none: "would ask", deny: "would refuse" };

/**
 * What a program does, for people: `4121 npm  write /home/me/x  (would ask: …)`. Undefined for reads that are allowed:
 * every program makes thousands.
 */
export function actionLine({ process, action, verdict, outcome, errno }: RunEvent): string | undefined {
  const { decision, reason } = verdict;
  if (decision === "allow" && action.kind === "file" && (action.operation === "read" || action.operation === "list")) return undefined;
  const notes = [
    ...(decision === "allow" ? [] : [outcome === "refused" ? `refused: ${reason}` : `${WOULD[decision] ?? decision}: ${reason}`]),
    ...(outcome === "failed" ? [`failed: ${errno ?? "?"}`] : []),
  ];
  return `${process.pid} ${visible(process.name)}  ${sayAction(action)}${notes.length === 0 ? "" : `  (${visible(notes.join("; "))})`}`;
}

/** Every judged call, in one line: time, pid, program, call, result, verdict, who decided. */
export function traceLine({ time, process, call, verdict, outcome, errno, answer }: RunEvent): string {
  const result = outcome === "passed" || outcome === "done" ? outcome : `${outcome}${errno === undefined ? "" : ` ${errno}`}`;
  const basis = verdict.rule === undefined ? (verdict.builtin ?? verdict.basis) : verdict.rule.text;
  const told = answer === undefined ? "" : `, answered ${answer}`;
  const clock = new Date(time).toISOString().slice(11, 23);
  return `${clock} ${process.pid} ${visible(process.name)} ${printCall(call)} = ${result} [${verdict.decision}: ${visible(basis)}${visible(told)}]`;
}

/** One event as a line of JSON (docs/json.md). */
export function eventJson({ time, process, call, action, verdict, outcome, errno, answer }: RunEvent): string {
  return JSON.stringify({
    v: JSON_VERSION,
    time: new Date(time).toISOString(),
    pid: process.pid,
    program: visible(process.name),
    text: printCall(call),
    call,
    action,
    ...verdictFields(verdict),
    outcome,
    errno,
    answer,
  });
}

interface Facts {
  readonly machine: Machine;
  readonly profile: string;
  readonly how: string;
  /** As it is called. */
  readonly program: string;
  readonly learns: boolean;
}

/** One line for the person at a terminal who starts a run: what runs, under which profile, who is asked. */
export function banner({ machine, profile, how, program, learns }: Facts): string {
  const style = styleFor({ isTTY: true }, machine.env);
  const stored = readProfile(machine, profile);
  const count = stored?.content.is === "text" ? ruleEntries(stored.content.text).length : 0;
  const rules = stored === undefined ? "new" : `${count} rule${count === 1 ? "" : "s"}`;
  const name = visible(shorten(profile, "/", machine.home));
  return style.dim(`assent: ${visible(program)} under profile ${name} (${rules}); ${learns ? "learns; " : ""}${how}`) + "\n";
}
