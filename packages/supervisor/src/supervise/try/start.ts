import { spawn } from "node:child_process";
import { openSync, writeFileSync } from "node:fs";
import { Socket } from "node:net";
import { messageOf } from "@assent/guard/state";
import { errorName } from "../kernel/index.ts";
import { exitOf } from "../exit.ts";
import type { Exit } from "../types.ts";
import type { WrittenPlan } from "./plan.ts";

/** How it went. `unable`: nothing was started, for this machine or place cannot have such a run. */
export type TriedEnd =
  | { readonly is: "ended"; readonly exit: Exit }
  | { readonly is: "unable"; readonly why: string }
  | { readonly is: "not-started"; readonly errno: string }
  /** Whoever supervised it was killed: how the program ended is not known, only that nothing of it lives. */
  | { readonly is: "killed" };

/** Signals that are passed on; what a terminal sends reaches the program by itself. */
const PASSED = ["SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2"] as const;
/** Sent by the terminal to all: the program decides what they mean, and this process waits for its end. */
const LEFT_TO_IT = ["SIGINT", "SIGQUIT"] as const;

/**
 * Starts the program of a plan with this process's own streams, and waits until nothing of it lives. `listen`: to what it asks, from its
 * first call on that must be answered; with the process that was started, and the number that the listener has there.
 */
export async function startTried(
  stub: string,
  plan: WrittenPlan,
  planFile: string,
  listen: (pid: number, number: number) => Promise<void>,
): Promise<TriedEnd> {
  writeFileSync(planFile, plan.bytes, { mode: 0o600, flag: "wx" });
  const child = spawn(stub, [], { stdio: ["inherit", "inherit", "inherit", openSync(planFile, "r"), "pipe"], env: {} });
  const pass = (signal: NodeJS.Signals): void => void child.kill(signal);
  const wait = (): void => undefined;
  for (const signal of PASSED) process.on(signal, pass);
  for (const signal of LEFT_TO_IT) process.on(signal, wait);
  try {
    let said = "";
    let served: Promise<void> | undefined;
    const report = child.stdio[4];
    await new Promise<void>((resolve, reject) => {
      report?.on("data", (bytes: Buffer) => {
        said += bytes.toString("latin1");
        const number = /^L (\d+) 0\n/.exec(said)?.[1];
        if (number === undefined || child.pid === undefined) return;
        said = said.slice(said.indexOf("\n") + 1);
        served = listen(child.pid, Number(number));
        served.catch(reject);
      });
      child.on("error", reject);
      // The last of the run has it open.
      report?.on("close", resolve);
    });
    await served;
    return readReport(said, plan);
  } catch (error) {
    child.kill("SIGKILL");
    return { is: "unable", why: messageOf(error) };
  } finally {
    child.unref();
    for (const signal of PASSED) process.off(signal, pass);
    for (const signal of LEFT_TO_IT) process.off(signal, wait);
  }
}

/** How a run ends that another process has begun, as it says by a descriptor; `meanwhile`: what is done until then. */
export async function endOf(report: number, meanwhile: () => Promise<void> | undefined): Promise<TriedEnd> {
  const wait = (): void => undefined;
  for (const signal of LEFT_TO_IT) process.on(signal, wait);
  try {
    let said = "";
    const socket = new Socket({ fd: report, readable: true, writable: false });
    const over = new Promise<void>((resolve, reject) => {
      socket.on("data", (bytes: Buffer) => (said += bytes.toString("latin1")));
      socket.on("error", reject);
      socket.on("close", resolve);
    });
    await Promise.all([over, meanwhile()]);
    return readReport(said, { steps: [], bytes: Buffer.alloc(0) });
  } finally {
    for (const signal of LEFT_TO_IT) process.off(signal, wait);
  }
}

/** What the program said, line by line: a letter and two numbers. The first line counts. */
function readReport(said: string, { steps }: WrittenPlan): TriedEnd {
  const [, letter, first = "0", second = "0"] = /^([A-Z]) (\d+) (\d+)\n/.exec(said) ?? [];
  if (letter === "E") return { is: "unable", why: `${steps[Number(first)] || "the view cannot be made"} (${errorName(Number(second))})` };
  if (letter === "X") return { is: "not-started", errno: errorName(Number(first)) };
  return letter === "S" ? { is: "ended", exit: exitOf(Number(first)) } : { is: "killed" };
}
