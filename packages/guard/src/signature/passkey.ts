import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto";
import { attempt, isObject } from "@assent/core/data";

/**
 * A yes that an approver's passkey signed (WebAuthn, level 2), held against the keys that a signed policy names: `node:crypto` alone, and
 * nothing that a server says. What is signed names one question of one machine, so that a yes is worth nothing anywhere else.
 */

/** A passkey as the policy has it. */
export interface PasskeyCredential {
  /** Whose it is. Two people are two of these names. */
  readonly person: string;
  /** The credential's id, base64url. */
  readonly id: string;
  /** Its public key: SubjectPublicKeyInfo, base64url. */
  readonly key: string;
}

/** Where people answer, and by whose keys. */
export interface PasskeyDemand {
  /** The origin of the server's page: `https://HOST`. */
  readonly site: string;
  readonly credentials: readonly PasskeyCredential[];
}

/** What a passkey said, each part base64url as a browser gives it. */
export interface PasskeyProof {
  readonly credential: string;
  readonly authenticatorData: string;
  readonly clientDataJSON: string;
  readonly signature: string;
}

/** All that a yes is for. */
export interface PasskeyChallenge {
  readonly organisation: string;
  readonly machine: string;
  /** The machine's own id of the question. */
  readonly id: string;
  /** Its hash of the request. */
  readonly request: string;
  /** No yes is one after that. Milliseconds since 1970. */
  readonly until: number;
}

/** What a passkey is given to sign for a yes: SHA-256, base64url. */
export const challengeOf = ({ organisation, machine, id, request, until }: PasskeyChallenge): string =>
  createHash("sha256")
    .update(`assent passkey 1\n${JSON.stringify([organisation, machine, id, request, "allow", until])}\n`)
    .digest("base64url");

/** A passkey by its public key: what people compare. */
export const passkeyPrint = (key: string): string =>
  createHash("sha256").update(`assent passkey key 1\n${key}\n`).digest("base64url").slice(0, 22);

/** A credential by its id, short: which ones a question may be answered with. */
export const credentialMark = (id: string): string =>
  createHash("sha256").update(`assent passkey id 1\n${id}\n`).digest("base64url").slice(0, 22);

/** The host that passkeys of a site belong to. */
export const passkeyHost = (site: string): string => new URL(site).hostname;

interface UsableKey {
  readonly key: KeyObject;
  /** Null: the key's own way of signing has it. */
  readonly hash: "sha256" | null;
}

/** INVARIANT: how a signature is checked follows from the key alone; nothing that comes with a proof chooses it. */
function usableKey(text: string): UsableKey | undefined {
  const der = bytesOf(text);
  if (der === undefined) return undefined;
  try {
    const key = createPublicKey({ key: der, format: "der", type: "spki" });
    const { namedCurve, modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
    if (key.asymmetricKeyType === "ed25519") return { key, hash: null };
    if (key.asymmetricKeyType === "ec" && namedCurve === "prime256v1") return { key, hash: "sha256" };
    if (key.asymmetricKeyType === "rsa" && modulusLength >= 2048 && modulusLength <= 8192) return { key, hash: "sha256" };
  } catch {
    // It is no key.
  }
  return undefined;
}

/** Whether signatures of this key can be checked: P-256, RSA from 2048 bits, Ed25519. */
export const isPasskeyKey = (text: string): boolean => usableKey(text) !== undefined;

const USER_PRESENT = 1;
const USER_VERIFIED = 4;
/** SHA-256 of the host, flags, counter. */
const LEAST_DATA = 37;

/** Whose passkey signed this question at this site; else why it counts for nobody. Never throws. */
export function whoSigned(
  { credential, authenticatorData, clientDataJSON, signature }: PasskeyProof,
  challenge: string,
  { site, credentials }: PasskeyDemand,
): { readonly person: string } | { readonly why: string } {
  // Of two with one id neither counts.
  const [known, second] = credentials.filter(({ id }) => id === credential);
  if (known === undefined || second !== undefined) return { why: "the policy does not know this passkey" };
  const usable = usableKey(known.key);
  if (usable === undefined) return { why: "the policy's key of this passkey cannot be used" };
  const [data, client, signed] = [bytesOf(authenticatorData), bytesOf(clientDataJSON), bytesOf(signature)];
  const said = client === undefined ? undefined : jsonOf(client);
  if (data === undefined || client === undefined || signed === undefined || said === undefined) return { why: "it cannot be read" };
  if (said["type"] !== "webauthn.get") return { why: "it was made for something else than signing in by a passkey" };
  if (said["challenge"] !== challenge) return { why: "it is for another question" };
  if (said["origin"] !== site || (said["crossOrigin"] ?? false) !== false || said["topOrigin"] !== undefined)
    return { why: "it was made at another site" };
  const host = hostOf(site);
  if (host === undefined || data.length < LEAST_DATA || !data.subarray(0, 32).equals(createHash("sha256").update(host).digest()))
    return { why: "it is of another site's passkey" };
  const flags = data[32] ?? 0;
  if ((flags & USER_PRESENT) === 0) return { why: "nobody touched the passkey" };
  if ((flags & USER_VERIFIED) === 0) return { why: "the passkey did not check who used it" };
  try {
    const bytes = Buffer.concat([data, createHash("sha256").update(client).digest()]);
    return verify(usable.hash, bytes, usable.key, signed) ? { person: known.person } : { why: "its signature is wrong" };
  } catch {
    return { why: "its signature is wrong" };
  }
}

const hostOf = (site: string): string | undefined => attempt(() => passkeyHost(site), undefined);

/** Undefined: it is not base64url, or not the one way in which these bytes are written. */
function bytesOf(text: string): Buffer | undefined {
  if (!/^[\w-]{1,8192}$/.test(text)) return undefined;
  const bytes = Buffer.from(text, "base64url");
  return bytes.toString("base64url") === text ? bytes : undefined;
}

function jsonOf(bytes: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
