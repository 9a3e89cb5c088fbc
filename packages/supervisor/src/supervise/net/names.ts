/** An answer as the relay found it. */
export interface FoundNames {
  /** The name that was asked for. */
  readonly name: string;
  /** Other names that it is a word for (CNAME). */
  readonly aliases: readonly string[];
  readonly addresses: readonly { readonly address: Uint8Array; /** Seconds. */ readonly ttl: number }[];
}

export interface NameOf {
  readonly name: string;
  /**
   * Asked for by this name: rules may allow it. Else the name only stands in a chain of aliases, which whoever owns the
   * first name made up: rules may deny it.
   */
  readonly asked: boolean;
  /** It stands in hosts(5), where only this machine's administrator writes. */
  readonly local?: true;
}

/** Programs keep addresses for longer than they should; ten minutes of grace. Seconds. */
const SHORTEST = 600;
const LONGEST = 86_400;
const MOST_ADDRESSES = 16_384;
const MOST_NAMES = 32;

interface KnownName {
  readonly asked: boolean;
  /** Milliseconds of the caller's clock. */
  readonly until: number;
}

/**
 * Which names lead to an address, by answers of the system's resolver. A bound on everything: what is forgotten too
 * soon is asked about by its address.
 */
export class Names {
  readonly #known = new Map<string, Map<string, KnownName>>();
  readonly #hosts: () => ReadonlyMap<string, readonly string[]>;

  /** `hosts`: hosts(5), by the address in hex. */
  constructor(hosts: () => ReadonlyMap<string, readonly string[]> = () => new Map()) {
    this.#hosts = hosts;
  }

  /** `now` in milliseconds, of any clock that does not go back. */
  add(found: FoundNames, now: number): void {
    for (const { address, ttl } of found.addresses) {
      const key = keyOf(address);
      const names = this.#known.get(key) ?? new Map<string, KnownName>();
      // Again at the end: the oldest address goes first.
      this.#known.delete(key);
      this.#known.set(key, names);
      const until = now + 1000 * Math.min(LONGEST, Math.max(SHORTEST, ttl));
      put(names, found.name, { asked: true, until });
      for (const alias of found.aliases) if (names.get(alias)?.asked !== true) put(names, alias, { asked: false, until });
    }
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MOST_ADDRESSES) break;
      this.#known.delete(oldest);
    }
  }

  /** Names of an address (4 or 16 bytes; `::ffff:a.b.c.d` is `a.b.c.d`), those asked for first, the newest first. */
  of(address: Uint8Array, now: number): readonly NameOf[] {
    const key = keyOf(address);
    const names = this.#known.get(key);
    const found: NameOf[] = [];
    for (const [name, { asked, until }] of names ?? []) {
      if (until > now) found.unshift({ name, asked });
      else names?.delete(name);
    }
    for (const name of this.#hosts().get(key) ?? []) found.push({ name, asked: true, local: true });
    return found.sort((a, b) => Number(b.asked) - Number(a.asked));
  }

  get size(): number {
    return this.#known.size;
  }
}

function put(names: Map<string, KnownName>, name: string, entry: KnownName): void {
  const before = names.get(name);
  names.delete(name);
  names.set(name, before === undefined || before.until < entry.until ? entry : { ...entry, until: before.until });
  const [oldest] = names.keys();
  if (names.size > MOST_NAMES && oldest !== undefined) names.delete(oldest);
}

function keyOf(address: Uint8Array): string {
  const isMapped =
    address.length === 16 && address.subarray(0, 10).every((byte) => byte === 0) && address[10] === 0xff && address[11] === 0xff;
  return Buffer.from(isMapped ? address.subarray(12) : address).toString("hex");
}
