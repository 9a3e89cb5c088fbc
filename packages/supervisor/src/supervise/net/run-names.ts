import { messageOf } from "@assent/guard/state";
import { DnsRelay, type RelayAddress, type RelayOptions } from "./dns-relay.ts";
import { Names } from "./names.ts";
import { hostsOf, nameServersOf } from "./resolv.ts";

/** The names that a run knows, and its name server, which is started when it is needed. */
export interface RunNames {
  readonly names: Names;
  /** Undefined: names are not known, and what is asked about are addresses. */
  readonly relay: () => RelayAddress | undefined;
  readonly close: () => void;
}

/** `allow`: which names may be looked up; absent: all. */
export function runNames(onNotice: ((text: string) => void) | undefined, allow: RelayOptions["allow"]): RunNames {
  const hosts = hostsOf();
  const servers = nameServersOf();
  const names = new Names(() => hosts.value);
  let started: ReturnType<typeof DnsRelay.start> | undefined;
  let failed = false;
  const relay = (): RelayAddress | undefined => {
    if (started !== undefined || failed) return started?.address;
    try {
      started = DnsRelay.start({
        nameServers: () => servers.value,
        onNames: (found) => names.add(found, performance.now()),
        ...(allow === undefined ? {} : { allow, answersNone: true }),
      });
    } catch (error) {
      failed = true;
      onNotice?.(`host names cannot be looked up: ${messageOf(error)}`);
    }
    return started?.address;
  };
  return { names, relay, close: () => started?.relay.close() };
}
