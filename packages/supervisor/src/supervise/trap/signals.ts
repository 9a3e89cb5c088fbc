import { readdirSync } from "node:fs";
import type { Call, ProcessAction } from "@assent/core/action";
import { ERRNO, sys, SYSCALLS } from "../kernel/index.ts";
import { type Handler, type Handlers, PASS } from "./operation.ts";
import { isNobody, isOwn, processHandlers } from "./process-calls.ts";
import { argvOf, groupOf } from "./processes.ts";

/** Whom a run may signal beside its own tree: what other confined commands of the same agent's session have started. */
export interface SessionSignals {
  /** Landlock keeps signals inside, so that what the kernel is left to do reaches the tree only. */
  readonly scoped: boolean;
  readonly isOfSession: (pid: number) => boolean;
}

/** kill(2) in a confined command: what `npm run dev &` of one has started is ended by `kill` in another of its session. */
export function signalHandlers({ scoped, isOfSession }: SessionSignals): Pick<Handlers, "kill"> {
  const bounded: Handler = (trap, task, access) => (scoped ? PASS : processHandlers.kill(trap, task, access));

  const kill: Handler = (trap, task, access) => {
    const [to, signal] = [trap.int(0), trap.int(1)];
    const targets = to > 0 ? [to] : to < -1 ? membersOf(-to) : [];
    if (targets.length === 0 || targets.some((pid) => isOwn(pid, task)) || targets.every(isNobody)) return bounded(trap, task, access);
    // `pkill -f NAME` finds the words of its own command there: it is as if they were not.
    if (targets.every((pid) => isNobody(pid) || isSupervisor(pid))) return -ERRNO.ESRCH;
    const pinned = targets.map((pid) => sys(SYSCALLS.pidfd_open, pid, 0)).filter((fd) => fd >= 0);
    // INVARIANT: looked at once they are pinned: a number that has gone to another since then is signalled no more.
    const known = targets.every((pid) => isOfSession(pid));
    const send = (): number => Math.max(...pinned.map((fd) => sys(SYSCALLS.pidfd_send_signal, fd, signal, 0, 0)), -ERRNO.ESRCH);
    if (known || signal === 0) {
      const result = known ? send() : undefined;
      for (const fd of pinned) sys(SYSCALLS.close, fd);
      return result ?? bounded(trap, task, access);
    }
    const call: Call = { name: "kill", args: [String(to), String(signal)] };
    const action: ProcessAction = { kind: "process", operation: "signal", target: String(to), origin: { by: "tool" }, call };
    return { call, actions: [action], pinned, perform: send };
  };
  return { kill };
}

/** It holds a confined command, and shows its words. Whoever only looks like it is not signalled either. */
const isSupervisor = (pid: number): boolean => argvOf(pid).includes("--confined");

/** The processes of a group. */
function membersOf(group: number): readonly number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => groupOf(pid) === group);
}
