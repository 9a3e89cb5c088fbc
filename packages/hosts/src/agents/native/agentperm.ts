import { type Json, placeFinder, readJson5, toValue } from "@assent/core/edit/json5";
import { Collector, made, type NativeRead, type NativeOrigin } from "@assent/import/import";
import { parseRule } from "@assent/core/policy";
import { at, readJson } from "../rules/json.ts";

/** A policy file of agentperm, or one of ours from another place: its rules as they stand. */
export function readAgentperm(text: string): NativeRead {
  const file = readJson(text);
  if ("problem" in file) return file;
  const into = new Collector();
  for (const effect of ["deny", "ask", "allow"] as const) {
    const list = at(file.root, "permissions", effect);
    for (const item of list?.kind === "array" ? list.items : []) {
      const { value, allowPaths } = unfolded(toValue(item));
      const parsed = parseRule(value);
      const origin: NativeOrigin = { effect, text: parsed.ok ? parsed.text : shown(value), line: file.lineOf(item) };
      if (allowPaths) into.lose({ ...origin, text: `allowPaths of ${origin.text}` }, ...NO_PLACES);
      if (parsed.ok && parsed.text.startsWith("Python("))
        into.lose(
          origin,
          "code is judged by what it does, in Python as in other languages",
          "leave it out: what only reads is allowed without a rule",
        );
      else if (!parsed.ok) into.lose(origin, parsed.message, parsed.help);
      else {
        const { reason, match, notMatch } = parsed;
        const keep = { match: texts(match), notMatch: texts(notMatch) };
        const written = writtenOf(value);
        const rule = { list: "permissions", rule: parsed.text, ...(written === undefined ? {} : { written }) } as const;
        into.keep([made({ ...origin, ...(reason === undefined ? {} : { reason }) }, rule, { keep })], origin);
      }
    }
  }
  for (const key of REDIRECTIONS) {
    const node = at(file.root, "shell", "redirection", key);
    const origin = { text: `shell.redirection.${key}`, line: node === undefined ? 1 : file.lineOf(node) };
    if (node?.kind === "scalar" && node.value === "deny")
      into.lose(origin, "a redirect is judged as the change of a file that it is", "write a deny rule for files: `Write(**)`");
    if (node !== undefined && key === "allowPaths") into.lose(origin, ...NO_PLACES);
  }
  const placeOf = placeFinder(text);
  const { root } = readJson5(text);
  for (const { key, keyStart } of root?.kind === "object" ? root.members : [])
    if (!["permissions", "version", "$schema", "shell"].includes(key))
      into.lose({ text: key, line: placeOf(keyStart).line }, ...(SETTINGS[key] ?? ["a setting; only rules are merged", "copy it by hand"]));
  return into.result();
}

const REDIRECTIONS = ["stderrToDevNull", "stdoutToDevNull", "stdoutToFile", "appendToFile", "allowPaths"] as const;
const NO_PLACES = ["a redirect is judged as the change of a file that it is", "allow the place for files: `Edit(/tmp/**)`"] as const;

/** Keys of agentperm 0.3 and newer (its docs/policy-reference.md). */
const SETTINGS: Readonly<Record<string, readonly [why: string, help: string]>> = {
  include: ["the files that it names are not read with it", "import each of them by its name"],
  python: ["code is judged by what it does, not by the names of its calls", "write rules for the files and hosts that it may touch"],
};

/** `{ "Shell(x)": { "values": ["-C"], "allowPaths": [], "reason": "…" } }` as `{ "rule": …, "reason": … }`. Whatever else it holds is refused. */
function unfolded(value: Json): { readonly value: Json; readonly allowPaths: boolean } {
  if (typeof value !== "object" || value === null || isList(value)) return { value, allowPaths: false };
  const [[key, held] = ["", null], ...more] = Object.entries(value);
  const isKey = more.length === 0 && typeof held === "object" && held !== null && !isList(held);
  const { values, allowPaths, ...rule }: { readonly [key: string]: Json } = isKey ? { rule: key, ...held } : value;
  const names = values !== undefined && isList(values) ? texts(values) : [];
  const whole = values === undefined || (isList(values) && names.length === values.length && names.length > 0);
  if (!whole || typeof rule.rule !== "string" || (isKey && "rule" in held)) return { value, allowPaths: false };
  const hinted = names.length === 0 ? rule.rule : rule.rule.replace(/^Shell\((.*)\)$/s, `Shell($1 values(${names.join(",")}))`);
  return { value: { ...rule, rule: hinted }, allowPaths: allowPaths !== undefined };
}

/** An object that says more than the text of a rule. */
function writtenOf(value: Json): { readonly [key: string]: Json } | undefined {
  if (typeof value !== "object" || value === null || isList(value)) return undefined;
  const { reason: _, match: _match, notMatch: _notMatch, ...written } = value;
  return Object.keys(written).every((key) => key === "rule") ? undefined : written;
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
const shown = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));
const texts = (list: readonly unknown[] | undefined): readonly string[] => (list ?? []).filter((one) => typeof one === "string");
