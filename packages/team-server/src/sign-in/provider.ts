import { createHash, randomBytes } from "node:crypto";
import * as v from "valibot";
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  type Configuration,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
} from "openid-client";
import { createRemoteJWKSet, decodeJwt, jwtVerify } from "jose";
import { isStorable } from "@assent/team/team/protocol";
import { type EndedAtProvider, FRESH_MS, isGroupOfProvider, type ProviderPerson } from "../enrol/index.ts";
import { ProviderAway } from "./away.ts";
import { ALGORITHMS, isFaultOfToken } from "./signatures.ts";

/** The provider by which people sign in (OpenID Connect). */
export interface ProviderOptions {
  readonly issuer: string;
  readonly clientId: string;
  /** Absent: this server is a public client, and PKCE alone holds. */
  readonly secret?: string | undefined;
  /** The claim that has a person's groups. */
  readonly groupsClaim: string;
}

const TIMEOUT_SECONDS = 10;
const MOST_GROUPS = 500;
const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "[::1]", "localhost"]);

/** `https://`, or on this machine, for trying. */
export function isIssuer(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.search !== "" || url.hash !== "" || url.username !== "" || url.password !== "") return false;
  return url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK.has(url.hostname));
}

/**
 * One sign-in that has begun: what a browser keeps in a cookie until it comes back. State, nonce and verifier follow from it, so that the
 * server keeps nothing of whoever only begins, and any of its processes may end it.
 */
export interface BegunSignIn {
  readonly cookie: string;
  readonly address: URL;
}

const LONGEST_MS = 600_000;
/** At the end of the cookie of who has to show again who they are. Another browser's is worth nothing, and one's own less without it. */
const AGAIN = ".again";
const derived = (cookie: string, what: string): string =>
  createHash("sha256").update(`assent sign-in 1\n${what}\n${cookie}\n`).digest("base64url");

/** Signs people in by authorization code, with PKCE, state and nonce. */
export class SignInProvider {
  readonly #options: ProviderOptions;
  readonly #redirect: string;
  readonly #now: () => Date;
  #configuration: Promise<Configuration> | undefined;
  #keys: SignerKeys | undefined;

  /** `origin`: by which people reach this server. */
  constructor(options: ProviderOptions, origin: string, now: () => Date) {
    this.#options = options;
    this.#redirect = `${origin}/sign-in/callback`;
    this.#now = now;
  }

  /** `again`: the person has to show who they are, though the provider knows them. */
  async begin(again = false): Promise<BegunSignIn> {
    const configuration = await this.#found();
    const cookie = `${this.#now().getTime()}.${randomBytes(32).toString("base64url")}${again ? AGAIN : ""}`;
    const address = buildAuthorizationUrl(configuration, {
      redirect_uri: this.#redirect,
      scope: "openid profile email",
      response_type: "code",
      state: derived(cookie, "state"),
      nonce: derived(cookie, "nonce"),
      code_challenge: await calculatePKCECodeChallenge(derived(cookie, "verifier")),
      code_challenge_method: "S256",
      ...(again ? { prompt: "login", max_age: "0" } : {}),
    });
    return { cookie, address };
  }

  /** Who came back, by the query of the callback and the cookie of this browser; undefined: nobody that the provider vouches for. */
  async end(query: string, cookie: string): Promise<ProviderPerson | undefined> {
    const [, begun = ""] = /^(\d{1,15})\.[\w-]{43}(?:\.again)?$/.exec(cookie) ?? [];
    const age = this.#now().getTime() - Number(begun);
    if (begun === "" || age < 0 || age > LONGEST_MS) return undefined;
    const configuration = await this.#found();
    let tokens: Awaited<ReturnType<typeof authorizationCodeGrant>>;
    try {
      tokens = await authorizationCodeGrant(configuration, new URL(`${this.#redirect}${query}`), {
        pkceCodeVerifier: derived(cookie, "verifier"),
        expectedState: derived(cookie, "state"),
        expectedNonce: derived(cookie, "nonce"),
        idTokenExpected: true,
        // Who has not just shown it is not let in as if they had.
        ...(cookie.endsWith(AGAIN) ? { maxAge: FRESH_MS / 1000 } : {}),
      });
    } catch (error) {
      if (isAway(error)) throw new ProviderAway("it cannot be reached", { cause: error });
      return undefined;
    }
    const claims: Readonly<Record<string, unknown>> | undefined = tokens.claims();
    const subject = claims?.["sub"];
    if (claims === undefined || typeof subject !== "string" || !isStorable(subject)) return undefined;
    const { issuer } = configuration.serverMetadata();
    const more = await this.#more(configuration, tokens.access_token, subject, claims);
    const { groupsClaim } = this.#options;
    return {
      issuer,
      subject,
      name: nameOf({ ...more, ...claims }),
      groups: groupsOf(claims[groupsClaim] ?? more[groupsClaim]),
      signedIn: timeOf(claims["auth_time"], this.#now()),
      session: sessionOf(claims["sid"]),
    };
  }

  /** Whose session the provider has ended, by its own signed word (OpenID Connect Back-Channel Logout 1.0, 2.4 to 2.6); undefined: it is none. */
  async readLogout(token: string): Promise<EndedAtProvider | undefined> {
    // Anybody may post here: what does not even say that it is the provider's costs nothing.
    if (issuerIn(token)?.replace(/\/$/, "") !== this.#options.issuer.replace(/\/$/, "")) return undefined;
    const configuration = await this.#found();
    const { issuer, jwks_uri: keysAt } = configuration.serverMetadata();
    if (keysAt === undefined) throw new ProviderAway("it names no keys");
    this.#keys ??= createRemoteJWKSet(new URL(keysAt), { timeoutDuration: 1000 * TIMEOUT_SECONDS });
    return verifyLogout(token, { issuer, clientId: this.#options.clientId, keys: this.#keys, now: this.#now() });
  }

  /** What the ID token leaves out. Without it there are fewer groups, never more. */
  async #more(
    configuration: Configuration,
    token: string,
    subject: string,
    claims: Readonly<Record<string, unknown>>,
  ): Promise<Readonly<Record<string, unknown>>> {
    const isWhole = claims[this.#options.groupsClaim] !== undefined && nameOf(claims) !== undefined;
    if (isWhole || configuration.serverMetadata().userinfo_endpoint === undefined) return {};
    try {
      return await fetchUserInfo(configuration, token, subject);
    } catch {
      return {};
    }
  }

  /** What the provider says of itself is asked for when somebody first needs it: the server starts and works without. */
  async #found(): Promise<Configuration> {
    const { issuer, clientId, secret } = this.#options;
    if (!isIssuer(issuer)) throw new ProviderAway("its address is none");
    const url = new URL(issuer);
    const execute = url.protocol === "http:" ? [allowInsecureRequests, enableNonRepudiationChecks] : [enableNonRepudiationChecks];
    this.#configuration ??= discovery(url, clientId, secret, secret === undefined ? None() : undefined, {
      execute,
      timeout: TIMEOUT_SECONDS,
    });
    try {
      return await this.#configuration;
    } catch (error) {
      this.#configuration = undefined;
      throw new ProviderAway("it does not say how people sign in there", { cause: error });
    }
  }
}

/** The network, not what was said. */
function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? error.code : undefined;
  return error instanceof TypeError || code === "OAUTH_TIMEOUT" || code === "OAUTH_RESPONSE_IS_NOT_CONFORM";
}

/** Whose a token says that it is: nobody has verified that. Undefined: it is none. */
export function issuerIn(token: string): string | undefined {
  try {
    const { iss } = decodeJwt(token);
    return typeof iss === "string" && isIssuer(iss) ? iss : undefined;
  } catch {
    return undefined;
  }
}

/** Seconds since 1970, none of them to come. */
const timeOf = (value: unknown, now: Date): Date | undefined =>
  typeof value === "number" && value > 0 ? new Date(Math.min(value * 1000, now.getTime())) : undefined;

const sessionOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" && value.length <= 500 && isStorable(value) ? value : undefined;

/** An address that nobody has verified may be anybody's. */
function nameOf(claims: Readonly<Record<string, unknown>>): string | undefined {
  const { email, email_verified: isVerified, preferred_username: user } = claims;
  if (typeof email === "string" && isVerified === true) return email;
  return typeof user === "string" && !user.includes("@") ? user : undefined;
}

/** Texts of one line; what is anything else is no group. */
function groupsOf(value: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((one): one is string => typeof one === "string" && isStorable(one) && isGroupOfProvider(one)).slice(0, MOST_GROUPS);
}

/** The keys that the provider signs by. */
type SignerKeys = ReturnType<typeof createRemoteJWKSet>;

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

interface LogoutSigner {
  readonly issuer: string;
  readonly clientId: string;
  readonly keys: SignerKeys;
  readonly now: Date;
}

/** What the token says; undefined: it is none of this provider's for this server, or too old. Whether it was used is the database's to say. */
async function verifyLogout(token: string, { issuer, clientId, keys, now }: LogoutSigner): Promise<EndedAtProvider | undefined> {
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
