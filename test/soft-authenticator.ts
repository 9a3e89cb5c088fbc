import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import type { PasskeyCredential, PasskeyProof } from "@assent/guard/signature";

export type PasskeyAlgorithm = "ES256" | "RS256" | "EdDSA";

/** What an authenticator, or the browser before it, can be made to say otherwise. */
export interface SaidOtherwise {
  readonly type?: string;
  readonly origin?: string;
  /** Of the client's data: what stands beside. */
  readonly client?: Readonly<Record<string, unknown>>;
  readonly host?: string;
  readonly flags?: number;
  readonly credential?: string;
  /** Signs with another key than its own. */
  readonly signer?: KeyObject;
  readonly hash?: "sha256" | "sha512" | null;
}

const USER_PRESENT = 1;
const USER_VERIFIED = 4;
const ATTESTED = 64;
export const FLAGS = { present: USER_PRESENT, verified: USER_VERIFIED, both: USER_PRESENT | USER_VERIFIED } as const;

const sha256 = (data: string | Buffer): Buffer => createHash("sha256").update(data).digest();

/** A passkey in software: the bytes of WebAuthn level 2, made here and not by what checks them. */
export class SoftPasskey {
  readonly id = randomBytes(32).toString("base64url");
  readonly algorithm: PasskeyAlgorithm;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;

  constructor(algorithm: PasskeyAlgorithm = "ES256") {
    this.algorithm = algorithm;
    const pair =
      algorithm === "ES256"
        ? generateKeyPairSync("ec", { namedCurve: "P-256" })
        : algorithm === "RS256"
          ? generateKeyPairSync("rsa", { modulusLength: 2048 })
          : generateKeyPairSync("ed25519");
    [this.publicKey, this.privateKey] = [pair.publicKey, pair.privateKey];
  }

  get key(): string {
    return this.publicKey.export({ format: "der", type: "spki" }).toString("base64url");
  }

  of(person: string): PasskeyCredential {
    return { person, id: this.id, key: this.key };
  }

  /** As a browser gives it for `navigator.credentials.get`. */
  prove(challenge: string, site: string, otherwise: SaidOtherwise = {}): PasskeyProof {
    const { signer = this.privateKey, hash = this.algorithm === "EdDSA" ? null : "sha256" } = otherwise;
    const client = this.#client("webauthn.get", challenge, site, otherwise);
    const data = this.#data(site, otherwise.flags ?? FLAGS.both, otherwise.host);
    return {
      credential: otherwise.credential ?? this.id,
      authenticatorData: data.toString("base64url"),
      clientDataJSON: client.toString("base64url"),
      signature: sign(hash, Buffer.concat([data, sha256(client)]), signer).toString("base64url"),
    };
  }

  /** As a browser gives it for `navigator.credentials.create`, without an attestation; `attested`: with one. */
  register(
    challenge: string,
    site: string,
    otherwise: SaidOtherwise = {},
    attested: { readonly format: string; readonly statement: ReadonlyMap<string, Cbor> } = { format: "none", statement: new Map() },
  ): string {
    const id = Buffer.from(this.id, "base64url");
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const data = Buffer.concat([
      this.#data(site, (otherwise.flags ?? FLAGS.both) | ATTESTED, otherwise.host),
      Buffer.alloc(16),
      length,
      id,
      cbor(this.#cose()),
    ]);
    const object = new Map<string, Cbor>([
      ["fmt", attested.format],
      ["attStmt", attested.statement],
      ["authData", data],
    ]);
    return JSON.stringify({
      id: otherwise.credential ?? this.id,
      rawId: otherwise.credential ?? this.id,
      type: "public-key",
      response: {
        clientDataJSON: this.#client("webauthn.create", challenge, site, otherwise).toString("base64url"),
        attestationObject: cbor(object).toString("base64url"),
      },
    });
  }

  #client(type: string, challenge: string, site: string, otherwise: SaidOtherwise): Buffer {
    const said = { type: otherwise.type ?? type, challenge, origin: otherwise.origin ?? site, crossOrigin: false, ...otherwise.client };
    return Buffer.from(JSON.stringify(said));
  }

  #data(site: string, flags: number, host = new URL(site).hostname): Buffer {
    return Buffer.concat([sha256(host), Buffer.from([flags]), Buffer.from([0, 0, 0, 1])]);
  }

  /** RFC 9053. */
  #cose(): ReadonlyMap<number, Cbor> {
    const { x, y, n, e } = this.publicKey.export({ format: "jwk" });
    const bytes = (text: string | undefined): Buffer => Buffer.from(text ?? "", "base64url");
    const parts: Readonly<Record<PasskeyAlgorithm, readonly (readonly [number, Cbor])[]>> = {
      ES256: [[1, 2], [3, -7], [-1, 1], [-2, bytes(x)], [-3, bytes(y)]], // prettier-ignore
      EdDSA: [[1, 1], [3, -8], [-1, 6], [-2, bytes(x)]], // prettier-ignore
      RS256: [[1, 3], [3, -257], [-1, bytes(n)], [-2, bytes(e)]], // prettier-ignore
    };
    return new Map(parts[this.algorithm]);
  }
}

export type Cbor = number | string | Buffer | readonly Cbor[] | ReadonlyMap<number | string, Cbor>;

/** RFC 8949, as much as an authenticator says. */
function cbor(value: Cbor): Buffer {
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === "string") return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (isList(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)]);
  return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, one]) => [cbor(key), cbor(one)])]);
}

const isList = (value: Cbor): value is readonly Cbor[] => Array.isArray(value);

function head(major: number, count: number): Buffer {
  const first = major << 5;
  if (count < 24) return Buffer.from([first | count]);
  if (count < 256) return Buffer.from([first | 24, count]);
  return Buffer.from([first | 25, count >> 8, count & 255]);
}
