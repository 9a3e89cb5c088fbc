import { BlockList, isIP } from "node:net";
import { normaliseHost } from "@assent/core/pattern";
import { reachOfHost } from "@assent/core/policy";
import { bareHost, readProxyAddress } from "./address.ts";

export type ProxyChoice =
  /** Undefined: none. */
  { readonly proxy: string | undefined } | { readonly problem: string };

/**
 * The proxy that leads to a server: the one that was named (`none` and `environment` are words for it), else what `https_proxy`,
 * `HTTPS_PROXY`, `no_proxy` and `NO_PROXY` say. Servers of this machine need none.
 */
export function chooseProxy(server: string, env: Readonly<Record<string, string | undefined>>, named: string = "environment"): ProxyChoice {
  if (named === "none") return { proxy: undefined };
  if (named !== "environment") return isTls(server) ? checked(named, "the proxy that was named") : { problem: PLAIN };
  const [name, text] = firstOf(env, "https_proxy", "HTTPS_PROXY");
  if (text === "" || !isTls(server) || reachOfHost(new URL(server).hostname) === "loopback") return { proxy: undefined };
  const [, without] = firstOf(env, "no_proxy", "NO_PROXY");
  return isWithoutProxy(server, without) ? { proxy: undefined } : checked(text, `the proxy of ${name}`);
}

const PLAIN = "a server at http:// is reached without a proxy, which could read all that is sent: leave --proxy out";

/** `HOST:PORT` of a proxy, for people. */
export function proxyHost(proxy: string): string {
  const read = readProxyAddress(proxy);
  return "problem" in read ? "a proxy whose address is damaged" : read.shown;
}

function checked(text: string, what: string): ProxyChoice {
  const read = readProxyAddress(text);
  return "problem" in read ? { problem: `${what} ${read.problem}` } : { proxy: text.trim() };
}

const isTls = (server: string): boolean => new URL(server).protocol === "https:";

/** The small letters first, as curl does; what is empty says nothing. */
function firstOf(env: Readonly<Record<string, string | undefined>>, ...names: readonly string[]): readonly [name: string, value: string] {
  for (const name of names) {
    const value = env[name]?.trim() ?? "";
    if (value !== "") return [name, value];
  }
  return ["", ""];
}

/** Whether a list as in NO_PROXY (`host`, `.suffix`, an address, CIDR, `host:port`, `*`) names the server. */
export function isWithoutProxy(server: string, list: string): boolean {
  const url = new URL(server);
  const host = normaliseHost(url.hostname);
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  return host !== undefined && list.split(/[\s,]+/).some((entry) => entry !== "" && isNamed(host, port, entry));
}

function isNamed(host: string, port: string, entry: string): boolean {
  if (entry === "*") return true;
  const bare = bareHost(host);
  const range = /^\[?([0-9a-f.:]+)\]?\/(\d{1,3})$/i.exec(entry);
  if (range !== null) return isInRange(bare, range[1] ?? "", Number(range[2]));
  // An address of IPv6 without brackets has colons of its own.
  const [, name = "", only] = isIP(entry) === 6 ? [entry, entry] : (/^(.*?)(?::(\d+))?$/.exec(entry) ?? []);
  if (only !== undefined && Number(only) !== Number(port)) return false;
  if (isIP(bare) !== 0) return normaliseHost(name) === host;
  const suffix = normaliseHost(name.replace(/^\*?\./, ""));
  return suffix !== undefined && (host === suffix || host.endsWith(`.${suffix}`));
}

function isInRange(address: string, net: string, bits: number): boolean {
  const [kind, of] = [isIP(address), isIP(net)];
  if (kind === 0 || kind !== of || bits > (kind === 4 ? 32 : 128)) return false;
  const family = kind === 4 ? "ipv4" : "ipv6";
  const list = new BlockList();
  list.addSubnet(net, bits, family);
  return list.check(address, family);
}
