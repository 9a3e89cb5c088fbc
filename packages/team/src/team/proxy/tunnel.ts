import { request as plainRequest } from "node:http";
import { request as tlsRequest } from "node:https";
import { isIP, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { errorCode, messageOf } from "@assent/guard/state";
import { bareHost, type ProxyAddress, readProxyAddress } from "./address.ts";

export interface Tunnel {
  /** `https://HOST[:PORT]`. */
  readonly server: string;
  /** Certificates that vouch for the server, and for a proxy that speaks TLS; undefined: those that Node knows. */
  readonly ca: readonly string[] | undefined;
  /** For each of the two: the proxy's yes, and the server's certificate. Milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** What went wrong at a proxy or behind it, in words that name it and say what to do. */
export class ProxyProblem extends Error {}

const NAME_ANOTHER = "`assent team proxy ADDRESS` names another one, `assent team proxy none` goes without";

const NOTHING_SENT = "nothing was sent there; --ca of assent team join names certificates of your own";
const GIVE_THEM = "by HTTPS_PROXY and `assent team proxy environment`";

/**
 * A connection to the server through a proxy (CONNECT), with the server's certificate checked against its name: the proxy moves bytes
 * that it cannot read. Nothing of the request is sent before that.
 */
export async function connectThrough(proxy: string, tunnel: Tunnel): Promise<TLSSocket> {
  const address = readProxyAddress(proxy);
  if ("problem" in address) throw new ProxyProblem(`the proxy ${address.problem}`);
  return secure(await openTunnel(address, tunnel), address, tunnel);
}

const targetOf = (server: string): string => {
  const { hostname, port } = new URL(server);
  return `${hostname}:${port === "" ? "443" : port}`;
};

const nameOf = (host: string): { readonly servername?: string } => (isIP(host) === 0 ? { servername: host } : {});
const vouched = (ca: readonly string[] | undefined): { readonly ca?: string[] } => (ca === undefined ? {} : { ca: [...ca] });

function openTunnel(proxy: ProxyAddress, { server, ca, timeoutMs, signal }: Tunnel): Promise<Socket> {
  const target = targetOf(server);
  return settle<Socket>(`the proxy ${proxy.shown} does not answer: ${NAME_ANOTHER}`, timeoutMs, signal, (done, failed) => {
    const { host, port, credentials } = proxy;
    const asked = (proxy.isTls ? tlsRequest : plainRequest)({
      method: "CONNECT",
      host,
      port,
      path: target,
      headers: { host: target, ...(credentials === undefined ? {} : { "proxy-authorization": credentials }) },
      agent: false,
      ...(proxy.isTls ? { ...vouched(ca), ...nameOf(host), rejectUnauthorized: true } : {}),
    });
    asked.on("connect", ({ statusCode = 0 }, socket, head) => {
      const why = statusCode >= 200 && statusCode < 300 ? undefined : refusal(proxy, target, statusCode);
      socket.on("error", () => undefined);
      // A server of TLS says nothing before it is asked.
      if (why === undefined && head.length === 0) return done(socket);
      socket.destroy();
      failed(new ProxyProblem(why ?? notAProxy(proxy)));
    });
    asked.on("error", (error) => failed(new ProxyProblem(failure(proxy, error))));
    asked.on("close", () => failed(new ProxyProblem(closed(proxy))));
    asked.end();
    return asked;
  });
}

function secure(socket: Socket, proxy: ProxyAddress, { server, ca, timeoutMs, signal }: Tunnel): Promise<TLSSocket> {
  const host = bareHost(new URL(server).hostname);
  const target = targetOf(server);
  return settle<TLSSocket>(
    `nothing comes from ${target} through the proxy ${proxy.shown}: ${NAME_ANOTHER}`,
    timeoutMs,
    signal,
    (done, failed) => {
      const made = connectTls({ socket, host, ...nameOf(host), ...vouched(ca), ALPNProtocols: ["http/1.1"], rejectUnauthorized: true });
      made.on("secureConnect", () => done(made));
      made.on("error", (error: Error) =>
        failed(
          new ProxyProblem(
            isAboutCertificate(error)
              ? `what comes through the proxy ${proxy.shown} is not ${target} by its certificate (${messageOf(error)}): ${NOTHING_SENT}`
              : closed(proxy, messageOf(error)),
          ),
        ),
      );
      made.on("close", () => {
        socket.destroy();
        failed(new ProxyProblem(closed(proxy)));
      });
      return made;
    },
  );
}

/** Settles once. What is given up is destroyed. */
function settle<T>(
  late: string,
  timeoutMs: number,
  signal: AbortSignal,
  begin: (done: (value: T) => void, failed: (error: Error) => void) => { destroy(): unknown },
): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    };
    const failed = (error: Error): void => {
      end();
      reject(error);
    };
    const giveUp = (error: Error): void => {
      failed(error);
      begun.destroy();
    };
    const abort = (): void => giveUp(new Error("it was given up"));
    const timer = setTimeout(() => giveUp(new ProxyProblem(late)), timeoutMs);
    const begun = begin((value) => {
      end();
      resolve(value);
    }, failed);
    signal.addEventListener("abort", abort);
    if (signal.aborted) abort();
  });
}

function refusal({ shown, credentials }: ProxyAddress, target: string, status: number): string {
  if (status === 407)
    return credentials === undefined
      ? `the proxy ${shown} wants a name and a password (407): give them in its address, http://NAME:PASSWORD@HOST:PORT, ${GIVE_THEM}`
      : `the proxy ${shown} does not take the name and the password that it was given (407; only Basic is known): give others ${GIVE_THEM}`;
  if (status === 403 || status === 405)
    return `the proxy ${shown} does not let this machine reach ${target} (${status}): ask who runs it to let ${target} through, or ${NAME_ANOTHER}`;
  return `the proxy ${shown} cannot reach ${target}, or will not (${status}): ${NAME_ANOTHER}`;
}

const notAProxy = ({ shown }: ProxyAddress): string => `what answers at ${shown} is not a proxy: ${NAME_ANOTHER}`;

const closed = ({ shown }: ProxyAddress, why?: string): string =>
  `the proxy ${shown} closed the connection${why === undefined ? "" : ` (${why})`}: it is tried again; where it goes on, ${NAME_ANOTHER}`;

/** Of X.509, as Node calls them; ERR_TLS_CERT_ALTNAME_INVALID is another name than the one asked for. */
const isAboutCertificate = (error: Error): boolean =>
  /CERT|UNABLE_TO_|_CRL|HOSTNAME_MISMATCH|INVALID_(?:CA|PURPOSE)/.test(errorCode(error));

/** The first byte of a record of TLS that is an alert (RFC 8446): the proxy was spoken to in plain text. */
const ALERT = 0x15;

function failure(proxy: ProxyAddress, error: Error): string {
  const code = errorCode(error);
  const raw: unknown = "rawPacket" in error ? error.rawPacket : undefined;
  if (code.startsWith("HPE_"))
    return raw instanceof Uint8Array && raw[0] === ALERT ? `the proxy ${proxy.shown} speaks TLS: name it as https://` : notAProxy(proxy);
  if (proxy.isTls && (code === "EPROTO" || code.startsWith("ERR_SSL_")))
    return `the proxy ${proxy.shown} does not speak TLS: name it as http://`;
  if (proxy.isTls && isAboutCertificate(error))
    return `the proxy ${proxy.shown} has a certificate that nobody vouches for (${messageOf(error)}): --ca of assent team join names certificates of your own`;
  if (code === "ECONNRESET" || code === "EPIPE") return closed(proxy);
  return `the proxy ${proxy.shown} cannot be reached (${code}): ${NAME_ANOTHER}`;
}
