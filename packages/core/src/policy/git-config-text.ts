/** What a text of git's configuration sets. */
export type GitConfigEntry = readonly [key: string, value: string];

/** git-config(1), "Syntax". A line that is not understood is a key of its own, which nobody knows. */
export function gitConfigEntries(text: string): readonly GitConfigEntry[] {
  const found: GitConfigEntry[] = [];
  let section = "";
  for (const line of text.replace(/^\uFEFF/, "").split(/\r?\n/)) {
    let rest = line.trim();
    const head = /^\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/.exec(rest);
    if (head !== null) {
      const [whole, name = "", sub] = head;
      section = name.toLowerCase() + (sub === undefined ? "" : `.${sub.replace(/\\(.)/g, "$1")}`);
      rest = rest.slice(whole.length).trim();
    }
    if (rest === "" || rest.startsWith("#") || rest.startsWith(";")) continue;
    const [, key, value] = /^([A-Za-z][\w-]*)\s*(?:=\s*(.*))?$/.exec(rest) ?? [];
    // The line goes on, and what follows is no line of its own: `[color]` in it would be no section.
    found.push(
      key === undefined || rest.endsWith("\\") ? ["?", rest] : [`${section}.${key.toLowerCase()}`, (value ?? "").replace(/^"(.*)"$/, "$1")],
    );
  }
  return found;
}
