import { attempt } from "../data/index.ts";
/**
 * The host of a URL as a browser and every current client reads it (WHATWG): lower case, IDNA, no trailing dot.
 * Undefined where there is none.
 */
export function hostOfUrl(url: string): string | undefined {
  return attempt(() => plainHost(new URL(url.trim()).hostname), undefined);
}

/** A host name or address as `hostOfUrl` gives it; undefined for what no URL could hold. */
export function normaliseHost(host: string): string | undefined {
  if (host === "" || /[\s/\\@?#]/.test(host)) return undefined;
  try {
    const url = new URL(`http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}/`);
    return url.port === "" && url.username === "" ? plainHost(url.hostname) : undefined;
  } catch {
    return undefined;
  }
}

function plainHost(hostname: string): string | undefined {
  const host = hostname.endsWith(".") ? hostname.slice(0, -1) : hostname;
  return host === "" ? undefined : host.toLowerCase();
}

/** `example.com` (with its subdomains when `subdomains`), `*.example.com` (only they), `*` (every host). */
export function hostMatches(pattern: string, subdomains: boolean, host: string): boolean {
  if (pattern === "*") return true;
  const name = host.endsWith(".") ? host.slice(0, -1) : host;
  if (pattern.startsWith("*.")) return isBelow(name, pattern.slice(2));
  return name === pattern || (subdomains && isBelow(name, pattern));
}

function isBelow(host: string, domain: string): boolean {
  return (
    host.length > domain.length + 1 &&
    host.endsWith(domain) &&
    host.charAt(host.length - domain.length - 1) === "." &&
    !/^[\d.]+$/.test(host)
  );
}

/** Whether every host that `inner` matches, `outer` matches. */
export function hostCovers(outer: HostPattern, inner: HostPattern): boolean {
  if (outer.host === "*" || outer.host === inner.host) return outer.host === "*" || outer.subdomains || !inner.subdomains;
  const below = outer.host.startsWith("*.") ? outer.host.slice(1) : outer.subdomains ? `.${outer.host}` : undefined;
  return below !== undefined && inner.host.replace(/^\*/, "").endsWith(below);
}

interface HostPattern {
  readonly host: string;
  readonly subdomains: boolean;
}

/**
 * Every host some client could take from a URL: the true one, and the ones that readers who disagree about
 * `\`, `@` and a missing scheme would find. A deny rule counts them all.
 */
export function possibleHosts(url: string): readonly string[] {
  const hosts = new Set<string>();
  const add = (host: string | undefined): void => {
    if (host !== undefined) hosts.add(host);
  };
  const text = url.trim();
  add(hostOfUrl(text));
  const authority = /^[a-z][a-z0-9+.-]*:[/\\]*([^/?#]*)/i.exec(text)?.[1];
  if (authority === undefined) add(hostOfUrl(`https://${text.replace(/^[/\\]+/, "")}`));
  else add(normaliseHost(authority.slice(authority.lastIndexOf("@") + 1).replace(/:\d*$/, "")));
  return [...hosts];
}
