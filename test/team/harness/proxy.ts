import { createServer, type IncomingMessage } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, connect, createServer as createRawServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";

/** Of nobody, for nothing else (`openssl req -x509 -newkey ec …`): team.example.com, localhost and 127.0.0.1. */
export const OURS = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgGvJsrSrY6xvpdAfR
WZys8oKpVGbWUSeScTzeMY8xmNyhRANCAAT3OCVVdfSVaIsVjRsHjGCNPmla/kGb
x8lPu1UWsVX3aSuzLEv8PBXCtptyUhBp3c2sLq42oMPi23BNYRw3hH37
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBvTCCAWKgAwIBAgIUBOBfYJG3kUVl6kcMrR19iVpfxeswCgYIKoZIzj0EAwIw
GzEZMBcGA1UEAwwQdGVhbS5leGFtcGxlLmNvbTAgFw0yNjExMjYyMjU0MTlaGA8y
MTI2MTEwMjIyNTQxOVowGzEZMBcGA1UEAwwQdGVhbS5leGFtcGxlLmNvbTBZMBMG
ByqGSM49AgEGCCqGSM49AwEHA0IABPc4JVV19JVoixWNGweMYI0+aVr+QZvHyU+7
VRaxVfdpK7MsS/w8FcK2m3JSEGndzawurjagw+LbcE1hHDeEffujgYEwfzAdBgNV
HQ4EFgQU9EHosYWuraUZgdqLObqeAS37B0gwHwYDVR0jBBgwFoAU9EHosYWuraUZ
gdqLObqeAS37B0gwDwYDVR0TAQH/BAUwAwEB/zAsBgNVHREEJTAjghB0ZWFtLmV4
YW1wbGUuY29tgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZIzj0EAwIDSQAwRgIhAMMp
m8T99SAxS+HfDNcmW1ZZ5TmJemy0r/JBVXkZm1K1AiEAz6pn69Om90ad7787YuZ/
x5p1eadXqeUUH9C8PAGp9zU=
-----END CERTIFICATE-----
`,
};
/** Of somebody who says that they are team.example.com. */
const LIARS = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgIX1jXlolF463ulOr
XQ8miJ53sLINhz1qMKdasL9klpChRANCAASqCoU9RjNQNa4mnbI9BojJsn056er8
wm7ij03oE0KE+NOZ0tsAxnG/MvxnOKfuOGh1czer3plSIN4GVG+t2hyU
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBqjCCAVCgAwIBAgIULny28y/byrSb/FiqBArzZzxoAzEwCgYIKoZIzj0EAwIw
GzEZMBcGA1UEAwwQdGVhbS5leGFtcGxlLmNvbTAgFw0yNjExMjYyMjU0MTlaGA8y
MTI2MTEwMjIyNTQxOVowGzEZMBcGA1UEAwwQdGVhbS5leGFtcGxlLmNvbTBZMBMG
ByqGSM49AgEGCCqGSM49AwEHA0IABKoKhT1GM1A1riadsj0GiMmyfTnp6vzCbuKP
TegTQoT405nS2wDGcb8y/Gc4p+44aHVzN6vemVIg3gZUb63aHJSjcDBuMB0GA1Ud
DgQWBBQeFoW58MUJ7IlkNLwMj1o0RWv+mDAfBgNVHSMEGDAWgBQeFoW58MUJ7Ilk
NLwMj1o0RWv+mDAPBgNVHRMBAf8EBTADAQH/MBsGA1UdEQQUMBKCEHRlYW0uZXhh
bXBsZS5jb20wCgYIKoZIzj0EAwIDSAAwRQIhANbsjNKPzPeVbDYmOTr8BYGDDJhl
ODPtxLwZNjvJWT74AiB0dxbNuKGdD8hOskmARXgpYjjl/+vbYdqS4QMVHEX36w==
-----END CERTIFICATE-----
`,
};

/** What a proxy does with who asks for a way. */
export type ProxyManner =
  /** `after`: so many bytes from the server later it breaks off. */
  | { readonly is: "through"; readonly after?: number }
  | { readonly is: "answers"; readonly text: string }
  | { readonly is: "hangs" }
  | { readonly is: "hangs up" }
  /** It says yes, and nothing after that. */
  | { readonly is: "swallows" }
  /** It opens TLS, with a certificate of its own. */
  | { readonly is: "intercepts" };

/** A proxy on this machine: whatever name it is asked for, it leads to the one server, and keeps what it saw. */
export class TestProxy {
  manner: ProxyManner = { is: "through" };
  /** `name:password`; undefined: it lets everybody through. */
  wants: string | undefined;
  /** The heads of all requests to it. */
  readonly asked: { readonly target: string; readonly headers: IncomingMessage["headers"] }[] = [];
  /** All bytes that went through it, in both directions; and what an intercepting one could read. */
  readonly seen: Buffer[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #port = 0;
  readonly #to: number;
  readonly #scheme: "http" | "https";
  readonly #liar = createTlsServer(LIARS, (socket) =>
    socket.on("data", (part: Buffer) => this.seen.push(part)).on("error", () => undefined),
  );

  private constructor(to: number, scheme: "http" | "https") {
    [this.#to, this.#scheme] = [to, scheme];
    const server = scheme === "http" ? createServer() : createSecureServer(OURS);
    server.on("connect", (request: IncomingMessage, socket: Socket, head: Buffer) => this.#take(request, socket, head));
    server.on("request", (_, response) => response.writeHead(400).end());
    server.on("connection", (socket: Socket) => this.#keep(socket));
    server.on("tlsClientError", () => undefined);
    this.#liar.on("tlsClientError", () => undefined);
    this.#server = server;
  }

  static async start(to: number, scheme: "http" | "https" = "http"): Promise<TestProxy> {
    const made = new TestProxy(to, scheme);
    await listen(made.#server);
    await listen(made.#liar);
    made.#port = portOf(made.#server);
    return made;
  }

  get port(): number {
    return this.#port;
  }

  address(credentials = ""): string {
    return `${this.#scheme}://${credentials === "" ? "" : `${credentials}@`}localhost:${this.port}`;
  }

  get open(): number {
    return this.#sockets.size;
  }

  /** As where its machine is switched off. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    for (const server of [this.#server, this.#liar]) await new Promise((resolve) => server.close(resolve));
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => this.#sockets.delete(socket));
  }

  #take(request: IncomingMessage, socket: Socket, head: Buffer): void {
    socket.on("error", () => undefined).on("end", () => socket.end());
    this.asked.push({ target: request.url ?? "", headers: request.headers });
    const { manner, wants } = this;
    const given = request.headers["proxy-authorization"];
    if (wants !== undefined && given !== `Basic ${Buffer.from(wants).toString("base64")}`)
      return void socket.end('HTTP/1.1 407 No\r\nproxy-authenticate: Basic realm="x"\r\nconnection: close\r\n\r\n');
    if (manner.is === "hangs") return void socket.resume();
    if (manner.is === "hangs up") return void socket.destroy();
    if (manner.is === "answers") return void socket.end(manner.text);
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    if (manner.is === "swallows") return void socket.resume();
    const out = connect(manner.is === "intercepts" ? portOf(this.#liar) : this.#to, "127.0.0.1");
    this.#keep(out);
    out.write(head);
    let left = manner.is === "through" ? (manner.after ?? Infinity) : Infinity;
    socket.on("data", (part: Buffer) => void (this.seen.push(part), out.write(part)));
    out.on("data", (part: Buffer) => {
      this.seen.push(part);
      left -= part.length;
      if (left < 0) socket.destroy();
      else socket.write(part);
    });
    socket.on("close", () => out.destroy());
    out.on("close", () => socket.destroy());
  }
}

/** What answers as no proxy does, to whatever is said. */
export async function startRaw(onSocket: (socket: Socket) => void): Promise<{ readonly address: string; close(): void }> {
  const server = createRawServer((socket) => {
    socket.on("error", () => undefined);
    onSocket(socket);
  });
  await listen(server);
  return { address: `localhost:${portOf(server)}`, close: () => void server.close() };
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;
const listen = (server: Server): Promise<void> => new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
