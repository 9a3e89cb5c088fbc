import { randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import { errorCode, type Machine } from "@assent/guard/state";

/**
 * Where the page is. Its name is one that nobody can guess: what another server leaves in a browser for `127.0.0.1` and a port (a
 * service worker that answers in place of whoever has that port later, cookies, storage) is for that name alone. Browsers take
 * every name below `localhost` for this machine, without asking anybody (RFC 6761, 6.3), by either of its addresses: both are
 * held, so that nobody else waits at the other one.
 */
export interface PageAddress {
  readonly servers: readonly Server[];
  readonly port: number;
}

const TRIES = 20;
const REQUEST_MS = 30_000;
const MOST_CONNECTIONS = 128;

/** Safari asks the system's resolver, which may not know such names. */
export const pageName = ({ platform }: Machine): string =>
  platform === "darwin" ? "127.0.0.1" : `${BigInt(`0x${randomBytes(12).toString("hex")}`).toString(36)}.localhost`;

export async function listenHere(): Promise<PageAddress> {
  for (let tries = 1; ; tries++) {
    const [first, port] = await listenAt("127.0.0.1", 0);
    try {
      const [second] = await listenAt("::1", port);
      return { servers: [first, second], port };
    } catch (error) {
      const code = errorCode(error);
      // A machine without IPv6 has nobody there either.
      if (code === "EAFNOSUPPORT" || code === "EADDRNOTAVAIL") return { servers: [first], port };
      first.close();
      if (code !== "EADDRINUSE" || tries === TRIES) throw error;
    }
  }
}

async function listenAt(host: string, wanted: number): Promise<readonly [Server, number]> {
  const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS, maxHeaderSize: 16 << 10 });
  server.maxConnections = MOST_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port: wanted, ipv6Only: host === "::1" }, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the page's server has no port");
  return [server, address.port];
}
