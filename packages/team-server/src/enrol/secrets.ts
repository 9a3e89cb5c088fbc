import { createHash, randomBytes, randomInt } from "node:crypto";

/** 32 random bytes, base64url. */
export const newSecret = (): string => randomBytes(32).toString("base64url");
export const newId = (): string => randomBytes(16).toString("base64url");

/** What the database has of a secret, hex: it is found by it, and not known from it. Secrets have 256 bits, so that nothing slower is needed. */
export const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("hex");

/** No vowels, so that no words come about; no signs that look alike. */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";

/** `BCDF-GHJK`: 34 bits, for ten minutes, and few may be tried. */
export function newCode(): string {
  const letters = Array.from({ length: 8 }, () => LETTERS[randomInt(LETTERS.length)]).join("");
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

/** A code as a person types it; undefined: it cannot be one. */
export function readCode(text: string): string | undefined {
  const letters = text.toUpperCase().replace(/[\s-]/g, "");
  return letters.length === 8 && [...letters].every((letter) => LETTERS.includes(letter))
    ? `${letters.slice(0, 4)}-${letters.slice(4)}`
    : undefined;
}

/**
 * The token follows from the secret of the enrolment: a machine that has not heard the answer asks again and gets the same one,
 * and the server need not keep it.
 */
export const tokenOf = (secret: string): string => createHash("sha256").update(`assent team token 1\n${secret}\n`).digest("base64url");
