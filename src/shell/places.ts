import { normalise, resolvePath } from "../path/index.ts";
import { joinPlaces, type Place } from "./state.ts";
import { holeOf, isHole, isWildcard, prefixOf, textOf, type Value } from "./value.ts";

/**
 * Where `cd VALUE` leads from each of `places`. The shell takes `..` off the text; a program, and `cd -P`, leave the
 * folder that they really entered, which `canonical` knows.
 */
export function changePlaces(places: readonly Place[], value: Value, canonical?: (path: string) => string): readonly Place[] {
  const text = textOf(value);
  if (canonical !== undefined && text !== undefined && /(^|\/)\.\.(\/|$)/.test(text)) {
    if (text.startsWith("/")) return [{ is: "at", path: canonical(text) }];
    if (places.every((place) => place.is === "at"))
      return places
        .map((place): readonly Place[] => [place.is === "at" ? { is: "at", path: canonical(`${place.path}/${text}`) } : place])
        .reduce((a, b) => [...joinPlaces(a, b)]);
  }
  return places.map((place) => [changePlace(place, value)]).reduce((a, b) => [...joinPlaces(a, b)]);
}

/** Where a command works, as actions tell it: undefined for the request's own folder, none when only known at run time. */
export function foldersOf(places: readonly Place[], cwd: string): readonly string[] | undefined {
  if (places.every((place) => place.is === "at" && place.path === cwd)) return undefined;
  const folders = places.flatMap((place) => (place.is === "unknown" ? [] : [place.path]));
  return folders.length === places.length ? folders : [];
}

function changePlace(place: Place, value: Value): Place {
  const text = textOf(value);
  if (text !== undefined) {
    if (text.startsWith("/")) return { is: "at", path: normalise(text) };
    if (place.is === "at") return { is: "at", path: resolvePath(place.path, text) };
    if (place.is === "below" && !/(^|\/)\.\.(\/|$)/.test(text)) return place;
    return { is: "unknown", why: place.is === "unknown" ? place.why : `where \`cd ${text}\` leads` };
  }
  const bounded = value.atoms.every((atom) => typeof atom === "string" || isWildcard(atom) || atom.below === true || atom.number === true);
  const escapes = value.atoms.some((atom, i) => typeof atom === "string" && i > 0 && /(^|\/)\.\.(\/|$)/.test(atom));
  const prefix = prefixOf(value);
  const folder = prefix.slice(0, prefix.lastIndexOf("/") + 1);
  const firstIsBare = prefix === "" && value.atoms.some((atom) => isHole(atom) && atom.below !== true);
  if (bounded && !escapes && !firstIsBare) {
    const base = changePlace(place, { atoms: folder === "" ? ["."] : [folder], many: false });
    return base.is === "at" ? { is: "below", path: base.path } : base;
  }
  return { is: "unknown", why: `the folder \`cd\` goes to: ${holeOf(value)?.why ?? "a pattern"}` };
}
