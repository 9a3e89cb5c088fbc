/** A header that a machine sends with everything: which version of Assent it has, and whose account it is. Servers that do not know it leave it. */
export const ABOUT_HEADER = "x-assent-machine";

/** What a machine says of itself. */
export interface AboutMachine {
  readonly version?: string;
  readonly user?: string;
}

const LONGEST = 128;
const FIELDS = ["version", "user"] as const;

export const aboutText = (about: AboutMachine): string =>
  FIELDS.flatMap((name) => (about[name] === undefined ? [] : [`${name}=${encodeURIComponent(about[name])}`])).join("; ");

/** What cannot be read is left out: nothing follows from it. */
export function readAbout(text: string | undefined): AboutMachine {
  const found: Record<string, string> = {};
  for (const part of (text ?? "").slice(0, 1000).split("; ")) {
    const [, name = "", value = ""] = /^([a-z]+)=([^;]*)$/.exec(part) ?? [];
    if (!FIELDS.some((one) => one === name)) continue;
    try {
      // Cut first: half of a pair is no text, and a database takes none of what stands beside it.
      const said = decodeURIComponent(value)
        .slice(0, LONGEST)
        .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "")
        .trim();
      if (said !== "") found[name] = said;
    } catch {
      // It is not what `aboutText` writes.
    }
  }
  return found;
}
