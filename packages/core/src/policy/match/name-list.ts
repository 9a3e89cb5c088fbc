/** A name or a list of names, as people write either; undefined: it is neither. */
export function nameList(value: unknown): readonly string[] | undefined {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  const names: string[] = [];
  for (const name of list) {
    if (typeof name !== "string" || name.trim() === "") return undefined;
    names.push(name);
  }
  return names.length === 0 ? undefined : names;
}
