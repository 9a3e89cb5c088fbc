import { readFileSync } from "node:fs";

/** Of the folder of tried runs. */
export const PLANS = "plans";

/** How assent-try says that Assent is started in its place, as `process.argv0`: why, and by which run. */
export const STARTED_ANEW = /^assent: (?:the plan is old|(judges|ended) ([0-9a-f-]+))$/;

/** The variables that the kernel gave this process, as they are. */
export const givenVariables = (): readonly Buffer[] => splitAtNul(readFileSync("/proc/self/environ"));

export function splitAtNul(bytes: Buffer): readonly Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0, end = bytes.indexOf(0); end >= 0; at = end + 1, end = bytes.indexOf(0, at)) parts.push(bytes.subarray(at, end));
  return parts;
}

/** Where the plan of a command is kept: by all that it is given. assent-try compares all of that. */
export function planFile(tried: string, words: readonly string[], variables: readonly Buffer[], cwd: string): string {
  let one = 0x811c9dc5;
  let other = 0x2545f491;
  for (const part of [...words, ...variables, cwd])
    for (const byte of Buffer.from(part)) {
      one = Math.imul(one ^ byte, 0x01000193);
      other = Math.imul(other, 0x5bd1e995) ^ (byte + (other >>> 15));
    }
  const hex = (sum: number): string => (sum >>> 0).toString(16).padStart(8, "0");
  return `${tried}/${PLANS}/${hex(one)}${hex(other)}`;
}
