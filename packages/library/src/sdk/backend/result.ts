import { brief } from "@assent/core/action";

/** Why something was not done. Use `code`, not the text, to tell them apart. */
export type FailureCode =
  /** The policy, or a person, said no. */
  | "denied"
  /** A person would have to be asked, and nobody can be. */
  | "approval-required"
  /** Not in the allowed directories. */
  | "outside"
  | "not-found"
  /** Something else than what is asked for: a folder for a file, a device. */
  | "wrong-kind"
  /** The file has another content than when it was last read, or than an edit takes it to have. */
  | "changed"
  /** The text to be replaced does not occur, or not exactly once. */
  | "no-match"
  | "range"
  | "too-large"
  /** Not a text in UTF-8. */
  | "binary"
  | "pattern"
  | "failed";

/** Something that was not done, and why. */
export interface Failure {
  readonly ok: false;
  readonly code: FailureCode;
  /** Begins with `Error: `; without control characters, fit to be shown to a model. */
  readonly error: string;
}

export const failure = (code: FailureCode, message: string): Failure => ({ ok: false, code, error: `Error: ${brief(message, 1000)}` });

/** A system call that failed, in words. */
export function systemFailure(error: unknown, path: string): Failure {
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
  const words = WORDS[code];
  if (words !== undefined) return failure(words[0], `'${path}' ${words[1]}`);
  return failure("failed", `'${path}': ${code === "" ? (error instanceof Error ? error.message : String(error)) : code}`);
}

const WORDS: Readonly<Record<string, readonly [FailureCode, string]>> = {
  ENOENT: ["not-found", "does not exist"],
  ENOTDIR: ["not-found", "does not exist: a part of it is not a folder"],
  EISDIR: ["wrong-kind", "is a folder"],
  EACCES: ["failed", "may not be opened by this user"],
  EPERM: ["failed", "may not be changed by this user"],
  ELOOP: ["failed", "has too many symbolic links"],
  ENAMETOOLONG: ["failed", "is too long"],
  ENXIO: ["wrong-kind", "is not a regular file"],
  EROFS: ["failed", "lies on a read-only file system"],
  ENOSPC: ["failed", "cannot be written: the disk is full"],
};
