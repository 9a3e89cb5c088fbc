import { type Command, CommanderError } from "commander";
import { fail, watchOutput } from "./fail.ts";
import { sayWrongValues } from "./program-frame.ts";

/** Exit codes: 0 done, 1 failed, 2 wrong usage. `explain` exits 0 whatever the verdict. */
const WRONG_USAGE = 2;

/** Does what the command line says. */
export async function parse(command: Command): Promise<void> {
  watchOutput();
  sayWrongValues(command);
  try {
    await command.parseAsync();
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : WRONG_USAGE;
    else fail(error);
  }
}
