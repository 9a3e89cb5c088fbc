import type { Action, FileOperation, Origin, World } from "../../action/index.ts";
import { readCall } from "../call-pattern.ts";
import type { Matcher } from "../types.ts";

/**
 * What a `match` or `notMatch` example stands for: a command line for a shell rule, a path for a path rule,
 * a URL or `host:port` for a network rule, a call for a call rule, and for a tool rule the tool's name, the value of the field it looks at, or the whole input.
 */
export type Example = string | { readonly [field: string]: unknown };

/** The machine on which examples are judged: nothing exists, nothing is linked. */
export const EXAMPLE_WORLD: World = {
  cwd: "/home/you/project",
  home: "/home/you",
  projectRoot: "/home/you/project",
  temp: ["/tmp"],
  foldsCase: false,
  env: () => undefined,
  canonical: (path) => path,
  kind: () => "missing",
  lookup: () => ({ path: undefined, trusted: true }),
  trustedProgram: () => true,
  find: () => ({ found: undefined, complete: true }),
  tracked: () => true,
  names: () => [],
};

const TOOL: Origin = { by: "tool" };

/** The actions of an example, or why it is none for this kind of rule. */
export function exampleActions(
  matcher: Matcher,
  example: Example,
  lower: (command: string) => readonly Action[],
): { readonly ok: true; readonly actions: readonly Action[] } | { readonly ok: false; readonly help: string } {
  switch (matcher.kind) {
    case "bash":
    case "shell":
    case "option":
    case "command":
      if (typeof example !== "string") return { ok: false, help: 'an example of this rule is a command: "git push origin"' };
      return { ok: true, actions: lower(example) };
    case "path": {
      const path = typeof example === "string" ? example : pathIn(example);
      if (path === undefined) return { ok: false, help: 'an example of this rule is a path: "src/main.ts"' };
      return { ok: true, actions: matcher.operations.map((operation) => fileAction(operation, path)) };
    }
    case "net": {
      const actions = typeof example === "string" ? netActions(example) : [];
      if (actions.length === 0)
        return { ok: false, help: 'an example of this rule is a URL or a host: "https://nodejs.org/api", "nodejs.org:443"' };
      return { ok: true, actions };
    }
    case "tool":
      return { ok: true, actions: [toolAction(matcher, example)] };
    case "call": {
      const call = typeof example === "string" ? readCall(example) : undefined;
      if (call === undefined) return { ok: false, help: 'an example of this rule is a call: "open(/home/you/notes.txt, create+write)"' };
      return { ok: true, actions: [{ kind: "system", area: "call", origin: TOOL, call }] };
    }
  }
}

function pathIn(input: { readonly [field: string]: unknown }): string | undefined {
  return Object.values(input).find((value) => typeof value === "string");
}

function fileAction(operation: FileOperation, written: string): Action {
  const path = absolute(written);
  return { kind: "file", operation, target: { kind: "path", path }, origin: TOOL, ...(path === written ? {} : { asGiven: written }) };
}

function absolute(written: string): string {
  const start = written === "~" || written.startsWith("~/") ? `${EXAMPLE_WORLD.home}${written.slice(1)}` : written;
  const segments: string[] = [];
  for (const segment of (start.startsWith("/") ? start : `${EXAMPLE_WORLD.cwd}/${start}`).split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return `/${segments.join("/")}`;
}

const PORTS = new Map([
  ["http:", 80],
  ["ws:", 80],
  ["https:", 443],
  ["wss:", 443],
]);

/** A URL is fetched; a host alone may be fetched from or connected to. */
function netActions(written: string): readonly Action[] {
  const isUrl = /^[a-z][a-z\d+.-]*:\/\//i.test(written);
  const text = isUrl ? written : `https://${written}`;
  if (!URL.canParse(text)) return [];
  const { hostname, port, protocol } = new URL(text);
  // The standard port of a scheme disappears in parsing, also when it was written.
  const standard = isUrl || written.endsWith(":443") ? PORTS.get(protocol) : undefined;
  const where = { kind: "net", host: hostname, port: port === "" ? standard : Number(port), origin: TOOL } as const;
  if (isUrl) return [{ ...where, operation: "fetch", url: written }];
  return [
    { ...where, operation: "fetch" },
    { ...where, operation: "connect" },
  ];
}

function toolAction(matcher: Extract<Matcher, { kind: "tool" }>, example: Example): Action {
  const name = matcher.name.replaceAll("*", "example");
  if (typeof example !== "string") return { kind: "tool", name, fields: fieldsOf(example), origin: TOOL };
  switch (matcher.where?.by) {
    case undefined:
      return { kind: "tool", name: example, fields: [], origin: TOOL };
    case "domain":
      return { kind: "tool", name, fields: [["url", example]], origin: TOOL };
    case "path":
      return { kind: "tool", name, fields: [["file_path", example]], origin: TOOL };
    case "field":
      return { kind: "tool", name, fields: [[matcher.where.field, example]], origin: TOOL };
  }
}

/** (field, text) pairs of a tool input, breadth first; items of a list keep their field. */
function fieldsOf(input: { readonly [field: string]: unknown }): readonly (readonly [string, string])[] {
  const pairs: (readonly [string, string])[] = [];
  let level: (readonly [string, unknown])[] = Object.entries(input);
  while (level.length > 0) {
    const next: (readonly [string, unknown])[] = [];
    for (const [field, value] of level) {
      if (Array.isArray(value)) for (const item of value) next.push([field, item]);
      else if (typeof value === "object" && value !== null) next.push(...Object.entries(value));
      else if (typeof value === "string") pairs.push([field, value]);
      else if (typeof value === "number" || typeof value === "boolean") pairs.push([field, `${value}`]);
    }
    level = next;
  }
  return pairs;
}
