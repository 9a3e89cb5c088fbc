import type { Action } from "../../action/index.ts";
import type { Fault, JsonNode, TextPlace } from "../../edit/json5/index.ts";
import type { LayerName, PolicyFile, Problem, Rule } from "../match/types.ts";

/** What the packs of a policy file bring. */
export interface PacksRead {
  readonly rules: readonly Rule[];
  readonly examples: readonly ExampleResult[];
  readonly warnings: readonly Problem[];
  /** Mistakes in the packs. */
  readonly problems: readonly Problem[];
  /** Names that lead to no pack; of a file that nobody trusts they are doubts, so that they take none of its own rules away. */
  readonly faults: readonly Fault[];
  readonly doubts: readonly Fault[];
}

/** Reads the packs that a file names. */
export type PackReader = (root: JsonNode, names: readonly string[], options: ReadOptions) => PacksRead;

export interface ReadOptions {
  /** Name of the file, as problems and rules shall show it. */
  readonly file: string;
  readonly layer: LayerName;
  /** Folder in which the allow rules of a project's file hold. */
  readonly root?: string;
  /** Nobody has trusted this file. */
  readonly untrusted?: boolean;
  /** Without it the file may name no packs. */
  readonly packs?: PackReader;
  /** What else would be a mistake. */
  readonly check?: (root: JsonNode) => readonly Fault[];
  /** What a command does in `EXAMPLE_WORLD`, for the `match` and `notMatch` examples of shell rules; without it none are held. */
  readonly examples?: ((command: string) => readonly Action[]) | undefined;
}

/** One `match` or `notMatch` example and what became of it. */
export interface ExampleResult extends TextPlace {
  readonly file: string;
  readonly rule: string;
  readonly key: "match" | "notMatch";
  readonly example: string;
  /** What is wrong with it. */
  readonly problem?: Problem;
}

export type ReadResult =
  | { readonly ok: true; readonly policy: PolicyFile; readonly warnings: readonly Problem[]; readonly examples: readonly ExampleResult[] }
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly examples: readonly ExampleResult[] };
