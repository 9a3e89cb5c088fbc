import type { Enforced, Missing } from "../wall/index.ts";

export interface LaunchData {
  /** Absolute path of the program. */
  readonly path: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly bestEffort: boolean;
  /** In a process group of its own, for a terminal to give the foreground to. */
  readonly job: boolean;
}

export type FromLauncher =
  /** It has loaded, and waits for its data. */
  | { readonly kind: "loaded" }
  /** Number of the listener's descriptor, which the whole process shares. */
  | { readonly kind: "restricted"; readonly listener: number; readonly enforced: Enforced; readonly missing: readonly Missing[] }
  | { readonly kind: "started"; readonly pid: number }
  | { readonly kind: "failed"; readonly code: string; readonly message: string };
