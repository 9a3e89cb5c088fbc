import { createPublicKey, type JsonWebKey } from "node:crypto";
import type { RegistrationResponseJSON } from "@simplewebauthn/server";
import * as v from "valibot";
import { isPasskeyKey, passkeyHost } from "@assent/guard/signature";

/** Ed25519, ECDSA on P-256, RSA with SHA-256: those that a machine can check (`packages/guard/src/signature/passkey.ts`), by their numbers in COSE. */
export const ALGORITHMS = [-8, -7, -257] as const;

const coded = (most: number) => v.pipe(v.string(), v.maxLength(most), v.regex(/^[\w-]+$/));
const Registered = v.object({
  id: coded(1400),
  rawId: coded(1400),
  type: v.literal("public-key"),
  response: v.object({ clientDataJSON: coded(4000), attestationObject: coded(12_000) }),
});

/** A credential that a browser made for this challenge at this site; else undefined. */
export async function readRegistration(
  text: string,
  { challenge, site }: { readonly challenge: string; readonly site: string },
): Promise<{ readonly id: string; readonly key: string } | undefined> {
  const read = parse(text);
  if (read === undefined) return undefined;
  // Only who registers a passkey needs it: it is large.
  const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
  const { cose, decodeAttestationObject, decodeCredentialPublicKey } = await import("@simplewebauthn/server/helpers");
  try {
    // INVARIANT: no certificate is looked at: who sends one also says where its list of revoked ones is fetched.
    const attestation = decodeAttestationObject(new Uint8Array(Buffer.from(read.response.attestationObject, "base64url")));
    const [format, statement] = [attestation.get("fmt"), attestation.get("attStmt")];
    if (format !== "none" && (format !== "packed" || statement.get("x5c") !== undefined)) return undefined;
    const response: RegistrationResponseJSON = { ...read, clientExtensionResults: {} };
    const found = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: site,
      expectedRPID: passkeyHost(site),
      requireUserVerification: true,
      supportedAlgorithmIDs: [...ALGORITHMS],
    });
    if (!found.verified) return undefined;
    const { id, publicKey } = found.registrationInfo.credential;
    if (id !== read.id) return undefined;
    const decoded = decodeCredentialPublicKey(publicKey);
    const jwk = cose.isCOSEPublicKeyEC2(decoded)
      ? { kty: "EC", crv: "P-256", x: partOf(decoded.get(cose.COSEKEYS.x)), y: partOf(decoded.get(cose.COSEKEYS.y)) }
      : cose.isCOSEPublicKeyOKP(decoded)
        ? { kty: "OKP", crv: "Ed25519", x: partOf(decoded.get(cose.COSEKEYS.x)) }
        : cose.isCOSEPublicKeyRSA(decoded)
          ? { kty: "RSA", n: partOf(decoded.get(cose.COSEKEYS.n)), e: partOf(decoded.get(cose.COSEKEYS.e)) }
          : undefined;
    const key = jwk === undefined ? undefined : spkiOf(jwk);
    return key !== undefined && isPasskeyKey(key) ? { id, key } : undefined;
  } catch {
    return undefined;
  }
}

function parse(text: string): v.InferOutput<typeof Registered> | undefined {
  try {
    const read = v.safeParse(Registered, JSON.parse(text));
    return read.success ? read.output : undefined;
  } catch {
    return undefined;
  }
}

function partOf(bytes: Uint8Array | undefined): string {
  if (bytes === undefined) throw new TypeError("a part of the key is missing");
  return Buffer.from(bytes).toString("base64url");
}

const spkiOf = (jwk: JsonWebKey): string =>
  createPublicKey({ key: jwk, format: "jwk" }).export({ format: "der", type: "spki" }).toString("base64url");
