import {
  type Call,
  CALL_ARGUMENTS,
  CALL_NAMES,
  type CallArgument,
  type CallArgumentKind,
  type CallName,
  NODE_KINDS,
  sortedFlags,
  TWO_PATHS,
} from "../action/index.ts";
import { mistake, ok, pathPattern, type Mistake, type Result } from "../pattern/index.ts";
import { type Items, readItems, withoutHome } from "./call-pattern-read.ts";
import { closest } from "./read/suggest.ts";
import { type CallMatcher, type CallPattern, pathTextOf } from "./kinds/call.ts";

/**
 * Call patterns: `open(/home/me/**, _)`, `exec(_, [git, status, ...])`, `connect(*.npmjs.org, 443)`.
 * They speak of system calls, which only supervision sees. Every argument is compared as a value; a pattern is never
 * held against the text of a whole call.
 *
 * | in an argument | means |
 * |---|---|
 * | `_` | any text, any list |
 * | `...` | any arguments, or none, from here on |
 * | `*`, `**` | any run of characters without, or with, slashes |
 * | `/X/` | the regular expression X for the whole text (`pattern/regex.ts`) |
 * | `'…'`, `"…"` | literal text |
 * | `\` | the next character as it is; `\n`, `\t`, `\r`, `\xNN` (a byte), `\u{…}` |
 * | `[a, b]` | a list, element by element |
 */

export const isCallName = (name: string): name is CallName => CALL_NAMES.some((one) => one === name);

/** Names that the same calls have elsewhere. */
const OTHER_NAMES: Readonly<Record<string, CallName>> = {
  openat: "open",
  openat2: "open",
  creat: "create",
  unlink: "delete",
  unlinkat: "delete",
  mkdirat: "mkdir",
  renameat: "rename",
  renameat2: "rename",
  linkat: "link",
  symlinkat: "symlink",
  mknodat: "mknod",
  ftruncate: "truncate",
  fchmod: "chmod",
  fchmodat: "chmod",
  fchown: "chown",
  fchownat: "chown",
  lchown: "chown",
  utimes: "utime",
  utimensat: "utime",
  execve: "exec",
  execveat: "exec",
  sendto: "send",
  sendmsg: "send",
};

/** For a name that is taken for a tool's: the call its writer may have meant. */
export function doubtCallName(name: string, scoped: boolean): string | undefined {
  const other = Object.hasOwn(OTHER_NAMES, name) ? OTHER_NAMES[name] : undefined;
  const near = scoped && /^[a-z]{4,}$/.test(name) ? CALL_NAMES.find((one) => one === closest(name, CALL_NAMES)) : undefined;
  const meant = other ?? (!scoped && isCallName(name) ? name : near);
  return meant === undefined ? undefined : `\`${name}\` is taken as the name of a tool; the system call is written \`${signature(meant)}\``;
}

const signature = (name: CallName): string => `${name}(${CALL_ARGUMENTS[name].map((argument) => argument.name).join(", ")})`;

interface CallRead {
  readonly matcher: CallMatcher;
  readonly warning?: string;
}

/** Reads `name(…)`; `text` begins with the name. */
export function parseCall(name: CallName, text: string): Result<CallRead> {
  const read = readItems(text, name.length + 1, ")", TWO_PATHS.has(name));
  if (!read.ok) return read;
  const { items, open, end, ignored } = read.value;
  const rest = text.slice(end).trim();
  if (rest !== "") return mistake(`\`${rest}\` after \`)\``, `write \`${text.slice(0, end)}\``);
  const kinds = CALL_ARGUMENTS[name];
  if (items.length > kinds.length || (!open && items.length < kinds.length)) return wrongCount(name, read.value);
  const args: CallPattern[] = [];
  let warning = ignored ? "what follows `...` is ignored" : undefined;
  for (const [at, { pattern, bare }] of items.entries()) {
    const { kind = "text", name: of = "" } = kinds[at] ?? {};
    const checked = bare ? bareArgument(pattern, kind) : ok(pattern);
    if (!checked.ok) return checked;
    const wrong = misplaced(checked.value, kind, name, of);
    if (wrong !== undefined) return wrong;
    warning ??= doubt(checked.value, kind, name, bare);
    args.push(checked.value);
  }
  const matcher: CallMatcher = { kind: "call", name, args, open };
  return ok(warning === undefined ? { matcher } : { matcher, warning });
}

/** The call that a pattern without anything open describes: what `printCall` gives, read back. */
export function readCall(text: string): Call | undefined {
  const name = /^\s*([a-z]+)\(/.exec(text)?.[1] ?? "";
  const read = isCallName(name) ? parseCall(name, text.trim()) : undefined;
  if (read?.ok !== true || read.value.matcher.open) return undefined;
  const { matcher } = read.value;
  const args = matcher.args.map(literalOf);
  return args.every((argument) => argument !== undefined) ? { name: matcher.name, args } : undefined;
}

function literalOf(pattern: CallPattern): CallArgument | undefined {
  if (pattern.is === "text") return pattern.text;
  if (pattern.is !== "list" || pattern.open) return undefined;
  const items = pattern.items.map((item) => (item.is === "text" ? item.text : undefined));
  return items.every((item) => item !== undefined) ? items : undefined;
}

function wrongCount(name: CallName, { items, open }: Items): Mistake {
  const wanted = CALL_ARGUMENTS[name].length;
  const count = `${wanted} argument${wanted === 1 ? "" : "s"}`;
  const help =
    items.length < wanted && !open ? `write \`_\` for any, or \`...\` at the end: \`${signature(name)}\`` : `write \`${signature(name)}\``;
  return mistake(`\`${name}\` has ${count}, the pattern ${items.length}`, help);
}

/** Bare text is read as what stands in its place: the words of a mode in their order, a mode in four digits, a host in lower case. */
function bareArgument(pattern: CallPattern, kind: CallArgumentKind): Result<CallPattern> {
  if (pattern.is === "glob") {
    if (kind === "path" || (kind === "place" && isSocket(pattern))) return checkPath(pattern);
    if (kind === "place")
      return ok({ ...pattern, parts: pattern.parts.map((part) => (typeof part === "string" ? part.toLowerCase() : part)) });
    return ok(withoutHome(pattern));
  }
  if (pattern.is !== "text") return ok(pattern);
  const { text } = pattern;
  switch (kind) {
    case "path": {
      // A path that is relative, or not in its shortest form, is a pattern: it is completed where it is used.
      const glob: CallPattern = { is: "glob", parts: [text] };
      return text.startsWith("/") ? ok(pattern) : checkPath(glob);
    }
    case "place":
      return ok({ is: "text", text: text.startsWith("/") ? text : text.toLowerCase() });
    case "flags": {
      const sorted = sortedFlags(text);
      return sorted === undefined
        ? mistake(
            `\`${text}\` is no mode of \`open\``,
            "a mode is `create`, `truncate`, `write`, `read-write` joined by `+`, or `read`; `_` is any",
          )
        : ok({ is: "text", text: sorted });
    }
    case "octal": {
      const digits = /^(?:0o?)?([0-7]{1,5})$/.exec(text)?.[1];
      return digits === undefined
        ? mistake(`\`${text}\` is no mode`, "a mode is octal: `0644`")
        : ok({ is: "text", text: digits.replace(/^0+(?=.)/, "").padStart(4, "0") });
    }
    case "number":
      return /^-?\d{1,20}$/.test(text) ? ok(pattern) : mistake(`\`${text}\` is no number`, "write `_` for any");
    case "node":
      return NODE_KINDS.some((one) => one === text)
        ? ok(pattern)
        : mistake(`\`${text}\` is no kind of node`, `known are ${NODE_KINDS.map((one) => `\`${one}\``).join(", ")}`);
    case "text":
    case "list":
      return ok(pattern);
  }
}

const isSocket = ({ parts, home }: Extract<CallPattern, { is: "glob" }>): boolean =>
  home === true || (typeof parts[0] === "string" && parts[0].startsWith("/"));

/** The path pattern that it stands for must be one. */
function checkPath(pattern: CallPattern): Result<CallPattern> {
  const text = pathTextOf(pattern);
  const read = text === undefined ? undefined : pathPattern(text);
  return read === undefined || read.ok ? ok(pattern) : read;
}

function misplaced(pattern: CallPattern, kind: CallArgumentKind, name: CallName, of: string): Mistake | undefined {
  if (kind === "list" && pattern.is !== "list" && pattern.is !== "any")
    return mistake(`the ${of} of \`${name}\` is a list`, "write `[git, status, ...]`, or `_` for any");
  if (kind !== "list" && pattern.is === "list")
    return mistake(
      `the ${of} of \`${name}\` is no list`,
      kind === "place" ? "an address is written without brackets: `::1`" : "write it without brackets, or in quotes",
    );
  return undefined;
}

/** Nothing is wrong, but it never matches what its writer has in mind. */
function doubt(pattern: CallPattern, kind: CallArgumentKind, name: CallName, bare: boolean): string | undefined {
  if (kind !== "path") return undefined;
  if (pattern.is === "regex" && /^[\w~]/.test(pattern.source))
    return `\`/${pattern.source}/\` is a regular expression that no absolute path matches; a folder is written \`/${pattern.source}/**\``;
  if (pattern.is === "text" && !bare && !pattern.text.startsWith("/"))
    return `\`${pattern.text}\` in quotes is literal, and paths are absolute`;
  if (name === "exec" && pattern.is === "glob" && pattern.parts.length === 1 && pattern.home !== true) {
    const [program] = pattern.parts;
    if (typeof program === "string" && !program.includes("/"))
      return `a program is known by its path, and \`${program}\` means the file of that name in the project; write \`**/${program}\``;
  }
  return undefined;
}
