import { readFileSync, statSync } from "node:fs";
import { parseAddress } from "@assent/core/policy";

/** A server of the system's resolver: resolv.conf(5). */
export interface NameServer {
  readonly address: Uint8Array;
  /** Interface behind `%`, for link-local addresses. */
  readonly zone?: string;
  readonly port: 53;
}

/** glibc uses three (MAXNS); others take more, and whoever may ask a fourth is answered by the same relay. */
const MOST_SERVERS = 8;
const LARGEST = 1 << 20;

/** `nameserver` lines of resolv.conf(5); none: the server on this machine. */
export function readNameServers(text: string): readonly NameServer[] {
  const servers: NameServer[] = [];
  for (const line of text.split("\n")) {
    const word = /^nameserver[ \t]+(\S+)/.exec(line)?.[1];
    const address = word === undefined ? undefined : parseAddress(word);
    if (word === undefined || address === undefined) continue;
    const zone = /%(.+)$/.exec(word)?.[1];
    servers.push({ address, port: 53, ...(zone === undefined ? {} : { zone }) });
    if (servers.length === MOST_SERVERS) break;
  }
  return servers.length > 0 ? servers : [{ address: Uint8Array.of(127, 0, 0, 1), port: 53 }];
}

/** hosts(5): address as hex, names lower-cased. */
export function readHosts(text: string): ReadonlyMap<string, readonly string[]> {
  const hosts = new Map<string, string[]>();
  for (const line of text.split("\n")) {
    const [first, ...words] = line.replace(/#.*$/, "").trim().split(/\s+/);
    const address = first === undefined ? undefined : parseAddress(first);
    if (address === undefined) continue;
    const key = Buffer.from(address).toString("hex");
    const names = words.map((word) => word.toLowerCase().replace(/\.$/, "")).filter((name) => /^[\w.-]+$/.test(name));
    hosts.set(key, [...(hosts.get(key) ?? []), ...names]);
  }
  return hosts;
}

/** A file read again when it has changed: the network may change under a long run. */
export class WatchedFile<T> {
  readonly #path: string;
  readonly #read: (text: string) => T;
  #seen = "";
  #value: T;

  constructor(path: string, read: (text: string) => T) {
    this.#path = path;
    this.#read = read;
    this.#value = read("");
  }

  get value(): T {
    try {
      const { mtimeMs, size, ino } = statSync(this.#path);
      const seen = `${mtimeMs} ${size} ${ino}`;
      if (seen !== this.#seen && size <= LARGEST) {
        this.#value = this.#read(readFileSync(this.#path, "utf8"));
        this.#seen = seen;
      }
    } catch {
      if (this.#seen !== "") this.#value = this.#read("");
      this.#seen = "";
    }
    return this.#value;
  }
}

export const nameServersOf = (path = "/etc/resolv.conf"): WatchedFile<readonly NameServer[]> => new WatchedFile(path, readNameServers);

export const hostsOf = (path = "/etc/hosts"): WatchedFile<ReadonlyMap<string, readonly string[]>> => new WatchedFile(path, readHosts);
