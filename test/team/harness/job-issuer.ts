import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from "jose";

/** What signs the tokens of CI jobs, on loopback: its keys by discovery, and the address that a job of GitHub asks for its token. */
export class JobIssuer {
  /** Requests for keys and metadata. */
  asked = 0;
  /** What its metadata says in place of the truth. */
  lies: Readonly<Record<string, unknown>> = {};
  readonly #server: Server;
  readonly #key: CryptoKey;
  readonly #public: JWK;
  #count = 0;

  private constructor(key: CryptoKey, shown: JWK) {
    this.#key = key;
    this.#public = shown;
    this.#server = createServer((request, response) => {
      const url = new URL(request.url ?? "/", this.url);
      const say = (value: object): void => void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
      if (url.pathname === "/job") {
        if (request.headers.authorization !== "Bearer job-secret") return void response.writeHead(401).end("{}");
        return void this.token({}, url.searchParams.get("audience") ?? "").then((value) => say({ value }));
      }
      this.asked += 1;
      if (url.pathname === "/.well-known/openid-configuration")
        return say({ issuer: this.url, jwks_uri: `${this.url}/keys`, ...this.lies });
      if (url.pathname === "/keys") return say({ keys: [this.#public] });
      response.writeHead(404).end();
    });
  }

  static async start(): Promise<JobIssuer> {
    const { privateKey, publicKey } = await generateKeyPair("RS256");
    const made = new JobIssuer(privateKey, { ...(await exportJWK(publicKey)), kid: "k1", alg: "RS256", use: "sig" });
    await new Promise<void>((resolve) => made.#server.listen(0, "127.0.0.1", resolve));
    return made;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** As GitHub makes them, of now. */
  claims(more: Readonly<Record<string, unknown>> = {}, audience = "https://assent.example.com", at = Date.now()): JWTPayload {
    const now = Math.floor(at / 1000);
    return {
      iss: this.url,
      aud: audience,
      sub: "repo:acme/app:ref:refs/heads/main",
      jti: `job-${++this.#count}`,
      iat: now - 1,
      nbf: now - 1,
      exp: now + 300,
      repository: "acme/app",
      repository_owner: "acme",
      ref: "refs/heads/main",
      event_name: "push",
      ...more,
    };
  }

  token(more: Readonly<Record<string, unknown>> = {}, audience?: string, at?: number): Promise<string> {
    return this.sign(this.claims(more, audience, at));
  }

  sign(
    claims: JWTPayload,
    key: CryptoKey | Uint8Array = this.#key,
    header: { readonly alg: string; readonly kid?: string } = { alg: "RS256", kid: "k1" },
  ): Promise<string> {
    return new SignJWT(claims).setProtectedHeader(header).sign(key);
  }

  /** Its public key, as bytes: what a confused server might take for a shared secret. */
  get publicBytes(): Uint8Array {
    return new TextEncoder().encode(JSON.stringify(this.#public));
  }
}
