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
      const said = decodeURIComponent(value)
        .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "")
        .trim()
        .slice(0, LONGEST);
      if (said !== "") found[name] = said;
    } catch {
      // It is not what `aboutText` writes.
    }
  }
  return found;
}
