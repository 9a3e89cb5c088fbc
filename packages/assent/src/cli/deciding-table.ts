import {
  PRIVATE_AT_HOME,
  PRIVATE_FILES,
  PRIVATE_FOLDERS,
  PRIVATE_PLACES,
  STARTUP_AT_HOME,
  STARTUP_FILES,
  STARTUP_PLACES,
  TOOL_FOLDERS,
} from "#knowledge/places";
import { SOURCES } from "#knowledge/sources";
import { foldCase, isWithin } from "@assent/core/path";
import type { JudgedAction } from "@assent/core/policy";
import { aboutEntry, entriesBelow, entryFor, type KnowledgeEntry } from "@assent/core/shell/knowledge";

/** The table and the line that a known program, or a file that a program keeps or starts from, is judged by: `packages/core/knowledge/…`. */
export function decidingTable({ action, verdict: { builtin } }: JudgedAction, home: string): string | undefined {
  if (action.kind === "exec") return action.knowledge === undefined ? undefined : entryPlace(action.knowledge);
  if (action.kind !== "file" || action.target.kind !== "path") return undefined;
  const path = foldCase(action.target.path);
  const atHome = (place: string): boolean => isWithin(path, `${foldCase(home)}/${place}`);
  const anywhere = (place: string): boolean => path.endsWith(`/${place}`);
  const below = (place: string): boolean => anywhere(place) || path.includes(`/${place}/`);
  const from = (place: string): boolean => isWithin(path, place);
  if (builtin === "protect.secrets")
    return (
      rowOf(PRIVATE_FOLDERS, SOURCES.PRIVATE_FOLDERS, below) ??
      rowOf(PRIVATE_FILES, SOURCES.PRIVATE_FILES, anywhere) ??
      rowOf(PRIVATE_AT_HOME, SOURCES.PRIVATE_AT_HOME, atHome) ??
      rowOf(PRIVATE_PLACES, SOURCES.PRIVATE_PLACES, from)
    );
  if (builtin !== "danger.persistence") return undefined;
  return (
    rowOf(STARTUP_FILES, SOURCES.STARTUP_FILES, atHome) ??
    rowOf(STARTUP_AT_HOME, SOURCES.STARTUP_AT_HOME, atHome) ??
    rowOf(TOOL_FOLDERS, SOURCES.TOOL_FOLDERS, atHome) ??
    rowOf(STARTUP_PLACES, SOURCES.STARTUP_PLACES, from)
  );
}

const inFolder = (table: string, line: number | string | undefined): string => `packages/core/knowledge/${table}.table:${line}`;

/** The row that says the first place of a list of which this is true. */
function rowOf(places: readonly string[], sources: string, isPlace: (place: string) => boolean): string | undefined {
  const rows = sources.split("; ").flatMap((some) => {
    const [table = "", ...lines] = some.split(" ");
    return lines.map((line) => inFolder(table, line));
  });
  return rows[places.findIndex(isPlace)];
}

/** Where what is known of a command stands: `git worktree list`. */
function entryPlace(id: string): string | undefined {
  const [program = "", ...words] = id.split(" ");
  const entry = entryFor(program);
  if (entry === undefined) return undefined;
  const { family = "", line } = aboutEntry(entry);
  return inFolder(family, aboutEntry(below(entry, words)).line ?? line);
}

function below(entry: KnowledgeEntry, words: readonly string[]): KnowledgeEntry {
  for (let end = words.length; end > 0; end--) {
    const key = words.slice(0, end).join(" ");
    const found = entriesBelow(entry).find(({ keys }) => keys.includes(key));
    if (found !== undefined) return below(found.entry, words.slice(end));
  }
  return entry;
}
