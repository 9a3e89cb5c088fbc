import { readFileSync } from "node:fs";
import { attempt } from "@assent/core/data";

const SETTING = "kernel.yama.ptrace_scope";

/** `ptrace_scope` of Yama (Documentation/admin-guide/LSM/Yama.rst); 0 without it. */
export const yamaScope = (): number => attempt(() => Number(readFileSync("/proc/sys/kernel/yama/ptrace_scope", "utf8")), 0);

/** Why nobody but root may look at another process, and what to do about it; undefined where a parent may look at its child. */
export function yamaProblem(scope: number): string | undefined {
  if (scope < 2) return undefined;
  // The kernel takes no smaller number once it is 3.
  const way = scope === 2 ? `\`sudo sysctl ${SETTING}=1\` sets it` : `write \`${SETTING} = 1\` into /etc/sysctl.d and restart the system`;
  return `${SETTING} is ${scope}; 0 or 1 is needed: ${way}`;
}
