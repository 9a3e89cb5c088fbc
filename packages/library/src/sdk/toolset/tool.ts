import { isObject } from "@assent/core/data";
import type { Operation } from "../rules/ruleset.ts";

/** A JSON Schema of one property of a tool's input. Arrays are not readonly: the types of JSON Schema that SDKs use have none. */
export interface PropertySchema {
  readonly type: "string" | "integer" | "boolean" | "array" | "object";
  readonly description?: string;
  readonly minimum?: number;
  /** Of an array: what each element is. */
  readonly items?: PropertySchema;
  /** Of an object: its members. */
  readonly properties?: Readonly<Record<string, PropertySchema>>;
  readonly required?: string[];
  readonly additionalProperties?: false;
}

/** A JSON Schema of a tool's input: an object with these properties. */
export interface InputSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, PropertySchema>>;
  readonly required: string[];
  readonly additionalProperties: false;
}

/** What comes with a call. */
export interface ToolCall {
  /** Cancels it. */
  readonly signal?: AbortSignal;
  /**
   * A person has approved this very call, in a dialogue of the SDK's own: its question is not put again. Denies hold.
   */
  readonly approved?: boolean;
}

/** What a call gives: a text for the model, or a file for those that can look at it. */
export type ToolOutput = string | { readonly mediaType: string; readonly data: Uint8Array };

/** A tool as any SDK can take it. */
export interface ConsoleTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: InputSchema;
  /** What it does to a ruleset. */
  readonly operation: Operation;
  /** Whether this call would be asked about: for SDKs that put questions themselves. Never throws. */
  readonly needsApproval: (input: unknown) => boolean;
  /** Does it, behind the ruleset. What is refused or wrong comes back as a text that begins with `Error: `. */
  readonly execute: (input: unknown, call?: ToolCall) => Promise<ToolOutput>;
}

/** Properties of a schema by their kind. */
export const text = (description: string): PropertySchema => ({ type: "string", description });
export const count = (description: string): PropertySchema => ({ type: "integer", minimum: 1, description });
export const flag = (description: string): PropertySchema => ({ type: "boolean", description });

export function schema(properties: InputSchema["properties"], required: string[]): InputSchema {
  return { type: "object", properties, required, additionalProperties: false };
}

export type Input = Readonly<Record<string, unknown>>;

/** What is wrong with an input, as its schema has it; undefined for nothing. */
export function wrongInput(input: unknown, { properties, required }: InputSchema): string | undefined {
  if (!isObject(input)) return "the input is not an object";
  const given = new Map<string, unknown>(Object.entries(input));
  for (const name of required) if (given.get(name) === undefined) return `\`${name}\` is missing`;
  for (const [name, value] of given) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property === undefined) return `unknown \`${name}\`: it takes ${Object.keys(properties).join(", ")}`;
    if (value !== undefined && !fits(value, property)) return `\`${name}\` must be ${property.type}`;
  }
  return undefined;
}

function fits(value: unknown, { type, minimum }: PropertySchema): boolean {
  if (type === "integer") return Number.isInteger(value) && (minimum === undefined || Number(value) >= minimum);
  if (type === "array") return Array.isArray(value);
  return typeof value === type;
}
