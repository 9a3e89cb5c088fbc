import { randomBytes } from "node:crypto";
import type { PathEntry } from "@assent/guard/engine";

/** Runs a script of `/bin/sh` in the sandbox. */
export type SandboxScript = (script: string) => Promise<{ readonly exitCode: number; readonly stdout: string }>;

/** What lies at a path: itself, and where it leads. */
export interface PathFact {
  readonly entry: PathEntry;
  /** Links followed. */
  readonly kind: "file" | "directory" | "other" | "missing";
  /** A regular file that can be started. */
  readonly program: boolean;
  readonly uid: number | undefined;
  /** Everybody may write it. */
  readonly open: boolean;
}

/** Names in a folder. */
export interface ListedName {
  readonly name: string;
  readonly link: boolean;
  readonly folder: boolean;
}

/** Who and where a session is. */
export interface SessionIdentity {
  readonly home: string;
  /** What commands start from. */
  readonly cwd: string;
  readonly uid: number | undefined;
  readonly path: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** The sandbox cannot be looked at, or what it says cannot be understood. */
export class SandboxUnclear extends Error {
  override readonly name = "SandboxUnclear";
  readonly code = "sandbox-unclear";
}

const MOST_NAMES = 2000;
const MOST_TEXT = 1 << 20;

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * What a script prints, record by record: each begins with a line that nobody in the sandbox can know before, so that a name or a link
 * that holds line breaks is no record of its own.
 */
async function records(run: SandboxScript, body: (mark: string) => string): Promise<readonly string[]> {
  const mark = `@${randomBytes(12).toString("hex")}`;
  const { exitCode, stdout } = await run(`LC_ALL=C; export LC_ALL; ${body(mark)}\nprintf '\\n%s\\n' ${mark}`);
  const parts = stdout.split(`\n${mark}\n`);
  const last = parts.pop();
  // What stands behind the last mark, or no mark at all: it was cut short.
  if (exitCode !== 0 || last !== "" || parts.length === 0)
    throw new SandboxUnclear("the sandbox did not answer what it was asked about its files");
  const [first = "", ...all] = parts;
  if (first.replaceAll("\n", "") !== "")
    throw new SandboxUnclear("the sandbox answered something else than what it was asked about its files");
  return all;
}

/** A replacement character: bytes that are no text. */
const isText = (value: string): boolean => !value.includes("\uFFFD") && !value.includes("\0");

/** `stat` is asked for owner and mode: GNU, BusyBox and just-bash have the same. */
const LOOK = (mark: string): string =>
  `look() { printf '\\n%s\\n' ${mark}; ` +
  `if [ -d "$1" ]; then k=d; elif [ -f "$1" ]; then k=f; elif [ -e "$1" ]; then k=o; else k=m; fi; ` +
  `x=-; if [ "$k" = f ] && [ -x "$1" ]; then x=x; fi; ` +
  `s=; if [ "$k" != m ]; then s=$(stat -L -c '%u %a' "$1" 2>/dev/null) || s=$(stat -c '%u %a' "$1" 2>/dev/null) || s=; fi; ` +
  `if [ -L "$1" ]; then printf '%s\\n' "$k $x l $s"; readlink "$1"; else printf '%s\\n' "$k $x - $s"; fi; }`;

const KINDS = { d: "directory", f: "file", o: "other", m: "missing" } as const;

/** What lies at paths, all asked at once. */
export async function lookAt(run: SandboxScript, paths: readonly string[]): Promise<readonly PathFact[]> {
  const all = await records(run, (mark) => [LOOK(mark), ...paths.map((path) => `look ${quoted(path)}`)].join("\n"));
  if (all.length !== paths.length) throw new SandboxUnclear("the sandbox did not answer about each of its files");
  return all.map(readLook);
}

function readLook(record: string): PathFact {
  const [, kind = "", program, link, uid, mode, target] =
    /^([dfom]) ([x-]) ([l-]) ?(?:(\d{1,10}) ([0-7]{1,5}))?(?:\n([\s\S]*))?$/.exec(record) ?? [];
  if (kind !== "d" && kind !== "f" && kind !== "o" && kind !== "m")
    throw new SandboxUnclear("the sandbox answered what cannot be understood");
  const known = KINDS[kind];
  const facts = {
    kind: known,
    program: program === "x",
    uid: uid === undefined ? undefined : Number(uid),
    open: mode === undefined || (Number.parseInt(mode, 8) & 0o002) !== 0,
  };
  if (link !== "l") return { ...facts, entry: { is: known === "missing" ? "missing" : "plain" } };
  // readlink(1) ends what it prints with a line break of its own.
  if (target === undefined || target.length < 2 || !target.endsWith("\n") || !isText(target))
    throw new SandboxUnclear("a link in the sandbox leads where nobody can tell");
  return { ...facts, entry: { is: "link", target: target.slice(0, -1) } };
}

/** The names in a folder; none where it is none, undefined where it cannot be listed completely. */
export async function listOf(run: SandboxScript, folder: string): Promise<readonly ListedName[] | undefined> {
  const at = folder === "/" ? "" : folder;
  const all = await records(run, (mark) =>
    [
      `d=${quoted(at)}; n=0; if [ -d "$d/" ]; then`,
      `if ! [ -r "$d/" ]; then printf '\\n%s\\n%s' ${mark} '?'; fi`,
      `for f in "$d"/* "$d"/.[!.]* "$d"/..?*; do`,
      `if [ -e "$f" ] || [ -L "$f" ]; then n=$((n + 1)); if [ "$n" -gt ${MOST_NAMES} ]; then printf '\\n%s\\n%s' ${mark} '?'; break; fi`,
      `l=-; if [ -L "$f" ]; then l=l; fi; k=-; if [ -d "$f" ]; then k=d; fi`,
      `printf '\\n%s\\n%s' ${mark} "$l$k\${f##*/}"; fi; done; fi`,
    ].join("\n"),
  );
  const names: ListedName[] = [];
  for (const record of all) {
    const [, link, kind, name = ""] = /^([l-])([d-])([\s\S]+)$/.exec(record) ?? [];
    if (name === "" || !isText(name)) return undefined;
    names.push({ name, link: link === "l", folder: kind === "d" });
  }
  return names;
}

/** The text of a small regular file. */
export async function textOf(run: SandboxScript, file: string): Promise<string | undefined> {
  const [record] = await records(run, (mark) =>
    [
      `f=${quoted(file)}; printf '\\n%s\\n' ${mark}`,
      `if [ -f "$f" ] && [ -r "$f" ] && [ "$(wc -c < "$f")" -le ${MOST_TEXT} ]; then printf '+'; cat "$f"; fi`,
    ].join("\n"),
  );
  return record?.startsWith("+") === true && isText(record) ? record.slice(1) : undefined;
}

const ASKED = ["HOME", "PATH", "USER", "LOGNAME", "TMPDIR"] as const;

/** Who and where a session is. */
export async function identify(run: SandboxScript): Promise<SessionIdentity> {
  const [folder = "", uid = "", ...values] = await records(run, (mark) =>
    [
      `printf '\\n%s\\n' ${mark}; pwd -P`,
      `printf '\\n%s\\n' ${mark}; u=$(id -u 2>/dev/null) || u=$(stat -c '%u' "$HOME" 2>/dev/null) || u=; printf '%s' "$u"`,
      ...ASKED.map((name) => `printf '\\n%s\\n%s' ${mark} "\${${name}-}"`),
    ].join("\n"),
  );
  const cwd = folder.endsWith("\n") ? folder.slice(0, -1) : "";
  const variables = Object.fromEntries(ASKED.flatMap((name, at) => ((values[at] ?? "") === "" ? [] : [[name, values[at] ?? ""]])));
  const { HOME: home = "/", PATH: path = "" } = variables;
  if (![cwd, home].every((folder) => folder.startsWith("/") && isText(folder)))
    throw new SandboxUnclear("the sandbox does not say where its commands start, or where its home is");
  return { cwd, home, path, uid: /^\d{1,10}$/.test(uid) ? Number(uid) : undefined, variables };
}
