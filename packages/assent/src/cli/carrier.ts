import { type ChildProcess, spawn } from "node:child_process";
import type { Machine } from "@assent/guard/state";
import { isTeamReached } from "@assent/team/team/remote";

/** So long it may take to be heard by the server. */
export const CONNECT_MS = 15_000;
const LOOK_MS = 50;

/** A process that carries questions to the team, and the log, until it gets a signal: for where nothing stays, as in CI. `own`: the folder of bin.cjs. */
export function startCarrier(own: string): ChildProcess {
  const child = spawn(process.execPath, [`${own}/bin.cjs`, "team", "send", "--follow"], { cwd: "/", stdio: "ignore" });
  child.on("error", () => undefined);
  child.unref();
  return child;
}

/** Carries what a run asks, where nobody else does. Undefined: somebody does. */
export async function carryQuestionsOf(machine: Machine, own: string, say: (text: string) => void): Promise<ChildProcess | undefined> {
  if (isTeamReached(machine)) return undefined;
  const child = startCarrier(own);
  for (const until = performance.now() + CONNECT_MS; !isTeamReached(machine) && child.exitCode === null && performance.now() < until;)
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  if (!isTeamReached(machine)) say("the team's server does not hear this machine, so nobody there is asked: `assent team status` says why");
  return child;
}
