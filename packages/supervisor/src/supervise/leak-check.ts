import { closeSync, openSync, readSync } from "node:fs";

/** Of LeakSanitizer, by itself or in AddressSanitizer, which reads it too: the last word counts (sanitizer_common's flag parser). */
const VARIABLE = "LSAN_OPTIONS";
const OFF = "detect_leaks=0";

/** LeakSanitizer looks for leaks by tracing its own process (ptrace), and ends a program with an error where it cannot. */
export function withoutLeakCheck(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const before = env[VARIABLE] ?? "";
  return { ...env, [VARIABLE]: before === "" ? OFF : `${before}:${OFF}` };
}

export const LEAK_CHECK_OFF = `the check is off (${VARIABLE}=${OFF}); it works without \`assent run\``;

/** The names that a program gives and takes stand near its beginning. */
const MOST = 1 << 20;

/** The program that a process runs looks for leaks when it ends. */
export function checksForLeaks(pid: number): boolean {
  try {
    const fd = openSync(`/proc/${pid}/exe`, "r");
    try {
      const bytes = Buffer.alloc(MOST);
      const start = bytes.subarray(0, readSync(fd, bytes, 0, MOST, 0));
      return start.includes("\0__asan_init\0") || start.includes("\0__lsan_") || start.includes("\0liblsan.so");
    } finally {
      closeSync(fd);
    }
  } catch {
    return false;
  }
}
