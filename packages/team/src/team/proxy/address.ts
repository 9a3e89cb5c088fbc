/** A proxy as its address names it. */
export interface ProxyAddress {
  readonly isTls: boolean;
  /** As it is connected to: no brackets around an address of IPv6. */
  readonly host: string;
  readonly port: number;
  /** `HOST:PORT`, for people: nothing secret is in it. */
  readonly shown: string;
  /** The value of `proxy-authorization`. */
  readonly credentials?: string;
}

/** Of a URL's host, without the brackets. */
export const bareHost = (hostname: string): string => hostname.replace(/^\[|\]$/g, "");

/** INVARIANT: a problem never holds any of the text, which may hold a password. */
export function readProxyAddress(text: string): ProxyAddress | { readonly problem: string } {
  const written = text.trim();
  // Without a scheme, as curl and others take it; `new URL` would read the host as one.
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(written) ? written : `http://${written}`;
  if (!URL.canParse(whole)) return { problem: "is not an address: write http://HOST:PORT" };
  const url = new URL(whole);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return { problem: "is of a kind that cannot be used: only http:// and https:// proxies can" };
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "") return { problem: "has a path: write http://HOST:PORT alone" };
  const isTls = url.protocol === "https:";
  const port = url.port === "" ? (isTls ? 443 : 80) : Number(url.port);
  const address = { isTls, host: bareHost(url.hostname), port, shown: `${url.hostname}:${port}` };
  if (url.username === "" && url.password === "") return address;
  try {
    const [name, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
    return { ...address, credentials: `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}` };
  } catch {
    return { problem: "has a `%` in its name or password that means nothing: write it as %25" };
  }
}
