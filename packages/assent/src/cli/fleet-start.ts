import { spawn } from "node:child_process";
import { thisMachine } from "@assent/guard/state";
import { isInside } from "@assent/supervisor/supervise/outer";
import { isFleetDue } from "@assent/team/team/fleet";

// For where root's file says that this machine belongs to a team.

/** Lets a process of its own join, where it is time to: whoever calls this does not wait for it, and never fails by it. `own`: dist/. */
export function startFleetJoin(own: string): void {
  try {
    const { home, env } = thisMachine();
    if (!isFleetDue(thisMachine(), Date.now()) || isInside()) return;
    const { XDG_STATE_HOME: state } = env;
    // Nothing else of the environment of an agent, or of who starts a run.
    const child = spawn(process.execPath, [`${own}/team-sender.mjs`], {
      cwd: "/",
      detached: true,
      stdio: "ignore",
      env: { HOME: home, ...(state === undefined ? {} : { XDG_STATE_HOME: state }) },
    });
    child.on("error", () => undefined);
    child.unref();
  } catch {
    // The next one tries.
  }
}
