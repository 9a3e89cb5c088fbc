import { visible } from "@assent/core/action";
import { secretArguments, secretWords } from "./secret-arguments.ts";
import { isSecretName } from "./secret-names.ts";

export const REDACTED = "[redacted]";

/**
 * Tokens that can be told by their shape, each with a text that must occur: most texts hold none of these,
 * and compiling a pattern costs a fresh process more than looking. Every pattern starts at a boundary and consumes
 * its whole run, so that the scan is linear (pumped in test/audit/redact.test.ts).
 */
const SHAPES: readonly (readonly [needle: string, shape: RegExp])[] = [
  ["sk-", /(?<![A-Za-z0-9])sk-[\w-]{8,}/g], // OpenAI, Anthropic (sk-ant-…)
  ["sk_", /(?<![A-Za-z0-9])sk_(?:live_|test_)?\w{12,}/g], // Stripe
  ["rk_", /(?<![A-Za-z0-9])rk_(?:live_|test_)?\w{12,}/g],
  ["whsec_", /(?<![A-Za-z0-9])whsec_\w{12,}/g],
  ["gh", /(?<![A-Za-z0-9])gh[opusr]_\w{10,}/g],
  ["github_pat_", /(?<![A-Za-z0-9])github_pat_\w{10,}/g],
  ["gl", /(?<![A-Za-z0-9])gl(?:pat|ptt|rt|dt|soat|cbt|ft|imt|agent|oas)-[\w.-]{10,}/g],
  ["xox", /(?<![A-Za-z0-9])xox[a-z]-[\w-]{8,}/g],
  ["xapp-", /(?<![A-Za-z0-9])xapp-[\w-]{8,}/g],
  ["IA", /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])/g],
  ["AIza", /(?<![\w-])AIza[\w-]{30,}/g],
  ["ya29.", /(?<![\w-])ya29\.[\w-]{10,}/g],
  ["npm_", /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{20,}/g],
  ["pypi-", /(?<![A-Za-z0-9])pypi-[\w-]{20,}/g],
  ["hf_", /(?<![A-Za-z0-9])hf_[A-Za-z0-9]{16,}/g],
  ["_v1_", /(?<![A-Za-z0-9])do[opr]_v1_[a-f0-9]{16,}/g],
  ["shp", /(?<![A-Za-z0-9])shp(?:at|ca|pa|ss)_[a-fA-F0-9]{16,}/g],
  ["SG.", /(?<![\w.-])SG\.[\w-]{8,}\.[\w-]{8,}/g],
  ["AGE-SECRET-KEY-1", /(?<![A-Za-z0-9])AGE-SECRET-KEY-1[A-Z0-9]{8,}/g],
  ["hooks.slack.com/", /(?<=hooks\.slack\.com\/(?:services|workflows|triggers)\/)[\w/-]{8,}/g],
  ["/webhooks/", /(?<=\/api\/(?:v\d+\/)?webhooks\/\d{1,24}\/)[\w-]{8,}/g], // Discord
  [":AA", /(?<![A-Za-z0-9])\d{6,12}:AA[\w-]{30,}/g], // Telegram
  ["GOCSPX-", /(?<![\w-])GOCSPX-[\w-]{10,}/g],
  ["1//", /(?<![\w/-])1\/\/0[\w-]{20,}/g], // Google, to refresh
  ["gsk_", /(?<![A-Za-z0-9])gsk_\w{20,}/g],
  ["xai-", /(?<![\w-])xai-\w{20,}/g],
  ["pplx-", /(?<![\w-])pplx-\w{20,}/g],
  ["r8_", /(?<![A-Za-z0-9])r8_\w{20,}/g],
  ["dapi", /(?<![A-Za-z0-9])dapi[a-f0-9]{32}(?:-\d+)?/g], // Databricks
  ["lin_", /(?<![A-Za-z0-9])lin_(?:api|oauth)_\w{20,}/g],
  ["ntn_", /(?<![A-Za-z0-9])ntn_\w{20,}/g],
  ["secret_", /(?<![A-Za-z0-9])secret_\w{20,}/g], // Notion
  ["figd_", /(?<![A-Za-z0-9])figd_[\w-]{20,}/g],
  ["sntry", /(?<![A-Za-z0-9])sntry[su]_[\w=+/-]{20,}/g],
  ["sb", /(?<![A-Za-z0-9])sb(?:p|_secret)_\w{16,}/g], // Supabase
  ["hvs.", /(?<![\w.-])hv[sbr]\.[\w-]{20,}/g], // Vault
  ["hvb.", /(?<![\w.-])hvb\.[\w-]{20,}/g],
  [".atlasv1.", /(?<![\w.-])\w{10,20}\.atlasv1\.[\w-]{20,}/g],
  ["dp.", /(?<![\w.-])dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{16,}/g], // Doppler
  ["PMAK-", /(?<![\w-])PMAK-[\w-]{20,}/g],
  ["NRAK-", /(?<![\w-])NRAK-\w{16,}/g],
  ["pscale_", /(?<![A-Za-z0-9])pscale_(?:tkn|pw|oauth)_[\w.-]{16,}/g],
  ["gl", /(?<![A-Za-z0-9])gl(?:c|sa)_[\w=+/]{20,}/g], // Grafana
  ["AT", /(?<![A-Za-z0-9])AT(?:ATT3|BB|CTT3)[\w=-]{20,}/g], // Atlassian
  ["FlyV1", /(?<![A-Za-z0-9])FlyV1 fm\d[\w=+/,-]{10,}/g],
  ["fo1_", /(?<![A-Za-z0-9])fo1_[\w-]{16,}/g],
  ["tskey-", /(?<![\w-])tskey-[\w-]{12,}/g],
  ["rubygems_", /(?<![A-Za-z0-9])rubygems_[a-f0-9]{20,}/g],
  ["dckr_", /(?<![A-Za-z0-9])dckr_(?:pat|oat)_[\w-]{16,}/g],
  ["nfp_", /(?<![A-Za-z0-9])nfp_\w{20,}/g],
  ["pul-", /(?<![\w-])pul-[a-f0-9]{30,}/g],
  ["sq0", /(?<![A-Za-z0-9])sq0[a-z]{3}-[\w-]{16,}/g], // Square
  ["sig=", /(?<=[?&]sig=)[\w%+/=-]{16,}/gi], // Azure
  ["Signature=", /(?<=[?&](?:X-(?:Amz|Goog)-)?Signature=)[\w%+/=-]{16,}/g],
  ["key=", /(?<=[?&]key=)[\w-]{16,}/g],
  ["\\r", /(?<=(?<![A-Z_-])(?:AUTH|PASS) )[^\s"'\\]+(?=\\r)/g],
  ["SK", /(?<![A-Za-z0-9])SK[a-f0-9]{32}(?![a-f0-9])/g], // Twilio
  ["eyJ", /(?<![\w-])eyJ[\w-]{4,}\.[\w-]{4,}(?:\.[\w-]*)?/g], // JWT
];
const SCHEME_NAMES = ["bearer", "basic", "digest", "negotiate"];
const SCHEMES = /(?<=(?<![A-Za-z0-9])(?:bearer|basic|digest|negotiate)(?: |%20|\\ ){1,4})[\w.~+/=-]{3,}/gi;

const HEADER = /(?<![\w-])(?:proxy-)?authorization["']?(?:\\? ){0,4}[:=](?:\\? ){0,4}|(?<![\w-])(?:set-)?cookie["']?\s{0,4}:\s{0,4}/gi;
const ASSIGNMENT = /(?<![\w.-])[A-Za-z_.-][\w.-]{0,255}(?:\\{0,3}["']\]?)?(?:[ \t]{0,4}(?:=|:=|=>|:(?![/:]))[ \t]{0,4})/g;
/** What of SQL gives somebody a password, and the lines of `.netrc`. */
const STATEMENT = new RegExp(
  String.raw`\b(?:(?:alter|create)\s{1,4}(?:user|role|login)\b[^;]{0,300}?\bpassword\s{0,4}=?|` +
    String.raw`identified\s{1,4}(?:with\s{1,4}\S{1,64}\s{1,4})?(?:by|as)(?:\s{1,4}password)?|set\s{1,4}password\b[^;]{0,300}?(?:=|` +
    String.raw`\bto\b)(?:\s{0,4}password)?)\s{0,4}\(?\s{0,4}(?=\\?['"])|\bmachine\s{1,4}\S{1,256}\s{1,4}(?:(?:login|` +
    String.raw`account)\s{1,4}\S{1,256}\s{1,4}){0,2}password\s{1,4}`,
  "gi",
);
const USERINFO = /(?<=:\/\/)[^\s/'"?#<>]{1,1024}@/g;
const KEY_BEGIN = "-----BEGIN ";

/**
 * What is left of a text when its secrets are taken out. Linear in its length. Those that only the command they belong to
 * tells are added to `found`.
 */
function redactText(text: string, found?: Set<string>): string {
  let out = text.includes(KEY_BEGIN) ? withoutKeyBlocks(text) : text;
  out = withoutKnownArguments(out, found);
  if (out.includes("@")) out = out.replace(USERINFO, redactUserinfo);
  if (out.includes(":") || out.includes("=")) {
    if (/authorization|cookie/i.test(out)) out = replaceValues(out, HEADER, () => true, endOfLine, found);
    out = replaceValues(out, ASSIGNMENT, (match) => isSecretName(nameOf(match)), endOfValue, found);
  }
  if (/identified|password/i.test(out) && /\b(?:user|role|login|identified|set|machine)\b/i.test(out))
    out = replaceValues(out, STATEMENT, () => true, endOfValue, found);
  if (out.includes("-")) out = withoutSecretArguments(out, found);
  for (const [needle, shape] of SHAPES) if (out.includes(needle)) out = out.replace(shape, REDACTED);
  const lower = out.toLowerCase();
  return SCHEME_NAMES.some((name) => lower.includes(name)) ? out.replace(SCHEMES, REDACTED) : out;
}

const nameOf = (match: string): string => /^-*[\w.-]*\w/.exec(match)?.[0] ?? match;

/** `user:password`, of which the user is no secret. */
function redactUserPair(text: string): string {
  const colon = text.indexOf(":");
  return colon === -1 ? redactText(text) : `${text.slice(0, colon)}:${REDACTED}`;
}

function redactUserinfo(match: string): string {
  const userinfo = match.slice(0, -1);
  const colon = userinfo.indexOf(":");
  // GitHub takes a token for the user's name.
  const isToken = colon !== -1 && (/:(?:x-oauth-basic)?$/.test(userinfo) || /^(?=\w*\d)\w{24,}$/.test(userinfo.slice(0, colon)));
  if (colon !== -1) return `${isToken ? REDACTED : userinfo.slice(0, colon)}:${isToken ? "" : REDACTED}@`;
  return userinfo.length >= 16 ? `${REDACTED}@` : match;
}

function withoutKeyBlocks(text: string): string {
  let out = "";
  let from = 0;
  for (const [at, end] of keyBlocks(text)) {
    out += `${text.slice(from, at)}${REDACTED}`;
    from = end;
  }
  return out + text.slice(from);
}

function keyBlocks(text: string): readonly (readonly [from: number, to: number])[] {
  const found: [number, number][] = [];
  let from = 0;
  for (let at = text.indexOf(KEY_BEGIN); at !== -1; at = text.indexOf(KEY_BEGIN, Math.max(from, at + 1))) {
    if (!/^-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/.test(text.slice(at, at + 80))) continue;
    const end = text.indexOf("-----END ", at);
    const close = end === -1 ? -1 : text.indexOf("-----", end + 9);
    from = close === -1 ? text.length : close + 5;
    found.push([at, from]);
  }
  return found;
}

/** The private keys in a text, and what has the shape of a token. */
export function tokensIn(text: string): readonly string[] {
  const keys = text.includes(KEY_BEGIN) ? keyBlocks(text).map(([from, to]) => text.slice(from, to)) : [];
  return [...keys, ...SHAPES.flatMap(([needle, shape]) => (text.includes(needle) ? (text.match(shape) ?? []) : []))];
}

/**
 * Replaces what follows each match of `lead` that `wanted` accepts, up to where `end` says. What was cut is added to `found`:
 * where the same text is told in other words, without what told it here, it goes as well.
 */
function replaceValues(
  text: string,
  lead: RegExp,
  wanted: (match: string) => boolean,
  end: (text: string, at: number) => number,
  found: Set<string> | undefined,
): string {
  let out = "";
  let from = 0;
  lead.lastIndex = 0;
  for (let match = lead.exec(text); match !== null; match = lead.exec(text)) {
    // `grep "password:" f`: that quote ends the name.
    const closes = /["']/.test(text[match.index - 1] ?? "") && text[match.index - 1] === text[lead.lastIndex];
    const start = lead.lastIndex + (closes ? 1 : 0);
    if (!wanted(match[0]) || isSubstitution(text, start)) continue;
    const stop = end(text, start);
    if (stop <= start || text.startsWith(REDACTED, start)) continue;
    note(text.slice(start, stop), found);
    out += `${text.slice(from, start)}${REDACTED}`;
    from = stop;
    lead.lastIndex = stop;
  }
  return out + text.slice(from);
}

/** Words that are so long that nothing else is meant by them. */
function note(secret: string, found: Set<string> | undefined): void {
  if (found === undefined) return;
  for (const word of secret.split(/[\s"'`,;:(){}[\]\\]+/))
    if (word.length >= LONG && word !== "redacted" && !isSecretName(word)) found.add(word);
}
const LONG = 8;

/** `TOKEN=$(gcloud auth print-access-token)`: where it comes from is no secret, unless it is said right there. */
const isSubstitution = (text: string, at: number): boolean =>
  /^"?\$\((?!\s{0,4}(?:echo|printf|print)\b)\s{0,4}[A-Za-z/.~]/.test(text.slice(at, at + 40));

const END_OF_LINE = /["'\r\n]/g;
function endOfLine(text: string, at: number): number {
  const quote = text[at];
  if (quote === '"' || quote === "'") return endOfValue(text, at);
  END_OF_LINE.lastIndex = at;
  return END_OF_LINE.exec(text)?.index ?? text.length;
}

const END_OF_WORD = /[\s"'`,;&|<>(){}]/g;
const GROUP = /^(?:\(\s{0,4}["']|\$\(\s{0,4}(?:echo|printf|print)\b)/;
const OPENING = /\\{0,3}["']/y;
/** The end of a quoted string (`"x"`, `\\"x\\"`) or of a bare word. */
function endOfValue(text: string, at: number): number {
  OPENING.lastIndex = at;
  const quote = OPENING.exec(text)?.[0];
  if (quote !== undefined) {
    for (let close = text.indexOf(quote, at + quote.length); close !== -1; close = text.indexOf(quote, close + 1)) {
      if (quote !== '"' || text[close - 1] !== "\\") return close + quote.length;
    }
    return text.length;
  }
  // `auth=("me", "…")`, `TOKEN=$(echo …)`
  const group = GROUP.exec(text.slice(at, at + 16))?.[0];
  if (group !== undefined) {
    const close = text.indexOf(")", at + group.length);
    return close === -1 ? text.length : close + 1;
  }
  END_OF_WORD.lastIndex = at;
  const stop = END_OF_WORD.exec(text)?.index ?? text.length;
  // `s/^password:.*/password: …/`: the value is the name again.
  if (
    /[:=]/.test(text[stop - 1] ?? "") &&
    text[stop] === " " &&
    isSecretName(/[\w.-]{1,100}(?=[:=]$)/.exec(text.slice(Math.max(at, stop - 100), stop))?.[0] ?? "")
  ) {
    END_OF_WORD.lastIndex = stop + 1;
    return END_OF_WORD.exec(text)?.index ?? text.length;
  }
  return stop;
}

/** Options whose next argument is `user:password`. */
const USER_OPTIONS: ReadonlySet<string> = new Set(["-u", "-U", "--user", "--proxy-user"]);

/** `--password x`, `-u user:password` and the like of any program, word by word. */
function withoutSecretArguments(text: string, found: Set<string> | undefined): string {
  const words = /\S+/g;
  let out = "";
  let from = 0;
  let before = "";
  for (let match = words.exec(text); match !== null; match = words.exec(text)) {
    const word = match[0];
    const bare = word.replaceAll(/["'\\,[\]]/g, "");
    const cut = secretPart(before, bare);
    if (cut !== undefined) {
      const stop = Math.max(endOfValue(text, match.index), /^["'\\]/.test(word) ? 0 : match.index + word.length);
      note(text.slice(match.index, stop), found);
      out += `${text.slice(from, match.index)}${cut}${REDACTED}`;
      from = stop;
      words.lastIndex = stop;
    }
    before = bare;
  }
  return out + text.slice(from);
}

/** What to keep of an argument that carries a secret, given the argument before it; undefined when it carries none. */
function secretPart(before: string, bare: string): string | undefined {
  if (bare === "" || bare === REDACTED.slice(1, -1)) return undefined;
  if (!bare.startsWith("-")) {
    if (!before.startsWith("-")) return undefined;
    if ((isSecretName(before) || before === "--pat") && /^--?[A-Za-z][\w-]+$/.test(before)) return "";
    if (USER_OPTIONS.has(before) && /:(?!\/\/)/.test(bare) && !/^[a-z+]+:\/\//.test(bare)) return `${bare.slice(0, bare.indexOf(":"))}:`;
    return undefined;
  }
  return bare.includes(":") ? /^-[uU]([^-:=][^:]{0,200}):/.exec(bare)?.[0] : undefined;
}

/** What the tables of programs say of arguments and of what is piped in. */
function withoutKnownArguments(text: string, found: Set<string> | undefined): string {
  let out = "";
  let from = 0;
  for (const { start, end } of secretArguments(text).toSorted((a, b) => a.start - b.start)) {
    if (start < from) continue;
    const secret = text.slice(start, end);
    if (secret.trim() === "" || secret.includes(REDACTED)) continue;
    const bare = secret.replace(/^(["'])([^]*)\1$/, "$2");
    note(bare, found);
    // A document is shown line by line.
    for (const part of bare.includes("\n") ? bare.split("\n").map((one) => one.replace(/^[^:]*: */, "")) : [bare]) found?.add(part);
    const quote = /^["']/.test(secret) || !/["']$/.test(secret) ? "" : secret.slice(-1);
    out += `${text.slice(from, start)}${REDACTED}${quote}`;
    from = end;
  }
  return out + text.slice(from);
}

const MAX_DEPTH = 24;
const MAX_NODES = 2000;
const MAX_SCANNED = 16_384;
const MAX_SHOWN = 4096;
const MAX_ARGUMENTS = 1000;

export type Redacted = string | number | boolean | null | readonly Redacted[] | { readonly [key: string]: Redacted };

/** One string: secrets out, control characters escaped, at most a few thousand characters. */
export function redactString(text: string, found?: Set<string>): string {
  const cut = text.length > MAX_SCANNED ? `${text.slice(0, MAX_SCANNED)}…` : text;
  const shown = visible(redactText(cut, found));
  return shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}… (${text.length} characters)` : shown;
}

/**
 * A copy of any JSON-like value without its secrets: by field name, by argument pairs (`["--password", "x"]`)
 * and by the shape of tokens, however deeply nested.
 */
export function redact(value: unknown, found?: Set<string>): Redacted {
  let left = MAX_NODES;
  const walk = (node: unknown, depth: number): Redacted => {
    left -= 1;
    if (left < 0) return "…";
    if (typeof node === "string") return redactString(node, found);
    if (typeof node === "number") return Number.isFinite(node) ? node : String(node);
    if (typeof node === "boolean" || node === null) return node;
    // JSON has nothing else.
    if (typeof node !== "object") return null;
    if (depth >= MAX_DEPTH) return "…";
    return Array.isArray(node) ? list(node, depth + 1) : record(node, depth + 1);
  };
  const list = (items: readonly unknown[], depth: number): Redacted => {
    const out: Redacted[] = [];
    const texts = items.length <= MAX_ARGUMENTS && items.every((item) => typeof item === "string") ? secretWords(items) : items;
    for (const [at, item] of texts.entries()) {
      if (left < 0) break;
      const before: unknown = items[at - 1];
      if (typeof before === "string" && typeof item === "string") {
        if (before.startsWith("-") && !item.startsWith("-") && isSecretName(before)) out.push(REDACTED);
        else if (USER_OPTIONS.has(before)) out.push(visible(redactUserPair(item)));
        else out.push(walk(item, depth));
      } else out.push(walk(item, depth));
    }
    return out;
  };
  const record = (fields: object, depth: number): Redacted => {
    const out: [string, Redacted][] = [];
    // `{ "name": "DB_PASSWORD", "value": … }`, `{ "command": "zip", "args": […] }`.
    const named: Readonly<Record<string, unknown>> = { ...fields };
    const label = named["name"] ?? named["key"];
    const isPair = typeof label === "string" && isSecretName(label);
    const program = named["command"] ?? named["program"] ?? named["cmd"];
    for (const [key, item] of Object.entries(fields)) {
      if (left < 0) break;
      if (isPair && key === "value" && typeof item === "string") {
        out.push([key, REDACTED]);
        continue;
      }
      if (key === "args" && typeof program === "string" && isList(item)) {
        const words = list([program, ...item], depth);
        out.push([key, Array.isArray(words) ? words.slice(1) : words]);
        continue;
      }
      const secret = isSecretName(key) && item !== null && item !== "" && typeof item !== "boolean" && !isFolder(key, item);
      out.push([redactString(key), secret ? REDACTED : walk(item, depth)]);
    }
    return Object.fromEntries(out);
  };
  return walk(value, 0);
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** `pwd` is a password in some inputs and the working directory in others. */
const isFolder = (key: string, item: unknown): boolean => /^(?:old)?pwd$/i.test(key) && typeof item === "string" && /^[/~.]/.test(item);
