/**
 * One system call as it would really take effect: a name and its arguments, paths absolute and canonical.
 * What patterns such as `open(/home/me/**, _)` match. INVARIANT: structured, never parsed back from text.
 *
 * | name | arguments |
 * |---|---|
 * | `open` | path, mode: `create`, `truncate`, `write`, `read-write` joined by `+` in this order, else `read` |
 * | `create` | path |
 * | `delete` | path |
 * | `rmdir`, `mkdir` | path |
 * | `rename` | from, to |
 * | `link` | existing path, new path |
 * | `symlink` | text of the link, path of the link |
 * | `mknod` | path, `file`, `fifo`, `socket`, `char` or `block` |
 * | `truncate` | path, size in bytes |
 * | `chmod` | path, mode in octal (`0644`) |
 * | `chown` | path, uid, gid (`-1`: unchanged) |
 * | `utime` | path |
 * | `setxattr`, `removexattr` | path, name |
 * | `chattr` | path |
 * | `exec` | path of the program, argv |
 * | `connect`, `bind`, `listen`, `send` | host name where known, else address; or the path of a socket; port (`0`: none) |
 * | `kill` | process, or a group as a negative number; signal, as a number. In confined commands of a session only |
 */
export interface Call {
  readonly name: CallName;
  readonly args: readonly CallArgument[];
}

export type CallArgument = string | readonly string[];

/**
 * What an argument is.
 * - `path`: absolute and canonical. `place`: a host or an address, else the path of a socket.
 * - `flags`, `octal`, `number`, `node`: as the table above has them. `text`: anything. `list`: argv.
 */
export type CallArgumentKind = "path" | "place" | "flags" | "octal" | "number" | "node" | "text" | "list";

const ARGUMENTS = {
  open: { path: "path", mode: "flags" },
  create: { path: "path" },
  delete: { path: "path" },
  rmdir: { path: "path" },
  mkdir: { path: "path" },
  rename: { from: "path", to: "path" },
  link: { existing: "path", new: "path" },
  symlink: { text: "text", path: "path" },
  mknod: { path: "path", kind: "node" },
  truncate: { path: "path", size: "number" },
  chmod: { path: "path", mode: "octal" },
  chown: { path: "path", uid: "number", gid: "number" },
  utime: { path: "path" },
  setxattr: { path: "path", name: "text" },
  removexattr: { path: "path", name: "text" },
  chattr: { path: "path" },
  exec: { program: "path", argv: "list" },
  connect: { host: "place", port: "number" },
  bind: { address: "place", port: "number" },
  listen: { address: "place", port: "number" },
  send: { host: "place", port: "number" },
  kill: { process: "number", signal: "number" },
} as const satisfies Readonly<Record<string, Readonly<Record<string, CallArgumentKind>>>>;

export type CallName = keyof typeof ARGUMENTS;
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are the table's own
export const CALL_NAMES = Object.keys(ARGUMENTS) as readonly CallName[];

interface NamedArgument {
  readonly name: string;
  readonly kind: CallArgumentKind;
}
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
export const CALL_ARGUMENTS = Object.fromEntries(
  Object.entries<Readonly<Record<string, CallArgumentKind>>>(ARGUMENTS).map(([call, named]): [string, readonly NamedArgument[]] => [
    call,
    Object.entries(named).map(([name, kind]) => ({ name, kind })),
  ]),
) as Readonly<Record<CallName, readonly NamedArgument[]>>;

/** Calls whose two arguments are written `from -> to`. */
export const TWO_PATHS: ReadonlySet<string> = new Set(["rename", "link", "symlink"]);

/** The words of an `open` mode, in their order. */
export const OPEN_FLAGS = ["create", "truncate", "write", "read-write", "read"] as const;
export const NODE_KINDS = ["file", "fifo", "socket", "char", "block"] as const;
