// What the programs of BSD and macOS do with words that those of GNU read another way, where a table cannot say it.
import { applyEffect } from "../effects.ts";
import { describe, doubt, emitFile, refuse, type Invocation } from "../invocation.ts";
import { concat, literal, prefixOf, textOf, type Stream } from "../../words/value.ts";
import { has, valuesOf } from "../given.ts";
import { exists } from "./only-shows.ts";

/** sed(1): the word behind -i and -I is the suffix under which the old content is kept; an empty one keeps nothing. */
export function bsdSed(inv: Invocation): void {
  const files = inv.args.operands.slice(has(inv, "-e", "-f") ? 0 : 1);
  for (const suffix of valuesOf(inv, "-i", "-I")) {
    const text = textOf(suffix);
    if (text === undefined || text.includes("/"))
      refuse(
        inv,
        `sed -i keeps the old content under a name that is not understood: ${describe(suffix)}`,
        "use a plain suffix such as .bak",
      );
    else if (text !== "") for (const file of files) emitFile(inv, "write", concat(file, suffix));
  }
}

/** cp(1): of a folder whose name ends in a slash the content is copied, so that each name in it lies in the target itself. */
export function bsdCopy(inv: Invocation): void {
  if (!has(inv, "-R", "-r", "-a")) return;
  const target = inv.args.operands.at(-1);
  const sources = inv.args.operands.slice(0, -1);
  if (target !== undefined && sources.some((source) => textOf(source)?.endsWith("/") !== false)) emitFile(inv, "write", target, true);
}

/** xattr(1): whatever stands beside it, these change attributes. */
export function xattr(inv: Invocation): void {
  if (has(inv, "-w", "-d", "-c")) for (const file of inv.args.operands) emitFile(inv, "metadata", file, has(inv, "-r"));
}

/** xcodebuild(1): code of the project runs, unless one word alone asks for what is installed. */
export function xcode(inv: Invocation): void {
  const [word, ...others] = inv.args.operands;
  if (others.length === 0 && word !== undefined && ["-version", "-showsdks", "-help", "-usage"].includes(textOf(word) ?? "")) return;
  applyEffect(inv, { is: "code", source: "project", language: "project" });
}

/** plutil(1): -convert changes the file itself where nothing says that what comes of it goes elsewhere. */
export function plist(inv: Invocation): void {
  if (has(inv, "-convert") && !has(inv, "-o")) for (const file of inv.args.operands) emitFile(inv, "edit", file);
}

/** PlistBuddy(8): only `Print` changes nothing, and a file that is missing is made. */
export function plistCommands(inv: Invocation): void {
  const commands = valuesOf(inv, "-c").map(textOf);
  const [file, ...others] = inv.args.operands;
  if (commands.length === 0 || !commands.every((command) => /^Print(?: :[^\n]*)?$/.test(command ?? "")))
    refuse(inv, "PlistBuddy may change the property list", "use -c with Print alone");
  else if (file === undefined || others.length > 0 || !exists(inv, file)) refuse(inv, "PlistBuddy may make a new property list");
  else emitFile(inv, "read", file);
}

/** codesign(1): into the file behind `--entitlements` it writes what it shows; a colon before it leaves a header out. */
export function entitlements(inv: Invocation): void {
  for (const file of valuesOf(inv, "-entitlements")) {
    const [head, ...rest] = file.atoms;
    const written = typeof head === "string" && head.startsWith(":") ? { ...file, atoms: [head.slice(1), ...rest] } : file;
    if (textOf(written) !== "-") emitFile(inv, "write", written);
  }
}

/** mktemp(1): `-t PREFIX` is put behind the folder for temporary files, whatever it holds. */
export function tempPrefix(inv: Invocation): void {
  for (const prefix of valuesOf(inv, "-t"))
    if (textOf(prefix)?.includes("/") !== false) refuse(inv, `mktemp -t ${describe(prefix)} may leave the folder for temporary files`);
}

/** mktemp(1): one fresh file or folder in the folder that is named last (first: toybox), else in that for temporary files; the template goes on from there. */
export function tempFolder(inv: Invocation): void {
  if (has(inv, "-u", "--dry-run")) return;
  inv.output = freshPath(inv);
  const [template = literal("tmp.XXXXXXXXXX")] = inv.args.operands;
  for (const { option, value } of inv.args.options) {
    if (option?.names.some((name) => name === "-p" || name === "--tmpdir") !== true) continue;
    const isTemp = value === undefined || textOf(value) === "";
    // In the folder for temporary files it is what mktemp without an option makes.
    if (isTemp && /^[\w.+-]+$/.test(textOf(template) ?? "")) continue;
    const named = isTemp ? literal(inv.cx.world.env("TMPDIR") ?? "/tmp") : value;
    emitFile(inv, has(inv, "-d", "--directory") ? "mkdir" : "write", concat(named, concat(literal("/"), template)));
  }
}

/** What it prints where it surely makes one: a template ends in three X at least, and names no folder that is not there. */
function freshPath({ args, cx: { world }, state }: Invocation): Stream | undefined {
  const [template = literal("tmp.XXXXXXXXXX"), ...others] = args.operands;
  const [folder, name] = /^(.*\/|)([\w.+-]*X{3})$/.exec(textOf(template) ?? "")?.slice(1) ?? [];
  const isPlain = args.options.every(({ option }) => option?.names.some((one) => /^-[dqt]$/.test(one)) === true);
  if (folder === undefined || name === undefined || others.length > 0 || !isPlain) return undefined;
  const moved = state.variables.has("TMPDIR") || state.environment.has("TMPDIR");
  const isOwn = args.operands.length === 0 || args.options.some(({ option }) => option?.names.includes("-t") === true);
  const place = isOwn ? `${world.env("TMPDIR") ?? "/tmp"}/` : folder;
  if ((isOwn && (moved || folder !== "")) || !world.temp.includes(place.slice(0, -1))) return undefined;
  const hole = { hole: true, why: "what mktemp makes", below: true, fresh: true } as const;
  return { is: "paths", values: [{ atoms: [place, hole], many: false }] };
}

/** ps(1) of macOS takes a first word without dash for options, as it did of old; `E` shows environments. */
const LETTERS = "AaCcdEefhjlMmrSTvwXxL";
/** These take a value, which may be the rest of the word: what `u` of `aux` takes has never been a name. */
const VALUED = "OoGgptuU";

export function bsdPs(inv: Invocation): void {
  const [first, ...others] = inv.args.operands;
  for (const word of others)
    if (!/^[\w,./-]+$/.test(textOf(word) ?? "")) doubt(inv, `${describe(word)} may make ps show environment variables`, "write it out");
  if (first === undefined) return;
  const text = textOf(first);
  if (text === undefined) doubt(inv, "a word of ps that is only known at run time may make it show environment variables", "write it out");
  else if (inv.words[0] === first && !/^[\d,]+$/.test(text))
    for (const letter of text) {
      if (letter === "E") applyEffect(inv, { is: "environment" });
      else if (!LETTERS.includes(letter) && !VALUED.includes(letter)) doubt(inv, `ps has no known letter \`${letter}\``);
    }
  for (const word of inv.words) if (/^-[A-Za-z]*[OoGgptuU][A-Za-z]*E/.test(textOf(word) ?? "")) applyEffect(inv, { is: "environment" });
}

/** The folders that find(1) is told by `-f`, and where its own options end. */
export function bsdStarts({ words }: Pick<Invocation, "words">): { readonly roots: Invocation["words"]; readonly next: number } {
  const roots = [];
  let at = 0;
  for (; at < words.length; at++) {
    const word = words[at] ?? literal("");
    const text = textOf(word);
    const [, letters, attached] = /^-([HLPEXdsx]*)(?:f(.*))?$/.exec(text ?? prefixOf(word)) ?? [];
    if (text === "--") return { roots, next: at + 1 };
    if (text === "-" || letters === undefined || (text === undefined && attached === undefined)) break;
    if (attached === undefined) continue;
    if (attached !== "" || text === undefined) {
      const start = prefixOf(word).indexOf("f") + 1;
      const [head, ...rest] = word.atoms;
      roots.push({ atoms: typeof head === "string" && head.length > start ? [head.slice(start), ...rest] : rest, many: word.many });
    } else {
      const next = words[++at];
      if (next !== undefined) roots.push(next);
    }
  }
  return { roots, next: at };
}
