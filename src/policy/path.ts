/** Segments of an absolute path, `.`, `..` and empty ones resolved. `/` has none. */
export function segmentsOf(path: string): readonly string[] {
  const segments: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment === "..") segments.pop();
    else segments.push(segment);
  }
  return segments;
}

/** The path made absolute and free of `.`, `..` and `//`, by its text alone. */
export function normalisePath(path: string, cwd: string): string {
  return `/${segmentsOf(path.startsWith("/") ? path : `${cwd}/${path}`).join("/")}`;
}

/** Text as a case-folding file system compares it. */
export function foldCase(text: string): string {
  for (let i = 0; i < text.length; i++)
    // Upper before lower, because some letters only meet that way (`ſ` and `s`); decomposed, because file systems that fold also fold that.
    if (text.charCodeAt(i) > 0x7f) return text.normalize("NFD").toUpperCase().toLowerCase();
  return text.toLowerCase();
}
