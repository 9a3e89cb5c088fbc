/** Whether a name is one of these, which may have a `*` at the start, the end or both. */
export const namedBy = (words: readonly string[]): ((name: string) => boolean) => {
  const exact = new Set(words.filter((word) => !word.includes("*")));
  const patterns = words.filter((word) => word.includes("*"));
  return (name) => exact.has(name) || patterns.some((pattern) => matchesName(pattern, name));
};

/** `*` at the start, the end or both. */
export function matchesName(pattern: string, name: string): boolean {
  if (!pattern.includes("*")) return pattern === name;
  const core = pattern.replace(/^\*/, "").replace(/\*$/, "");
  if (name.length < core.length) return false;
  if (pattern.startsWith("*")) return pattern.endsWith("*") ? name.includes(core) : name.endsWith(core);
  return name.startsWith(core);
}
