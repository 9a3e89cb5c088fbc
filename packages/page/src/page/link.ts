import { randomBytes } from "node:crypto";
import { lstatSync, readdirSync } from "node:fs";
import type { PageProcess } from "./place.ts";
import { hexDigest, type Machine, readOwnObject, removeFile, writeAtomic } from "@assent/guard/state";

/**
 * How a person's browser gets in: a secret that works once and for a minute. Who opens the page leaves its hash in the page's
 * folder, and the secret in a file beside it that sends the browser on; the page process finds the hash, and takes both away.
 * So the secret stands in no command line, and nothing that cannot write into the state folder can make one.
 */

const LIVES_MS = 60_000;
const LARGEST = 64 << 10;
const SECRET = /^[\w-]{43}$/;

export interface NewLink {
  /** To be opened by a browser. */
  readonly file: string;
  readonly address: string;
}

const linkName = (hash: string): string => `link-${hash}.json`;
const fileName = (hash: string): string => `open-${hash.slice(0, 16)}.html`;

/** A link into the page, which starts at `folder`. */
export function newLink(place: string, { name, port }: Pick<PageProcess, "name" | "port">, folder: string, now = Date.now()): NewLink {
  const secret = randomBytes(32).toString("base64url");
  const hash = hexDigest(secret);
  // What stands behind `#` is sent to nobody, and in no Referer.
  const address = `http://${name}:${port}/enter#${secret}`;
  const file = `${place}/${fileName(hash)}`;
  writeAtomic(`${place}/${linkName(hash)}`, `${JSON.stringify({ made: now, folder })}\n`);
  writeAtomic(file, redirect(address));
  return { file, address };
}

const redirect = (address: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${address}">
<title>Assent</title>
<p><a rel="noreferrer" href="${address}">Open Assent</a></p>
</html>
`;

/** The folder that the link's page starts at, once; undefined: the secret is none, was used, or is too old. */
export function useLink(place: string, secret: string, machine: Machine, now = Date.now()): string | undefined {
  if (!SECRET.test(secret)) return undefined;
  const hash = hexDigest(secret);
  const value = readOwnObject(`${place}/${linkName(hash)}`, LARGEST, machine.uid);
  // Of two who come at once one takes the file away.
  const taken = removeFile(`${place}/${linkName(hash)}`);
  removeFile(`${place}/${fileName(hash)}`);
  if (!taken || typeof value?.["made"] !== "number" || typeof value["folder"] !== "string") return undefined;
  const age = now - value["made"];
  return age >= 0 && age <= LIVES_MS ? value["folder"] : undefined;
}

/** Takes away links that nobody used in time. */
export function removeOldLinks(place: string, now = Date.now()): void {
  for (const name of readdirSync(place)) {
    if (!/^(?:link|open)-[\da-f]+\.(?:json|html)$/.test(name)) continue;
    const stats = lstatSync(`${place}/${name}`, { throwIfNoEntry: false });
    if (stats !== undefined && now - stats.mtimeMs > LIVES_MS) removeFile(`${place}/${name}`);
  }
}
