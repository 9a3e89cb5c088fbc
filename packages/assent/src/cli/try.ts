import { readFileSync } from "node:fs";
import { visible } from "@assent/core/action";
import { shellWord } from "@assent/core/data";
import { isWithin } from "@assent/core/path";
import { definedVariables, type Machine, messageOf, thisMachine } from "@assent/guard/state";
import {
  applyTry,
  blockOf,
  HeldTry,
  type JudgedChange,
  listTried,
  NotTried,
  type OfTry,
  readTry,
  type TriedMeta,
  type TriedResult,
  tryRun,
} from "@assent/supervisor/supervise/try";
import { engine } from "@assent/page/look";
import { fileDiff } from "./file-diff.ts";
import { JSON_VERSION } from "./json.ts";
import { absolute, shorten } from "./place.ts";
import { complain } from "./policy-target.ts";
import { STATUS } from "./run-options.ts";
import { findProgram } from "./run-program.ts";
import { writeStderr, writeStdout } from "./stdio.ts";
import { askLine, noPerson } from "./terminal.ts";

const COMMAND = "try";
/** sysexits.h, EX_TEMPFAIL: what the command did is kept, and not applied. */
const KEPT = 75;

export interface TryFlags {
  readonly apply?: boolean;
  readonly policy: readonly string[];
  readonly json?: boolean;
}

const MANAGING = { list, show, apply, drop } as const;
const isManaging = (word: string | undefined): word is keyof typeof MANAGING => word !== undefined && Object.hasOwn(MANAGING, word);

/** `assent try`. `literal`: `--` stood in front of the words, so that the first one is a program whatever its name. */
export async function tryCommand(words: readonly string[], flags: TryFlags, literal: boolean): Promise<number> {
  const machine = thisMachine();
  const of: OfTry = { machine, own: engine.own };
  const [first, ...rest] = words;
  if (!literal && isManaging(first)) return MANAGING[first](rest, flags, of);
  if (first === undefined) {
    complain(COMMAND, "say which command to try", "assent try -- npm install left-pad");
    return STATUS.wrongUsage;
  }
  return start([first, ...rest], flags, of);
}

async function start([program, ...args]: readonly [string, ...string[]], flags: TryFlags, of: OfTry): Promise<number> {
  const { machine } = of;
  const cwd = absolute(".");
  const found = findProgram(program, machine.env["PATH"], cwd);
  if (found.is === "none") {
    complain(COMMAND, `${visible(program)}: ${found.why}`);
    return found.status;
  }
  const [path = program, ...more] = found.start;
  let held: Awaited<ReturnType<typeof tryRun>>;
  try {
    const env = definedVariables(machine.env);
    const policyFiles = flags.policy.map((file) => absolute(file, cwd));
    const word = more.length === 0 ? program : path;
    held = await tryRun({ ...of, cwd, argv: [path, ...more, ...args], word, env, policyFiles });
  } catch (error) {
    if (!(error instanceof NotTried)) throw error;
    complain(
      COMMAND,
      `this cannot be tried: ${visible(error.message)}`,
      `assent run -- ${visible([program, ...args].map(shellWord).join(" "))}`,
    );
    return STATUS.cannotSupervise;
  }
  if (!(held instanceof HeldTry)) {
    complain(COMMAND, held.why);
    return held.status;
  }
  return end(held, flags, of, program);
}

/** The program has ended, and nothing of it lives: what it did is shown, and applied or kept. */
async function end(held: HeldTry, flags: TryFlags, of: OfTry, program: string): Promise<number> {
  const status = statusOf(held.meta);
  const failed = status === 0 ? "" : `${visible(program)} failed (${status})`;
  const result = readOrKeep(held, of);
  if (result === undefined) return status === 0 ? KEPT : status;
  if (result.changes.length === 0) {
    held.discard();
    return status;
  }
  if (flags.apply === true) {
    if (failed !== "") say(failed);
    return finish(held, of, false, status);
  }
  const page = pageOf(result, of.machine, failed);
  if (noPerson(of.machine.env) !== undefined) {
    writeStderr(page);
    return keep(held.meta, status);
  }
  return choose(held, of, { page, result, status });
}

/** Undefined: what it did cannot be told, so it is kept. */
function readOrKeep(held: HeldTry, of: OfTry): TriedResult | undefined {
  try {
    return readTry(held, of);
  } catch (error) {
    say(`what it did cannot be read, so nothing is applied: ${visible(messageOf(error))}`);
    keep(held.meta, 0);
    return undefined;
  }
}

interface Choice {
  readonly page: string;
  readonly result: TriedResult;
  readonly status: number;
}

async function choose(held: HeldTry, of: OfTry, { page, result, status }: Choice): Promise<number> {
  const blocked = result.changes.some((one) => blockOf(one) !== undefined);
  const keys = `${blocked ? "" : "y apply   "}d diff   n discard      (Enter, q or Ctrl-C: keep it; assent try apply ${shortId(held.meta)})`;
  for (let shown = page; ; shown = "") {
    const answer = await askLine(shown, `  ${keys}\n  >`, "");
    if (answer === undefined) {
      writeStderr(page);
      return keep(held.meta, status);
    }
    if (answer === "d") writeStdout(diffOf(result));
    else if (answer === "n") {
      held.discard();
      say("discarded; nothing on disk has changed");
      return status === 0 ? KEPT : status;
    } else if (answer === "y" && !blocked) return finish(held, of, true, status);
    else return keep(held.meta, status);
  }
}

/** Applies it, whole or not at all. */
function finish(held: HeldTry, of: OfTry, consent: boolean, status: number): number {
  try {
    const { applied, result } = applyTry(held, of, consent);
    if (applied) {
      say(`applied: ${countsOf(result.changes)} (undo: assent undo ${held.meta.id})`);
      return status;
    }
    writeStderr(pageOf(result, of.machine, ""));
    return keep(held.meta, status);
  } catch (error) {
    const where = held.meta.state === "applying" ? "it came to a stop in the middle" : "nothing was applied";
    say(`${where}: ${visible(messageOf(error))}; go on: assent try apply ${shortId(held.meta)}, go back: assent undo ${held.meta.id}`);
    return status === 0 ? KEPT : status;
  }
}

function keep(meta: TriedMeta, status: number): number {
  say(`kept, and not applied: assent try show|apply|drop ${shortId(meta)}`);
  return status === 0 ? KEPT : status;
}

const say = (text: string): void => writeStderr(`assent: ${text}\n`);
const shortId = ({ id }: TriedMeta): string => id.slice(id.lastIndexOf("-") + 1);
const statusOf = ({ exit }: TriedMeta): number => (exit === undefined ? 137 : exit.by === "exit" ? exit.code : 128 + exit.signal);

/** What is shown before anything has happened: what needs a look first. Never more than a screen. */
function pageOf({ meta, changes }: TriedResult, machine: Machine, failed: string): string {
  const name = (path: string): string => visible(shorten(path, meta.cwd, machine.home));
  const lines = [`assent: ${failed === "" ? "" : `${failed}; `}nothing on disk has changed yet`];
  const refused = changes.flatMap((one) => {
    const why = blockOf(one);
    return why === undefined ? [] : [`${name(one.change.path)} ${visible(why)}`];
  });
  const asked = changes.filter((one) => one.verdict.decision === "ask" && blockOf(one) === undefined);
  listRows(lines, "not applied", refused);
  listRows(
    lines,
    "asks",
    asked.map(({ change, verdict }) => `${name(change.path)}: ${visible(verdict.reason ?? "the policy asks")}`),
  );
  const plain = topChanges(changes);
  const outside = plain.filter(({ change }) => !isWithin(change.path, meta.cwd));
  const inside = plain.filter(({ change }) => isWithin(change.path, meta.cwd));
  row(
    lines,
    "outside",
    outside.map((one) => name(one.change.path) + sizeOf(one, changes)),
  );
  const of = (what: string): readonly string[] =>
    inside.filter(({ change }) => change.what === what).map((one) => name(one.change.path) + sizeOf(one, changes));
  row(lines, "changed", of("changed"));
  row(lines, "gone", of("gone"));
  row(lines, "mode", of("attributes"));
  row(lines, "new", of("made"));
  return `${lines.join("\n")}\n`;
}

const MOST_NAMES = 12;

function listRows(lines: string[], title: string, items: readonly string[]): void {
  for (const [at, item] of items.slice(0, MOST_NAMES).entries()) lines.push(`  ${(at === 0 ? title : "").padEnd(12)} ${item}`);
  if (items.length > MOST_NAMES) lines.push(`  ${"".padEnd(12)} and ${items.length - MOST_NAMES} more`);
}

function row(lines: string[], title: string, names: readonly string[]): void {
  if (names.length === 0) return;
  const more = names.length > MOST_NAMES ? `, and ${names.length - MOST_NAMES} more` : "";
  lines.push(`  ${title.padEnd(8)} ${names.slice(0, MOST_NAMES).join(", ")}${more}`);
}

/** Without what lies in a folder that is new or gone as a whole. */
function topChanges(changes: readonly JudgedChange[]): readonly JudgedChange[] {
  const folders = new Set(
    changes.flatMap(({ change: { what, kind, path } }) =>
      kind === "directory" && (what === "made" || what === "gone") ? [`${what} ${path}`] : [],
    ),
  );
  return changes.filter(({ change: { what, path } }) => {
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1))
      if (folders.has(`${what} ${path.slice(0, end)}`)) return false;
    return true;
  });
}

function sizeOf({ change }: JudgedChange, all: readonly JudgedChange[]): string {
  if (change.kind !== "directory" || change.what === "attributes") return "";
  let [folders, files, bytes] = [1, 0, 0];
  for (const { change: one } of all) {
    if (!one.path.startsWith(`${change.path}/`) || one.what !== change.what) continue;
    if (one.kind === "directory") folders += 1;
    else files += 1;
    bytes += one.kind === "file" ? ((one.upper ?? one.lower)?.size ?? 0) : 0;
  }
  const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? "" : "s"}`;
  return `/ (${count(folders, "folder")}, ${count(files, "file")}, ${bytes < 1000 ? `${bytes} bytes` : `${Math.round(bytes / 1000)} kB`})`;
}

function countsOf(changes: readonly JudgedChange[]): string {
  const words = { changed: "changed", made: "created", gone: "deleted", attributes: "given other attributes" } as const;
  const parts = Object.entries(words).flatMap(([what, word]) => {
    const count = changes.filter(({ change }) => change.what === what).length;
    return count === 0 ? [] : [`${count} ${word}`];
  });
  return parts.join(", ");
}

const MOST_BYTES = 1 << 20;
const MOST_LINES = 2000;

/** What would be different, file by file, as far as it is text. */
function diffOf({ changes }: TriedResult): string {
  const lines: string[] = [];
  for (const { change } of changes) {
    if (lines.length > MOST_LINES) return `${lines.slice(0, MOST_LINES).join("\n")}\n… and more\n`;
    const { place, inside, path, what, kind, text } = change;
    if (text !== undefined) lines.push(`${visible(path)} → ${visible(text)}`);
    else if (kind !== "file" || what === "attributes") lines.push(`${visible(path)}: ${what === "made" ? "new" : what} (${kind})`);
    else {
      const before = what === "made" ? undefined : textAt(path);
      const after = what === "gone" ? undefined : textAt(`${place.upper}/${inside}`);
      const isText = before !== null && after !== null;
      lines.push(...(isText ? fileDiff(path, before, after).split("\n") : [`${visible(path)}: ${what}, no text`]));
    }
  }
  return `${lines.join("\n")}\n`;
}

/** Null: it is no text, or too long for one. */
function textAt(path: string): string | null {
  try {
    const bytes = readFileSync(path);
    return bytes.length > MOST_BYTES || bytes.includes(0) ? null : bytes.toString("utf8");
  } catch {
    return null;
  }
}

function list(_words: readonly string[], { json }: TryFlags, { machine }: OfTry): number {
  const kept = listTried(machine);
  for (const meta of kept) {
    const { id, argv, cwd, state, started } = meta;
    const time = new Date(started).toISOString().slice(0, 16).replace("T", " ");
    const where = shorten(cwd, "/", machine.home);
    const half = state === "applying" ? ", half applied" : "";
    if (json === true) writeStdout(`${JSON.stringify({ v: JSON_VERSION, id, argv, cwd, state })}\n`);
    else writeStdout(`${shortId(meta)}  ${time}  ${visible(argv.join(" "))}  (${visible(where)}${half})\n`);
  }
  if (kept.length === 0 && json !== true) writeStderr("no tried command is kept\n");
  return 0;
}

/** By its id, or how that begins or ends, where only one does. */
function take([id]: readonly string[], { machine }: OfTry): HeldTry | undefined {
  const found = listTried(machine).filter((meta) => id !== undefined && id !== "" && (meta.id.startsWith(id) || meta.id.endsWith(id)));
  const [meta] = found;
  if (meta === undefined || found.length > 1) {
    complain(
      COMMAND,
      id === undefined ? "say which: its id" : found.length === 0 ? `no kept command ${visible(id)}` : "several ids are like that",
      "assent try list",
    );
    return undefined;
  }
  const held = HeldTry.take(machine, meta.id);
  if (held === undefined) complain(COMMAND, `${shortId(meta)} is going on`);
  return held;
}

function show(words: readonly string[], _flags: TryFlags, of: OfTry): number {
  const held = take(words, of);
  if (held === undefined) return STATUS.wrongUsage;
  const result = readTry(held, of);
  writeStdout(pageOf(result, of.machine, ""));
  writeStdout(diffOf(result));
  return 0;
}

async function apply(words: readonly string[], { apply: withoutAsking }: TryFlags, of: OfTry): Promise<number> {
  const held = take(words, of);
  if (held === undefined) return STATUS.wrongUsage;
  if (held.meta.state === "running") held.note({ state: "kept" });
  const result = readOrKeep(held, of);
  if (result === undefined) return KEPT;
  const asks = result.changes.some(({ verdict }) => verdict.decision === "ask");
  // Whoever asks for it by name wants it; what the policy asks about, a person at a terminal answers.
  if (!asks || withoutAsking === true || noPerson(of.machine.env) !== undefined) return finish(held, of, false, 0);
  return choose(held, of, { page: pageOf(result, of.machine, ""), result, status: 0 });
}

function drop(words: readonly string[], _flags: TryFlags, of: OfTry): number {
  const held = take(words, of);
  if (held === undefined) return STATUS.wrongUsage;
  if (held.meta.state === "applying") {
    complain(COMMAND, "a part of it is applied", `assent undo ${held.meta.id}, or assent try apply ${shortId(held.meta)}`);
    return STATUS.wrongUsage;
  }
  held.discard();
  return 0;
}
