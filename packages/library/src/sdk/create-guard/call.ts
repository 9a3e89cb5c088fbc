import { isObject } from "@assent/core/data";
import { visible } from "@assent/core/action";
import { meant } from "@assent/core/policy/read";
import type { Input, ToolFacts } from "@assent/core/request";

/**
 * What would be done, in one of these forms:
 * - `shell`: a line for a shell; `argv`: a program started without one;
 * - `read`, `write`, `edit`, `delete`, `list`, `mkdir`: one path or several; `tree`: and all that lies below;
 * - `patch`: an apply_patch text or a unified diff; `strict`: blanks around headers, and context without its blank, are not forgiven;
 * - `fetch`: a URL that is retrieved;
 * - `mcp`: a call of a server's tool; `tool`: a call of one of the program's own. `facts` say what it does; without them its name and
 *   fields are judged.
 */
export type GuardCall =
  | { readonly shell: string }
  | { readonly argv: readonly string[] }
  | { readonly read: string | readonly string[]; readonly tree?: boolean }
  | { readonly write: string | readonly string[]; readonly content?: string }
  | { readonly edit: string | readonly string[]; readonly content?: string }
  | { readonly delete: string | readonly string[]; readonly tree?: boolean }
  | { readonly list: string | readonly string[]; readonly tree?: boolean }
  | { readonly mkdir: string | readonly string[] }
  | { readonly patch: string; readonly strict?: boolean }
  | { readonly fetch: string | URL }
  | { readonly mcp: { readonly server: string; readonly tool: string; readonly input: unknown } }
  | { readonly tool: string; readonly input: unknown; readonly facts?: ToolFacts };

/** A call whose command runs under supervision, and why the agent wanted it. */
export interface RunningCall {
  readonly call: GuardCall;
  readonly reason: string;
}

/** A call as the engine takes it. */
export interface LoweredCall {
  readonly tool: string;
  readonly facts: ToolFacts | undefined;
  readonly input: Input;
  /** For people: the path, the command. */
  readonly target: string;
}

const FILES = ["read", "write", "edit", "delete", "list", "mkdir"] as const;
const FORMS = ["shell", "argv", ...FILES, "patch", "fetch", "mcp", "tool"] as const;
type Form = (typeof FORMS)[number];

/** What may stand beside a form. */
const BESIDE: Readonly<Partial<Record<Form, readonly string[]>>> = {
  read: ["tree"],
  delete: ["tree"],
  list: ["tree"],
  write: ["content"],
  edit: ["content"],
  patch: ["strict"],
  tool: ["input", "facts"],
};

const isString = (value: unknown): value is string => typeof value === "string";

/** A list of at least one, without gaps: `every` passes over what is not there. */
function isListOf<T>(value: unknown, is: (element: unknown) => element is T): value is readonly T[] {
  return Array.isArray(value) && value.length > 0 && Object.keys(value).length === value.length && value.every(is);
}

/** A call that is none of the forms, or several at once. */
export class GuardCallError extends TypeError {
  override readonly name = "GuardCallError";
  readonly code = "guard-call";
}

const wrong = (message: string): never => {
  throw new GuardCallError(message);
};

const isText = (value: unknown): value is string => typeof value === "string" && !value.includes("\0");

export const isArgv = (value: unknown): value is readonly string[] => isListOf(value, isText);

/** Understands a call, or throws `GuardCallError`: what is misspelt must not be judged as something else. */
export function lowerCall(call: GuardCall): LoweredCall {
  const given: unknown = call;
  if (!isObject(given)) return wrong(`a call is an object such as { shell: "npm test" } or { write: "src/a.ts" }`);
  const forms = FORMS.filter((form) => Object.hasOwn(given, form) && given[form] !== undefined);
  const [form] = forms;
  if (form === undefined || forms.length > 1)
    return wrong(forms.length > 1 ? `a call has one form: ${forms.join(" or ")}` : unknownForm(given));
  const beside = BESIDE[form] ?? [];
  const extra = Object.keys(given).find((key) => key !== form && !beside.includes(key));
  if (extra !== undefined) return wrong(`{ ${form}: … } does not take \`${visible(extra)}\`${meant(extra, beside)}`);
  const value = given[form];
  switch (form) {
    case "shell":
      if (typeof value !== "string") return wrong("`shell` is a text: the command");
      return { tool: "execute", facts: { does: "shell", field: "command" }, input: { command: value }, target: value };
    case "argv": {
      if (!isArgv(value)) return wrong("`argv` is a list of texts, the program first");
      return { tool: "execute", facts: { does: "argv", field: "argv" }, input: { argv: value }, target: value.join(" ") };
    }
    case "patch":
      return patchCall(value, given["strict"]);
    case "fetch": {
      const url = value instanceof URL ? value.href : value;
      if (typeof url !== "string") return wrong("`fetch` is an address");
      return { tool: "fetch", facts: { does: "fetch", field: "url" }, input: { url }, target: url };
    }
    case "mcp": {
      if (!isObject(value) || !isText(value["server"]) || !isText(value["tool"])) return wrong("`mcp` is { server, tool, input }");
      const name = `mcp__${value["server"]}__${value["tool"]}`;
      return { tool: name, facts: undefined, input: inputOf(value["input"], name), target: name };
    }
    case "tool":
      if (!isText(value) || value === "") return wrong("`tool` is the name of a tool");
      return { tool: value, facts: factsOf(given["facts"]), input: inputOf(given["input"], value), target: value };
    default:
      return fileCall(form, value, given);
  }
}

function fileCall(operation: (typeof FILES)[number], value: unknown, given: Readonly<Record<string, unknown>>): LoweredCall {
  const paths = typeof value === "string" ? [value] : value;
  if (!isListOf(paths, isString)) return wrong(`\`${operation}\` is a path, or a list of paths`);
  const { tree, content } = given;
  if (tree !== undefined && typeof tree !== "boolean") return wrong("`tree` is true or false");
  if (content !== undefined && typeof content !== "string") return wrong("`content` is a text");
  return {
    tool: operation,
    facts: { does: "file", operation, fields: ["path"], ...(tree === undefined ? {} : { tree }) },
    input: { path: typeof value === "string" ? value : paths, ...(content === undefined ? {} : { content }) },
    target: paths.join(", "),
  };
}

function patchCall(patch: unknown, strict: unknown): LoweredCall {
  if (typeof patch !== "string") return wrong("`patch` is a text");
  if (strict !== undefined && typeof strict !== "boolean") return wrong("`strict` is true or false");
  return {
    tool: "patch",
    facts: { does: "patch", field: "patch", ...(strict === undefined ? {} : { strict }) },
    input: { patch },
    target: "a patch",
  };
}

function inputOf(value: unknown, tool: string): Input {
  return isObject(value) ? value : wrong(`the input of ${visible(tool)} is not an object`);
}

const factsOf = (facts: unknown): ToolFacts | undefined =>
  facts === undefined || isFacts(facts) ? facts : wrong(`\`facts\` say what a tool does: one of ${[...KINDS].join(", ")}`);

/** Its fields are looked at where they are used. */
const isFacts = (facts: unknown): facts is ToolFacts => isObject(facts) && typeof facts["does"] === "string" && KINDS.has(facts["does"]);

const KINDS = new Set(["shell", "file", "patch", "fetch", "tool", "argv", "opaque"]);

function unknownForm(given: Readonly<Record<string, unknown>>): string {
  const [key = ""] = Object.keys(given);
  return `a call has one of ${FORMS.map((form) => `\`${form}\``).join(", ")}${key === "" ? "" : `, not \`${visible(key)}\``}${meant(key, FORMS)}`;
}

/** What a call names as the folder that its command runs in. */
export function folderNamedBy({
  facts,
  input,
}: Pick<LoweredCall, "facts" | "input">): { readonly path: string | undefined } | { readonly problem: string } {
  const field = facts?.does === "shell" ? facts.folder : undefined;
  const named: unknown = field !== undefined && Object.hasOwn(input, field) ? input[field] : undefined;
  if (named === undefined || named === null || named === "") return { path: undefined };
  return isText(named) ? { path: named } : { problem: "the folder that the command shall run in is not a path" };
}
