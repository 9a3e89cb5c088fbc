import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { Got } from "./server.ts";

export type Claims = Readonly<Record<string, unknown>>;
export const CLIENT = "assent";
export const SECRET = "a secret of the tests";

export async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export const cookieOf = (got: Got, name: string): string | undefined =>
  [got.headers["set-cookie"]]
    .flat()
    .find((one): one is string => typeof one === "string" && one.startsWith(`${name}=`) && !one.startsWith(`${name}=;`))
    ?.split(";")[0];

/** A provider that says what a test wants it to, signed by a key of its own. */
export class OddProvider {
  readonly #keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  claims: Claims = { sub: "ada", email: "ada@example.com", email_verified: true, groups: ["ops"] };
  /** What is wrong about the token. */
  change: (claims: Claims) => Claims = (claims) => claims;
  signer: KeyObject = this.#keys.privateKey;
  header: Claims = { alg: "ES256", kid: "k" };
  isAway = false;
  issuer = "";
  readonly #codes = new Map<string, { readonly nonce: string; readonly challenge: string }>();

  async start(): Promise<this> {
    this.issuer = await listening(createServer((request, response) => void this.#answer(request, response)));
    return this;
  }

  /** What the provider would send the browser back with. */
  approve(address: string): { readonly code: string; readonly state: string; readonly query: string } {
    const asked = new URL(address).searchParams;
    const code = `code${this.#codes.size}`;
    this.#codes.set(code, { nonce: asked.get("nonce") ?? "", challenge: asked.get("code_challenge") ?? "" });
    const state = asked.get("state") ?? "";
    return { code, state, query: `?code=${code}&state=${state}` };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const part of request.setEncoding("utf8")) body += String(part);
    const say = (status: number, message: object): void =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(message));
    if (this.isAway) return void response.destroy();
    if (request.url === "/.well-known/openid-configuration")
      return say(200, {
        issuer: this.issuer,
        authorization_endpoint: `${this.issuer}/authorize`,
        token_endpoint: `${this.issuer}/token`,
        jwks_uri: `${this.issuer}/jwks`,
        id_token_signing_alg_values_supported: ["ES256"],
      });
    if (request.url === "/jwks")
      return say(200, { keys: [{ ...this.#keys.publicKey.export({ format: "jwk" }), kid: "k", alg: "ES256", use: "sig" }] });
    const asked = new URLSearchParams(body);
    const begun = this.#codes.get(asked.get("code") ?? "");
    this.#codes.delete(asked.get("code") ?? "");
    const verifier = createHash("sha256")
      .update(asked.get("code_verifier") ?? "")
      .digest("base64url");
    if (begun === undefined || begun.challenge !== verifier) return say(400, { error: "invalid_grant" });
    const now = Math.floor(Date.now() / 1000);
    const base = { iss: this.issuer, aud: CLIENT, iat: now, exp: now + 300, nonce: begun.nonce };
    return say(200, { access_token: "a", token_type: "Bearer", id_token: this.token(this.change({ ...base, ...this.claims })) });
  }

  /** A token that says this, by the provider's key, or the one that a test wants. */
  token(claims: Claims, header: Claims = this.header): string {
    const head = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
    const signature =
      header["alg"] === "none"
        ? ""
        : sign("sha256", Buffer.from(head), { key: this.signer, dsaEncoding: "ieee-p1363" }).toString("base64url");
    return `${head}.${signature}`;
  }
}
