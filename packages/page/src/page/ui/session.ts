/** What this origin keeps, other than the cookie for its port alone, and for this tab alone (HTML Living Standard, 12.2.2). */
interface KeptSession {
  readonly token: string;
  /** The folder that the page was opened for. */
  readonly folder: string;
}

const KEY = "assent";

export function keepSession(value: unknown): void {
  sessionStorage.setItem(KEY, JSON.stringify(value));
}

export function session(): KeptSession {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? "{}");
    if (typeof value === "object" && value !== null && "token" in value && "folder" in value) {
      const { token, folder } = value;
      if (typeof token === "string" && typeof folder === "string") return { token, folder };
    }
  } catch {
    // As if there were none.
  }
  return { token: "", folder: "/" };
}
