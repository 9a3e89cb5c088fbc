import { type BigIntStats, lstatSync, readdirSync, readFileSync, statSync, unlinkSync } from "node:fs";
import { bootMoment, ensureFolder, type Machine, stateFolder, writeAtomic } from "@assent/guard/state";
import { pathBytes, pathText } from "../kernel/index.ts";
import type { RunEvent } from "../types.ts";
import { runsFolder } from "../undo/index.ts";
import { runMeta, triedFolder, type TriedMeta } from "./folder.ts";
import { PlanLooks } from "./looks.ts";
import { givenVariables, planFile, PLANS } from "./plan-file.ts";

/** By the clock that counts since the machine was started, which nobody sets back. */
const LASTS_SECONDS = 15 * 60;
const MOST_PLANS = 30;
/** Of proc_pid_status(5): who this process is, and what it may look at. */
const WHO = /^(?:Umask|Uid|Gid|Groups|Cap\w+|NoNewPrivs|Seccomp):/;
/** What stands for another text (stubs/kept.h). */
const ID = "\x01";
const STARTED = "\x02";
const ENDED = "\x03";
const HOW = "\x04";
const STAMP = "\x05";

/** A run whose plan is to be kept: notes what that rests on. */
export class Keeping {
  readonly #machine: Machine;
  readonly #words: readonly string[];
  readonly #looks: PlanLooks;
  #guards: readonly string[] | undefined;

  /** `words`: how Assent is started for it, from the program's file on; `own`: folders of Assent's own program. */
  constructor(machine: Machine, own: readonly string[], words: readonly string[]) {
    this.#machine = machine;
    this.#words = words;
    this.#looks = new PlanLooks(stateFolder(machine), own);
    for (const folder of own) for (const name of readdirSync(folder)) statSync(`${folder}/${name}`);
    statSync(process.execPath);
    for (const file of ["/proc/self/mountinfo", "/proc/sys/kernel/random/boot_id"]) readFileSync(file);
  }

  /** The plan is written, or there will be none. */
  stop(): void {
    this.#guards = this.#looks.stop();
  }

  /** Keeps the plan for the next run of the same command. `meta`: as the run began; `event`: of its start. */
  keep(meta: TriedMeta, plan: Buffer, event: RunEvent): void {
    if (this.#guards === undefined) return;
    const tried = triedFolder(this.#machine);
    const folder = `${tried}/${meta.id}`;
    const runs = `${runsFolder(this.#machine)}/${meta.id}`;
    const variables = givenVariables();
    const cwd = process.cwd();
    const made = [
      ...["blank", "layers", "layers/aside", "layers/dropped"].flatMap((name) => ["D", `${folder}/${name}`, PRIVATE]),
      ...meta.places.flatMap(({ path, mode, upper, work }) => ["D", upper, String(mode & 0o7777), "D", work, PRIVATE, "U", upper, path]),
      ...meta.places.flatMap(({ mask }) => (mask === undefined ? [] : ["D", mask, PRIVATE, ...masked(mask)])),
    ];
    const plain = made.join("") + plan.toString("latin1");
    if ([ID, STARTED, ENDED, HOW, STAMP].some((mark) => plain.includes(mark))) return;
    const now = Math.floor(bootMoment().up / 1000);
    const who = readFileSync("/proc/self/status", "latin1")
      .split("\n")
      .filter((line) => WHO.test(line));
    const text = (value: unknown): string => `${JSON.stringify(value)}\n`.replace(`"started":${meta.started}`, `"started":${STARTED}`);
    const records = text({ ...runMeta(meta), ended: 0, exit: 0 }).replace('"ended":0,"exit":0', `"ended":${ENDED},"exit":${HOW}`);
    const begun = text({ ...meta, start: event }).replaceAll(/"stamp":\[\d+,\d+\]/g, `"stamp":[${STAMP}]`);
    const events = text(event).replace(`"time":${event.time}`, `"time":${ENDED}`);
    // It is noted where this one is before others are looked for, so of two that begin at once one sees the other.
    const begin = ["D", folder, PRIVATE, "Z", `${folder}/lock`, ...made, "W", `${folder}/meta.json`, begun, "O"];
    const files = ["W", `${runs}/lock`, "", "W", `${runs}/meta.json`, records, "W", `${runs}/events.jsonl`, events];
    const steps = [...begin, "e", "D", runs, PRIVATE, ...files];
    const rests = [...this.#guards, "T", String(now), String(now + LASTS_SECONDS), ...who.flatMap((line) => ["S", line])];
    const head = ["assent-kept 1", String(this.#words.length), ...this.#words, String(variables.length), ...variables, cwd, ...rests];
    const run = Buffer.concat([join(steps), plan])
      .toString("latin1")
      .replaceAll(meta.id, ID);
    ensureFolder(`${tried}/${PLANS}`);
    writeAtomic(planFile(tried, this.#words, variables, cwd), Buffer.concat([join(head), Buffer.from(run, "latin1")]));
    removeOld(`${tried}/${PLANS}`);
  }
}

const PRIVATE = String(0o700);
const NUL = Buffer.of(0);
const join = (fields: readonly (string | Buffer)[]): Buffer =>
  Buffer.concat(fields.flatMap((field) => [typeof field === "string" ? pathBytes(field) : field, NUL]));

/** How what lies in a folder of masks is made again: all of it first, for that changes times. */
function masked(folder: string): readonly string[] {
  const shown: string[] = [];
  const make = (inside: string): readonly string[] =>
    readdirSync(pathBytes(inside), { encoding: "buffer" }).flatMap((name) => {
      const path = `${inside}/${pathText(name)}`;
      const stat = lstatSync(pathBytes(path), { bigint: true });
      const below = stat.isDirectory() ? ["D", path, PRIVATE, ...make(path)] : ["M", path];
      shown.push("k", path, String(stat.mode & 0o7777n), String(stat.uid), String(stat.gid), ...timesOf(stat));
      return below;
    });
  return [...make(folder), ...shown];
}

const timesOf = ({ atimeNs, mtimeNs }: BigIntStats): readonly string[] =>
  [atimeNs, mtimeNs].flatMap((time) => [String(time / 1_000_000_000n), String(time % 1_000_000_000n)]);

function removeOld(folder: string): void {
  const plans = readdirSync(folder).map((name) => ({ path: `${folder}/${name}`, time: statSync(`${folder}/${name}`).mtimeMs }));
  for (const { path } of plans.sort((a, b) => b.time - a.time).slice(MOST_PLANS)) unlinkSync(path);
}
