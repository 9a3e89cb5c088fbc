import { visible } from "../action/index.ts";
import { secretWords } from "./secret-arguments.ts";
import { isSecretName } from "./secret-names.ts";
import { redactText, REDACTED, redactUserPair, USER_OPTIONS } from "./redact-text.ts";

const MAX_DEPTH = 24;
const MAX_NODES = 2000;
const MAX_SCANNED = 16_384;
const MAX_SHOWN = 4096;
const MAX_ARGUMENTS = 1000;

export type Redacted = string | number | boolean | null | readonly Redacted[] | { readonly [key: string]: Redacted };

/** One string: secrets out, control characters escaped, at most a few thousand characters. */
export function redactString(text: string, found?: Set<string>): string {
  const cut = text.length > MAX_SCANNED ? `${text.slice(0, MAX_SCANNED)}…` : text;
  const shown = visible(redactText(cut, found));
  return shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}… (${text.length} characters)` : shown;
}

/**
 * A copy of any JSON-like value without its secrets: by field name, by argument pairs (`["--password", "x"]`)
 * and by the shape of tokens, however deeply nested.
 */
export function redact(value: unknown, found?: Set<string>): Redacted {
  let left = MAX_NODES;
  const walk = (node: unknown, depth: number): Redacted => {
    left -= 1;
    if (left < 0) return "…";
    if (typeof node === "string") return redactString(node, found);
    if (typeof node === "number") return Number.isFinite(node) ? node : String(node);
    if (typeof node === "boolean" || node === null) return node;
    // JSON has nothing else.
    if (typeof node !== "object") return null;
    if (depth >= MAX_DEPTH) return "…";
    return Array.isArray(node) ? list(node, depth + 1) : record(node, depth + 1);
  };
  const list = (items: readonly unknown[], depth: number): Redacted => {
    const out: Redacted[] = [];
    const texts = items.length <= MAX_ARGUMENTS && items.every((item) => typeof item === "string") ? secretWords(items) : items;
    for (const [at, item] of texts.entries()) {
      if (left < 0) break;
      const before: unknown = items[at - 1];
      if (typeof before === "string" && typeof item === "string") {
        if (before.startsWith("-") && !item.startsWith("-") && isSecretName(before)) out.push(REDACTED);
        else if (USER_OPTIONS.has(before)) out.push(visible(redactUserPair(item)));
        else out.push(walk(item, depth));
      } else out.push(walk(item, depth));
    }
    return out;
  };
  const record = (fields: object, depth: number): Redacted => {
    const out: [string, Redacted][] = [];
    // `{ "name": "DB_PASSWORD", "value": … }`, `{ "command": "zip", "args": […] }`.
    const named: Readonly<Record<string, unknown>> = { ...fields };
    const label = named["name"] ?? named["key"];
    const isPair = typeof label === "string" && isSecretName(label);
    const program = named["command"] ?? named["program"] ?? named["cmd"];
    for (const [key, item] of Object.entries(fields)) {
      if (left < 0) break;
      if (isPair && key === "value" && typeof item === "string") {
        out.push([key, REDACTED]);
        continue;
      }
      if (key === "args" && typeof program === "string" && isList(item)) {
        const words = list([program, ...item], depth);
        out.push([key, Array.isArray(words) ? words.slice(1) : words]);
        continue;
      }
      const secret = isSecretName(key) && item !== null && item !== "" && typeof item !== "boolean" && !isFolder(key, item);
      out.push([redactString(key), secret ? REDACTED : walk(item, depth)]);
    }
    return Object.fromEntries(out);
  };
  return walk(value, 0);
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** `pwd` is a password in some inputs and the working directory in others. */
const isFolder = (key: string, item: unknown): boolean => /^(?:old)?pwd$/i.test(key) && typeof item === "string" && /^[/~.]/.test(item);
