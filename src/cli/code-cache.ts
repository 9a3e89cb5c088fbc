// V8 believes a code cache with a flipped bit, and one of another text of the same length. So each cache begins with sums
// of the text it was made from and of itself. They are against damage and mix-ups: who may write the file can write them too.

const HEADER = 4 * Int32Array.BYTES_PER_ELEMENT;
/** Odd, so that no change of one word is lost; small enough for the product with 32 bits to be exact. */
const FACTOR = 0x2c1b3d;

/** Of a fresh process: node:crypto alone takes longer to load than this takes to run. */
function sum(bytes: Buffer): number {
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
  let result = bytes.length | 0;
  for (let at = 0; at < words.length; at++) result = ((result ^ (words[at] ?? 0)) * FACTOR) | 0;
  for (let at = words.length << 2; at < bytes.length; at++) result = ((result ^ (bytes[at] ?? 0)) * FACTOR) | 0;
  return result;
}

/** What is kept of a cache: begins at a multiple of four in its memory, as all of these do. */
export function sealCache(source: Buffer, cache: Buffer): Buffer {
  const sealed = Buffer.allocUnsafeSlow(HEADER + cache.length);
  sealed.set(cache, HEADER);
  for (const [at, value] of sumsOf(source, sealed.subarray(HEADER)).entries()) sealed.writeInt32LE(value, at * 4);
  return sealed;
}

/** The cache, when it is whole and of this text. */
export function unsealCache(source: Buffer, sealed: Buffer | undefined): Buffer | undefined {
  if (sealed === undefined || sealed.length <= HEADER) return undefined;
  const cache = sealed.subarray(HEADER);
  return sumsOf(source, cache).every((value, at) => sealed.readInt32LE(at * 4) === value) ? cache : undefined;
}

const sumsOf = (source: Buffer, cache: Buffer): readonly number[] => [source.length, sum(source), cache.length, sum(cache)];
