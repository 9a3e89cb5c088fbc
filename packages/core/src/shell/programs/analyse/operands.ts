// Operands and values that are more than a file name, by how they are written.
import { resolvePath } from "../../../path/index.ts";
import { isPlainPage } from "../../languages/roff.ts";
import { applyEffect } from "../effects.ts";
import { describe, doubt, emitFile, refuse, type Invocation } from "../invocation.ts";
import { applyKind } from "../kinds.ts";
import { noteLinks } from "../links.ts";
import { dropPrefix } from "../options.ts";
import { matchesOf, mayBegin } from "../../words/paths.ts";
import { isHole, literal, prefixOf, textOf, type Value } from "../../words/value.ts";
import { has, valuesOf } from "../given.ts";

/** less(1), more(1): `+COMMAND` is typed into the pager, and `!` there runs a shell. A line number or a search is not. */
export function plus(inv: Invocation): void {
  // less(1): `$` ends the text of an option and another option follows; a newline is typed into the pager.
  for (const { value } of inv.args.options) {
    if (value !== undefined && !/^[^$\p{Cc}]*$/u.test(textOf(value) ?? "$"))
      refuse(inv, `${describe(value)} may hold more options of ${inv.name}, which can start programs`, "leave out the `$`");
  }
  for (const word of inv.args.operands) {
    const text = textOf(word);
    if (text !== undefined && /^\+(\d*[gG]?|\/[\w .-]*)$/.test(text)) continue;
    if (mayBegin(inv, word, "+"))
      refuse(inv, `${describe(word)} may be a command of ${inv.name}, which can start programs`, "put ./ in front of the file name");
  }
}

/** Words that may begin so are more than names to the program. */
const mayBe =
  (sign: string, what: string, help: string, of: (inv: Invocation) => readonly Value[]) =>
  (inv: Invocation): void => {
    for (const word of of(inv))
      if (mayBegin(inv, word, sign) && textOf(word) !== "-") refuse(inv, `${describe(word)} may ${what} for ${inv.name}`, help);
  };

/** dos2unix(1): behind a file, options that change what is done with the files behind them. */
export const lateOptions = mayBe("-", "be an option", "put the options first", ({ args }) => args.operands);

/** binutils: an argument `@FILE`, wherever it stands, is replaced by the arguments in that file. */
export const responseFile = mayBe("@", "name a file with more arguments", "put ./ in front of the file name", ({ words }) => words);

/** Values of an option that are only known to be harmless in this form. */
const fits =
  (option: string, form: RegExp, what: string, help: string, say = doubt) =>
  (inv: Invocation): void => {
    for (const value of valuesOf(inv, option)) if (!form.test(textOf(value) ?? "=:")) say(inv, `${describe(value)} may ${what}`, help);
  };

/** file(1): several files for -m, with a `:` between them; it prints lines that it does not understand. */
export const magicFiles = fits("-m", /^[^:]*$/, "name several files", "name one", refuse);

/** strace(1), `-e`: which calls and signals are shown; other expressions change them. */
export const traceExpression = fits(
  "-e",
  /^(?:(?:trace|t|abbrev|a|verbose|v|raw|x|signals?|s|reads?|r|writes?|w|status|quiet|silen(?:t|ce)|q|decode-(?:fds?|pids?)|fds)=)?[\w!%,?/.^$*|()[\]@+-]*$/,
  "change what the program does",
  "trace=NAMES only shows calls",
);

/** gawk(1) "Special File Names": an operand below /inet is a connection, even where no such folder exists. */
export function awkFiles(inv: Invocation): void {
  // original-awk takes `-bF` for one option that it does not know, and runs the word behind it.
  if (inv.words.some((word) => /^-[^-FvfieElWdopDL]\w*[FvfieEl]$/.test(textOf(word) ?? "")))
    doubt(inv, "implementations of awk read it differently");
  for (const word of inv.args.operands.slice(1))
    if (/^\/inet[46]?(\/|$)/.test(prefixOf(word))) refuse(inv, `${describe(word)} is a network connection to gawk`);
}

/**
 * diffstat(1) of a compressed patch, hunspell(1) of a document, cloc(1) of an archive: the name is put into a line for a shell
 * as it is, whether such a file is there or not.
 */
export function shellNames(inv: Invocation): void {
  const isTame = (text: string): boolean => /^[\w@%+=:,./~ -]*$/.test(text);
  const { world } = inv.cx;
  for (const word of inv.args.operands) {
    const text = textOf(word);
    const tame = text === undefined ? inv.places.every((place) => matchesOf(world, place, word)?.every(isTame) === true) : isTame(text);
    if (!tame) doubt(inv, `${inv.name} may hand ${describe(word)} to a shell as it is`, "give the file a plain name");
  }
}

/**
 * ffmpeg(1) "Protocols", ImageMagick's "Filename references", sox(1) "File types", exiftool(1): a name may be an address, a
 * protocol or coder with a colon, `@list`, `|command` or `command |`. A plain name is read or written as the table says.
 */
export function plainFile(inv: Invocation): void {
  const values = inv.args.options.flatMap(({ value, option }) => (value === undefined || option === undefined ? [] : [value]));
  for (const word of values) check(inv, word, /^[@|]/);
  for (const word of inv.args.operands) check(inv, word, /^[@|]|^[^/]*:/);
  for (const { value, option } of inv.args.options) if (value !== undefined && option?.kind.is === "file") check(inv, value, /^[^/]*:/);
}

function check(inv: Invocation, word: Value, strange: RegExp): void {
  const text = textOf(word) ?? prefixOf(word);
  const open =
    textOf(word) === undefined && text === "" && word.atoms.some((atom) => isHole(atom) && atom.below !== true && atom.number !== true);
  const match = strange.exec(text);
  if (!open && match === null && !text.trimEnd().endsWith("|")) return;
  // `@FILE` and `CODER:FILE` read it.
  const path = match === null ? "" : text.slice(match[0].length);
  if (path !== "" && !path.startsWith("//")) emitFile(inv, "read", literal(path));
  doubt(inv, `${describe(word)} may be more than the name of a file to ${inv.name}`, "put ./ in front of the file name");
}

/** Operands, and values of options. */
export const valuesIn = ({ args }: Invocation): readonly Value[] => [
  ...args.operands,
  ...args.options.flatMap(({ value }) => (value === undefined ? [] : [value])),
];

/**
 * aws(1), "Loading parameters from a file": a value that begins with `file://` or `fileb://` is that file's content, and version 1
 * fetches one with `http://`. A region becomes a part of the host's name.
 */
export function fileArguments(inv: Invocation): void {
  for (const value of valuesIn(inv)) {
    const prefix = prefixOf(value);
    const match = /^fileb?:\/\//.exec(prefix);
    if (match !== null) emitFile(inv, "read", dropPrefix(value, match[0].length));
    else if (/^https?:\/\/(?![\w.-]+\.amazonaws\.com(?:\.cn)?(?:[/:]|$))/.test(prefix)) applyKind(inv, { is: "url" }, value);
  }
}

const CODE_HOSTS = new RegExp(
  String.raw`^(?:github\.com|gitlab\.com|bitbucket\.org|gopkg\.in|rsc\.io|modernc\.org|gonum\.org` +
    String.raw`|(?:[\w-]+\.)?(?:golang\.org|go\.dev|google\.golang\.org|k8s\.io|uber\.org|opentelemetry\.io))$`,
);

/** `go list -m HOST/PATH@VERSION` asks that host, where no proxy knows the module. */
export function goModules(inv: Invocation): void {
  for (const word of inv.args.operands) {
    const host = /^([\w-]+(?:\.[\w-]+)+)(?::\d+)?\//.exec(prefixOf(word))?.[1];
    if (host === undefined || CODE_HOSTS.test(host)) continue;
    if (prefixOf(word).includes("@") || has(inv, "-versions")) applyKind(inv, { is: "host" }, literal(host));
  }
}

/** What becomes a part of a host's name: regions, and in az the names of what has a host of its own (`https://NAME.vault.azure.net`). */
export function hostParts(inv: Invocation): void {
  const names = inv.name === "az" ? /^(?:--(?:[\w-]*name|regist\w*|loca\w*|server)(?:=|$)|-[nl])/ : /^--(?:regi|loca|zone)\w*(?:=|$)/;
  for (const [at, word] of inv.words.entries()) {
    const option = names.exec(prefixOf(word))?.[0];
    if (option === undefined) continue;
    const attached = dropPrefix(word, option.length);
    const value = option.endsWith("=") || prefixOf(attached) !== "" ? attached : (inv.words[at + 1] ?? attached);
    if (/[/\\?#@:%]/.test(prefixOf(value))) doubt(inv, `${describe(value)} may be more than a part of a host's name`);
  }
}

/** az (`_expand_file_prefixed_files`), ansible's "Patterns": `@FILE`, in az wherever it stands and behind `=`, is what the file holds. */
export function atFiles(inv: Invocation, words: readonly Value[] = inv.words): void {
  for (const word of words) {
    const match = /^(?:[^=]*=)?@(?!-?$)/.exec(prefixOf(word));
    if (match !== null) emitFile(inv, "read", dropPrefix(word, match[0].length));
  }
}

/** `hg help patterns`: some read a file and may print its lines; in an expression they stand anywhere. */
export function hgPatterns(inv: Invocation): void {
  for (const word of inv.words)
    if (/(?:listfile0?|include):/.test(prefixOf(word))) doubt(inv, `${describe(word)} may name a file of patterns, which hg reads`);
}

/** Where gh(1) and glab(1) find the repository that is meant: `HOST/OWNER/REPO` or a whole address of any machine. */
export function forgeHost(inv: Invocation): void {
  for (const [at, word] of inv.words.entries()) {
    const own = /^(?:--repo=|-R=?)/.exec(prefixOf(word))?.[0] ?? "";
    const before = inv.words[at - 1];
    const isRepo = own !== "" || (before !== undefined && /^(?:--repo|-R)$/.test(prefixOf(before)));
    const text = prefixOf(dropPrefix(word, own.length));
    const host =
      /^(?:[a-z][a-z0-9+.-]*:\/\/(?:[^@/]*@)?|[\w.-]+@)([^:/\s]+)/i.exec(text)?.[1] ??
      (isRepo && inv.name === "gh" ? /^([^/\s]+)(?:\/[^/]+){2}/ : /^([\w-]+(?:\.[\w-]+)+)(?:\/[^/\s]+){2}/).exec(text)?.[1];
    if (host !== undefined && !/^(?:www\.)?git(?:hub|lab)\.com$/i.test(host)) applyKind(inv, { is: "host" }, literal(host));
    else if (isRepo && textOf(word) === undefined && !/^[^/]+\//.test(text)) doubt(inv, `${describe(word)} may name another host`);
  }
}

/** aws(1), operations with a streamed answer: OUTFILE is a word of its own, often the last. */
export function intoAFile(inv: Invocation): void {
  fileArguments(inv);
  const last = inv.args.operands.at(-1);
  if (last !== undefined && !prefixOf(last).startsWith("-")) emitFile(inv, "write", last);
  doubt(inv, `${inv.name} writes what it gets into a file that one of its words names`, "write it to a folder of its own");
}

/** `aws lambda list-functions` answers with the environment of each function, unless `--query` (JMESPath) picks other fields. */
export function lambdaVariables(inv: Invocation): void {
  fileArguments(inv);
  const fields = valuesOf(inv, "--query").map((value) => textOf(value) ?? "");
  const picks =
    fields.length > 0 &&
    fields.every((text) => /^Functions\[[^\]]*\]\.(?:\w+|\[\w+(?:,\s*\w+)*\])$/.test(text) && !/environment/i.test(text));
  if (!picks)
    doubt(
      inv,
      "aws shows the environment variables of functions, which may hold secrets",
      "pick fields: --query 'Functions[].FunctionName'",
    );
}

/** man(1) shows a file that is named by its path as a page; such a page may take in any other file (`.so`). */
export function manPage(inv: Invocation): void {
  const isLocal = has(inv, "-l", "--local-file");
  for (const word of inv.args.operands) {
    const text = textOf(word);
    if (!isLocal && !(text ?? prefixOf(word)).includes("/")) continue;
    const isPlain = inv.places.every((place) => {
      if (place.is !== "at" || text === undefined) return false;
      const page = inv.cx.world.text?.(inv.cx.world.canonical(resolvePath(place.path, text)));
      return page !== undefined && isPlainPage(page);
    });
    if (!isPlain) doubt(inv, `the manual page ${describe(word)} may take in other files`, "read the file itself");
  }
}

/** gcloud shows the variables of what runs, and keys of clusters, unless `--format` picks other fields (gcloud topic formats). */
export function gcloudVariables(inv: Invocation): void {
  if (!picksFields(inv)) applyEffect(inv, { is: "environment" });
}

/** A list shows a few columns, unless `--format` asks for all there is. */
export function gcloudLists(inv: Invocation): void {
  if (has(inv, "--format", "--flatten") && !picksFields(inv)) applyEffect(inv, { is: "environment" });
}

function picksFields(inv: Invocation): boolean {
  const formats = valuesOf(inv, "--format").map((value) => textOf(value) ?? "");
  return (
    formats.length > 0 &&
    formats.every(
      (text) =>
        /^[a-z]+\([\w., ]+\)$/.test(text) &&
        !/env|spec|template|config|auth|secret|header|http|annotations|metadata(?!\.name\b)/i.test(text),
    )
  );
}

/** `helm status` prints values and manifests, too, as JSON or YAML and with `--debug`. */
export function helmStatus(inv: Invocation): void {
  const exec = inv.cx.actions[inv.exec];
  const debug = exec?.kind !== "exec" || exec.argv.some((word) => !word.known || word.text.startsWith("--debug"));
  if (debug || valuesOf(inv, "--output").some((value) => textOf(value) !== "table")) applyEffect(inv, { is: "secrets" });
}

/** `kops get secrets`: options whose values are words of their own may stand in front. */
export function kopsSecrets(inv: Invocation): void {
  if (inv.name === "kops" && inv.args.operands.some((value) => /^secrets?$/i.test(textOf(value) ?? "secret")))
    applyEffect(inv, { is: "secrets" });
}

/** iconv(1) of the GNU C library: a character set with a slash in its name is a file; what follows `//` is how to convert. */
export function charsetFiles(inv: Invocation): void {
  for (const value of valuesOf(inv, "--from-code", "--to-code")) {
    const text = textOf(value);
    if (text === undefined) doubt(inv, `${describe(value)} may name a file`, "write the name of the character set");
    else if (!/^[\w.:+()-]*(?:\/\/[\w/,]*)?$/.test(text)) emitFile(inv, "read", value);
  }
}

/** cpio(1), `-I`: a name with a colon is a file on another host. */
export function tapeHost(inv: Invocation): void {
  for (const value of valuesOf(inv, "-I"))
    if (textOf(value)?.includes(":") !== false)
      applyKind(inv, { is: "host" }, literal((textOf(value) ?? "").replace(/:.*$/s, "").replace(/^.*@/s, "")));
}

/** systemctl(1), `show`: properties by name; `Environment` among them. */
export function serviceProperties(inv: Invocation): void {
  if (valuesOf(inv, "--property", "-P").some((value) => /environ/i.test(textOf(value) ?? "environ")))
    applyEffect(inv, { is: "environment" });
}

/** git-config(1): keys that hold a login; a list of all keys is for whoever asks for it. */
export function gitLogins(inv: Invocation): void {
  for (const word of inv.args.operands)
    if (/extraheader|token|passw|smtppass|secret|cookie/i.test(prefixOf(word))) applyKind(inv, { is: "secret" }, word);
}

/** `--` that the script behind the name does not know. */
export function lateDashes(inv: Invocation): void {
  if (inv.words.some((word) => textOf(word) === "--")) doubt(inv, `${inv.name} hands what follows -- on as options`);
}

/** openssl prints private keys by these, but for -pubin, or -noout and -pubout without -text; `enc -d` what was encrypted. */
export function opensslKeys(inv: Invocation): void {
  const isEnc = inv.grammar.options.has("-salt");
  const shows = isEnc
    ? has(inv, "-d") && has(inv, "-k", "-K")
    : !has(inv, "-pubin") && (has(inv, "-text") || !has(inv, "-noout", "-pubout"));
  if (shows) applyEffect(inv, { is: "secrets" });
}

/** split(1), csplit(1): pieces are named PREFIX and letters or digits, so `~/.bashr` becomes `~/.bashrc` in the end. */
export function prefix(inv: Invocation): void {
  if (has(inv, "--filter")) return;
  const cuts = inv.grammar.options.has("--prefix");
  const name = (cuts ? valuesOf(inv, "-f", "--prefix").at(-1) : inv.args.operands[1]) ?? literal(cuts ? "xx" : "x");
  emitFile(inv, "write", { atoms: [...name.atoms, { glob: "*" }], many: name.many });
}

/** ln(1): what later commands of the line do through the link is told when all of them are known. */
export function symbolicLinks(inv: Invocation): void {
  noteLinks(inv, { symbolic: has(inv, "-s", "--symbolic"), relative: has(inv, "-r", "--relative") });
}
