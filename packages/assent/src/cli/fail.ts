import { lostOutput, writeStderr } from "./stdio.ts";

/** An error that no command has an answer to. */
export function fail(error: unknown): void {
  process.exitCode = 1;
  const message = hasNoFolder(error)
    ? "the folder you are in has been deleted: change to another one (`cd ~`)"
    : error instanceof Error
      ? error.message
      : String(error);
  writeStderr(`assent: ${process.argv.includes("--debug") && error instanceof Error ? (error.stack ?? message) : message}\n`);
}

/** What getcwd(3) says in a folder that was deleted. */
const hasNoFolder = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ENOENT" && "syscall" in error && error.syscall === "uv_cwd";

const WHY: Readonly<Record<string, string>> = { ENOSPC: "no space left on the device", EIO: "the device failed" };

/** Half an answer must not look like a whole one. A reader that went away (`assent log | head -1`) has what it wanted. */
export function watchOutput(): void {
  process.once("exit", () => {
    const code = lostOutput();
    if (code === undefined || code === "EPIPE") return;
    writeStderr(`assent: the output cannot be written: ${WHY[code] ?? code}\n`);
    process.exitCode = Number(process.exitCode ?? 0) === 0 ? 1 : process.exitCode;
  });
}
