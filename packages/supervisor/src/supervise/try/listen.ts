import type { Machine } from "@assent/guard/state";
import { TrapHandler } from "../trap/trap-handler.ts";
import { netTraps } from "../trap/net/index.ts";
import { AllowedTally } from "../trap/record.ts";
import type { ToolService } from "../services/services.ts";
import type { GrantingJudge } from "../judge/granting-judge.ts";
import { must, sys, SYSCALLS } from "../kernel/index.ts";
import { runNames } from "../net/run-names.ts";
import type { RunEvent } from "../types.ts";

export interface HeardRun {
  readonly machine: Machine;
  readonly judge: GrantingJudge;
  readonly run: string;
  /** Of the run's own. */
  readonly folder: string;
  readonly cwd: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly onEvents: (events: readonly RunEvent[]) => void;
  readonly onStart: (toolService: ToolService) => void;
}

/**
 * Answers what a tried program asks: sockets and starts of programs, by the trap handler of a held run. Nobody is asked meanwhile: what the policy
 * asks about is refused, and said at the end. Resolves once nothing of the tree is left.
 */
export async function listenToTried(stub: number, listener: number, options: HeardRun): Promise<void> {
  const { machine, judge, run, folder, cwd, command, env, onEvents, onStart } = options;
  const { names, relay, close } = runNames(undefined, undefined);
  const no = (): void => undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      const silent = { ask: no, drop: no, notice: no, unkept: no, takenBack: no, lacks: no, started: no, refused: no, ended: no };
      new TrapHandler({
        listener,
        program: stub,
        outside: {
          ...silent,
          inner: (fd) => void sys(SYSCALLS.close, fd),
          events: onEvents,
          runs: onStart,
          closed: resolve,
          failed: reject,
        },
        judge,
        undo: undefined,
        parts: `${folder}/parts`,
        refs: undefined,
        run,
        profile: "",
        home: machine.home,
        cwd,
        command,
        env,
        sandboxed: true,
        observes: false,
        tried: true,
        asks: () => false,
        tellsAll: false,
        holds: () => false,
        tally: new AllowedTally(),
        typed: true,
        exceeds: no,
        net: netTraps({ judge, names, relay, env, observes: false }),
      }).serve();
    });
  } finally {
    close();
  }
}

/** A listener that has this number in another process. */
export function fetchListener(pid: number, number: number): number {
  const pidfd = must("pidfd_open", pid, 0);
  const listener = must("pidfd_getfd", pidfd, number, 0);
  sys(SYSCALLS.close, pidfd);
  return listener;
}
