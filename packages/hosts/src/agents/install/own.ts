import { isShellPrefix } from "@assent/core/action";
import { isObject } from "@assent/core/data";
import type { Json, Path } from "@assent/core/edit/json5";

/** A hook command that `assent install` wrote, of this or another version, wherever the program lay. */
const OWN_COMMAND = /(?:^|[\s'"/])(?:assent|bin\.cjs)['"]?\s+(?:check|ended)\s+--agent[\s=]/;
/** What Amp's rule names. */
const OWN_SCRIPT = /\/assent\/amp-delegate$/;
/** What lists of plugins name where only an administrator can write. */
const OWN_PLUGIN = /^file:\/\/\/etc\/\w+\/assent\.js$/;

/** What prints the status line of a host: ours alone, and not what somebody put together with it. */
const OWN_STATUS = /^(?:(?!\$\()[^;&|<>`\n])*(?:^|[\s'"/])(?:assent|bin\.cjs)['"]?\s+status\s+--line\s+--stdin\s*$/;

const LAUNCHER = /^\/[^\0]*\/(?:launch|ask)-(?:x64|arm64)$/;

export const isOwnText = (value: unknown): boolean => typeof value === "string" && (OWN_COMMAND.test(value) || OWN_SCRIPT.test(value));

/** A key of settings that names the program of a status line, and it is ours. */
export const isOwnStatusLine = (value: unknown): boolean =>
  isObject(value) && typeof value["command"] === "string" && OWN_STATUS.test(value["command"]);

/** The arguments of our launcher, for hosts that start programs without a shell. */
const isOwnArguments = (value: Json): boolean =>
  isList(value) && value.every((word) => typeof word === "string") && isOwnText(value.join(" "));

/** A registered hook that starts nothing but Assent: our launcher with words of ours. A line of shell could start more beside it. */
export const isOwnHandler = (handler: unknown): boolean =>
  isObject(handler) &&
  typeof handler["command"] === "string" &&
  LAUNCHER.test(handler["command"]) &&
  Array.isArray(handler["args"]) &&
  isOwnText(handler["args"].join(" "));

/** A file that is ours altogether. */
export const isOwnFile = (text: string): boolean => OWN_COMMAND.test(text) || text.startsWith("// Written by `assent install`");

/**
 * Where our entries stand in a settings file: elements of lists, innermost first and last first, so that they can be
 * taken out one after the other, and keys that name a program of ours. A group with other people's handlers loses only ours.
 */
export function ownEntries(value: Json): readonly Path[] {
  const found: Path[] = [];
  look(value, [], found);
  return found.toReversed();
}

/** @returns whether nothing but ours is in the value. */
function look(value: Json, path: Path, found: Path[]): boolean {
  if (isList(value)) {
    const own = value.map((item, at) => {
      const before = found.length;
      const mine = typeof item === "string" ? OWN_PLUGIN.test(item) : look(item, [...path, at], found);
      // The whole element goes: what was found inside goes with it.
      if (mine) found.splice(before, found.length - before, [...path, at]);
      return mine;
    });
    return own.length > 0 && own.every(Boolean);
  }
  if (!isObject(value)) return false;
  for (const [key, inner] of Object.entries(value))
    if ((typeof inner === "string" && isShellPrefix(inner)) || isOwnStatusLine(inner)) found.push([...path, key]);
  if (Object.values(value).some((inner) => isOwnText(inner) || isOwnArguments(inner))) return true;
  const lists = Object.entries(value).filter(([, inner]) => typeof inner === "object" && inner !== null);
  const before = found.length;
  const own = lists.map(([key, inner]) => look(inner, [...path, key], found));
  // A group is ours when its handlers are; a settings object never is.
  const group = path.length > 0 && typeof path.at(-1) === "number" && lists.some(([key]) => key === "hooks");
  const mine = group && own.every(Boolean);
  if (!mine) return false;
  found.length = before;
  return true;
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
