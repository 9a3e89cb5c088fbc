/**
 * Signals while a program runs. Where it is in our process group (run-job.ts gives it its own on a terminal), what the terminal sends (Ctrl-C, Ctrl-\, Ctrl-Z, a hang-up)
 * reaches both, and we only must not die before it. What is sent to us alone is meant for the program.
 */

/** Sent by a terminal to the whole group: passing them on would deliver them twice. */
const FROM_TERMINAL = ["SIGINT", "SIGQUIT"] as const;
const MEANT_FOR_IT = ["SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGALRM"] as const;

/** Milliseconds. */
const ONCE = 200;

/**
 * Waits for `run` with the signals passed on by `send`, once there is a program to send them to.
 * `terminal`: there is one, so it delivers its own. A second SIGTERM ends the program, whatever it does about the first.
 */
export async function withSignals<T>(terminal: boolean, send: (signal: NodeJS.Signals) => void, run: () => Promise<T>): Promise<T> {
  const ignore = (): void => undefined;
  let asked = 0;
  const pass = (signal: NodeJS.Signals): void => {
    // timeout(1) sends it to a process and to its group: that is once.
    const again = signal === "SIGTERM" && asked > 0 && Date.now() - asked > ONCE;
    if (signal === "SIGTERM" && asked === 0) asked = Date.now();
    send(again ? "SIGKILL" : signal);
  };
  for (const signal of FROM_TERMINAL) process.on(signal, terminal ? ignore : pass);
  for (const signal of MEANT_FOR_IT) process.on(signal, pass);
  try {
    return await run();
  } finally {
    for (const signal of FROM_TERMINAL) process.off(signal, terminal ? ignore : pass);
    for (const signal of MEANT_FOR_IT) process.off(signal, pass);
  }
}
