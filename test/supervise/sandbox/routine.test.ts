import { describe, expect, it } from "vitest";
import { ERRNO, sys, SYSCALLS } from "@assent/supervisor/supervise/kernel";
import { LaunchSteps } from "../../../packages/supervisor/src/supervise/launch/routine.ts";

describe("the routine of a child", () => {
  const SIGCHLD = 17;
  const CLONE_VM = 0x100;
  const ended = (steps: LaunchSteps): LaunchSteps => {
    const pid = steps.start(CLONE_VM | SIGCHLD);
    expect(pid).toBeGreaterThan(0);
    expect(sys(SYSCALLS.wait4, pid, 0, 0, 0)).toBe(pid);
    return steps;
  };

  it("makes the calls in order, and keeps what each returned", () => {
    const steps = ended(
      new LaunchSteps([
        { call: "getppid", args: [] },
        { call: "close", args: [-1], tolerates: ["EBADF"] },
        { call: "umask", args: [0o27] },
        { call: "umask", args: [0o22] },
        { call: "exit_group", args: [0] },
      ]),
    );
    expect([0, 1, 3, 4].map((at) => steps.result(at))).toEqual([process.pid, -ERRNO.EBADF, 0o27, undefined]);
    expect(steps.failure).toBeUndefined();
  });

  it("ends at the first call that fails", () => {
    const steps = ended(
      new LaunchSteps([
        { call: "close", args: [-1], tolerates: ["EINVAL", "ENOSYS"] },
        { call: "getppid", args: [] },
      ]),
    );
    expect(steps.result(1)).toBeUndefined();
    expect(steps.failure).toEqual({ call: "close", errno: ERRNO.EBADF });
  });
});
