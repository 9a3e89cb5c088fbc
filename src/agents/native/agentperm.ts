import { type Json, placeFinder, readJson5, toValue } from "../../edit/json5/index.ts";
import { Collector, made, type NativeRead, type NativeOrigin } from "../../import/index.ts";
import { parseRule } from "../../policy/index.ts";
import { at, readJson } from "./json.ts";

/** A policy file of agentperm, or one of ours from another place: its rules as they stand. */
export function readAgentperm(text: string): NativeRead {
  const file = readJson(text);
  if ("problem" in file) return file;
  const into = new Collector();
  for (const effect of ["deny", "ask", "allow"] as const) {
    const list = at(file.root, "permissions", effect);
    for (const item of list?.kind === "array" ? list.items : []) {
      const value = toValue(item);
      const parsed = parseRule(value);
      const origin: NativeOrigin = { effect, text: parsed.ok ? parsed.text : shown(value), line: file.lineOf(item) };
      if (!parsed.ok) into.lose(origin, parsed.message, parsed.help);
      else {
        const { reason, match, notMatch } = parsed;
        const keep = { match: texts(match), notMatch: texts(notMatch) };
        const written = writtenOf(value);
        const rule = { list: "permissions", rule: parsed.text, ...(written === undefined ? {} : { written }) } as const;
        into.keep([made({ ...origin, ...(reason === undefined ? {} : { reason }) }, rule, { keep })], origin);
      }
    }
  }
  const placeOf = placeFinder(text);
  const { root } = readJson5(text);
  for (const { key, keyStart } of root?.kind === "object" ? root.members : [])
    if (!["permissions", "version", "$schema", "shell"].includes(key))
      into.lose({ text: key, line: placeOf(keyStart).line }, "a setting; only rules are merged", "copy it by hand");
  return into.result();
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
