import type { IncomingMessage } from "node:http";

/** More was sent than is taken. */
export class TooLargeError extends Error {}

/**
 * Gives each part of a message as it comes. Resolves at its end, throws where it breaks off or `take` throws. Listeners, because an
 * asynchronous loop over a small body takes longer than all else that is done with it.
 */
export async function eachPart(message: IncomingMessage, take: (part: Buffer) => void): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const broken = (error?: Error): void => reject(error ?? new Error("the connection was closed before the end"));
    if (message.destroyed) {
      broken(message.errored ?? undefined);
      return;
    }
    message.on("data", (part: Buffer) => {
      try {
        take(part);
      } catch (error) {
        message.pause();
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
    message.once("end", resolve);
    message.once("error", broken);
    // After the end this changes nothing.
    message.once("close", () => broken());
  });
}

/** The whole of a message. Throws `TooLargeError` where it is longer. */
export async function bodyOf(message: IncomingMessage, limit: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  await eachPart(message, (part) => {
    length += part.length;
    if (length > limit) throw new TooLargeError("the server's answer is too large");
    parts.push(part);
  });
  const [first] = parts;
  return parts.length === 1 && first !== undefined ? first : Buffer.concat(parts);
}
