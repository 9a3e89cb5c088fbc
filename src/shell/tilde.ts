import type { Expansion } from "./expand.ts";
import type { ShellState } from "./state.ts";
import { concat, literal, unknown, type Value } from "./value.ts";

/** Replaces a leading unquoted `~`, and in assignments every one after `:`. */
export function expandTilde(ex: Expansion, raw: string, value: string, whole: boolean, assignment: boolean, atStart = true): Value {
  if (!raw.includes("~")) return literal(value);
  // bash expands `~` in any word that looks like an assignment: `dd of=~/x` (bash(1), Tilde Expansion).
  const name = assignment || !atStart ? null : /^[A-Za-z_]\w*\+?=/.exec(raw);
  if (name !== null && value.startsWith(name[0]))
    return concat(literal(name[0]), expandTilde(ex, raw.slice(name[0].length), value.slice(name[0].length), whole, true));
  if (assignment && raw.includes(":") && raw === value) {
    const parts = value.split(":");
    return parts
      .map((part, i) => (i === 0 && !atStart ? literal(part) : tildePrefix(ex, part, part, whole || i < parts.length - 1)))
      .reduce((a, b) => concat(concat(a, literal(":")), b));
  }
  return atStart ? tildePrefix(ex, raw, value, whole) : literal(value);
}

function tildePrefix(ex: Expansion, raw: string, value: string, whole: boolean): Value {
  const match = /^~([^/\\'"$`]*)(\/|$)/.exec(raw);
  if (match === null) return literal(value);
  const [, user = "", slash = ""] = match;
  if (slash === "" && !whole) return literal(value);
  const rest = literal(value.slice(1 + user.length));
  if (user === "") return concat(homeOf(ex), rest);
  if (user === "+") return concat(workingDirectory(ex.state), rest);
  // zsh: `~x` is what the variable x holds, when that is a path (zshexpn(1), Static named directories).
  if (ex.cx.maybeZsh && (ex.state.variables.has(user) || !/^[A-Za-z_][\w.-]*$/.test(user)))
    ex.cx.unknown(`bash and zsh read \`~${user}\` differently`, { help: "write the folder out" });
  return concat(unknown(`the home directory of ${user}`), rest);
}

export function homeOf(ex: Expansion): Value {
  const home = ex.state.variables.get("HOME");
  if (home === undefined) return literal(ex.cx.world.home);
  return "atoms" in home ? home : unknown("$HOME, which the line changes");
}

export function workingDirectory(state: ShellState): Value {
  const [place] = state.places;
  if (state.places.length !== 1 || place === undefined || place.is === "unknown") return unknown("the working directory");
  if (place.is === "at") return literal(place.path);
  return { atoms: [`${place.path}/`, { hole: true, why: "the working directory", below: true }], many: false };
}
