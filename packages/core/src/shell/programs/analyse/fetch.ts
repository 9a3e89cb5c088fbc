// Programs that fetch from addresses and send to them.
import { attempt } from "../../../data/index.ts";
import { describe, doubt, emitFile, emitTarget, refuse, type Invocation } from "../invocation.ts";
import { applyKind } from "../kinds.ts";
import { dropPrefix } from "../options.ts";
import { changePlaces, mayBegin } from "../../words/paths.ts";
import { noteForgeCalls, sentTexts } from "./forges.ts";
import { isReadByAll } from "../public-hosts.ts";
import { isGlob, isWildcard, literal, prefixOf, textOf, type Value } from "../../words/value.ts";
import { has, valuesOf } from "../given.ts";

/** curl(1): options whose value is a file when it begins with `@`. */
const AT = ["-d", "--data", "--data-binary", "--json", "-H", "--header", "--proxy-header"];
const URLENCODED = ["--data-urlencode", "--url-query"];

export function curl(inv: Invocation): void {
  for (const value of valuesOf(inv, ...AT)) atFile(inv, value, "@", "the data");
  for (const value of valuesOf(inv, ...URLENCODED)) urlencoded(inv, value);
  for (const value of valuesOf(inv, "-F", "--form")) form(inv, value);
  for (const value of valuesOf(inv, "-b", "--cookie")) cookie(inv, value);
  for (const value of valuesOf(inv, "-w", "--write-out")) writeOut(inv, value);
  for (const value of valuesOf(inv, "-T", "--upload-file")) {
    if (/[{[]/.test(textOf(value) ?? "") && !has(inv, "-g", "--globoff"))
      refuse(inv, `curl expands ${describe(value)} itself`, "name one file");
  }
  for (const value of valuesOf(inv, "--proto-default")) {
    if (!/^https?$/.test(textOf(value) ?? ""))
      refuse(inv, `curl --proto-default ${describe(value)} changes what an address means`, "write the scheme in the address");
  }
  // Since 8.13: a file of addresses.
  for (const value of valuesOf(inv, "--url"))
    if (mayBegin(inv, value, "@"))
      refuse(inv, `curl --url ${describe(value)} may name a file of addresses`, "write the address as an operand");
  addresses(inv);
  outputs(inv);
  const asked = [...inv.args.operands, ...valuesOf(inv, "--url")];
  if (sendsAddressAlone(inv, CURL_LOOKS)) readsOfAll(inv, asked);
  noteForgeCalls(inv, asked, valuesOf(inv, "-X", "--request").at(-1), [
    ...sentTexts(inv, valuesOf(inv, ...AT, ...URLENCODED, "-F", "--form"), /^(?:[^=]*=)?[@<](.*)$/s),
    ...sentTexts(inv, valuesOf(inv, "--data-raw", "--form-string"), undefined),
    ...sentTexts(inv, valuesOf(inv, "-T", "--upload-file"), /^(.*)$/s),
  ]);
}

/** Options with which nothing but an address is sent, to no other host than it names (curl(1), wget(1)). */
const CURL_LOOKS = new Set(
  (
    "-s --silent --no-silent -S --show-error --no-show-error -f --fail --fail-early --fail-with-body -L --location -I --head -i --include " +
    "--show-headers -v --verbose -o --output -O --remote-name --remote-name-all -J --remote-header-name -R --remote-time --output-dir " +
    "--create-dirs -m --max-time --connect-timeout --retry --retry-delay --retry-max-time --retry-connrefused --retry-all-errors " +
    "--compressed -A --user-agent -w --write-out -D --dump-header -# --progress-bar --no-progress-meter -N --no-buffer -4 --ipv4 -6 " +
    "--ipv6 -g --globoff -r --range -C --continue-at -q --disable --http1.1 --http2 -1 --tlsv1 --tlsv1.2 --tlsv1.3 --max-filesize " +
    "--max-redirs --proto --url"
  ).split(" "),
);
const WGET_LOOKS = new Set(
  (
    "-q --quiet -v --verbose -nv --no-verbose -O --output-document -o --output-file -P --directory-prefix -nc --no-clobber -N " +
    "--timestamping -c --continue -S --server-response --spider -T --timeout --connect-timeout --read-timeout -t --tries " +
    "--retry-connrefused --waitretry --show-progress --progress -4 --inet4-only -6 --inet6-only -U --user-agent --max-redirect --https-only"
  ).split(" "),
);

/** Headers that say what is wanted, and not who wants it. */
const WANTS = /^(?:accept(?:-[a-z]+)?|user-agent|cache-control|if-none-match|if-modified-since|range|x-github-api-version):/i;

function sendsAddressAlone(inv: Invocation, looks: ReadonlySet<string>): boolean {
  return (
    inv.args.doubts.length === 0 &&
    inv.args.options.every(({ option, value }) => {
      const text = value === undefined ? undefined : textOf(value);
      // What is made when it runs may be anybody's text: the name of a client is sent, too.
      if (value !== undefined && text === undefined) return false;
      if (option?.names.some((name) => name === "--request" || name === "--method") === true) return /^(?:GET|HEAD)$/.test(text ?? "");
      if (option?.names.includes("--header") === true) return WANTS.test(text ?? "");
      return option?.names.some((name) => looks.has(name)) === true;
    })
  );
}

/** What everybody may read is read there with what the words say and no more: text that is made when it runs may be anybody's. */
function readsOfAll({ cx: { actions }, exec }: Invocation, values: readonly Value[]): void {
  const isPublic = ({ atoms: [first = "", ...more] }: Value): boolean => {
    const [, host] = (typeof first === "string" && /^https:\/\/([\w.-]+)(?:[/?#]|$)/i.exec(first)) || [];
    return host !== undefined && isReadByAll(host.toLowerCase()) && more.every((atom) => typeof atom === "string" || isWildcard(atom));
  };
  if (values.length === 0 || !values.every(isPublic)) return;
  const mine = actions.flatMap((action, at) =>
    action.kind === "net" && action.origin.by === "command" && action.origin.exec === exec ? [{ action, at }] : [],
  );
  if (!mine.every(({ action: { host, operation } }) => operation === "fetch" && host !== undefined && isReadByAll(host))) return;
  for (const { action, at } of mine) actions[at] = { ...action, forge: true };
}

/** `@FILE`; a value of which the start is unknown may be one. */
function atFile(inv: Invocation, value: Value, marks: string, what: string): void {
  const prefix = prefixOf(value);
  if (prefix !== "" && marks.includes(prefix.charAt(0))) upload(inv, dropPrefix(value, 1));
  else if ([...marks].some((mark) => mayBegin(inv, value, mark)))
    doubt(
      inv,
      `${what} may begin with ${[...marks].join(" or ")} and name a file to send: ${describe(value)}`,
      "use --data-raw or --form-string, or put text in front",
    );
}

function upload(inv: Invocation, file: Value): void {
  if (textOf(file) !== "-") emitFile(inv, "read", file);
}

/** `CONTENT`, `=CONTENT`, `NAME=CONTENT`, `@FILE`, `NAME@FILE`: the first `=` decides. */
function urlencoded(inv: Invocation, value: Value): void {
  const prefix = prefixOf(value);
  if (prefix.includes("=") || prefix.startsWith("+")) return;
  const at = prefix.indexOf("@");
  if (at >= 0) upload(inv, dropPrefix(value, at + 1));
  else if (textOf(value) === undefined) doubt(inv, `the data may name a file to send: ${describe(value)}`, "put NAME= in front");
}

/** `NAME=@FILE[,FILE…][;type=…]`, `NAME=<FILE`, and `;headers=@FILE` behind any of them. */
function form(inv: Invocation, value: Value): void {
  const prefix = prefixOf(value);
  const equals = prefix.indexOf("=");
  const text = textOf(value);
  if (equals < 0) {
    if (text === undefined) doubt(inv, `the form field may name a file to send: ${describe(value)}`, "write NAME= out");
    return;
  }
  const content = dropPrefix(value, equals + 1);
  const start = prefix.charAt(equals + 1);
  if (text === undefined) {
    atFile(inv, content, "@<", "the form field");
    return;
  }
  for (const [, file = ""] of text.matchAll(/;\s*headers=[@<]("(?:\\.|[^"\\])*"|[^;]*)/gi)) upload(inv, unquoted(file));
  if (start !== "@" && start !== "<") return;
  for (const [piece] of text
    .slice(equals + 2)
    .replace(/;\s*(type|filename|headers|encoder)=.*$/i, "")
    .matchAll(/"(?:\\.|[^"\\])*"|[^,;]+/g))
    upload(inv, unquoted(piece.trim()));
}

const unquoted = (text: string): Value => ({
  atoms: [/^".*"$/s.test(text) ? text.slice(1, -1).replace(/\\(.)/g, "$1") : text],
  many: false,
});

/** Without a `=` it is the name of a file of cookies. */
function cookie(inv: Invocation, value: Value): void {
  const known = value.atoms.some((atom) => typeof atom === "string" && atom.includes("="));
  const text = textOf(value);
  if (!known && text !== "") upload(inv, text?.startsWith("@") === true ? dropPrefix(value, 1) : value);
}

function writeOut(inv: Invocation, value: Value): void {
  const text = textOf(value);
  if (text === undefined) doubt(inv, `what curl writes out may name a file: ${describe(value)}`, "write the format out");
  else if (text.includes("%output{")) refuse(inv, "curl -w %output{} writes files");
  else if (text.startsWith("@")) upload(inv, dropPrefix(value, 1));
}

const isAddressPattern = (inv: Invocation, text: string): boolean =>
  !has(inv, "-g", "--globoff") && /\{|\[(?![0-9a-f:.]*:[0-9a-f:.]*\])/i.test(text);

/** Braces and brackets make several addresses of one: its host, or the file it names, is then not what it says. */
function addresses(inv: Invocation): void {
  for (const value of [...inv.args.operands, ...valuesOf(inv, "--url")]) {
    const text = textOf(value) ?? "";
    const host = text.replace(/^[a-z+]+:\/\//i, "").split("/")[0] ?? "";
    const origin = { by: "command", exec: inv.exec } as const;
    if (/^file:/i.test(text) && isAddressPattern(inv, text)) emitTarget(inv, "read", { kind: "unknown", why: `what ${text} expands to` });
    else if (isAddressPattern(inv, host))
      inv.cx.add({ kind: "net", operation: "fetch", host: undefined, port: undefined, why: `what ${host} expands to`, origin });
  }
}

/** Where -o and -O write: both below --output-dir, which the table does not know. */
function outputs(inv: Invocation): void {
  const folders = valuesOf(inv, "--output-dir");
  const folder = folders.at(-1);
  const places = folder === undefined ? inv.places : changePlaces(inv.places, folder);
  const there: Invocation = { ...inv, places };
  for (const value of valuesOf(inv, "-o", "--output")) {
    if (/#\d/.test(textOf(value) ?? "")) emitTarget(inv, "write", { kind: "unknown", why: "a name that holds a part of the address" });
    else if (folder !== undefined && textOf(value) !== "-") emitFile(there, "write", value);
  }
  if (!has(inv, "-O", "--remote-name", "--remote-name-all")) return;
  for (const value of [...inv.args.operands, ...valuesOf(inv, "--url")]) {
    const names = has(inv, "-J", "--remote-header-name") ? [] : remoteNames(inv, textOf(value) ?? "");
    for (const name of names) emitFile(there, "write", { atoms: [name], many: false });
    if (names.length === 0)
      emitFile(there, "write", { atoms: [{ hole: true, why: `the name of ${describe(value)}`, below: true }], many: false });
  }
}

/** The last part of the path; releases before 7.84 kept the query, in which a slash counted too. */
function remoteNames(inv: Invocation, text: string): readonly string[] {
  if (isAddressPattern(inv, text)) return [];
  const bare = text.replace(/^[a-z+]+:\/\//i, "").replace(/#.*$/, "");
  const path = bare.replace(/\?.*$/s, "");
  const names = [path, bare].map((one) => (one.includes("/") ? one.slice(one.lastIndexOf("/") + 1) : ""));
  return [...new Set(names.filter((name) => name !== "" && name !== "." && name !== ".."))];
}

/** wget(1): without -O, files named after the addresses (or by the server) appear below -P or the working directory. */
export function wget(inv: Invocation): void {
  if (sendsAddressAlone(inv, WGET_LOOKS)) readsOfAll(inv, inv.args.operands);
  noteForgeCalls(inv, inv.args.operands, valuesOf(inv, "--method").at(-1), [
    ...sentTexts(inv, valuesOf(inv, "--post-data", "--body-data"), undefined),
    ...sentTexts(inv, valuesOf(inv, "--post-file", "--body-file"), /^(.*)$/s),
  ]);
  if (has(inv, "-O", "--output-document") || inv.args.operands.length === 0 || has(inv, "--spider")) return;
  const folder = valuesOf(inv, "-P", "--directory-prefix").at(-1);
  const there = { ...inv, places: folder === undefined ? inv.places : changePlaces(inv.places, folder) };
  const several = has(
    inv,
    "-r",
    "-m",
    "-p",
    "-x",
    "--content-disposition",
    "--trust-server-names",
    "-E",
    "--force-directories",
    "--recursive",
    "--mirror",
    "--page-requisites",
    "--adjust-extension",
  );
  for (const operand of inv.args.operands) {
    const text = textOf(operand);
    // A query becomes part of the name; an unquoted one may be several words.
    const name = text === undefined || several ? undefined : text.replace(/^[a-z]+:\/\//i, "").replace(/#.*$/s, "");
    const last =
      name === undefined || !name.includes("/") || name.endsWith("/")
        ? undefined
        : decoded(name.slice(name.lastIndexOf("/", name.includes("?") ? name.indexOf("?") : name.length) + 1));
    if (name !== undefined && last === undefined) emitFile(there, "write", { atoms: ["index.html"], many: false });
    else if (last !== undefined && last !== "" && !last.includes("/")) emitFile(there, "write", { atoms: [last], many: false });
    else emitFile(there, "write", { atoms: [{ hole: true, why: `the name of ${describe(operand)}`, below: true }], many: false });
  }
}

function decoded(name: string): string {
  return attempt(() => decodeURIComponent(name), "");
}

/** http(1): `[METHOD] URL [ITEM…]`; an item `name@FILE`, `name=@FILE` or `name:=@FILE` sends a file. */
export function httpie(inv: Invocation): void {
  const operands = [...inv.args.operands];
  const method = operands.length > 1 && /^[A-Za-z]+$/.test(textOf(operands[0] ?? literal("")) ?? "") ? operands.shift() : undefined;
  const [url, ...items] = operands;
  if (url !== undefined)
    noteForgeCalls(inv, [url], method, [
      ...sentTexts(inv, [...items, ...valuesOf(inv, "--raw")], /^[^=:@]*(?:=|:=)?@(.*)$/s),
      ...sentTexts(inv, [literal("-")], /^(-)$/),
    ]);
  // `:3000/x` is a port of this machine.
  if (url !== undefined)
    applyKind(inv, { is: "url" }, /^:\d*(\/|$)/.test(textOf(url) ?? "") ? literal(`http://localhost${textOf(url) ?? ""}`) : url);
  for (const item of items) {
    const match = /^[^=:@]*(?:=@|:=@|@)/.exec(prefixOf(item));
    if (match !== null) emitFile(inv, "read", dropPrefix(item, match[0].length));
    else if (textOf(item) === undefined && !/[=:]./.test(prefixOf(item)))
      refuse(inv, `${describe(item)} may name a file that ${inv.name} sends`);
  }
}

/** An operand that is fetched when it looks like an address, and read otherwise. */
export function urlOrPath(inv: Invocation): void {
  for (const operand of inv.args.operands) {
    if (/^[a-z][a-z0-9+.-]+:/i.test(prefixOf(operand))) applyKind(inv, { is: "url" }, operand);
    else if (textOf(operand) !== "-") {
      emitFile(inv, "read", operand);
      if (textOf(operand) === undefined && !isGlob(operand) && !/[/.]/.test(prefixOf(operand))) applyKind(inv, { is: "url" }, operand);
    }
  }
}
