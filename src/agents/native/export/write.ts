import { edit, type Edit } from "../../../edit/index.ts";
import { type Json, member, type Node, type Path, placeFinder, readJson5, toValue } from "../../../edit/json5/index.ts";

/** The next text of a host's file; `own` are the entries in it that are ours, for the next time. */
export type Written =
  | { readonly is: "text"; readonly text: string; readonly own: readonly string[] }
  | { readonly is: "refused"; readonly why: string; readonly line?: number; readonly column?: number };

/** A file into which our refusals go beside those of others. */
export type Writer = (now: string | undefined, wanted: readonly string[], owned: readonly string[]) => Written;

function apply(text: string, changes: readonly Edit[]): string | Extract<Written, { is: "refused" }> {
  let next = text;
  for (const change of changes) {
    const done = edit(next, change);
    if (!done.ok) return { is: "refused", why: `cannot be changed safely: ${done.message}` };
    ({ text: next } = done);
  }
  return next;
}

function read(text: string): Node | Extract<Written, { is: "refused" }> {
  const { root, faults } = readJson5(text);
  const [fault] = faults;
  if (root === undefined || fault !== undefined)
    return { is: "refused", why: fault?.message ?? "cannot be read", ...placeFinder(text)(fault?.offset ?? 0) };
  return root.kind === "object" ? root : { is: "refused", why: "is no object" };
}

function nodeAt(root: Node, path: Path): Node | undefined {
  let node: Node | undefined = root;
  for (const step of path) node = typeof step === "string" ? member(node, step)?.value : undefined;
  return node;
}

/** A list of texts in a JSON file. */
export function listWriter(list: readonly string[]): Writer {
  return (now, wanted, owned) => {
    if (now === undefined || now.trim() === "") {
      if (wanted.length === 0) return { is: "text", text: now ?? "", own: [] };
      const value = list.reduceRight<Json>((inner, key) => ({ [key]: inner }), [...wanted]);
      return { is: "text", text: `${JSON.stringify(value, undefined, 2)}\n`, own: wanted };
    }
    const root = read(now);
    if ("is" in root) return root;
    const node = nodeAt(root, list);
    if (node !== undefined && node.kind !== "array") return { is: "refused", why: `\`${list.join(".")}\` is no list` };
    const there = node === undefined ? [] : node.items.map(toValue);
    // From the end: what goes moves only what follows.
    const gone = there
      .flatMap((value, at) => (typeof value === "string" && owned.includes(value) && !wanted.includes(value) ? [at] : []))
      .toReversed();
    const fresh = wanted.filter((one) => !there.includes(one));
    const make: readonly Edit[] = node === undefined && fresh.length > 0 ? [{ do: "set", path: list, value: fresh }] : [];
    const inserts = make.length > 0 ? [] : fresh.map((value): Edit => ({ do: "insert", list, place: "end", value }));
    const next = apply(now, [...gone.map((at): Edit => ({ do: "remove", path: [...list, at] })), ...make, ...inserts]);
    if (typeof next !== "string") return next;
    return { is: "text", text: next, own: wanted.filter((one) => fresh.includes(one) || owned.includes(one)) };
  };
}

const SEPARATOR = "\u0000";
/** An entry of `permission`: a tool and a pattern. */
export const entry = (tool: string, pattern: string): string => `${tool}${SEPARATOR}${pattern}`;

/**
 * `permission` of OpenCode: the last that matches decides, so ours stand last. A tool with one action for everything
 * becomes a tool with patterns, of which the first is that action.
 */
export const permissionWriter: Writer = (now, wanted, owned) => {
  const start = now === undefined || now.trim() === "" ? "{}\n" : now;
  const root = read(start);
  if ("is" in root) return root;
  const changes: Edit[] = [];
  const permission = nodeAt(root, ["permission"]);
  if (permission?.kind === "scalar") {
    if (wanted.length === 0) return { is: "text", text: start, own: [] };
    return {
      is: "refused",
      why: '`permission` is one action for everything: write it as `{ "*": … }` first',
      ...placeFinder(start)(permission.start),
    };
  }
  const split = (one: string): readonly [string, string] => {
    const at = one.indexOf(SEPARATOR);
    return [one.slice(0, at), one.slice(at + 1)];
  };
  const own: string[] = [];
  for (const one of owned) {
    const [tool, pattern] = split(one);
    const there = nodeAt(root, ["permission", tool, pattern]);
    if (!wanted.includes(one) && there !== undefined && toValue(there) === "deny")
      changes.push({ do: "remove", path: ["permission", tool, pattern] });
  }
  const converted = new Set<string>();
  for (const one of wanted) {
    const [tool, pattern] = split(one);
    const node = nodeAt(root, ["permission", tool]);
    const there = nodeAt(root, ["permission", tool, pattern]);
    if (there !== undefined) {
      if (owned.includes(one)) own.push(one);
      else if (toValue(there) !== "deny")
        return { is: "refused", why: `\`${tool}\` has another action for \`${pattern}\``, ...placeFinder(start)(there.start) };
      continue;
    }
    if (node?.kind === "scalar" && !converted.has(tool)) {
      converted.add(tool);
      changes.push({ do: "replace", path: ["permission", tool], value: { "*": toValue(node) } });
    }
    changes.push({ do: "set", path: ["permission", tool, pattern], value: "deny" });
    own.push(one);
  }
  const next = apply(start, changes);
  if (typeof next !== "string") return next;
  const clean = withoutEmpty(next, [...new Set(owned.filter((one) => !wanted.includes(one)).map((one) => split(one)[0]))]);
  return typeof clean === "string" ? { is: "text", text: clean, own } : clean;
};

/** What held nothing but ours goes with it. */
function withoutEmpty(text: string, tools: readonly string[]): string | Extract<Written, { is: "refused" }> {
  let next = text;
  for (const path of [...tools.map((tool): Path => ["permission", tool]), ["permission"]] as readonly Path[]) {
    const root = read(next);
    const node = "is" in root ? undefined : nodeAt(root, path);
    if (tools.length === 0 || node?.kind !== "object" || node.members.length > 0) continue;
    const done = apply(next, [{ do: "remove", path }]);
    if (typeof done !== "string") return done;
    next = done;
  }
  return next;
}

/** A file that is ours altogether, told by its first line. */
export function ownFileWriter(head: string): Writer {
  return (now, wanted) => {
    if (now !== undefined && now.trim() !== "" && !now.startsWith(head))
      return { is: "refused", why: "is there already and was not written by Assent: move it away" };
    if (wanted.length === 0) return { is: "text", text: "", own: [] };
    return { is: "text", text: `${head}\n\n${wanted.join("\n")}`, own: wanted };
  };
}
