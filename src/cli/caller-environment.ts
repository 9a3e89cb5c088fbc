import { pathText } from "../supervise/kernel/index.ts";

/**
 * The environment of whoever starts a confined command, where the launcher starts it: the launcher gives Assent's own process an
 * environment that cannot steer it, and hands on the caller's in this variable, byte for byte as proc_pid_environ(5) shows it, in
 * base64: `ASSENT_CALLER="$(base64 -w0 /proc/$$/environ)"`.
 */
export const CALLER_VARIABLE = "ASSENT_CALLER";

/** What the program of a confined run is given. Without the variable: what this process was given. */
export function callerEnvironment(own: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  const { [CALLER_VARIABLE]: handed, ...others } = own;
  const given = handed === undefined ? Object.entries(others) : entriesOf(Buffer.from(handed, "base64"));
  const env: Record<string, string> = {};
  // The first of a name counts, as it does for getenv(3).
  for (const [name, value] of given) if (value !== undefined && !Object.hasOwn(env, name)) env[name] = value;
  return env;
}

function entriesOf(bytes: Buffer): (readonly [name: string, value: string])[] {
  const found: (readonly [string, string])[] = [];
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(0, start);
    const entry = pathText(bytes, start, end < 0 ? bytes.length : end);
    start = end < 0 ? bytes.length : end + 1;
    const at = entry.indexOf("=", 1);
    if (at > 0 && !entry.startsWith("__proto__=")) found.push([entry.slice(0, at), entry.slice(at + 1)]);
  }
  return found;
}
