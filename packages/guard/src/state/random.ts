import { randomBytes } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";

/**
 * So many bytes that nobody can guess, in hexadecimal. From the kernel (random(4)), which `node:crypto` asks, too: loading it takes a
 * fresh process two milliseconds.
 */
export function randomHex(bytes: number): string {
  return (readKernel(bytes) ?? randomBytes(bytes)).toString("hex");
}

function readKernel(bytes: number): Buffer | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync("/dev/urandom", "r");
    const read = Buffer.alloc(bytes);
    return readSync(descriptor, read, 0, bytes, null) === bytes ? read : undefined;
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
