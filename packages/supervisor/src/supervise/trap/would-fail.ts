import { AT_EMPTY_PATH, ERRNO, lastingAddressOf, sys, SYSCALLS } from "../kernel/index.ts";
import { kindOf, statFd } from "../undo/index.ts";
import type { DecodedCall } from "./operation.ts";

const W_OK = 2;
const X_OK = 1;
const AT_EACCESS = 0x200;
const emptyAt = lastingAddressOf(Buffer.from([0]));

/** A name is made, or taken away, in each folder that is pinned; linkat(2) pins the file before it. */
const IN_FOLDERS: ReadonlySet<string> = new Set(["delete", "rmdir", "mkdir", "rename", "symlink", "mknod"]);
/** Only the owner may (chmod(2), ioctl_iflags(2)). */
const BY_OWNERS: ReadonlySet<string> = new Set(["chmod", "chown", "chattr"]);

/**
 * Why the kernel would refuse a change to a program without capabilities, as all programs of a run are: a negative errno. 0: it may
 * succeed. What is asked for such a call is asked for nothing, and no rule lets it through.
 */
export function wouldFail({ call, actions, places = [], pinned, makes }: DecodedCall): number {
  const isFileChange = actions.some((action) => action.kind === "file" && !["read", "list", "execute"].includes(action.operation));
  const [fd] = pinned;
  if (!isFileChange || fd === undefined) return 0;
  if (IN_FOLDERS.has(call.name)) return pinned.reduce((found, folder) => (found < 0 ? found : access(folder)), 0);
  if (call.name === "link") return access(pinned.at(-1) ?? fd);
  if (call.name === "open" || call.name === "truncate") return makes === undefined && kindOfFd(fd) !== "file" ? 0 : access(fd);
  const object = places[0]?.object;
  if (object === undefined || !BY_OWNERS.has(call.name)) return 0;
  const [uid = -1, gid = -1] = call.name === "chown" ? call.args.slice(1).map(Number) : [];
  if (access(fd) === -ERRNO.EROFS) return -ERRNO.EROFS;
  // Whoever leaves both as they are may do so with any file.
  if (call.name === "chown" && uid === -1 && gid === -1) return 0;
  if (object.uid !== process.geteuid?.()) return -ERRNO.EPERM;
  const isMember = gid === -1 || gid === object.gid || gid === process.getegid?.() || process.getgroups?.().includes(gid) === true;
  return (uid === -1 || uid === object.uid) && isMember ? 0 : -ERRNO.EPERM;
}

/** faccessat2(2), Linux 5.8: it knows of file systems that are read only, too. */
function access(fd: number): number {
  const found = sys(SYSCALLS.faccessat2, fd, emptyAt, kindOfFd(fd) === "directory" ? W_OK | X_OK : W_OK, AT_EMPTY_PATH | AT_EACCESS);
  return found === -ERRNO.EACCES || found === -ERRNO.EPERM || found === -ERRNO.EROFS ? found : 0;
}

function kindOfFd(fd: number): string | undefined {
  const stat = statFd(fd);
  return typeof stat === "number" ? undefined : kindOf(stat.mode);
}
