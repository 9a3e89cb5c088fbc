import { createRemoteJWKSet, jwtVerify } from "jose";
import * as v from "valibot";
import { isStorable } from "@assent/team/team/protocol";
import type { JobClaims } from "../enrol/index.ts";
import { ProviderAway } from "./away.ts";
import { isIssuer } from "./provider.ts";
import { ALGORITHMS, isFaultOfToken } from "./signatures.ts";

/** No job's token is older: that of a job lives as long as it does, at most. */
const OLDEST_SECONDS = 86_400;
const SKEW_SECONDS = 60;
const TIMEOUT_MS = 10_000;
const LARGEST_ANSWER = 1 << 18;
/** So long what an issuer says of itself is believed. Milliseconds. */
const KEPT_MS = 3_600_000;

const Metadata = v.object({ issuer: v.string(), jwks_uri: v.string() });
const Claims = v.object({
  iss: v.string(),
  aud: v.union([v.string(), v.pipe(v.array(v.string()), v.length(1))]),
  jti: v.pipe(v.string(), v.minLength(1), v.maxLength(500), v.check(isStorable)),
  exp: v.number(),
  iat: v.number(),
});

interface KnownIssuer {
  readonly keys: ReturnType<typeof createRemoteJWKSet>;
  readonly since: number;
}

/** Verifies tokens of CI jobs. INVARIANT: only issuers that an administrator has named are ever asked for keys. */
export class JobTokens {
  readonly #issuers = new Map<string, Promise<KnownIssuer>>();

  /** What the token says; undefined: it is none of this issuer's for these, or no longer. Throws `ProviderAway`. */
  async verify(token: string, issuer: string, audiences: readonly string[], now: Date): Promise<JobClaims | undefined> {
    const { keys } = await this.#known(issuer);
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer,
        audience: [...audiences],
        algorithms: ALGORITHMS,
        clockTolerance: SKEW_SECONDS,
        maxTokenAge: OLDEST_SECONDS,
        requiredClaims: ["exp", "iat", "jti", "aud", "sub"],
        currentDate: now,
      });
      const read = v.safeParse(Claims, payload);
      if (!read.success) return undefined;
      const { aud, jti, exp } = read.output;
      const audience = typeof aud === "string" ? aud : aud[0];
      if (audience === undefined || !audiences.includes(audience)) return undefined;
      return { issuer, audience, jti, expires: new Date(1000 * (exp + SKEW_SECONDS)), claims: payload };
    } catch (error) {
      if (isFaultOfToken(error)) return undefined;
      throw new ProviderAway("its keys cannot be fetched", { cause: error });
    }
  }

  async #known(issuer: string): Promise<KnownIssuer> {
    const there = this.#issuers.get(issuer);
    const known = await there?.catch(() => undefined);
    if (known !== undefined && performance.now() - known.since < KEPT_MS) return known;
    const found = discover(issuer);
    this.#issuers.set(issuer, found);
    return await found;
  }
}

async function discover(issuer: string): Promise<KnownIssuer> {
  let said: unknown;
  try {
    const response = await fetch(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`, {
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    const text = await response.text();
    if (text.length > LARGEST_ANSWER) throw new Error("its answer is too large");
    said = JSON.parse(text);
  } catch (error) {
    throw new ProviderAway("it cannot be reached", { cause: error });
  }
  const read = v.safeParse(Metadata, said);
  if (!read.success || read.output.issuer !== issuer || !isIssuer(read.output.jwks_uri))
    throw new ProviderAway("what it says of itself is not what it should be");
  const keys = createRemoteJWKSet(new URL(read.output.jwks_uri), { timeoutDuration: TIMEOUT_MS });
  return { keys, since: performance.now() };
}
