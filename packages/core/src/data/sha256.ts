/**
 * SHA-256 (FIPS 180-4), written for a process that hashes one line and ends: node's own costs it 3.5 ms to load, a library
 * that is made for speed costs 4 ms to warm up (evidence/performance.md). Held to node's own by test/data/sha256.test.ts.
 */
const K = /* @__PURE__ */ constants();

/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
function constants(): Int32Array {
  const words =
    "428a2f98 71374491 b5c0fbcf e9b5dba5 3956c25b 59f111f1 923f82a4 ab1c5ed5 d807aa98 12835b01 243185be 550c7dc3 72be5d74 " +
    "80deb1fe 9bdc06a7 c19bf174 e49b69c1 efbe4786 0fc19dc6 240ca1cc 2de92c6f 4a7484aa 5cb0a9dc 76f988da 983e5152 a831c66d " +
    "b00327c8 bf597fc7 c6e00bf3 d5a79147 06ca6351 14292967 27b70a85 2e1b2138 4d2c6dfc 53380d13 650a7354 766a0abb 81c2c92e " +
    "92722c85 a2bfe8a1 a81a664b c24b8b70 c76c51a3 d192e819 d6990624 f40e3585 106aa070 19a4c116 1e376c08 2748774c 34b0bcb5 " +
    "391c0cb3 4ed8aa4a 5b9cca4f 682e6ff3 748f82ee 78a5636f 84c87814 8cc70208 90befffa a4506ceb bef9a3f7 c67178f2";
  return Int32Array.from(words.split(" "), (word) => Number.parseInt(word, 16));
}

const W = /* @__PURE__ */ new Int32Array(64);

/** The digest of some parts, one after the other. */
export function sha256(parts: readonly Uint8Array[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const bytes = Buffer.alloc(((length + 72) >>> 6) << 6);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  bytes[length] = 0x80;
  bytes.writeUInt32BE(Math.floor(length / 0x2000_0000), bytes.length - 8);
  bytes.writeUInt32BE((length << 3) >>> 0, bytes.length - 4);
  const h = Int32Array.of(0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19);
  for (let from = 0; from < bytes.length; from += 64) block(bytes, from, h);
  const digest = Buffer.alloc(32);
  for (let i = 0; i < 8; i++) digest.writeInt32BE(h[i] ?? 0, 4 * i);
  return digest;
}

/* oxlint-disable typescript/no-non-null-assertion -- every index is below the fixed length of its array */
function block(bytes: Buffer, from: number, h: Int32Array): void {
  for (let i = 0, at = from; i < 16; i++, at += 4)
    W[i] = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
  for (let i = 16; i < 64; i++) {
    const x = W[i - 15]!;
    const y = W[i - 2]!;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    W[i] = W[i - 16]! + s0 + W[i - 7]! + s1;
  }
  let [a, b, c, d, e, f, g, k] = [h[0]!, h[1]!, h[2]!, h[3]!, h[4]!, h[5]!, h[6]!, h[7]!];
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (k + s1 + ((e & f) ^ (~e & g)) + K[i]! + W[i]!) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    k = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  h[0]! += a;
  h[1]! += b;
  h[2]! += c;
  h[3]! += d;
  h[4]! += e;
  h[5]! += f;
  h[6]! += g;
  h[7]! += k;
}
