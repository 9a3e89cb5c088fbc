import { alloc } from "../kernel/index.ts";
import type { Memory } from "./memory.ts";
import { write } from "./net/message.ts";

/** What drivers of browsers (Playwright, Puppeteer) tell Chromium, and means something on macOS alone. */
const NEEDLESS = "--use-mock-keychain";
/** No longer than that. */
const INSTEAD = "--no-zygote";

/**
 * Chromium's zygote knows its processes by the numbers that come with their messages (SCM_CREDENTIALS, unix(7)), which are the
 * supervisor's here, and it waits for ever. Without its sandbox it does without a zygote where it is told so: a driver's word that
 * means nothing on Linux becomes that one, in the memory of the program that starts it. The words as they are then.
 */
export function withoutZygote(memory: Memory, tid: number, argvAt: number, words: readonly string[]): readonly string[] {
  const at = words.indexOf(NEEDLESS);
  const isOther = words.some((word) => word === INSTEAD || word.startsWith("--type="));
  if (at < 1 || isOther || !words.includes("--no-sandbox")) return words;
  const pointer = memory.bytes(tid, argvAt + 8 * at, 8);
  if (typeof pointer === "number") return words;
  const address = pointer.readUInt32LE(0) + pointer.readUInt32LE(4) * 0x1_0000_0000;
  // What the kernel then starts is compared with these words, as ever.
  const bytes = alloc(INSTEAD.length + 1);
  bytes.write(INSTEAD);
  return write(tid, address, bytes) ? words.with(at, INSTEAD) : words;
}
