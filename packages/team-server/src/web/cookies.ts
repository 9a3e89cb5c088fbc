import type { Context } from "hono";
import { getCookie, setCookie } from "hono/cookie";

export const COOKIE = "assent_team";
/** Of a sign-in by the provider that has begun. */
export const BEGUN_COOKIE = "assent_sign_in";
type OwnCookie = typeof COOKIE | typeof BEGUN_COOKIE;

export interface OwnCookies {
  get(context: Context, name: OwnCookie): string | undefined;
  /** `maxAge`: seconds. An empty value takes it away. */
  set(context: Context, name: OwnCookie, value: string, given: { readonly sameSite: "Strict" | "Lax"; readonly maxAge: number }): void;
}

/**
 * Cookies of this server. Over TLS their names begin with `__Host-`, so that browsers take them from this host alone (RFC 6265bis,
 * 4.1.3.2): who has a sibling domain signs nobody in as somebody else. `origin`: of this server; undefined: it goes by the request.
 */
export function ownCookies(origin: string | undefined): OwnCookies {
  const isSecure = ({ req }: Context): boolean =>
    (origin === undefined ? [req.header("origin"), req.url] : [origin]).some((address) => address?.startsWith("https:") === true);
  return {
    get: (context, name) => getCookie(context, name, "host") ?? (isSecure(context) ? undefined : getCookie(context, name)),
    set: (context, name, value, { sameSite, maxAge }) => {
      const common = { httpOnly: true, sameSite, path: "/", maxAge: value === "" ? 0 : maxAge } as const;
      setCookie(context, name, value, isSecure(context) ? { ...common, secure: true, prefix: "host" } : common);
    },
  };
}
