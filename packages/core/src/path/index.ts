/**
 * Absolute paths as texts: nothing here asks the file system. All but `normalise`, `resolvePath` and `segmentsOf` take
 * paths that are normalised.
 */

/** The path free of `.`, `..`, `//` and a last `/`. */
export function normalise(path: string): string {
  return isNormal(path) ? path : `/${segmentsOf(path).join("/")}`;
}

function isNormal(path: string): boolean {
  if (!path.startsWith("/") || path.endsWith("/") || path.includes("//")) return false;
  return !path.includes("/.") || !/\/\.{1,2}(?:\/|$)/.test(path);
}

/** What `path` names in the folder `base`, normalised. */
export function resolvePath(base: string, path: string): string {
  return normalise(path.startsWith("/") ? path : `${base}/${path}`);
}

/** The names on the way to a path, `.`, `..` and empty ones resolved. `/` has none. */
export function segmentsOf(path: string): readonly string[] {
  const segments: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment === "..") segments.pop();
    else segments.push(segment);
  }
  return segments;
}

/** The path of `name` in `folder`. */
export function joinPath(folder: string, name: string): string {
  return folder === "/" ? `/${name}` : `${folder}/${name}`;
}

/** The folder that holds `path`; `/` for `/`. */
export function parentOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash <= 0 ? "/" : path.slice(0, slash);
}

/** The last name; empty for `/`, the whole of a text without `/`. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** What `joinPath` joined to `folder`; `path` lies below it. */
export function relativePath(folder: string, path: string): string {
  return path.slice(folder === "/" ? 1 : folder.length + 1);
}

/** The text after the last dot of a name, without the dot; empty for none and for a leading dot. */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? "" : name.slice(dot + 1);
}

/** Whether `path` is `folder` or lies anywhere below it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || isBelow(path, folder);
}

/** Whether `path` lies below `folder` and is not the folder itself. */
export function isBelow(path: string, folder: string): boolean {
  if (folder === "/") return path.length > 1 && path.charCodeAt(0) === 47;
  return path.length > folder.length && path.charCodeAt(folder.length) === 47 && path.startsWith(folder);
}

/** Text as a case-folding file system compares it. */
export function foldCase(text: string): string {
  for (let i = 0; i < text.length; i++)
    // Upper before lower, because some letters only meet that way (`ſ` and `s`); decomposed, because file systems that fold also fold that.
    if (text.charCodeAt(i) > 0x7f) return text.normalize("NFD").toUpperCase().toLowerCase();
  return text.toLowerCase();
}

/** A path as people write it: below home as `~`. */
export function withTilde(path: string, home: string | undefined): string {
  if (home === undefined || home === "/" || !path.startsWith(home)) return path;
  const rest = path.slice(home.length);
  return rest === "" || rest.startsWith("/") ? `~${rest}` : path;
}
