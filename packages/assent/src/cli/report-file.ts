import { writeFileSync } from "node:fs";
import { visible } from "@assent/core/action";
import { errorCode } from "@assent/guard/state";
import { complain } from "./policy-target.ts";
import { writeStdout } from "./stdio.ts";

/** Standard output, where a file is asked for. */
export const STANDARD_OUTPUT = "-";

/** Writes a report where an option says. False: it could not be; that has been said. */
export function writeReport(command: string, file: string, text: string): boolean {
  if (file === STANDARD_OUTPUT) {
    writeStdout(text);
    return true;
  }
  try {
    writeFileSync(file, text);
    return true;
  } catch (error) {
    complain(
      command,
      `${visible(file)} cannot be written: ${errorCode(error)}`,
      "name a file in a folder that is there, or - for standard output",
    );
    return false;
  }
}
