export type Fields = Readonly<Record<string, unknown>>;

/** Clients' JSON is read field by field: what is not there is empty, never an error. */
export function fields(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

export function list(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fields) : [];
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The texts of a message's content, which is a text or a list of parts in every protocol. */
export function words(content: unknown): string {
  if (typeof content === "string") return content;
  return list(content)
    .map((part) => (part["text"] === undefined ? words(part["content"]) : text(part["text"])))
    .join("\n");
}

export function object(json: string): Fields {
  try {
    return fields(JSON.parse(json));
  } catch {
    return {};
  }
}
