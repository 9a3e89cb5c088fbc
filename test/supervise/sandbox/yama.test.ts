import { expect, it } from "vitest";
import { unverifiedWhy } from "../../../packages/supervisor/src/supervise/trap/starts.ts";
import { yamaProblem } from "../../../packages/supervisor/src/supervise/sandbox/yama.ts";

// `npm run machines -- trixie` shows it on a kernel where it is so.
it.each([
  [0, undefined],
  [1, undefined],
  [2, "kernel.yama.ptrace_scope is 2; 0 or 1 is needed: `sudo sysctl kernel.yama.ptrace_scope=1` sets it"],
  [3, "kernel.yama.ptrace_scope is 3; 0 or 1 is needed: write `kernel.yama.ptrace_scope = 1` into /etc/sysctl.d and restart the system"],
])("ptrace_scope %i: doctor and a refused start say the same of it", (scope, problem) => {
  expect(yamaProblem(scope)).toBe(problem);
  expect(unverifiedWhy(scope)).toBe(
    problem ?? "Another program may be tracing it, its file may not be readable, or a sandbox around this run forbids ptrace",
  );
});
