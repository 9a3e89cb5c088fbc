const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** The bytes of a text in base64, each a character. */
export function fromBase64(given: string): string {
  let bits = 0;
  let held = 0;
  let made = "";
  for (const c of given.replaceAll("-", "+").replaceAll("_", "/")) {
    const value = ALPHABET.indexOf(c);
    if (value < 0) continue;
    bits = (bits << 6) | value;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    made += String.fromCharCode((bits >> held) & 0xff);
    bits &= (1 << held) - 1;
  }
  return made;
}
