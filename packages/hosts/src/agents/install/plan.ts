import { realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readEditable, hexDigest } from "@assent/guard/state";
import type { Registration } from "../host/agent.ts";
import { hasEntries, withEntries, withoutEntries } from "./entries.ts";
import type { Installed } from "./manifest.ts";
import { isOwnFile } from "./own.ts";

/** One file and what becomes of it. */
export interface Change {
  readonly agent: string;
  /** As people know it. */
  readonly file: string;
  /** What it leads to. */
  readonly target: string;
  /** Undefined: there is none. */
  readonly now: string | undefined;
  /** Undefined: it goes. */
  readonly next: string | undefined;
  /** What to restore at the end; undefined: nothing was there. */
  readonly before: string | undefined;
  readonly mode: number;
  /** The mode is part of what is written, also where a file was. */
  readonly exact?: true;
}

export type Planned =
  | { readonly is: "change"; readonly change: Change }
  | { readonly is: "same"; readonly file: string }
  | { readonly is: "refused"; readonly file: string; readonly why: string; readonly line?: number; readonly column?: number };

const MAX_BYTES = 4 << 20;

/** The file that a name leads to, also when it does not exist yet. */
export function targetOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    const folder = dirname(file);
    return folder === file ? file : join(targetOf(folder), basename(file));
  }
}

/** What installing does to one file. */
export function planInstall(agent: string, registration: Registration, installed: readonly Installed[]): Planned {
  const { file } = registration;
  const target = targetOf(file);
  const found = readEditable(target, MAX_BYTES);
  if (found.is === "broken") return { is: "refused", file, why: found.why };
  const now = found.is === "text" ? found.text : undefined;
  if (registration.is === "file") {
    const known = installed.find((each) => each.file === target);
    if (registration.keeps !== undefined) return planKeeping(agent, { ...registration, target, now }, registration.keeps);
    const { earlier, mode } = registration;
    const theirs = now !== undefined && !isOwnFile(now);
    if (theirs && earlier === undefined)
      return { is: "refused", file, why: "is there already and was not written by Assent: move it away" };
    const kept = theirs || (earlier !== undefined && modeOf(earlier.file) !== undefined);
    const next = kept ? (earlier?.text ?? registration.text) : registration.text;
    if (now === next) return { is: "same", file };
    const before = theirs ? now : known?.before;
    const whole = theirs ? { mode: (modeOf(target) ?? 0) | 0o500, exact: true as const } : { mode };
    return { is: "change", change: { agent, file, target, now, next, before, ...whole } };
  }
  const next = withEntries(now ?? "", registration);
  if (next.is === "refused") return { file, ...next };
  if (next.text === now) return { is: "same", file };
  const before = beforeOf(
    now,
    registration,
    installed.find((each) => each.file === target),
  );
  return { is: "change", change: { agent, file, target, now, next: next.text, before, mode: registration.mode ?? 0o600 } };
}

const modeOf = (file: string): number | undefined => {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats?.isFile() === true ? stats.mode & 0o777 : undefined;
};

/** Somebody else's file, before ours takes its place. */
function planKeeping(
  agent: string,
  { file, target, now }: { readonly file: string; readonly target: string; readonly now: string | undefined },
  from: string,
): Planned {
  const found = readEditable(targetOf(from), MAX_BYTES);
  if (found.is !== "text" || isOwnFile(found.text) || now === found.text) return { is: "same", file };
  if (now !== undefined) return { is: "refused", file, why: "is there already, and would be needed to keep another file: move it away" };
  const mode = modeOf(from) ?? 0o600;
  return { is: "change", change: { agent, file, target, now, next: found.text, before: undefined, mode, exact: true } };
}

/** What the file says without us: what it said before, while nobody else has changed it. */
function beforeOf(
  now: string | undefined,
  registration: Extract<Registration, { is: "entries" }>,
  known: Installed | undefined,
): string | undefined {
  if (now === undefined) return undefined;
  if (known !== undefined && hexDigest(now) === known.after) return known.before;
  const clean = withoutEntries(now, registration);
  return clean.is === "text" ? clean.text : now;
}

/** Somebody else's file gets its place back, as it is by now; then it is kept no longer. Undefined: none is kept. */
function planRestoring(
  agent: string,
  registration: Extract<Registration, { is: "file" }> & { readonly target: string; readonly now: string | undefined },
): Planned | undefined {
  const { file, target, now, earlier, keeps } = registration;
  const kept = keeps === undefined ? readEditable(targetOf(earlier?.file ?? file), MAX_BYTES) : undefined;
  const main = readEditable(targetOf(keeps ?? file), MAX_BYTES);
  const ours = main.is === "missing" || (main.is === "text" && isOwnFile(main.text));
  // Whoever put another file there meanwhile decides what becomes of the first one.
  if (!ours) return { is: "same", file };
  if (keeps !== undefined)
    return now === undefined
      ? { is: "same", file }
      : { is: "change", change: { agent, file, target, now, next: undefined, before: undefined, mode: 0o600 } };
  if (kept?.is !== "text") return undefined;
  const mode = modeOf(earlier?.file ?? file) ?? 0o700;
  return { is: "change", change: { agent, file, target, now, next: kept.text, before: kept.text, mode, exact: true } };
}

/** What uninstalling does to one file. */
export function planUninstall(agent: string, registration: Registration, installed: readonly Installed[]): Planned {
  const { file } = registration;
  const target = targetOf(file);
  const found = readEditable(target, MAX_BYTES);
  if (found.is === "broken") return { is: "refused", file, why: found.why };
  if (registration.is === "file" && (registration.earlier ?? registration.keeps) !== undefined) {
    const restored = planRestoring(agent, { ...registration, target, now: found.is === "text" ? found.text : undefined });
    if (restored !== undefined) return restored;
  }
  if (found.is === "missing") return { is: "same", file };
  const now = found.text;
  const known = installed.find((each) => each.file === target);
  const change = (next: string | undefined): Planned =>
    next === now ? { is: "same", file } : { is: "change", change: { agent, file, target, now, next, before: next, mode: 0o600 } };
  if (registration.is === "entries" && registration.only !== undefined) {
    const rest = withoutEntries(now, registration);
    if (rest.is === "refused") return { file, ...rest };
    // Another agent's entries stay, and with them what is known of the file.
    if (rest.text === now || hasEntries(rest.text))
      return rest.text === now
        ? { is: "same", file }
        : { is: "change", change: { agent, file, target, now, next: rest.text, before: known?.before, mode: 0o600 } };
  }
  if (known !== undefined && hexDigest(now) === known.after) return change(known.before);
  if (registration.is === "file") return isOwnFile(now) ? change(undefined) : { is: "same", file };
  const next = withoutEntries(now, registration);
  if (next.is === "refused") return { file, ...next };
  // A file that Assent made, and that holds nothing any more.
  return change(known !== undefined && known.before === undefined && /^\s*\{\s*\}\s*$/.test(next.text) ? undefined : next.text);
}
