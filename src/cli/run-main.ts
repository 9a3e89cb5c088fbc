import { startThreads, threadsLoaded } from "../supervise/threads/index.ts";
import { parse } from "./parse.ts";
import { frame } from "./program-frame.ts";
import { addRunCommands } from "./program-run.ts";

/** Options of `assent run` that run nothing. */
const RUNS_NOTHING = /^(?:-h|--help|--background-wait|--background-respond|--skill|--list|--rules|--clear)$/;

/** `assent run`, without the other commands: they would take as long again to load. */
export async function main(): Promise<void> {
  const words = process.argv.slice(3);
  const end = words.findIndex((word) => word === "--" || !word.startsWith("-"));
  // While the threads start, this one reads the command line.
  if (end >= 0 && !words.slice(0, end).some((word) => RUNS_NOTHING.test(word))) startThreads();
  const assent = frame();
  addRunCommands(assent);
  await parse(assent);
  await threadsLoaded();
}
