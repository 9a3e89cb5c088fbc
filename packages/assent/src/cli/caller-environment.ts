import { readFileSync } from "node:fs";
import { pathText } from "@assent/supervisor/supervise/kernel";

/**
 * The environment of whoever starts a confined command, where the launcher starts it: the launcher (confine-launcher.ts) gives Assent's
 * own process an environment that cannot control it, in which the caller's variables have other names, each with its first byte changed.
 */
export const CALLER_VARIABLE = "ASSENT_CALLER";
/** Its value then. */
const RENAMED = "renamed";
/** What the launcher does to the first byte of a name: letters and `_` become what no name begins with. */
const CHANGE = 0x40;

/**
 * What the program of a confined run is given. Without the variable: what this process was given. `pid` is the process that the
 * launcher became: Node has lost those bytes of values that are no text when it starts another.
 */
export function callerEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  pid: number | "self" = "self",
): Readonly<Record<string, string>> {
  const { [CALLER_VARIABLE]: handed, ...others } = own;
  const given = handed === undefined ? Object.entries(others) : handed === RENAMED ? entriesOf(readFileSync(`/proc/${pid}/environ`)) : [];
  const env: Record<string, string> = {};
  // The first of a name counts, as it does for getenv(3).
  for (const [name, value] of given) if (value !== undefined && !Object.hasOwn(env, name)) env[name] = value;
  return env;
}

function entriesOf(bytes: Buffer): (readonly [name: string, value: string])[] {
  const found: (readonly [string, string])[] = [];
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(0, start);
    const first = (bytes[start] ?? 0) ^ CHANGE;
    const entry = String.fromCharCode(first) + pathText(bytes, start + 1, end < 0 ? bytes.length : end);
    start = end < 0 ? bytes.length : end + 1;
    // The launcher's own begin with letters, and are none of the caller's.
    if (!/^[A-Za-z_]/.test(entry)) continue;
    const at = entry.indexOf("=", 1);
    if (at > 0 && !entry.startsWith("__proto__=")) found.push([entry.slice(0, at), entry.slice(at + 1)]);
  }
  return found;
}
