/**
 * One system call as it would really take effect: a name and its arguments, paths absolute and canonical.
 * What patterns such as `open(/home/me/**, _)` match (ledger P3, P14). INVARIANT: structured, never parsed back from text.
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
] as const;

export type CallName = (typeof CALL_NAMES)[number];
