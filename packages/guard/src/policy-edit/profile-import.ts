import { member, placeFinder, readJson5, type JsonNode } from "@assent/core/edit/json5";
import { parseRule, type CallMatcher, type CallPattern, type Effect } from "@assent/core/policy";
import { CALL_ARGUMENTS } from "@assent/core/action";

/** The profiles of a ptrace-approve file: `{ "KEY": [allow patterns], "KEY:deny": [deny patterns] }`. */
export interface ImportedProfiles {
  readonly profiles: ReadonlyMap<string, readonly { readonly effect: Effect; readonly rule: string }[]>;
  readonly lost: readonly LostPattern[];
}

/** A pattern that means nothing here, or something else. */
export interface LostPattern {
  /** As it stands in the file. */
  readonly key: string;
  /** Of the profile it belongs to. */
  readonly name: string;
  readonly effect: Effect;
  readonly pattern: string;
  readonly line: number;
  readonly column: number;
  readonly why: string;
  readonly help?: string;
}

const DENY = ":deny";

export function readForeignProfiles(text: string): ImportedProfiles | { readonly problem: string } {
  const { root, faults } = readJson5(text);
  const placeOf = placeFinder(text);
  const [fault] = faults;
  if (fault !== undefined) {
    const { line, column } = placeOf(fault.offset);
    return { problem: `${line}:${column}: ${fault.message}` };
  }
  if (root?.kind !== "object") return { problem: "is not an object of profiles" };
  if (member(root, "permissions") !== undefined) return { problem: "is a policy file: copy its rules with `assent profile edit`" };
  const profiles = new Map<string, { effect: Effect; rule: string }[]>();
  const lost: LostPattern[] = [];
  for (const { key, keyStart, value } of root.members) {
    const effect: Effect = key.endsWith(DENY) ? "deny" : "allow";
    const name = effect === "deny" ? key.slice(0, -DENY.length) : key;
    const patterns = textsOf(value);
    if (name.trim() === "" || patterns === undefined) {
      const why = patterns === undefined ? "a profile is a list of patterns" : "a profile needs a name";
      lost.push({ key, name, effect, pattern: "", ...placeOf(keyStart), why });
      continue;
    }
    const rules = profiles.get(name) ?? [];
    profiles.set(name, rules);
    for (const { pattern, start } of patterns) {
      const wrong = whyLost(pattern);
      if (wrong === undefined) rules.push({ effect, rule: pattern.trim() });
      else lost.push({ key, name, effect, pattern, ...placeOf(start), ...wrong });
    }
  }
  return { profiles, lost };
}

function textsOf(node: JsonNode): readonly { readonly pattern: string; readonly start: number }[] | undefined {
  if (node.kind !== "array") return undefined;
  const texts = node.items.flatMap((item) =>
    item.kind === "scalar" && typeof item.value === "string" ? [{ pattern: item.value, start: item.start }] : [],
  );
  return texts.length === node.items.length ? texts : undefined;
}

function whyLost(pattern: string): { readonly why: string; readonly help?: string } | undefined {
  const parsed = parseRule(pattern);
  if (!parsed.ok) return { why: parsed.message, ...(parsed.help === undefined ? {} : { help: parsed.help }) };
  const { matcher, warning } = parsed;
  if (matcher.kind !== "call") return { why: warning ?? "no system call has this name" };
  if (warning !== undefined && !warning.includes("is ignored")) return { why: warning };
  if (!hasRelativePath(matcher)) return undefined;
  return {
    why: "a relative path was compared as the program gave it, whatever folder it was in; here paths are absolute",
    help: "write an absolute path, or `**/` in front for any folder",
  };
}

function hasRelativePath({ name, args }: CallMatcher): boolean {
  return args.some((pattern, at) => CALL_ARGUMENTS[name][at]?.kind === "path" && isRelative(pattern));
}

function isRelative(pattern: CallPattern): boolean {
  if (pattern.is !== "glob" || pattern.home === true) return false;
  const [first] = pattern.parts;
  return first === 1 || (typeof first === "string" && !first.startsWith("/"));
}
