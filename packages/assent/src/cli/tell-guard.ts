import { visible } from "@assent/core/action";
import { isObject } from "@assent/core/data";
import type { RunEvent } from "@assent/supervisor/supervise";
import type { JudgedInRun } from "@assent/supervisor/supervise/control-channel";
import { isOwnCache } from "./run-refusals.ts";

/** Tells the guard that let a command go ahead what its run refuses. */
interface GuardTeller {
  refused(event: RunEvent): void;
  end(): void;
}

/**
 * The socket of a guard's process (`sdk/confined/listen.ts`), as the ticket names it. Undefined: nobody listens there any more, which changes
 * nothing of the run. The kernel keeps what is said while the other process is busy.
 */
export async function tellGuard(tells: Readonly<Record<string, unknown>> | undefined): Promise<GuardTeller | undefined> {
  if (!isObject(tells)) return undefined;
  const { socket, key } = tells;
  if (typeof socket !== "string" || typeof key !== "string") return undefined;
  const { connect } = await import("node:net");
  return await new Promise((resolve) => {
    const stream = connect(socket);
    stream.on("error", () => resolve(undefined));
    stream.on("connect", () => {
      stream.unref();
      stream.write(`${key}\n`);
      resolve({
        refused: ({ action, verdict, process: { name } }) => {
          if (isOwnCache(action)) return;
          const judged: JudgedInRun = { action, verdict, program: visible(name) };
          stream.write(`${JSON.stringify(judged)}\n`);
        },
        end: () => void stream.end(),
      });
    });
  });
}
