import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readEditable } from "../../state/index.ts";
import type { Registration } from "../agent.ts";
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
}

export type Planned =
  | { readonly is: "change"; readonly change: Change }
  | { readonly is: "same"; readonly file: string }
  | { readonly is: "refused"; readonly file: string; readonly why: string; readonly line?: number; readonly column?: number };

const MAX_BYTES = 4 << 20;

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The file that a name leads to, also when it does not exist yet. */
function targetOf(file: string): string {
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
    if (now === registration.text) return { is: "same", file };
    if (now !== undefined && !isOwnFile(now))
      return { is: "refused", file, why: "is there already and was not written by Assent: move it away" };
    return { is: "change", change: { agent, file, target, now, next: registration.text, before: undefined, mode: registration.mode } };
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

/** What the file says without us: what it said before, while nobody else has changed it. */
function beforeOf(
  now: string | undefined,
  registration: Extract<Registration, { is: "entries" }>,
  known: Installed | undefined,
): string | undefined {
  if (now === undefined) return undefined;
  if (known !== undefined && sha256(now) === known.after) return known.before;
  const clean = withoutEntries(now, registration);
  return clean.is === "text" ? clean.text : now;
}

/** What uninstalling does to one file. */
export function planUninstall(agent: string, registration: Registration, installed: readonly Installed[]): Planned {
  const { file } = registration;
  const target = targetOf(file);
  const found = readEditable(target, MAX_BYTES);
  if (found.is === "broken") return { is: "refused", file, why: found.why };
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
  if (known !== undefined && sha256(now) === known.after) return change(known.before);
  if (registration.is === "file") return isOwnFile(now) ? change(undefined) : { is: "same", file };
  const next = withoutEntries(now, registration);
  if (next.is === "refused") return { file, ...next };
  // A file that Assent made, and that holds nothing any more.
  return change(known !== undefined && known.before === undefined && /^\s*\{\s*\}\s*$/.test(next.text) ? undefined : next.text);
}
