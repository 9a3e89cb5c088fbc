import { chmodSync, mkdirSync, rmdirSync, statSync, unlinkSync } from "node:fs";
import { basename, dirname } from "node:path";
import { errorCode, openState, readEditable, replaceFile, writeAtomic, type Machine, hexDigest } from "@assent/guard/state";
import { type Installed, readInstalled, writeInstalled } from "./manifest.ts";
import type { Change } from "./plan.ts";

export type Done =
  | { readonly is: "done"; /** A copy of what was there. */ readonly backup?: string }
  | { readonly is: "failed"; readonly why: string };

/** Writes a file, and notes what it was. Its mode, owner and links stay. */
export function carryOut(change: Change, machine: Machine): Done {
  const { target, now, next } = change;
  try {
    const backup = now === undefined ? undefined : keepCopy(change, machine);
    if (backup !== undefined && "why" in backup) return { is: "failed", why: backup.why };
    const known = readInstalled(machine).find(({ file }) => file === target);
    if (next === undefined) {
      const removed = remove(target, now, known?.folders ?? []);
      if (removed.problem !== undefined) return { is: "failed", why: removed.problem };
      handOver(machine, target, removed.left);
    } else {
      const everybodys = (change.mode & 0o044) !== 0 && target.startsWith("/etc/");
      const folders = makeFolders(dirname(target), everybodys ? 0o755 : 0o700);
      const outcome = replaceFile(target, now, next, change.mode);
      if (outcome.is !== "done") return { is: "failed", why: outcome.is === "changed" ? "changed meanwhile: try again" : outcome.why };
      if (change.exact === true || (now !== undefined && (change.mode & 0o111) !== 0) || everybodys) chmodSync(target, change.mode);
      note(machine, change, folders.length > 0 ? folders : (known?.folders ?? []));
    }
    if (next === undefined || next === change.before) forget(machine, target);
    return backup === undefined ? { is: "done" } : { is: "done", backup: backup.file };
  } catch (error) {
    return { is: "failed", why: errorCode(error) };
  }
}

function keepCopy({ agent, target, now = "" }: Change, machine: Machine): { readonly file: string } | { readonly why: string } {
  const state = openState(machine);
  if ("problem" in state) return { why: `no copy could be kept: ${state.problem}` };
  const folder = `${state.folder}/backups`;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stamp = new Date().toISOString().replace(/[:.]/g, "-");
  const file = `${folder}/${stamp}-${agent}-${basename(target)}`;
  writeAtomic(file, now);
  return { file };
}

function makeFolders(folder: string, mode: number): readonly string[] {
  const missing: string[] = [];
  for (let at = folder; statSync(at, { throwIfNoEntry: false }) === undefined && dirname(at) !== at; at = dirname(at)) missing.unshift(at);
  for (const each of missing) {
    mkdirSync(each, { mode });
    // The umask of an administrator may keep everybody else out.
    if (mode !== 0o700) chmodSync(each, mode);
  }
  return missing;
}

/** `left`: folders made for the file in which something else is by now. */
function remove(
  target: string,
  now: string | undefined,
  folders: readonly string[],
): { readonly problem?: string; readonly left: readonly string[] } {
  const found = readEditable(target, 16 << 20);
  if (found.is !== "text" || found.text !== now) return { problem: "changed meanwhile: try again", left: [] };
  unlinkSync(target);
  const left = [...folders];
  for (let folder = left.at(-1); folder !== undefined; folder = left.at(-1)) {
    try {
      rmdirSync(folder);
      left.pop();
    } catch {
      break;
    }
  }
  return { left };
}

/** The last file of ours in a folder that we made takes it along. */
function handOver(machine: Machine, target: string, folders: readonly string[]): void {
  if (folders.length === 0) return;
  const all = readInstalled(machine).filter(({ file }) => file !== target);
  const inside = (folder: string, file: string): boolean => file.startsWith(`${folder}/`);
  const taken = new Set<string>();
  const next = all.map((entry) => {
    const own = folders.filter((folder) => !taken.has(folder) && inside(folder, entry.file));
    for (const folder of own) taken.add(folder);
    return own.length === 0 ? entry : { ...entry, folders: [...own, ...entry.folders] };
  });
  writeInstalled(machine, next);
}

function note(machine: Machine, { agent, target, next = "", before }: Change, folders: readonly string[]): void {
  const others = readInstalled(machine).filter(({ file }) => file !== target);
  const entry: Installed = { agent, file: target, before, after: hexDigest(next), folders };
  const problem = writeInstalled(machine, [...others, entry]);
  if (problem !== undefined) throw new Error(problem);
}

function forget(machine: Machine, target: string): void {
  const all = readInstalled(machine);
  if (all.some(({ file }) => file === target))
    writeInstalled(
      machine,
      all.filter(({ file }) => file !== target),
    );
}
