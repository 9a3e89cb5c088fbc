/**
 * A value as the one JSON text that is signed: keys in order of their UTF-16 code units, no space, numbers and texts as
 * JSON.stringify writes them (RFC 8785). Throws on what JSON does not hold.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === "boolean") return JSON.stringify(value);
  if (typeof value === "string") {
    if (/\p{Surrogate}/u.test(value)) throw new TypeError("half of a surrogate pair is not a text");
    return JSON.stringify(value);
  }
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new TypeError(`${value} is not a number of JSON`);
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map((one: unknown) => canonicalJson(one)).join(",")}]`;
  if (typeof value !== "object") throw new TypeError(`JSON holds no ${typeof value}`);
  const fields: readonly (readonly [string, unknown])[] = Object.entries(value);
  const kept = fields.filter(([, one]) => one !== undefined).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${kept.map(([name, one]) => `${canonicalJson(name)}:${canonicalJson(one)}`).join(",")}}`;
}
