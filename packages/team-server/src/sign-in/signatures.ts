import { errors } from "jose";

/** Of a public key: whoever verifies by a shared secret, or by nothing, could be told anything. */
export const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];

/** What a server answers that has no keys, or does not answer, is no fault of the token's. */
export const isFaultOfToken = (error: unknown): boolean =>
  error instanceof errors.JOSEError &&
  !(error instanceof errors.JWKSTimeout) &&
  !(error instanceof errors.JWKSInvalid) &&
  error.code !== "ERR_JOSE_GENERIC";
