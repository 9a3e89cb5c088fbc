import { closeSync, constants, existsSync, fstatSync, openSync, readSync, realpathSync } from "node:fs";
import type { Host } from "@assent/guard/engine";
import { attempt, isObject, parseJson } from "@assent/core/data";

/** Hosts that may hold a command in a sandbox of their own: why nothing of ours can be started there; undefined: it can. */
export const HOST_SANDBOXES: Readonly<Record<string, (sandbox: NonNullable<Host["sandbox"]>, home: string) => string | undefined>> = {
  codex: whyInSandbox,
};

/**
 * Which sandbox Codex holds its commands in (0.169.0). A hook is not told; the session's file, which the hook's `transcript_path` names,
 * has a `turn_context` line for each turn, written before the turn's first hook is called.
 *
 * Inside of Codex's sandbox nothing can be supervised: its filter refuses ptrace(2), by which a run makes sure of what it starts, and what
 * is kept for undo cannot be written there.
 */

/** Looked through from its end; what a turn of an ordinary length has written lies in the first window. */
const WINDOWS = [1 << 20, 16 << 20, 128 << 20];
const CONTEXT = '"turn_context"';

/** Why a command cannot be confined in this turn; undefined: Codex starts it in no sandbox. */
function whyInSandbox({ record, turn }: NonNullable<Host["sandbox"]>, home: string): string | undefined {
  if (record === undefined || turn === undefined)
    return "Codex keeps no record of this session, so nobody can tell which sandbox is in force";
  const own = `${home}/.codex`;
  // Files of another home folder of Codex are not known to be Codex's: an agent could change them unasked.
  if (!isBelow(record, `${own}/sessions`)) return "Codex keeps its files in another folder than ~/.codex";
  if (existsSync(`${own}/environments.toml`)) return "Codex may run commands on another machine (~/.codex/environments.toml)";
  const context = contextOf(record, turn);
  if (context === undefined) return "Codex's record of this session does not say which sandbox is in force";
  const { permission_profile: profile, sandbox_policy: policy } = context;
  const isOff = (value: unknown, type: string): boolean => isObject(value) && value["type"] === type;
  if (isOff(profile, "disabled") && isOff(policy, "danger-full-access")) return undefined;
  return "Codex holds it in a sandbox of its own, in which nothing can be supervised";
}

const isBelow = (file: string, folder: string): boolean =>
  attempt(() => realpathSync.native(file).startsWith(`${realpathSync.native(folder)}/`), false);

/** What the last line says that was written for this turn. */
function contextOf(file: string, turn: string): Readonly<Record<string, unknown>> | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return undefined;
    for (const [at, window] of WINDOWS.entries()) {
      if (at > 0 && (WINDOWS[at - 1] ?? 0) >= stats.size) break;
      const length = Math.min(window, stats.size);
      const bytes = Buffer.alloc(length);
      const found = lastContext(bytes.subarray(0, readSync(descriptor, bytes, 0, length, stats.size - length)), turn);
      if (found !== undefined) return found;
    }
    return undefined;
  } catch {
    return undefined;
  } finally {
    closeSync(descriptor);
  }
}

function lastContext(bytes: Buffer, turn: string): Readonly<Record<string, unknown>> | undefined {
  for (let at = bytes.lastIndexOf(CONTEXT); at >= 0; at = at === 0 ? -1 : bytes.lastIndexOf(CONTEXT, at - 1)) {
    const start = bytes.lastIndexOf(0x0a, at) + 1;
    const end = bytes.indexOf(0x0a, at);
    const context = payloadOf(bytes.toString("utf8", start, end < 0 ? bytes.length : end));
    if (context?.["turn_id"] === turn) return context;
  }
  return undefined;
}

/** Of a line that is such a record itself, and does not only quote one. */
function payloadOf(line: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseJson(line);
  return isObject(value) && value["type"] === "turn_context" && isObject(value["payload"]) ? value["payload"] : undefined;
}
