import { type createRemoteJWKSet, jwtVerify } from "jose";
import * as v from "valibot";
import { isStorable } from "@assent/team/team/protocol";
import type { EndedAtProvider } from "../enrol/index.ts";
import { ProviderAway } from "./away.ts";
import { ALGORITHMS, isFaultOfToken } from "./signatures.ts";

/** The keys that the provider signs by. */
export type SignerKeys = ReturnType<typeof createRemoteJWKSet>;

/** No older token counts, so that none need be remembered for longer. */
const OLDEST_SECONDS = 600;
const SKEW_SECONDS = 60;
const EVENT = "http://schemas.openid.net/event/backchannel-logout";

const Name = v.pipe(v.string(), v.minLength(1), v.maxLength(500), v.check(isStorable));
const LogoutClaims = v.object({
  jti: Name,
  iat: v.number(),
  sub: v.optional(Name),
  sid: v.optional(Name),
  events: v.object({ [EVENT]: v.record(v.string(), v.unknown()) }),
  // With one it is an ID token, which whoever signs in could show.
  nonce: v.optional(v.never()),
});

export interface LogoutSigner {
  readonly issuer: string;
  readonly clientId: string;
  readonly keys: SignerKeys;
  readonly now: Date;
}

/** What the token says; undefined: it is none of this provider's for this server, or too old. Whether it was used is the database's to say. */
export async function verifyLogout(token: string, { issuer, clientId, keys, now }: LogoutSigner): Promise<EndedAtProvider | undefined> {
  let payload: unknown;
  let type: string | undefined;
  try {
    const verified = await jwtVerify(token, keys, {
      issuer,
      audience: clientId,
      algorithms: ALGORITHMS,
      clockTolerance: SKEW_SECONDS,
      maxTokenAge: OLDEST_SECONDS,
      requiredClaims: ["iss", "aud", "iat", "jti", "events"],
      currentDate: now,
    });
    payload = verified.payload;
    type = verified.protectedHeader.typ;
  } catch (error) {
    if (isFaultOfToken(error)) return undefined;
    throw new ProviderAway("its keys cannot be fetched", { cause: error });
  }
  const read = v.safeParse(LogoutClaims, payload);
  if (!read.success || (type !== undefined && !/^(?:application\/)?(?:logout\+)?jwt$/i.test(type))) return undefined;
  const { jti, iat, sub, sid } = read.output;
  if (sub === undefined && sid === undefined) return undefined;
  return { issuer, jti, expires: new Date(1000 * (iat + OLDEST_SECONDS + 2 * SKEW_SECONDS)), session: sid, subject: sub };
}
