import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto";
import { canonicalJson } from "@assent/core/data";

/** What was signed, whose key did it, and the signature (Ed25519, base64url). */
export interface Signed<T> {
  readonly statement: T;
  readonly key: string;
  readonly signature: string;
}

/** A key by its id: what people compare, and what a statement names. */
export function keyIdOf(publicKey: string): string {
  return createHash("sha256").update(`assent key 1\n${publicKey}\n`).digest("base64url").slice(0, 22);
}

export const isPublicKey = (text: unknown): text is string => typeof text === "string" && /^[\w-]{43}$/.test(text);

/** What a statement's signature and its hash are of. The kind stands in front: no statement passes for one of another kind. */
const bytesOf = (statement: { readonly is: string }): Buffer => Buffer.from(`assent team ${statement.is} 1\n${canonicalJson(statement)}\n`);

/** SHA-256, base64url. */
export const hashStatement = (statement: { readonly is: string }): string =>
  createHash("sha256").update(bytesOf(statement)).digest("base64url");

/** A new pair: 32 bytes each, base64url. */
export function makeKeyPair(): { readonly publicKey: string; readonly privateKey: string } {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  return { publicKey: textOf(publicKey.export({ format: "jwk" }).x), privateKey: textOf(privateKey.export({ format: "jwk" }).d) };
}

function textOf(part: string | undefined): string {
  if (part === undefined) throw new TypeError("not an Ed25519 key");
  return part;
}

const privateOf = (publicKey: string, privateKey: string): KeyObject =>
  createPrivateKey({ key: { kty: "OKP", crv: "Ed25519", x: publicKey, d: privateKey }, format: "jwk" });

/** The public key of a key in PEM, private or public. */
export const publicOf = (pem: string): string => textOf(createPublicKey(pem).export({ format: "jwk" }).x);

export function signStatement<T extends { readonly is: string }>(
  statement: T,
  pair: { readonly publicKey: string; readonly privateKey: string } | { readonly pem: string },
): Signed<T> {
  const key = "pem" in pair ? createPrivateKey(pair.pem) : privateOf(pair.publicKey, pair.privateKey);
  const id = keyIdOf("pem" in pair ? publicOf(pair.pem) : pair.publicKey);
  return { statement, key: id, signature: sign(null, bytesOf(statement), key).toString("base64url") };
}

/** Whether this key signed it. Never throws: what is no key and no signature has signed nothing. */
export function isSignedBy({ statement, key, signature }: Signed<{ readonly is: string }>, publicKey: string): boolean {
  if (!isPublicKey(publicKey) || key !== keyIdOf(publicKey) || !/^[\w-]{86}$/.test(signature)) return false;
  try {
    const known = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: publicKey }, format: "jwk" });
    return verify(null, bytesOf(statement), known, Buffer.from(signature, "base64url"));
  } catch {
    return false;
  }
}
