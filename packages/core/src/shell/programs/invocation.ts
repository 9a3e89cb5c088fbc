import type { DangerId, FileOperation, Span, Target, TreeFilter } from "../../action/index.ts";
import { shellPattern } from "../../pattern/index.ts";
import type { Context } from "../words/context.ts";
import type { EntryFields, Grammar } from "../knowledge/entries.ts";
import type { Arguments } from "./options.ts";
import { targetsOf } from "../words/paths.ts";
import type { ShellPlace, ShellState } from "../words/state.ts";
import { alternativesOf, holeOf, prefixOf, textOf, type Stream, type Value } from "../words/value.ts";
import { walkFilter } from "./walk-filter.ts";

/** What the walker offers to commands that run other commands. */
export interface CommandRunner {
  /** Runs argv as a command of its own: functions and aliases do not apply. Returns what it prints. `runner`: see `ExecAction`. */
  argv(cx: Context, state: ShellState, argv: readonly Value[], stdin: Stream, runner?: number): Stream;
  /**
   * Runs text as a script in a shell of its own, with `$1`… given; `keep` means a subshell of this one (`trap`, aliases). `reader` is the
   * shell that is named, where one is: else it is `sh`, whichever that is.
   */
  script(
    cx: Context,
    state: ShellState,
    text: Value,
    stdin: Stream,
    options?: {
      readonly positional?: readonly Value[];
      readonly span?: Span | undefined;
      readonly keep?: boolean;
      readonly reader?: string;
    },
  ): Stream;
}

/** One command as it is being understood. */
export interface Invocation {
  readonly cx: Context;
  readonly state: ShellState;
  readonly run: CommandRunner;
  /** Index of the exec action all effects belong to. */
  readonly exec: number;
  /** Program name for messages. */
  readonly name: string;
  readonly spec: EntryFields;
  readonly grammar: Grammar;
  readonly args: Arguments;
  /** All words after the program's name. */
  readonly words: readonly Value[];
  readonly stdin: Stream;
  readonly span: Span | undefined;
  /** `CommandSpec.reads` of the program and its subcommands, the innermost first. */
  readonly reads?: readonly string[] | undefined;
  /** `CommandSpec.confined` that counts here. */
  readonly confined?: string | undefined;
  /** `CommandSpec.obeys` of the program and its subcommands. */
  readonly obeys?: string | undefined;
  /** `CommandSpec.helps` that counts here. */
  readonly helps?: string | undefined;
  /** `CommandSpec.stranger` that counts here. */
  readonly stranger?: DangerId | undefined;
  /** Where the program works: the shell's place, moved by `-C`. */
  places: readonly ShellPlace[];
  /** Sources of a copy, for `dest`. */
  readonly sources: Value[];
  /** Operands that are read or listed; `operand` is false for a default. */
  readonly looked: { readonly value: Value; readonly operand: boolean; readonly walk: boolean; readonly filter: TreeFilter | undefined }[];
  /** Ports that its words name; NaN for what is none. */
  readonly ports: number[];
  /** Names that its walks keep by themselves. */
  readonly only: string[];
  /** What it prints, when an analyser knows. */
  output?: Stream | undefined;
}

export function emitFile(
  inv: Invocation,
  operation: FileOperation,
  value: Value,
  recursive = false,
  visible = false,
  certificate?: true,
): void {
  if (holeOf(value)?.pipe !== undefined) return;
  const ways = alternativesOf(value);
  if (ways.length > 1 || ways[0] !== value) {
    for (const one of ways) emitFile(inv, operation, one, recursive, visible, certificate);
    return;
  }
  const text = textOf(value);
  const filter = walkFilter(inv, visible, text);
  const absolute = prefixOf(value).startsWith("/");
  for (const [i, target] of targetsOf(value, inv.places).entries()) {
    const place = inv.places[i];
    const walked: Target =
      recursive && target.kind === "path" && (operation === "read" || operation === "list") && isWalked(inv, target.path)
        ? { kind: "tree", path: target.path, ...(filter === undefined ? {} : { filter }) }
        : recursive && target.kind === "path" && (operation === "write" || operation === "edit") && isWalked(inv, target.path)
          ? rewritten(inv, target)
          : target;
    // Only what normalising hides: the kernel follows a symlink before it takes the `..` after it.
    const asGiven = text?.includes("..") !== true ? undefined : absolute ? text : place?.is === "at" ? `${place.path}/${text}` : undefined;
    // A name that a pattern or another program gave may be a folder, and the walk goes on below it.
    const folder = operation === "read" && recursive && filter !== undefined ? folderOf(walked) : undefined;
    emitTarget(inv, operation, walked, recursive && folder === undefined, asGiven, certificate);
    if (folder !== undefined) emitTarget(inv, operation, { kind: "tree", path: folder, filter: walkFilter(inv, visible) ?? {} });
  }
}

/** The folder below which the names lie; undefined for a path, and where it is not known. */
function folderOf(target: Target): string | undefined {
  if (target.kind === "glob") return shellPattern(target.pattern).folder;
  return target.kind === "unknown" ? target.within : undefined;
}

/** A formatter in a folder rewrites what its walk opens. The user's own patterns do not count: what a copy leaves out is not said by them. */
function rewritten({ spec, only }: Pick<Invocation, "spec" | "only">, target: Target & { kind: "path" }): Target {
  return spec.walks === undefined || only.length === 0
    ? target
    : { kind: "tree", path: target.path, filter: { only: spec.walks.split(" ") } };
}

/** A plain file has nothing below it. */
function isWalked({ cx }: Pick<Invocation, "cx">, path: string): boolean {
  return cx.world.kind(path) !== "file";
}

export function emitTarget(
  inv: Pick<Invocation, "cx" | "exec" | "span">,
  operation: FileOperation,
  target: Target,
  recursive = false,
  asGiven?: string,
  certificate?: true,
): void {
  inv.cx.add({
    kind: "file",
    operation,
    target:
      recursive && target.kind === "path" && (operation === "read" || operation === "list") && isWalked(inv, target.path)
        ? { kind: "tree", path: target.path }
        : target,
    origin: { by: "command", exec: inv.exec },
    ...(inv.span === undefined ? {} : { span: inv.span }),
    ...(recursive && (operation === "read" ? target.kind !== "path" && target.kind !== "tree" : operation !== "list")
      ? { recursive: true }
      : {}),
    ...(asGiven === undefined ? {} : { asGiven }),
    ...(certificate === undefined ? {} : { certificate }),
  });
}

/** An unknown that an allow rule for this command answers. */
export function doubt(inv: Pick<Invocation, "cx" | "exec" | "span">, reason: string, help?: string): void {
  inv.cx.unknown(reason, { span: inv.span, exec: inv.exec, ...(help === undefined ? {} : { help }) });
}

/** An unknown that only a person answers. */
export function refuse(inv: Pick<Invocation, "cx" | "span">, reason: string, help?: string): void {
  inv.cx.unknown(reason, { span: inv.span, ...(help === undefined ? {} : { help }) });
}

/** How a value is named in messages. */
export function describe(value: Value): string {
  const text = textOf(value);
  if (text !== undefined) return `\`${text}\``;
  const [only] = value.atoms;
  if (typeof only === "string" && value.atoms.length === 1) return `\`${only}\`, or nothing,`;
  return holeOf(value)?.why ?? "a pattern";
}
