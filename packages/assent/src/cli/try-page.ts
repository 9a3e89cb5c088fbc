import { readFileSync } from "node:fs";
import { visible, type World } from "@assent/core/action";
import { isBelow, isWithin, joinPath, parentOf } from "@assent/core/path";
import { isIgnored } from "@assent/core/policy";
import { realWorld } from "@assent/guard/engine";
import type { Machine } from "@assent/guard/state";
import { blockOf, type JudgedChange, type TriedMeta, type TriedResult } from "@assent/supervisor/supervise/try";
import { findLaterRunner, Units } from "@assent/supervisor/supervise/undo";
import { fileDiff } from "./file-diff.ts";
import { shorten } from "./place.ts";

/** What is shown before anything has happened: what needs a look first. Never more than a screen. */
export function pageOf({ meta, changes }: TriedResult, machine: Machine, failed: string): string {
  const name = (path: string): string => visible(shorten(path, meta.cwd, machine.home));
  const lines = [`assent: ${failed === "" ? "" : `${failed}; `}nothing on disk has changed yet${talkOf(meta)}`];
  listRows(lines, "refused", (meta.refused ?? []).map(visible));
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
  const world = realWorld(machine, meta.cwd, undefined);
  const plain = topChanges(changes);
  const named = (some: readonly JudgedChange[]): readonly string[] => some.map((one) => name(one.change.path) + sizeOf(one, changes));
  const outside = plain.filter(({ change }) => !isWithin(change.path, meta.cwd));
  row(lines, "outside", named(outside));
  const later = changes.flatMap(({ change: { what, kind, path } }) => {
    const by = what === "gone" || kind === "directory" ? undefined : findLaterRunner(path, machine.home);
    return by === undefined ? [] : [`${name(path)} (${by})`];
  });
  row(lines, "runs", later);
  const inside = plain.filter(({ change }) => isWithin(change.path, meta.cwd));
  const ignored = new Map<JudgedChange, string>(inside.flatMap((one) => ignoredFolder(one, world).map((top) => [one, top] as const)));
  const of = (what: string): readonly string[] => named(inside.filter((one) => one.change.what === what && !ignored.has(one)));
  row(lines, "changed", of("changed"));
  row(lines, "gone", of("gone"));
  row(lines, "mode", of("attributes"));
  row(lines, "new", of("made"));
  const tops = [...new Set(ignored.values())];
  row(
    lines,
    "ignored",
    tops.map((top) => {
      const all = [...ignored].flatMap(([one, at]) => (at === top ? [one] : []));
      const [only] = all;
      return only?.change.path === top ? name(top) + sizeOf(only, changes) : `${name(top)}/ (${counted(all.length, "change")})`;
    }),
  );
  row(
    lines,
    "caches",
    meta.dropped === undefined ? [] : [`${listed(meta.dropped.map(name))}: not kept, for other programs could write there`],
  );
  return `${lines.join("\n")}\n`;
}

/** Whom it has reached: that cannot be taken back. */
export const talkOf = ({ reached = [] }: TriedMeta): string =>
  reached.length === 0 ? "" : `; it talked to ${listed(reached.map(visible))}`;

const MOST_NAMES = 12;

function listRows(lines: string[], title: string, items: readonly string[]): void {
  for (const [at, item] of items.slice(0, MOST_NAMES).entries()) lines.push(`  ${(at === 0 ? title : "").padEnd(12)} ${item}`);
  if (items.length > MOST_NAMES) lines.push(`  ${"".padEnd(12)} and ${items.length - MOST_NAMES} more`);
}

/** The outermost folder of which git leaves out all (gitignore(5)), or the file; none where it does not. */
function ignoredFolder({ change: { path } }: JudgedChange, world: World): readonly string[] {
  if (!isIgnored(path, world) || world.tracked(path) === true) return [];
  let top = path;
  for (let at = parentOf(path); isIgnored(joinPath(at, "#"), world); at = parentOf(at)) top = at;
  return [top];
}

const listed = (names: readonly string[]): string =>
  names.slice(0, MOST_NAMES).join(", ") + (names.length > MOST_NAMES ? `, and ${names.length - MOST_NAMES} more` : "");

function row(lines: string[], title: string, names: readonly string[]): void {
  if (names.length === 0) return;
  lines.push(`  ${title.padEnd(8)} ${listed(names)}`);
}

/** Without what lies in a folder that is new or gone as a whole. */
function topChanges(changes: readonly JudgedChange[]): readonly JudgedChange[] {
  const folders = wholeFolders(changes);
  return changes.filter(({ change: { what, path } }) => topFolder(folders, what, path) === undefined);
}

const wholeFolders = (changes: readonly JudgedChange[]): ReadonlySet<string> =>
  new Set(
    changes.flatMap(({ change: { what, kind, path } }) =>
      kind === "directory" && (what === "made" || what === "gone") ? [`${what} ${path}`] : [],
    ),
  );

/** The outermost folder above `path` that is new or gone with all that is in it. */
function topFolder(folders: ReadonlySet<string>, what: string, path: string): string | undefined {
  for (let end = path.indexOf("/", 1); end > 0; end = path.indexOf("/", end + 1)) {
    const above = path.slice(0, end);
    if (folders.has(`${what} ${above}`)) return above;
  }
  return undefined;
}

/** Changes that a person applies together or not at all: a folder that is new or gone, a repository, a database with its journals, names of one file. */
export interface ChangeGroup {
  readonly path: string;
  readonly changes: readonly JudgedChange[];
}

/** sqlite.org/tempfiles.html */
const JOURNAL = /-(?:wal|shm|journal)$/;

export function groupChanges(changes: readonly JudgedChange[], cwd: string): readonly ChangeGroup[] {
  const folders = wholeFolders(changes);
  const groups = new Map<string, JudgedChange[]>();
  const first = new Map<string, string>();
  const repositories = new Units();
  for (const one of changes) {
    const { what, path, upper, kind } = one.change;
    const top = topFolder(folders, what, path) ?? repositories.of(path, kind === "directory") ?? path.replace(JOURNAL, "");
    const linked = kind === "file" && upper !== undefined && upper.nlink > 1 ? upper.id : top;
    const key = first.get(linked) ?? top;
    first.set(linked, key);
    addTo(groups, key, [one]);
  }
  const found = [...groups].map(([path, all]): ChangeGroup => ({ path, changes: all }));
  return found.length <= MOST_GROUPS ? found : joinGroups(found, cwd);
}

function addTo(groups: Map<string, JudgedChange[]>, key: string, changes: readonly JudgedChange[]): void {
  const there = groups.get(key);
  if (there === undefined) groups.set(key, [...changes]);
  else for (const one of changes) there.push(one);
}

/** A person reads no more lines. */
const MOST_GROUPS = 100;

/** By the folder of the project that they lie in, or else their own. */
function joinGroups(groups: readonly ChangeGroup[], cwd: string): readonly ChangeGroup[] {
  const joined = new Map<string, JudgedChange[]>();
  for (const { path, changes } of groups) {
    const inside = isBelow(path, cwd) ? path.slice(cwd.length + 1) : undefined;
    const folder = inside?.includes("/") === true ? `${cwd}/${inside.slice(0, inside.indexOf("/"))}` : parentOf(path);
    addTo(joined, folder, changes);
  }
  return [...joined].map(([path, changes]) => ({ path, changes }));
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
  return `/ (${counted(folders, "folder")}, ${counted(files, "file")}, ${bytes < 1000 ? `${bytes} bytes` : `${Math.round(bytes / 1000)} kB`})`;
}

const counted = (number: number, what: string): string => `${number} ${what}${number === 1 ? "" : "s"}`;

export function countsOf(changes: readonly JudgedChange[]): string {
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
export function diffOf({ changes }: TriedResult): string {
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

const WORDS = { changed: "changed", made: "new", gone: "gone", attributes: "mode" } as const;

/** A line for each group, numbered from 1. */
export function groupLines(groups: readonly ChangeGroup[], { meta }: TriedResult, machine: Machine): string {
  const width = String(groups.length).length;
  const lines = groups.map(({ path, changes }, at) => {
    const kinds = [...new Set(changes.map(({ change }) => change.what))];
    const [what = "changed", other] = kinds;
    const word = WORDS[other === undefined ? what : "changed"].padEnd(8);
    const name = visible(shorten(path, meta.cwd, machine.home)) + (changes.length === 1 ? "" : ` (${changes.length} changes)`);
    const blocked = changes.map(blockOf).find((why) => why !== undefined);
    return `  ${String(at + 1).padStart(width)}  ${word} ${name}${blocked === undefined ? "" : `: ${visible(blocked)}`}`;
  });
  return `${lines.join("\n")}\n`;
}

/** `1 3-5` of so many; undefined: it is none of these. */
export function readNumbers(text: string, most: number): ReadonlySet<number> | undefined {
  const chosen = new Set<number>();
  for (const part of text.split(/[\s,]+/).filter((word) => word !== "")) {
    const [, from = "", to = from] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(part) ?? [];
    const [low, high] = [Number(from), Number(to)];
    if (from === "" || low < 1 || high > most || low > high) return undefined;
    for (let at = low; at <= high; at++) chosen.add(at);
  }
  return chosen;
}
