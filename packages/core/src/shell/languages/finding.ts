import type { FileOperation } from "../../action/index.ts";

/** What source in a small language (sed, awk, jq, SQL, a line of Python) would do when it runs. Nothing found means harmless. */
export type CodeFinding =
  | { readonly does: "shell"; readonly command: string }
  | {
      readonly does: "file";
      readonly operation: FileOperation;
      readonly path: string;
      /** All that is below, too. */
      readonly recursive?: true;
      /** The path is a pattern. */
      readonly glob?: true;
      /** Which path is only known at run time. */
      readonly unknown?: true;
    }
  /** Runs or loads code we do not read: a module, another script file. */
  | { readonly does: "code"; readonly language: string; readonly detail: string }
  | { readonly does: "net"; readonly host: string | undefined }
  /** Reads or prints environment variables. */
  | { readonly does: "environment" }
  /** Shows passwords, tokens or keys. */
  | { readonly does: "secrets" }
  /** Changes a database. */
  | { readonly does: "change"; readonly detail: string }
  /** `whole`: a database, with all that is in it. */
  | { readonly does: "destroy"; readonly detail: string; readonly whole?: true }
  /** Not looked through to its end: no rule that allows the program answers that. */
  | { readonly does: "limit"; readonly why: string }
  /** Not understood, or decided by data at run time: `why` completes "cannot tell what it does: …". */
  | { readonly does: "unknown"; readonly why: string };

/** Source longer than this is not read: nobody types it on a command line, and it would cost time. */
export const MAX_SOURCE = 64 * 1024;
/** Brackets, blocks and nested strings deeper than this are not followed. */
export const MAX_DEPTH = 64;

/** A finding for what is not understood; `why` completes "cannot tell what it does: …". */
export function unknown(why: string): CodeFinding {
  return { does: "unknown", why };
}

/** Why a text is refused before it is read, if it is. Control characters are where readers of the same text disagree. */
export function refusedText(text: string): string | undefined {
  if (text.length > MAX_SOURCE) return `the source is longer than ${MAX_SOURCE} characters`;
  // oxlint-disable-next-line no-control-regex -- naming control characters is the point
  if (/[\u0000-\u0008\u000b-\u001f\u007f]/.test(text)) return "the source contains control characters";
  return undefined;
}

/** The same finding said twice is said once; order is kept. */
export function distinct(findings: readonly CodeFinding[]): CodeFinding[] {
  const seen = new Set<string>();
  return findings.filter((finding) => {
    const key = JSON.stringify(finding);
    return seen.has(key) ? false : seen.add(key) !== undefined;
  });
}

/** Stands in a path for the home folder, which a reader of source does not know. */
export const HOME = "\u0001home";

/**
 * What is around a program when it runs: interpreters look modules up in the working directory before their own library.
 * Without it a reader cannot know that `import json` is Python's own, and says so. Paths are as the source writes them,
 * relative to the working directory of the program.
 */
export interface ProgramSurroundings {
  /** Names in a folder (`.` for the working directory), none when no such folder; undefined when it cannot be listed completely. */
  names(folder: string): readonly string[] | undefined;
  /** True when this path is a regular file. */
  isFile(path: string): boolean;
}
