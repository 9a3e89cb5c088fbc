import { ORDERED } from "@assent/supervisor/supervise/control-channel";
import { BESIDE, SPARE } from "./beside.ts";
import { fail } from "./fail.ts";
import { type Beside, StartedBeside } from "./run-beside.ts";
import { runConfined } from "./run-confined.ts";
import { runOrdered } from "./run-ordered.ts";
import { rehearseRuns } from "./run-rehearsal.ts";
import { run } from "./run.ts";
import { plainWords } from "./run-options.ts";
import { main as waitForCommand } from "./spare.ts";

// What commands do by it, too.
export { foreseeGit, isGroupOfTree, killTree, lineOfGroup, RunError, superviseRun } from "@assent/supervisor/supervise";
export { rulesForRefused } from "@assent/supervisor/supervise/learn";
export { rehearseRuns };
export { run };

/** `assent run`, without the other commands: they would take as long again to load. `keep`: leaves the code caches that are missing. */
export async function main(keep: () => void, beside?: Beside): Promise<void> {
  if (process.argv[3] === ORDERED) return await runOrdered();
  if (process.argv[3] === BESIDE && process.argv[4] === SPARE) return await waitForCommand(keep, { main, rehearseRuns });
  await runCommand(beside ?? StartedBeside.open(keep));
}

async function runCommand(beside: Beside | undefined): Promise<void> {
  const plain = plainWords(process.argv.slice(3));
  if (plain === undefined) return readWords(beside);
  const { confined } = plain.flags;
  try {
    if (confined !== undefined) process.exit(await runConfined(confined, plain.words[0] ?? "", beside));
    const status = await run(plain.words, plain.flags, beside === undefined ? {} : { beside });
    // What Node does at its end is nothing that anybody must wait for.
    beside?.tell(String(status));
    // Whatever is still open: the run is over.
    process.exit(status);
  } catch (error) {
    fail(error);
  }
}

async function readWords(beside: Beside | undefined): Promise<void> {
  const { parse } = await import("./parse.ts");
  const { frame } = await import("./program-frame.ts");
  const { addRunCommands } = await import("./program-run.ts");
  const assent = frame();
  addRunCommands(assent, beside);
  await parse(assent);
}
