import { writeStderr } from "./stdio.ts";

/** An error that no command has an answer to. */
export function fail(error: unknown): void {
  process.exitCode = 1;
  const message = error instanceof Error ? error.message : String(error);
  writeStderr(`assent: ${process.argv.includes("--debug") && error instanceof Error ? (error.stack ?? message) : message}\n`);
}
