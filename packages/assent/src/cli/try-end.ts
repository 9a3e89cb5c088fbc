import { visible } from "@assent/core/action";
import { messageOf } from "@assent/guard/state";
import {
  type Applying,
  applyTry,
  blockOf,
  HeldTry,
  listTried,
  type OfTry,
  type TriedReading,
  readTry,
  type TriedMeta,
  type TriedResult,
} from "@assent/supervisor/supervise/try";
import { writeJson } from "./json.ts";
import { shorten } from "./place.ts";
import { complain } from "./policy-target.ts";
import { STATUS } from "./run-options.ts";
import { writeStderr, writeStdout } from "./stdio.ts";
import { askLine, noPerson } from "./terminal.ts";
import { countsOf, diffOf, groupChanges, groupLines, pageOf, readNumbers, talkOf } from "./try-page.ts";

const COMMAND = "try";
/** sysexits.h, EX_TEMPFAIL: what the command did is kept, and not applied. */
export const KEPT = 75;

export interface TryFlags {
  readonly apply?: boolean;
  readonly policy: readonly string[];
  readonly json?: boolean;
}

/** The program has ended, and nothing of it lives: what it did is shown, and applied or kept. */
export async function endTried(held: HeldTry, flags: TryFlags, of: OfTry, program: string): Promise<number> {
  const { status } = held;
  const failed = status === 0 ? "" : `${visible(program)} failed (${status})`;
  const result = readOrKeep(held, of);
  if (result === undefined) return status === 0 ? KEPT : status;
  const { refused = [] } = held.meta;
  if (result.changes.length === 0) {
    if (held.hasTalked) writeStderr(pageOf(result, of.machine, failed));
    held.discard();
    return status;
  }
  if (flags.apply === true && refused.length === 0) {
    if (failed !== "") say(failed);
    return finish(held, of, { consent: false, read: result }, status);
  }
  if (flags.apply === true || noPerson(of.machine.env) !== undefined) {
    writeStderr(pageOf(result, of.machine, failed));
    return keep(held.meta, status);
  }
  return choose(held, of, { result, status, failed });
}

/** Undefined: what it did cannot be told, so it is kept. */
function readOrKeep(held: HeldTry, of: OfTry): TriedReading | undefined {
  try {
    return readTry(held, of);
  } catch (error) {
    say(`what it did cannot be read, so nothing is applied: ${visible(messageOf(error))}`);
    keep(held.meta, 0);
    return undefined;
  }
}

interface Choice {
  readonly result: TriedResult;
  readonly status: number;
  /** What begins the page. */
  readonly failed?: string;
  /** Paths that were picked. */
  readonly only?: ReadonlySet<string>;
}

async function choose(held: HeldTry, of: OfTry, { result, status, failed = "", only }: Choice): Promise<number> {
  const page = pageOf(result, of.machine, failed);
  const blocked = result.changes.some((one) => blockOf(one) !== undefined);
  const apply = blocked ? "" : only === undefined ? "y apply   " : "y apply these, throw away the others   ";
  // Of what is half applied the rest is applied, or taken back.
  const isWhole = held.meta.state !== "applying";
  const keys = `${apply}d diff   ${isWhole ? "c choose files   n discard   " : ""}   (Enter, q or Ctrl-C: keep it; assent try apply ${shortId(held.meta)})`;
  for (let shown = page; ; shown = "") {
    const answer = await askLine(shown, `  ${keys}\n  >`, "");
    if (answer === undefined) {
      writeStderr(page);
      return keep(held.meta, status);
    }
    if (answer === "d") writeStdout(diffOf(result));
    else if (answer === "c" && isWhole) {
      const picked = await pickChanges(readTry(held, of), of);
      // What some of it is without the rest is another question to the policy.
      if (picked !== undefined) return choose(held, of, { result: readTry(held, of, picked), status, only: picked });
    } else if (answer === "n" && isWhole) {
      held.discard();
      say("discarded; nothing on disk has changed");
      return status === 0 ? KEPT : status;
    } else if (answer === "y" && !blocked) return finish(held, of, { consent: true, ...(only && { only }) }, status);
    else return keep(held.meta, status);
  }
}

/** Applies it, whole or not at all. */
function finish(held: HeldTry, of: OfTry, said: Applying, status: number): number {
  try {
    const { applied, result } = applyTry(held, of, said);
    if (applied) {
      say(`applied: ${countsOf(result.changes)}${talkOf(held.meta)} (undo: assent undo ${held.meta.id})`);
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

/** Paths of what a person picks; undefined: nothing. */
async function pickChanges(result: TriedResult, { machine }: OfTry): Promise<ReadonlySet<string> | undefined> {
  const groups = groupChanges(result.changes, result.meta.cwd);
  for (let page = groupLines(groups, result, machine); ; page = "  that is not in the list\n") {
    const answer = await askLine(page, "  numbers of what to apply (1 3-5), Enter goes back:", "");
    const numbers = readNumbers(answer ?? "", groups.length);
    if (numbers?.size === 0) return undefined;
    if (numbers === undefined) continue;
    return new Set(groups.flatMap(({ changes }, at) => (numbers.has(at + 1) ? changes.map(({ change }) => change.path) : [])));
  }
}

function keep(meta: TriedMeta, status: number): number {
  say(`kept, and not applied: assent try show|apply|drop ${shortId(meta)}`);
  return status === 0 ? KEPT : status;
}

const say = (text: string): void => writeStderr(`assent: ${text}\n`);
export const shortId = ({ id }: TriedMeta): string => id.slice(id.lastIndexOf("-") + 1);

const MANAGING = { list, show, apply, drop } as const;

/** `verb`: one of these, and what stands behind it. */
export function manageTried(verb: keyof typeof MANAGING, words: readonly string[], flags: TryFlags, of: OfTry): number | Promise<number> {
  return MANAGING[verb](words, flags, of);
}

function list(_words: readonly string[], { json }: TryFlags, { machine }: OfTry): number {
  const kept = listTried(machine);
  for (const meta of kept) {
    const { id, argv, cwd, state, started } = meta;
    const time = new Date(started).toISOString().slice(0, 16).replace("T", " ");
    const where = shorten(cwd, "/", machine.home);
    const half = state === "applying" ? ", half applied" : "";
    if (json === true) writeJson({ id, argv, cwd, state });
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
  if (!asks || withoutAsking === true || noPerson(of.machine.env) !== undefined)
    return finish(held, of, { consent: false, read: result }, 0);
  return choose(held, of, { result, status: 0 });
}

function drop(words: readonly string[], _flags: TryFlags, of: OfTry): number {
  const held = take(words, of);
  if (held === undefined) return STATUS.wrongUsage;
  held.discard();
  if (held.meta.state === "applying") say(`what is applied of it stays; take it back: assent undo ${held.meta.id}`);
  return 0;
}
