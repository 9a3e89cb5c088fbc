import { existsSync, mkdirSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { thisMachine, ticketIdOf, writeTicket } from "@assent/guard/state";
import type { Beside } from "./run-beside.ts";
import { runConfined } from "./run-confined.ts";
import { run } from "./run.ts";

/** A shell that opens files, and starts another and a program. It lies where the policy lets nothing be written, or read. */
const COMMAND = "bash -c 'true < /dev/null > /dev/null'; ls / > /dev/null";

const OWN = "rehearsal-";

/** Of one that was killed meanwhile, or had our number. */
function isLeft(name: string): boolean {
  const pid = name.startsWith(OWN) ? name.slice(OWN.length) : undefined;
  return pid !== undefined && (pid === String(process.pid) || !existsSync(`/proc/${pid}`));
}

/**
 * Runs a command under supervision `rounds` times, so that V8 has compiled what the next one needs. All that it leaves is in a folder of its
 * own below `folder`, which goes with it. INVARIANT: standard input, output and error are nobody's.
 */
export async function rehearseRuns(folder: string, rounds: number): Promise<void> {
  const before = ["XDG_STATE_HOME", "PATH"].map((name) => [name, process.env[name]] as const);
  const scratch = `${realpathSync(folder)}/${OWN}${process.pid}`;
  try {
    for (const name of readdirSync(folder)) if (isLeft(name)) rmSync(`${folder}/${name}`, { recursive: true, force: true });
    process.env["XDG_STATE_HOME"] = `${scratch}/state`;
    // Not what lies above: a person may have taken it away.
    mkdirSync(scratch, { mode: 0o700 });
    mkdirSync(`${scratch}/project/.git`, { recursive: true });
    process.chdir(`${scratch}/project`);
    const machine = thisMachine();
    const nothing = (): void => undefined;
    process.env["PATH"] = "/usr/local/bin:/usr/bin:/bin";
    const beside: Beside = { front: process.pid, ownGroup: true, begin: nothing, tell: nothing, leave: nothing };
    for (let round = 0; round < rounds; round += 1) {
      const ticket = { agent: "rehearsal", command: COMMAND, cwd: process.cwd(), root: process.cwd() };
      const written = writeTicket(machine, ticket, Date.now(), ticketIdOf("", COMMAND));
      if ("problem" in written || (await runConfined("=", COMMAND, beside)) !== 0) return;
      if ((await run(["true"], { prompt: false, quiet: true, undo: true, policy: [] }, { beside })) !== 0) return;
    }
  } catch {
    // The command that comes is slower by what it compiles.
  } finally {
    process.chdir("/");
    rmSync(scratch, { recursive: true, force: true });
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  }
}
