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

export const CALL_NAMES = [
  "open",
  "create",
  "delete",
  "rmdir",
  "mkdir",
  "rename",
  "link",
  "symlink",
  "mknod",
  "truncate",
  "chmod",
  "chown",
  "utime",
  "setxattr",
  "removexattr",
  "chattr",
  "exec",
  "connect",
  "bind",
  "listen",
  "send",
  "kill",
] as const;

export type CallName = (typeof CALL_NAMES)[number];

/**
 * What an argument is.
 * - `path`: absolute and canonical. `place`: a host or an address, else the path of a socket.
 * - `flags`, `octal`, `number`, `node`: as the table above has them. `text`: anything. `list`: argv.
 */
export type CallArgumentKind = "path" | "place" | "flags" | "octal" | "number" | "node" | "text" | "list";

export const CALL_ARGUMENTS: Readonly<Record<CallName, readonly { readonly name: string; readonly kind: CallArgumentKind }[]>> = {
  open: [
    { name: "path", kind: "path" },
    { name: "mode", kind: "flags" },
  ],
  create: [{ name: "path", kind: "path" }],
  delete: [{ name: "path", kind: "path" }],
  rmdir: [{ name: "path", kind: "path" }],
  mkdir: [{ name: "path", kind: "path" }],
  rename: [
    { name: "from", kind: "path" },
    { name: "to", kind: "path" },
  ],
  link: [
    { name: "existing", kind: "path" },
    { name: "new", kind: "path" },
  ],
  symlink: [
    { name: "text", kind: "text" },
    { name: "path", kind: "path" },
  ],
  mknod: [
    { name: "path", kind: "path" },
    { name: "kind", kind: "node" },
  ],
  truncate: [
    { name: "path", kind: "path" },
    { name: "size", kind: "number" },
  ],
  chmod: [
    { name: "path", kind: "path" },
    { name: "mode", kind: "octal" },
  ],
  chown: [
    { name: "path", kind: "path" },
    { name: "uid", kind: "number" },
    { name: "gid", kind: "number" },
  ],
  utime: [{ name: "path", kind: "path" }],
  setxattr: [
    { name: "path", kind: "path" },
    { name: "name", kind: "text" },
  ],
  removexattr: [
    { name: "path", kind: "path" },
    { name: "name", kind: "text" },
  ],
  chattr: [{ name: "path", kind: "path" }],
  exec: [
    { name: "program", kind: "path" },
    { name: "argv", kind: "list" },
  ],
  connect: [
    { name: "host", kind: "place" },
    { name: "port", kind: "number" },
  ],
  bind: [
    { name: "address", kind: "place" },
    { name: "port", kind: "number" },
  ],
  listen: [
    { name: "address", kind: "place" },
    { name: "port", kind: "number" },
  ],
  send: [
    { name: "host", kind: "place" },
    { name: "port", kind: "number" },
  ],
  kill: [
    { name: "process", kind: "number" },
    { name: "signal", kind: "number" },
  ],
};

/** Calls whose two arguments are written `from -> to`. */
export const TWO_PATHS: ReadonlySet<string> = new Set(["rename", "link", "symlink"]);

/** The words of an `open` mode, in their order. */
export const OPEN_FLAGS = ["create", "truncate", "write", "read-write", "read"] as const;
export const NODE_KINDS = ["file", "fifo", "socket", "char", "block"] as const;
