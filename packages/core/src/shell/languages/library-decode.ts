import { fromBase64 } from "./base64.ts";
import { type CallArguments, type KnownValue, text, texts } from "./library-values.ts";

export const DECODED_NAME = "decoded text";
/** What a decoder made of something that is not in the text, or in a way that is not followed here. */
export const DECODED: KnownValue = { is: "name", name: DECODED_NAME };
/** What a file holds: code in one is code of a file. */
export const CONTENT = "text of a file";
export const READS = /^(?:open|io\.open|codecs\.open|fs\.readFile|File\.(?:read|binread|open|new)|IO\.read|Deno\.readTextFile|Bun\.file)$/;
/** Functions that run their argument, whatever it is. */
export const EVALUATES = new Set(
  (
    "exec eval compile builtins.exec builtins.eval vm.runInThisContext vm.runInNewContext vm.runInContext vm.Script " +
    "Function instance_eval class_eval module_eval Kernel.eval"
  ).split(" "),
);

const BASE64 = new RegExp(
  String.raw`^(?:base64\.(?:b64decode|standard_b64decode|urlsafe_b64decode|decodebytes|decodestring)|binascii\.a2b_base64|atob|` +
    String.raw`(?:globalThis\.|window\.)?atob|(?:MIME::Base64::)?decode_base64(?:url)?|Base64\.(?:strict_|urlsafe_)?decode64)$`,
);
const HEX = /^(?:bytes\.fromhex|bytearray\.fromhex|binascii\.(?:unhexlify|a2b_hex)|base64\.b16decode)$/;
const OTHERS = new RegExp(
  String.raw`^(?:base64\.\w*decode|binascii\.a2b_\w+|(?:zlib|gzip|bz2|lzma|brotli|zstandard)\.(?:decompress|inflate(?:Raw)?|gunzip|` +
    String.raw`unzip|brotliDecompress)|marshal\.loads|pickle\.loads|codecs\.decode|quopri\.decodestring|uu\.decode|` +
    String.raw`Zlib(?:::Inflate)?\.inflate|Zlib\.gunzip|unescape|decodeURI(?:Component)?|unpack|(?:\w+\.)*decrypt)$`,
);

const fromHex = (given: string): string =>
  given.replaceAll(/[^0-9a-f]/gi, "").replaceAll(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16)));

const rotate = (given: string): string =>
  given.replaceAll(/[a-z]/gi, (c) => {
    const first = c <= "Z" ? 65 : 97;
    return String.fromCharCode(((c.charCodeAt(0) - first + 13) % 26) + first);
  });

/** What a decoder of one of the standard libraries returns; undefined: the function is none. */
export function decoded(name: string, args: CallArguments): KnownValue | undefined {
  const [given] = args.all.slice(0, 1).flatMap(texts);
  const [how = ""] = args.all.slice(1, 2).flatMap(texts);
  const made = (decode: (source: string) => string): KnownValue => (given === undefined ? DECODED : text(decode(given)));
  if (BASE64.test(name)) return made(fromBase64);
  if (HEX.test(name)) return made(fromHex);
  if (/^Buffer\.from$/.test(name)) return how.startsWith("base64") ? made(fromBase64) : how === "hex" ? made(fromHex) : undefined;
  if (name === "codecs.decode" && /^rot_?13$/.test(how)) return made(rotate);
  if (name === "codecs.decode" && /^(?:hex|base64)/.test(how)) return made(how.startsWith("hex") ? fromHex : fromBase64);
  if (name === "pack") return given?.startsWith("H") === true ? (how === "" ? DECODED : text(fromHex(how))) : DECODED;
  return OTHERS.test(name) ? DECODED : undefined;
}

/** `["7075"].pack("H*")`, `"cHV0".unpack1("m")`, `"…".tr("A-Za-z", "N-ZA-Mn-za-m")`. */
export function decodedByMethod(of: KnownValue, name: string, { all }: CallArguments): KnownValue | undefined {
  const [form = ""] = all.flatMap(texts);
  if (!/^(?:pack|unpack1?|tr|translate)$/.test(name)) return undefined;
  const [given] = texts(of);
  if (given === undefined) return DECODED;
  if (name === "pack" && form.startsWith("H")) return text(fromHex(given));
  if (name === "unpack1" && form.startsWith("m")) return text(fromBase64(given));
  if (name === "unpack" && form.startsWith("m")) return { is: "list", items: [text(fromBase64(given))] };
  return name === "tr" && form === "A-Za-z" ? text(rotate(given)) : DECODED;
}

const SUBSTITUTION = /(?:^|[\s;{(~])s([^\w\s])((?:\\.|(?!\1)[^\\])*)\1((?:\\.|(?!\1)[^\\])*)\1([a-z]*)/gs;

/** `s/(.*)/$1/ee` and `s/(.*)/`$1`/e` of Perl run what the input holds. */
export function substitutesCode(source: string): boolean {
  return [...source.matchAll(SUBSTITUTION)].some(
    ([, , , replacement = "", flags = ""]) =>
      /e.*e/.test(flags) ||
      (flags.includes("e") && /[$@&]/.test(replacement) && /`|\b(?:system|exec|eval|qx|open|do|require)\b/.test(replacement)),
  );
}
