import { type Command, CommanderError } from "commander";
import { writeStderr } from "./stdio.ts";

/** Exit codes: 0 done, 1 failed, 2 wrong usage. `explain` exits 0 whatever the verdict. */
const WRONG_USAGE = 2;

/** Does what the command line says. */
export async function parse(command: Command): Promise<void> {
  try {
    await command.parseAsync();
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : WRONG_USAGE;
    else {
      process.exitCode = 1;
      const message = error instanceof Error ? error.message : String(error);
      writeStderr(`assent: ${process.argv.includes("--debug") && error instanceof Error ? (error.stack ?? message) : message}\n`);
    }
  }
}
