import type { Finding } from "./finding.ts";

/** Source longer than this is not read: nobody types it on a command line, and it would cost time. */
export const MAX_SOURCE = 64 * 1024;
/** Brackets, blocks and nested strings deeper than this are not followed. */
export const MAX_DEPTH = 64;

/** A finding for what is not understood; `why` completes "cannot tell what it does: …". */
export function unknown(why: string): Finding {
  return { does: "unknown", why };
}

/** Why a text is refused before it is read, if it is. Control characters are where readers of the same text disagree. */
export function refusedText(text: string): string | undefined {
  if (text.length > MAX_SOURCE) return `the source is longer than ${MAX_SOURCE} characters`;
  // oxlint-disable-next-line no-control-regex -- naming control characters is the point
  if (/[\u0000-\u0008\u000b-\u001f\u007f]/.test(text)) return "the source contains control characters";
  return undefined;
}

/** The same finding said twice is said once; order is kept. */
export function distinct(findings: readonly Finding[]): Finding[] {
  const seen = new Set<string>();
  return findings.filter((finding) => {
    const key = JSON.stringify(finding);
    return seen.has(key) ? false : seen.add(key) !== undefined;
  });
}
