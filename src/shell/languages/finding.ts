import type { FileOperation } from "../../action/index.ts";

/** What source in a small language (sed, awk, jq, SQL, a line of Python) would do when it runs. Nothing found means harmless. */
export type Finding =
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
  /** Changes a database. */
  | { readonly does: "change" | "destroy"; readonly detail: string }
  /** Not looked through to its end: no rule that allows the program answers that. */
  | { readonly does: "limit"; readonly why: string }
  /** Not understood, or decided by data at run time: `why` completes "cannot tell what it does: …". */
  | { readonly does: "unknown"; readonly why: string };
