import type { Target, TreeFilter, World } from "../../action/index.ts";
import { baseName, normalise, resolvePath } from "../../path/index.ts";
import type { Context } from "./context.ts";
import { escapePath, matchesWord, shellGlob } from "../../pattern/index.ts";
import { joinPlaces, type ShellPlace } from "./state.ts";
import {
  alternativesOf,
  holeOf,
  isGlob,
  isHole,
  isWildcard,
  patternOf,
  prefixOf,
  textOf,
  withoutNames,
  type Hole,
  type Value,
} from "./value.ts";

/** The folder part of a literal beginning of a path: `/a/b` of `/a/b/c…`. */
const folderOf = (prefix: string): string => prefix.slice(0, prefix.lastIndexOf("/") + 1);

/** What a word names as a path, once for every folder the shell may stand in. */
export function targetsOf(value: Value, places: readonly ShellPlace[]): readonly Target[] {
  const targets = prefixOf(value).startsWith("/") ? [targetAt(value, "/")] : places.map((place) => targetFrom(value, place));
  const rest = withoutNames(value);
  const fresh = value.atoms.find((atom) => isHole(atom) && atom.fresh === true);
  if (fresh !== undefined && isHole(fresh)) return [{ kind: "unknown", why: fresh.why }];
  return rest === undefined || rest.atoms.length === 0 ? targets : [...targets, ...targetsOf(rest, places)];
}

function targetFrom(value: Value, place: ShellPlace): Target {
  if (place.is === "at") return targetAt(value, place.path);
  if (place.is === "unknown") return { kind: "unknown", why: place.why };
  const text = value.atoms.map((atom) => (typeof atom === "string" ? atom : "x")).join("");
  const escapes = /(^|\/)\.\.(\/|$)/.test(text) || value.atoms.some((atom) => isHole(atom) && atom.below !== true && atom.number !== true);
  return escapes
    ? { kind: "unknown", why: "a path below a folder only known at run time" }
    : { kind: "unknown", why: "a path below a folder only known at run time", within: place.path };
}

function targetAt(value: Value, base: string): Target {
  const text = textOf(value);
  if (text !== undefined) return { kind: "path", path: resolvePath(base, text) };
  const hole = holeOf(value);
  if (hole !== undefined && value.atoms.some((atom) => isHole(atom) && atom.number !== true)) {
    const prefix = prefixOf(value);
    const bounded = value.atoms.every(
      (atom) => typeof atom === "string" || isWildcard(atom) || atom.below === true || atom.number === true,
    );
    const rest = value.atoms.slice(1).some((atom) => typeof atom === "string" && /(^|\/)\.\.(\/|$)/.test(atom));
    if (bounded && !rest && (prefix !== "" || value.atoms.every((atom) => !isHole(atom) || atom.below === true))) {
      const whole = filterAt(value, hole);
      return {
        kind: "unknown",
        why: hole.why,
        within: resolvePath(base, folderOf(prefix) || "."),
        ...(whole === undefined ? {} : { filter: whole }),
      };
    }
    return { kind: "unknown", why: hole.why };
  }
  return globAt(patternOf(value), base);
}

/** What is certain of the names when text stands around the hole that says so. */
function filterAt(value: Value, hole: Hole): TreeFilter | undefined {
  const tail = prefixOf(value).replace(/^.*\//s, "");
  const after = value.atoms.slice(value.atoms.indexOf(hole) + 1);
  if (after.length === 0 && tail === "") return hole.filter;
  // A name that begins with no dot keeps that, unless the text gives it one: `.e$X`, or `$X.env` where $X is empty.
  const visible =
    hole.filter?.hidden === false &&
    !tail.startsWith(".") &&
    after.every((atom) => typeof atom === "string" && /^(?:\.{2,3})?[^./]/.test(atom) && !atom.includes("/."));
  return visible ? { hidden: false } : undefined;
}

function globAt(pattern: string, base: string): Target {
  const absolute = pattern.startsWith("/") ? pattern : `${base === "/" ? "" : escapePath(base)}/${pattern}`;
  const segments: string[] = [];
  for (const segment of absolute.split("/")) {
    if (segment === "" || segment === ".") continue;
    // `..` after a wildcard, and patterns such as `.*` that may match `..` in some shells, leave the folder.
    if (segment === ".." && segments.some((before) => /[*?[]/.test(before))) return { kind: "unknown", why: `what ${pattern} matches` };
    if (segment === "..") segments.pop();
    else segments.push(segment);
  }
  // `.*` matches `..` in dash, and in bash before 5.2: it then reaches the parent folder.
  if (segments.slice(0, -1).some((segment) => /^\.[*?[]/.test(segment))) return { kind: "unknown", why: `what ${pattern} matches` };
  // Text of which there may be several words, or none: without a wildcard it is what it says.
  if (!segments.some((segment) => /[*?[]/.test(segment))) return { kind: "path", path: `/${segments.map(unquote).join("/")}` };
  const deep = segments.indexOf("**");
  if (deep >= 0) return { kind: "tree", path: `/${segments.slice(0, firstWild(segments)).map(unquote).join("/")}` };
  return { kind: "glob", pattern: `/${segments.join("/")}` };
}

const firstWild = (segments: readonly string[]): number => {
  const index = segments.findIndex((segment) => /(^|[^\\])[*?[]/.test(segment));
  return index < 0 ? segments.length : index;
};
const unquote = (segment: string): string => segment.replace(/\\(.)/g, "$1");

/**
 * Where `cd VALUE` leads from each of `places`. The shell takes `..` off the text; a program, and `cd -P`, leave the
 * folder that they really entered, which `canonical` knows.
 */
export function changePlaces(places: readonly ShellPlace[], value: Value, canonical?: (path: string) => string): readonly ShellPlace[] {
  // Several places are one unknown place: two texts that may not be there make four.
  const ways = alternativesOf(value, 2);
  if (ways[0] !== value) {
    const reached = ways.map((one) => changePlaces(places, { ...one, many: false }, canonical));
    // `cd ""` goes nowhere.
    const stays = value.atoms.every((atom) => isHole(atom) && atom.perhaps !== undefined) ? [places] : [];
    return [...reached, ...stays].reduce(joinPlaces);
  }
  const rest = withoutNames(value);
  if (rest !== undefined) return joinPlaces(placesFrom(places, value, canonical), changePlaces(places, rest, canonical));
  return placesFrom(places, value, canonical);
}

function placesFrom(places: readonly ShellPlace[], value: Value, canonical?: (path: string) => string): readonly ShellPlace[] {
  const text = textOf(value);
  if (canonical !== undefined && text !== undefined && /(^|\/)\.\.(\/|$)/.test(text)) {
    if (text.startsWith("/")) return [{ is: "at", path: canonical(text) }];
    if (places.every((place) => place.is === "at"))
      return places
        .map((place): readonly ShellPlace[] => [place.is === "at" ? { is: "at", path: canonical(`${place.path}/${text}`) } : place])
        .reduce((a, b) => [...joinPlaces(a, b)]);
  }
  return places.map((place) => [changePlace(place, value)]).reduce((a, b) => [...joinPlaces(a, b)]);
}

/** Where a command works, as actions tell it: undefined for the request's own folder, none when only known at run time. */
export function foldersOf(places: readonly ShellPlace[], cwd: string): readonly string[] | undefined {
  if (places.every((place) => place.is === "at" && place.path === cwd)) return undefined;
  const folders = places.flatMap((place) => (place.is === "unknown" ? [] : [place.path]));
  return folders.length === places.length ? folders : [];
}

function changePlace(place: ShellPlace, value: Value): ShellPlace {
  const text = textOf(value);
  if (text !== undefined) {
    if (text.startsWith("/")) return { is: "at", path: normalise(text) };
    if (place.is === "at") return { is: "at", path: resolvePath(place.path, text) };
    if (place.is === "below" && !/(^|\/)\.\.(\/|$)/.test(text)) return place;
    return { is: "unknown", why: place.is === "unknown" ? place.why : `where \`cd ${text}\` leads` };
  }
  const bounded = value.atoms.every((atom) => typeof atom === "string" || isWildcard(atom) || atom.below === true || atom.number === true);
  const escapes = value.atoms.some(
    (atom, i) => (i > 0 || isWildcard(atom)) && !isHole(atom) && /(^|\/)\.\.(\/|$)/.test(isWildcard(atom) ? atom.glob : atom),
  );
  const prefix = prefixOf(value);
  const folder = prefix.slice(0, prefix.lastIndexOf("/") + 1);
  const firstIsBare = prefix === "" && value.atoms.some((atom) => isHole(atom) && atom.below !== true);
  if (bounded && !escapes && !firstIsBare) {
    const base = changePlace(place, { atoms: folder === "" ? ["."] : [folder], many: false });
    return base.is === "at" ? { is: "below", path: base.path } : base;
  }
  return { is: "unknown", why: `the folder \`cd\` goes to: ${holeOf(value)?.why ?? "a pattern"}` };
}

/** Paths that a pattern of one folder matches now, as they are written; undefined where that is not known. */
export function matchesOf(world: World, place: ShellPlace, value: Value): readonly string[] | undefined {
  if (place.is !== "at" || !isGlob(value)) return undefined;
  const whole = patternOf(value);
  if (value.atoms.some((atom) => isWildcard(atom) && atom.of !== undefined && atom.of !== whole)) return undefined;
  const start = prefixOf(value);
  const above = start.replace(/[^/]*$/, "");
  const atoms = start === "" ? value.atoms : [start.slice(above.length), ...value.atoms.slice(1)];
  const pattern = patternOf({ atoms, many: false }).replace(/\/$/, "");
  if (pattern.includes("/")) return undefined;
  const folder = resolvePath(place.path, above || ".");
  const wanted = shellGlob(pattern);
  return world
    .names(folder)
    ?.filter((name) => matchesWord(wanted, name))
    .map((name) => `${above}${name}`);
}

/** Where a word is looked at. */
interface Standing {
  readonly cx: Pick<Context, "world" | "looksForOptions">;
  readonly places: readonly ShellPlace[];
}

/**
 * False only when no run of the line can make this word begin with one of these characters. A name that a pattern matches, or that a
 * program tells, does so where the folder holds such a name.
 */
export function mayBegin({ cx, places }: Standing, value: Value, signs: string): boolean {
  const { world } = cx;
  const rest = withoutNames(value);
  if (rest !== undefined && rest.atoms.length > 0 && mayBegin({ cx, places }, rest, signs)) return true;
  const ways = alternativesOf(value);
  if (ways.length > 1 || ways[0] !== value) return ways.some((one) => mayBegin({ cx, places }, one, signs));
  const [first] = value.atoms;
  const begins = (name: string): boolean => name !== "" && signs.includes(name.charAt(0));
  if (first === undefined) return value.many;
  if (typeof first === "string") return begins(first);
  if (isHole(first) && (first.number === true || first.pipe !== undefined)) return false;
  // Who told the name has looked for a dash, and for nothing else.
  if (isHole(first) && (first.below !== true || !signs.startsWith("-") || (first.mayDash ?? false) !== false)) return true;
  cx.looksForOptions = true;
  return ((isWildcard(first) ? first.at : undefined) ?? places).some((place) => {
    if (place.is === "unknown") return true;
    if (place.is === "at")
      return world.kind(place.path) !== "missing" && (matchesOf(world, place, value) ?? world.names(place.path))?.some(begins) !== false;
    const { found, complete } = world.find(place.path, (path) => begins(baseName(path)));
    return found !== undefined || !complete;
  });
}
