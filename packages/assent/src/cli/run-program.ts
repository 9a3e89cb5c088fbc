import { accessSync, closeSync, constants, openSync, readSync, statSync } from "node:fs";
import { errorCode } from "@assent/guard/state";

export type FoundProgram =
  /** `path` as it was found, absolute; `start` is what begins the command line that starts it. */
  | { readonly is: "program"; readonly path: string; readonly start: readonly string[] }
  /** As a shell says it: 127 not found, 126 found and not to be started. */
  | { readonly is: "none"; readonly status: 126 | 127; readonly why: string };

/** The file that a command's first word starts, found as execvp(3) does: by its path, else on PATH. */
export function findProgram(word: string, path: string | undefined, cwd: string): FoundProgram {
  if (word === "") return { is: "none", status: 127, why: "the name of the program is empty" };
  if (word.includes("/")) {
    // A receipt says `~/project/tidy.sh`, not `~/project/./tidy.sh`; what is behind a link's `..` only the kernel can tell.
    const file = word.startsWith("/") ? word : `${cwd}/${word.replace(/^(?:\.\/+)+/, "")}`;
    const problem = problemOf(file);
    return problem === undefined ? found(file) : none(problem);
  }
  let first: string | undefined;
  for (const folder of (path ?? "/usr/local/bin:/usr/bin:/bin").split(":")) {
    // An empty entry is the current folder (environ(7)).
    const file = `${folder === "" ? cwd : folder.startsWith("/") ? folder : `${cwd}/${folder}`}/${word}`;
    const problem = problemOf(file);
    if (problem === undefined) return found(file);
    if (problem !== "ENOENT" && problem !== "ENOTDIR") first ??= problem;
  }
  return none(first ?? "ENOENT");
}

/** Why a file cannot be started; undefined when it can. */
function problemOf(file: string): string | undefined {
  try {
    if (!statSync(file).isFile()) return "EISDIR";
    accessSync(file, constants.X_OK);
    return undefined;
  } catch (error) {
    return errorCode(error);
  }
}

function found(path: string): FoundProgram {
  return { is: "program", path, start: isPlainScript(path) ? ["/bin/sh", path] : [path] };
}

/** A text without a first line that names its interpreter: execvp(3) and shells start it with `sh`, the kernel does not. */
function isPlainScript(path: string): boolean {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const head = Buffer.alloc(128);
    const text = head.subarray(0, readSync(descriptor, head, 0, head.length, 0));
    return text.length > 0 && !text.includes(0) && !(text[0] === 0x23 && text[1] === 0x21);
  } catch {
    return false;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

const WHY: Readonly<Record<string, string>> = {
  ENOENT: "not found",
  ENOTDIR: "not found",
  EACCES: "permission denied: it may not be executed",
  EISDIR: "is not a file",
  ELOOP: "too many symbolic links",
  ENAMETOOLONG: "the name is too long",
};

function none(code: string): FoundProgram {
  return { is: "none", status: code === "ENOENT" || code === "ENOTDIR" ? 127 : 126, why: WHY[code] ?? code };
}
