import { parentPort } from "node:worker_threads";
import { restrictThisThread, WallError } from "../wall/restrict.ts";
import type { FromLauncher, LaunchData } from "./messages.ts";
import { spawn } from "./spawn.ts";

/**
 * The thread that starts the program. It walls itself in first, so the program is born inside; then its work is done.
 * From the filter on, the door answers its calls, the exec of the new process among them.
 */
function launch(data: LaunchData): void {
  const say = (message: FromLauncher): void => parentPort?.postMessage(message);
  try {
    const { listener, enforced, missing } = restrictThisThread({ observeReads: true, bestEffort: data.bestEffort });
    say({ kind: "restricted", listener, enforced, missing });
  } catch (error) {
    const code = error instanceof WallError ? error.code : "failed";
    return say({ kind: "failed", code, message: error instanceof Error ? error.message : String(error) });
  }
  try {
    say({ kind: "started", pid: spawn(data.path, data.argv, data.env, data.job) });
  } catch (error) {
    say({ kind: "failed", code: "exec", message: error instanceof Error ? error.message : String(error) });
  }
}

parentPort?.once("message", launch);
parentPort?.postMessage({ kind: "loaded" } satisfies FromLauncher);
