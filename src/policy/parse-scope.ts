import type { FileOperation } from "../action/index.ts";
import { expandBraces, mistake, normaliseHost, ok, parseUnits, pathPattern, type Mistake, type Result } from "../pattern/index.ts";
import type { ToolCondition } from "./tool-fields.ts";
import type { Matcher } from "./types.ts";

/** Rule names that speak of files, whichever way they are reached. */
const PATH_RULES: ReadonlyMap<string, readonly FileOperation[]> = new Map<string, readonly FileOperation[]>([
  ["Read", ["read"]],
  ["Grep", ["read"]],
  ["NotebookRead", ["read"]],
  ["Edit", ["write", "edit"]],
  ["MultiEdit", ["write", "edit"]],
  ["NotebookEdit", ["write", "edit"]],
  ["Write", ["write", "edit", "delete", "rename", "mkdir", "link", "metadata"]],
  ["Delete", ["delete"]],
  ["List", ["list"]],
  ["LS", ["list"]],
  ["Glob", ["list"]],
  ["Exec", ["execute"]],
]);

/** Every rule but `Bash` and `Shell`: files, network, tools. */
export function parseScope(name: string, inner: string | undefined): Result<Matcher> {
  const scope = inner?.trim();
  const all = scope === undefined || scope === "" || scope === "*";
  const operations = PATH_RULES.get(name);
  if (operations !== undefined) {
    if (all || scope === "**") return ok({ kind: "path", operations, tool: name });
    return parsePath(name, operations, scope);
  }
  if (name === "Net") return all ? ok({ kind: "net", host: "*", subdomains: false }) : parseNet(scope);
  if (name === "WebFetch") return all ? ok({ kind: "net", host: "*", subdomains: false, tool: name }) : parseWebFetch(scope);
  const wrong = checkName(name);
  if (wrong !== undefined) return wrong;
  if (all) return ok({ kind: "tool", name });
  const where = parseCondition(scope);
  return where.ok ? ok({ kind: "tool", name, where: where.value }) : where;
}

function parsePath(name: string, operations: readonly FileOperation[], scope: string): Result<Matcher> {
  const wrongPrefix = /^(?:domain|path|file|file_path):/.exec(scope)?.[0];
  if (wrongPrefix !== undefined)
    return mistake(
      `\`${name}\` takes a path pattern`,
      `write \`${name}(${wrongPrefix === "domain:" ? "src/**" : scope.slice(wrongPrefix.length)})\``,
    );
  if (/^[A-Za-z]:\\/.test(scope)) return mistake("a Windows path", "write it with `/`");
  const pattern = pathPattern(scope);
  return pattern.ok ? ok({ kind: "path", operations, pattern: scope, tool: name }) : pattern;
}

function parseNet(scope: string): Result<Matcher> {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(scope))
    return mistake("`Net` takes a host, not a URL", `write \`Net(${scope.replace(/^[^/]*\/\//, "").replace(/\/.*$/s, "")})\``);
  if (scope.startsWith("domain:")) return mistake("`Net` takes a host", `write \`Net(${scope.slice(7)})\` or \`WebFetch(${scope})\``);
  const colon = portColon(scope);
  const host = parseHost(colon === -1 ? scope : scope.slice(0, colon) || "*");
  if (!host.ok) return host;
  const digits = colon === -1 ? "*" : scope.slice(colon + 1);
  if (digits === "*") return ok({ kind: "net", host: host.value, subdomains: false });
  const port = Number(digits);
  if (!/^\d{1,5}$/.test(digits) || port > 65_535 || port === 0)
    return mistake(`\`${digits}\` is no port`, "a port is a number from 1 to 65535, or `*`");
  return ok({ kind: "net", host: host.value, port, subdomains: false });
}

/** Where the port starts; an IPv6 address has colons of its own and stands in brackets when a port follows. */
function portColon(scope: string): number {
  if (scope.startsWith("[")) {
    const close = scope.indexOf("]:");
    return close === -1 ? -1 : close + 1;
  }
  const colon = scope.indexOf(":");
  return colon === scope.lastIndexOf(":") ? colon : -1;
}

function parseWebFetch(scope: string): Result<Matcher> {
  if (scope.startsWith("host:")) {
    const host = parseHost(scope.slice(5).trim());
    return host.ok ? ok({ kind: "net", host: host.value, subdomains: false, tool: "WebFetch" }) : host;
  }
  if (!scope.startsWith("domain:")) {
    const host = scope.replace(/^[a-z]+:\/\//i, "").replace(/[/:].*$/s, "");
    return mistake("`WebFetch` takes `domain:`", `write \`WebFetch(domain:${host})\``);
  }
  const host = parseHost(scope.slice(7).trim());
  return host.ok ? ok({ kind: "net", host: host.value, subdomains: !host.value.startsWith("*"), tool: "WebFetch" }) : host;
}

function parseHost(text: string): Result<string> {
  if (text === "*") return ok("*");
  const below = text.startsWith("*.");
  const name = below ? text.slice(2) : text;
  if (name.includes("*")) return mistake(`\`${text}\`: \`*\` can only stand for whole leading labels`, "write `*.example.com`");
  const host = normaliseHost(name);
  if (host === undefined) return mistake(`\`${text}\` is no host`, "write a host name or address without scheme, port and path");
  return ok(below ? `*.${host}` : host);
}

function checkName(name: string): Mistake | undefined {
  if (/[\s"'`,;:{}()[\]\\]/.test(name)) {
    const first = /^\w+/.exec(name)?.[0] ?? "Bash";
    return mistake(`\`${name}\` is no rule`, `a rule is a tool's name, or a name with its scope: \`${first}(…)\``);
  }
  return undefined;
}

/** The condition of a tool rule: `domain:host`, `field:glob`, or a path pattern. */
function parseCondition(scope: string): Result<ToolCondition> {
  const field = /^([A-Za-z_][\w.-]*):/.exec(scope)?.[1];
  if (field === "domain") {
    const host = parseHost(scope.slice(7).trim());
    return host.ok ? ok({ by: "domain", host: host.value }) : host;
  }
  if (field !== undefined) {
    const pattern = scope.slice(field.length + 1);
    if (/^https?$/i.test(field) && pattern.startsWith("//"))
      return mistake("a URL is no scope", `write \`domain:${pattern.slice(2).replace(/[/:].*$/s, "")}\``);
    const texts = expandBraces(pattern);
    if (!texts.ok) return texts;
    if (texts.value.length > 1) return mistake("braces in a field's pattern", "write one rule for each");
    const units = parseUnits(pattern);
    return units.ok ? ok({ by: "field", field, pattern }) : units;
  }
  const pattern = pathPattern(scope);
  return pattern.ok ? ok({ by: "path", pattern: scope }) : pattern;
}
