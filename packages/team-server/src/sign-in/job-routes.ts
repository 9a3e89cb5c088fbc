import * as v from "valibot";
import type { Hono } from "hono";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { CiEnrol, isStorable } from "@assent/team/team/protocol";
import { ciRulesOf, enrolByCi, type JobClaims } from "../enrol/index.ts";
import { addressOf, limitedBody, RateLimit, readJson, refused, type RouteOptions, type WebVariables } from "../web/index.ts";
import { issuerIn, isIssuer } from "./provider.ts";
import { ProviderAway } from "./away.ts";
import { ALGORITHMS, isFaultOfToken } from "./signatures.ts";

const LARGEST = 1 << 14;

/** Jobs of a CI let themselves in: many at once, from behind few addresses. Why one is not let in is told to nobody but the log. */
export function addJobRoutes(app: Hono<WebVariables>, { db, now, tell }: RouteOptions): void {
  const attempts = new RateLimit(300, 200, () => now().getTime());
  const tokens = new JobTokens();
  app.post("/v1/enrol/ci", limitedBody(LARGEST), async (context) => {
    if (!attempts.take(addressOf(context))) return refused(context, 429, "asked too often", 10);
    const read = await readJson(context, CiEnrol);
    if ("problem" in read) return refused(context, 400, read.problem);
    const { token, ...asked } = read.message;
    const issuer = issuerIn(token);
    const rules = issuer === undefined ? [] : await ciRulesOf(db, issuer);
    try {
      const audiences = [...new Set(rules.map(({ audience }) => audience))];
      const job = issuer === undefined || audiences.length === 0 ? undefined : await tokens.verify(token, issuer, audiences, now());
      const state = job === undefined ? undefined : await enrolByCi(db, asked, job, now());
      if (state?.is === "joined") {
        tell("let in a job", { machine: state.machine });
        return context.json(state);
      }
      tell("job not let in", {
        address: addressOf(context),
        why: job === undefined ? "its token is none of an issuer's" : "no rule lets it in",
      });
      return refused(
        context,
        403,
        "no rule lets this job in, or its token is over, was used, or is for somebody else (assent team ci list)",
      );
    } catch (error) {
      if (!(error instanceof ProviderAway)) throw error;
      tell("provider away", { why: error.message, cause: error.cause instanceof Error ? error.cause.message.slice(0, 200) : "" });
      return refused(context, 503, "the CI that signed this token cannot be asked for its keys now: try again", 10);
    }
  });
}

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
class JobTokens {
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
