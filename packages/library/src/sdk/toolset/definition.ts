import type { Failure } from "../backend/result.ts";
import type { LocalBackend } from "../backend/local-backend.ts";
import type { Operation } from "../rules/ruleset.ts";
import type { Input, InputSchema, ToolCall, ToolOutput } from "./tool.ts";

/** A tool before it has a backend. */
export interface Definition {
  readonly name: string;
  readonly operation: Operation;
  readonly description: string;
  readonly inputSchema: InputSchema;
  /** The path or command that is judged; undefined: only what was approved before is touched. */
  readonly target: ((input: Input) => string) | undefined;
  readonly run: (backend: LocalBackend, input: Input, call: ToolCall) => Promise<ToolOutput>;
}

/** Checked by the schema before. */
export const string = (input: Input, name: string, otherwise = ""): string => {
  const value = input[name];
  return typeof value === "string" ? value : otherwise;
};
export const number = (input: Input, name: string): number | undefined => {
  const value = input[name];
  return typeof value === "number" ? value : undefined;
};
export const optional = <Name extends string, T>(name: Name, value: T | undefined): Partial<Record<Name, T>> =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a computed key loses its name
  (value === undefined ? {} : { [name]: value }) as Partial<Record<Name, T>>;

export const said = <T extends { readonly ok: true }>(result: T | Failure, show: (result: T) => ToolOutput): ToolOutput =>
  result.ok ? show(result) : result.error;

export const lineBreak = (lines: readonly string[], none: string, truncated: boolean): string =>
  lines.length === 0 ? none : `${lines.join("\n")}${truncated ? "\n(more were left out)" : ""}`;
