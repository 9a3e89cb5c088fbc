import { openState, readRegular, writeAtomic, type Machine } from "@assent/guard/state";

/** Which entries of which file `assent export` wrote: these and no others it takes out again. */
type Exported = Readonly<Record<string, readonly string[]>>;

const NAME = "exported.json";
const MAX_BYTES = 4 << 20;

/** A record that cannot be read owns nothing: then nothing is taken out. */
function readAll(machine: Machine): Exported {
  const state = openState(machine);
  const found = "folder" in state ? readRegular(`${state.folder}/${NAME}`, MAX_BYTES) : undefined;
  if (found?.is !== "text") return {};
  try {
    const parsed: unknown = JSON.parse(found.text);
    if (typeof parsed !== "object" || parsed === null || !("files" in parsed)) return {};
    const { files } = parsed;
    if (typeof files !== "object" || files === null) return {};
    return Object.fromEntries(
      Object.entries(files).map(([file, entries]: [string, unknown]) => [
        file,
        Array.isArray(entries) ? entries.filter((one): one is string => typeof one === "string") : [],
      ]),
    );
  } catch {
    return {};
  }
}

/** The name by which the allows of a file are kept apart from its refusals. */
export const allowsOf = (file: string): string => `${file}#allow`;

/** The allows of every file. */
export const ownedAllows = (machine: Machine): readonly { readonly file: string; readonly entries: readonly string[] }[] =>
  Object.entries(readAll(machine)).flatMap(([name, entries]) =>
    name.endsWith(allowsOf("")) ? [{ file: name.slice(0, -allowsOf("").length), entries }] : [],
  );

export function ownedIn(machine: Machine, file: string): readonly string[] {
  const all = readAll(machine);
  return Object.hasOwn(all, file) ? (all[file] ?? []) : [];
}

/** @returns a problem. */
export function recordOwned(machine: Machine, file: string, entries: readonly string[]): string | undefined {
  const state = openState(machine);
  if ("problem" in state) return state.problem;
  const files = Object.fromEntries(Object.entries(readAll(machine)).filter(([known]) => known !== file));
  if (entries.length > 0) files[file] = entries;
  try {
    writeAtomic(`${state.folder}/${NAME}`, JSON.stringify({ v: 1, files }));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
