/**
 * Signals while a program runs. Where it is in our process group (run-job.ts gives it its own on a terminal), what the terminal sends (Ctrl-C, Ctrl-\, Ctrl-Z, a hang-up)
 * reaches both, and we only must not die before it. What is sent to us alone is meant for the program.
 */

/** Sent by a terminal to the whole group: passing them on would deliver them twice. */
const FROM_TERMINAL = ["SIGINT", "SIGQUIT"] as const;
const MEANT_FOR_IT = ["SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGALRM"] as const;

/**
 * Waits for `run` with the signals passed on by `send`, once there is a program to send them to.
 * `terminal`: there is one, so it delivers its own.
 */
export async function withSignals<T>(terminal: boolean, send: (signal: NodeJS.Signals) => void, run: () => Promise<T>): Promise<T> {
  const ignore = (): void => undefined;
  const pass = (signal: NodeJS.Signals): void => send(signal);
  for (const signal of FROM_TERMINAL) process.on(signal, terminal ? ignore : pass);
  for (const signal of MEANT_FOR_IT) process.on(signal, pass);
  try {
    return await run();
  } finally {
    for (const signal of FROM_TERMINAL) process.off(signal, terminal ? ignore : pass);
    for (const signal of MEANT_FOR_IT) process.off(signal, pass);
  }
}
