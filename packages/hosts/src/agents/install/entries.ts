import { isObject } from "@assent/core/data";
import { edit, type Edit } from "@assent/core/edit";
import { type Json, type Path, placeFinder, printPath, readJson5, toValue } from "@assent/core/edit/json5";
import { addTomlTable, readToml, removeTomlKey, removeTomlTable, setTomlKey, type TomlChange } from "@assent/core/edit/toml";
import type { Registration } from "../host/agent.ts";
import { valueAt } from "../host/value.ts";
import { ownEntries } from "./own.ts";

type Entries = Extract<Registration, { readonly is: "entries" }>;

/** The next text of a settings file, or why there is none: `line` points into a broken one. */
export type Next =
  | { readonly is: "text"; readonly text: string }
  | { readonly is: "refused"; readonly why: string; readonly line?: number; readonly column?: number };

/** The text with our entries in it, once and as they are to be. */
export function withEntries(text: string, registration: Entries): Next {
  if (registration.format === "toml") return withTomlEntries(text, registration);
  const start = blank(text) ? "{}" : text;
  const root = readRoot(start);
  if (root.is === "refused") return root;
  if (isComplete(root.value, registration)) return { is: "text", text };
  const clean = without(start, root.value, registration.only);
  if (clean.is === "refused") return clean;
  let next = clean.text;
  for (const { path, value, must } of registration.keys ?? []) {
    const now = inText(next, path);
    if (now !== undefined && (must === "there" || isAs(now, value))) continue;
    const done = apply(next, { do: "set", path, value });
    if (done.is === "refused") return done;
    next = done.text;
  }
  for (const { list, value, at } of registration.entries) {
    const now = inText(next, list);
    if (now !== undefined && !Array.isArray(now)) return { is: "refused", why: `\`${printPath(list)}\` is not a list` };
    const change: Edit =
      now === undefined
        ? { do: "set", path: list, value: [value] }
        : { do: "insert", list, place: at === "start" && now.length > 0 ? { before: 0 } : "end", value };
    const done = apply(next, change);
    if (done.is === "refused") return done;
    next = done.text;
  }
  // A new file is laid out as everybody's is.
  const made = blank(text) ? readRoot(next) : undefined;
  return { is: "text", text: made?.is === "root" ? `${JSON.stringify(made.value, undefined, 2)}\n` : next };
}

/** The text without our entries. What held nothing else goes with them. */
export function withoutEntries(text: string, registration: Entries): Next {
  if (blank(text)) return { is: "text", text };
  // Keys of a TOML file stay: they are switches that a person may want.
  if (registration.format === "toml") return registration.entries.length === 0 ? { is: "text", text } : withoutTomlTables(text);
  const root = readRoot(text);
  return root.is === "refused" ? root : without(text, root.value, registration.only);
}

/** True when any entry of ours is left. */
export function hasEntries(text: string): boolean {
  const root = readRoot(text);
  return root.is === "root" && ownEntries(root.value).length > 0;
}

const blank = (text: string): boolean => text.trim() === "";

type Root = { readonly is: "root"; readonly value: Json } | Extract<Next, { is: "refused" }>;

function readRoot(text: string): Root {
  const { root, faults } = readJson5(text);
  const [fault] = faults;
  if (root === undefined || fault !== undefined)
    return { is: "refused", why: fault?.message ?? "cannot be read", ...placeFinder(text)(fault?.offset ?? 0) };
  if (root.kind !== "object") return { is: "refused", why: "is not an object", ...placeFinder(text)(root.start) };
  return { is: "root", value: toValue(root) };
}

const inText = (text: string, path: Path): Json | undefined => {
  const root = readRoot(text);
  return root.is === "root" ? valueAt(root.value, path) : undefined;
};

function isComplete(value: Json, { entries, keys = [], only }: Entries): boolean {
  const own = ownEntries(value).filter((path) => only === undefined || path[0] === only);
  const at = (path: Path): Json | undefined => valueAt(value, path);
  const named = own.filter((path) => typeof path.at(-1) === "string");
  return (
    own.length - named.length === entries.length &&
    named.every((path) => keys.some((key) => printPath(key.path) === printPath(path))) &&
    entries.every(({ list, value: wanted }) =>
      own.some((path) => printPath(path.slice(0, -1)) === printPath(list) && JSON.stringify(at(path)) === JSON.stringify(wanted)),
    ) &&
    keys.every(({ path, value: wanted, must }) => (must === "there" ? at(path) !== undefined : isAs(at(path), wanted)))
  );
}

/** The same; of an object what we write of it: what a person added beside it stays. */
function isAs(now: Json | undefined, wanted: Json): boolean {
  if (!isObject(now) || !isObject(wanted)) return now === wanted;
  return Object.entries(wanted).every(([key, value]) => now[key] === value);
}

/** Every entry of ours out, and the lists and objects that are empty then. */
const without = (text: string, value: Json, only: string | undefined): Next =>
  withoutPaths(
    text,
    ownEntries(value).filter((path) => only === undefined || path[0] === only),
  );

/** What stands there out, the last first, and the lists and objects that are empty then. */
export function withoutPaths(text: string, paths: readonly Path[]): Next {
  let next: Next = { is: "text", text };
  for (const path of paths) {
    next = apply(next.text, { do: "remove", path });
    if (next.is === "refused") return next;
    for (let around = path.slice(0, -1); around.length > 0; around = around.slice(0, -1)) {
      if (typeof around.at(-1) === "number") continue;
      const held = inText(next.text, around);
      if (held === undefined || typeof held !== "object" || held === null || Object.keys(held).length > 0) break;
      next = apply(next.text, { do: "remove", path: around });
      if (next.is === "refused") return next;
    }
  }
  return next;
}

function apply(text: string, change: Edit): Next {
  const done = edit(text, change);
  return done.ok ? { is: "text", text: done.text } : { is: "refused", why: `cannot be changed safely: ${done.message}` };
}

function withTomlEntries(text: string, registration: Entries): Next {
  const { keys = [], remove = [], entries } = registration;
  const { root } = readToml(text);
  const complete = entries.length === 0 || (root !== undefined && isComplete(toValue(root), { ...registration, keys: [] }));
  const clean: Next = complete ? { is: "text", text } : withoutTomlTables(text);
  if (clean.is === "refused") return clean;
  const steps: TomlStep[] = [
    ...remove.map(
      ([table = "", key = ""]): TomlStep =>
        (now) =>
          removeTomlKey(now, [table, key]),
    ),
    ...keys.flatMap(({ path: [table = "", key = ""], value }): TomlStep[] =>
      typeof value === "string" || typeof value === "number" || typeof value === "boolean"
        ? [(now) => setTomlKey(now, [table, key], value)]
        : [],
    ),
  ];
  const added = entries.flatMap(({ list: [list = ""], value }): TomlStep[] =>
    isObject(value) ? [(now) => addTomlTable(now, list, value)] : [],
  );
  return inSteps(clean.text, complete ? steps : [...steps, ...added]);
}

/** Without the tables that start Assent. */
function withoutTomlTables(text: string): Next {
  const { root } = readToml(text);
  const own = root === undefined ? [] : ownEntries(toValue(root));
  return inSteps(
    text,
    own.flatMap(([list, index]): TomlStep[] =>
      typeof list === "string" && typeof index === "number" ? [(now) => removeTomlTable(now, list, index)] : [],
    ),
  );
}

type TomlStep = (now: string) => TomlChange;

function inSteps(text: string, steps: readonly TomlStep[]): Next {
  let next = text;
  for (const step of steps) {
    const change = step(next);
    if (!change.ok)
      return { is: "refused", why: change.message, ...(change.fault === undefined ? {} : placeFinder(next)(change.fault.offset)) };
    next = change.text;
  }
  return { is: "text", text: next };
}
