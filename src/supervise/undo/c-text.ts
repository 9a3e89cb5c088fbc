import { addressOf, cString, pathBytes } from "../kernel/index.ts";

/** What addresses were given out for, the last few: a collector does not know that an address is in use. */
const recent: Buffer[] = [];
const KEPT = 256;
let next = 0;

/** Keeps the buffer for the next calls; its address. */
export function lent(buffer: Buffer): number {
  recent[next] = buffer;
  next = (next + 1) % KEPT;
  return addressOf(buffer);
}

/** The address of these bytes as a C string, for the next calls. A text is spelled as `pathBytes` does. */
export const cText = (text: string | Uint8Array): number => lent(cString(typeof text === "string" ? pathBytes(text) : text));

/** `/proc/self/fd/N`, through which a descriptor of O_PATH can be opened and changed. */
export const selfFd = (fd: number): number => cText(`/proc/self/fd/${fd}`);
