import { release } from "node:os";
import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { buffer, calls, python, result, step, zeros } from "./harness/program.ts";
import { escapes, type Row } from "./harness/suite.ts";
import { AT, O } from "./harness/syscalls.ts";
import type { World } from "./harness/world.ts";

const [major = 0, minor = 0] = release().split(".").map(Number);
/** Linux 6.6. */
const HAS_FCHMODAT2 = major > 6 || (major === 6 && minor >= 6);

const giveAttribute = (world: World): void => {
  execFileSync("python3", ["-c", 'import os, sys; os.setxattr(sys.argv[1], "user.old", b"1")', world.at("$T")]);
};
const linkInO = (world: World): void => symlinkSync("f", world.at("$O/l"));

const rows: readonly Row[] = [
  {
    number: "39",
    title: "by a descriptor that is open for reading",
    setUp: giveAttribute,
    program: calls(
      step("fd", "works", "open", "$T", O.rdonly),
      step("me", "works", "getuid"),
      step("fchmod", "refused", "fchmod", result("fd"), 0o600),
      step("fchown", "refused", "fchown", result("fd"), result("me"), -1),
      step("futimens", "refused", "utimensat", result("fd"), 0, 0, 0),
      step("fsetxattr", "refused", "fsetxattr", result("fd"), "user.new", "1", 1, 0),
      step("fremovexattr", "refused", "fremovexattr", result("fd"), "user.old"),
      step("flags", "refused", "ioctl", result("fd"), 0x4008_6602, buffer("flags", Buffer.of(0x40, 0, 0, 0))),
      step("attributes", "refused", "ioctl", result("fd"), 0x401c_5820, buffer("attr", Buffer.of(0x40, 0, 0, 0))),
      step("inherited", "works", "dup", result("fd")),
      step("fchmod-dup", "refused", "fchmod", result("inherited"), 0o640),
    ),
    refused: ["chmod", "chown", "utime", "setxattr", "removexattr"],
  },
  {
    number: "39a",
    title: "by name, by O_PATH, by an empty path, without following",
    setUp: linkInO,
    program: calls(
      step("path", "works", "open", "$T", O.path),
      step("o", "works", "open", "$O", O.path),
      step("me", "works", "getuid"),
      step("chmod", "refused", "chmod", "$T", 0o600),
      step("chmod-folder", "refused", "chmod", "$O/d", 0o700),
      step("fchmodat", "refused", "fchmodat", result("o"), "f", 0o600),
      step("fchmodat-fd", "refused", "fchmodat", AT.cwd, "/proc/self/fd/3", 0o640),
      step("fchmodat2", HAS_FCHMODAT2 ? "refused" : ["ENOSYS", "absent"], "fchmodat2", result("path"), "", 0o604, AT.emptyPath),
      step("chown", "refused", "chown", "$T", result("me"), -1),
      step("lchown", "refused", "lchown", "$O/l", result("me"), -1),
      step("fchownat", "refused", "fchownat", result("path"), "", result("me"), -1, AT.emptyPath),
      step("utime", "refused", "utime", "$T", 0),
      step("utimes", "refused", "utimes", "$T", 0),
      step("futimesat", "refused", "futimesat", result("o"), "f", 0),
      step("utimensat", "refused", "utimensat", result("o"), "f", 0, 0),
      step("utimensat-link", "refused", "utimensat", AT.cwd, "$O/l", 0, AT.symlinkNoFollow),
      step("utimensat-empty", "refused", "utimensat", result("path"), "", 0, AT.emptyPath),
    ),
    refused: ["chmod", "chown", "utime"],
  },
  {
    number: "39b",
    title: "the folder O itself, and what is above it",
    program: calls(
      step("chmod", "refused", "chmod", "$O", 0o700),
      step("here", "works", "chdir", "$O"),
      step("dot", "refused", "chmod", ".", 0o700),
      step("up", "refused", "utimensat", AT.cwd, "..", 0, 0),
      step("srv", "refused", "chmod", "/srv", 0o755),
    ),
  },
  {
    number: "41",
    title: "extended attributes",
    setUp: (world) => {
      linkInO(world);
      giveAttribute(world);
    },
    program: calls(
      step("set", "refused", "setxattr", "$T", "user.a", "1", 1, 0),
      step("lset", "refused", "lsetxattr", "$T", "user.b", "1", 1, 0),
      step("lset-link", ["EPERM", "refused"], "lsetxattr", "$O/l", "user.c", "1", 1, 0),
      step("through-link", "refused", "setxattr", "$O/l", "user.d", "1", 1, 0),
      // Linux 6.13.
      step("setxattrat", [/^(?:\d+|ENOSYS)$/, "absent"], "setxattrat", AT.cwd, "$T", 0, "user.e", ["1", 1], 16),
      step("remove", "refused", "removexattr", "$T", "user.old"),
      step("lremove", ["ENODATA", /^(?:EACCES|EPERM|ENODATA)$/], "lremovexattr", "$T", "user.old"),
      step("removexattrat", ["any", /^(?:EACCES|EPERM|ENOSYS|ENODATA)$/], "removexattrat", AT.cwd, "$T", 0, "user.a"),
      step("old", [/^ENODATA$/, "1"], "getxattr", "$T", "user.old", zeros(8), 8),
      step("own", "works", "setxattr", "$W/f", "user.a", "1", 1, 0),
    ),
    refused: ["setxattr", "removexattr"],
  },
  {
    number: "41a",
    title: "attributes that give rights",
    as: ["root"],
    program: python(
      `
cap = struct.pack("<IIIII", 0x02000001, 0xffffffff, 0, 0, 0)
t("capability", lambda: os.setxattr(T, "security.capability", cap))
t("trusted", lambda: os.setxattr(T, "trusted.x", b"1"))
t("own-capability", lambda: os.setxattr(W + "/f", "security.capability", cap))
t("own-suid", lambda: os.chmod(W + "/f", 0o4755))
`,
      { capability: "refused", trusted: "refused", "own-capability": "refused", "own-suid": "any" },
    ),
  },
  {
    number: "43",
    title: "file_setattr",
    // Linux 6.17.
    program: calls(
      step("get", "any", "file_getattr", AT.cwd, "$T", buffer("attr"), 24, 0),
      step("set", [/^(?:0|ENOSYS)$/, "absent"], "file_setattr", AT.cwd, "$T", buffer("attr"), 24, 0),
      step("set-nodump", [/^(?:0|ENOSYS)$/, "absent"], "file_setattr", AT.cwd, "$T", buffer("attr2", Buffer.of(0x80, 0, 0, 0)), 24, 0),
    ),
  },
  {
    number: "45",
    title: "the two meanings of no path, and pointers into nowhere",
    program: calls(
      step("fd", "works", "open", "$T", O.rdonly),
      step("of-fd", "refused", "utimensat", result("fd"), 0, 0, 0),
      step("of-cwd", "EFAULT", "utimensat", AT.cwd, 0, 0, 0),
      step("of-nothing", "EBADF", "utimensat", 77, 0, 0, 0),
      step("flags", "same", "utimensat", result("fd"), 0, 0, AT.emptyPath),
      step("times", "EFAULT", "utimensat", AT.cwd, "$W/f", 16, 0),
      step("path", "EFAULT", "chmod", 16, 0o644),
      step("name", "EFAULT", "setxattr", "$W/f", 16, "1", 1, 0),
      step("value", "EFAULT", "setxattr", "$W/f", "user.a", 16, 1, 0),
      step("name-empty", "ERANGE", "setxattr", "$W/f", "", "1", 1, 0),
      step("name-long", "ERANGE", "setxattr", "$W/f", `user.${"x".repeat(255)}`, "1", 1, 0),
      step("namespace", "EOPNOTSUPP", "setxattr", "$W/f", "nothing.a", "1", 1, 0),
      step("size", "E2BIG", "setxattr", "$W/f", "user.a", zeros(16), 1 << 20, 0),
      step("replace", "ENODATA", "setxattr", "$W/f", "user.none", "1", 1, 2),
      step("rename", "EFAULT", "rename", "$W/f", 16),
      step("symlink", "EFAULT", "symlink", 16, "$W/x"),
      step("exec", "EFAULT", "execve", 16, 0, 0),
      step("alive", "works", "open", "$W/new", O.creat | O.wronly, 0o644),
    ),
  },
  {
    number: "45a",
    title: "where it is allowed, everything is as the program wants it",
    program: python(
      `
p = W + "/f"; d = os.open(p, os.O_RDONLY)
os.chmod(p, 0o640); t("mode", lambda: oct(os.stat(p).st_mode & 0o7777))
os.fchmod(d, 0o604); t("fmode", lambda: oct(os.stat(p).st_mode & 0o7777))
os.utime(p, ns=(1_000_000_007, 2_000_000_009)); t("times", lambda: os.stat(p).st_mtime_ns)
os.utime(d, ns=(1, 3_000_000_001)); t("ftimes", lambda: os.stat(p).st_mtime_ns)
os.symlink("f", W + "/l"); os.utime(W + "/l", ns=(5, 6), follow_symlinks=False)
t("link-times", lambda: os.lstat(W + "/l").st_mtime_ns); t("kept", lambda: os.stat(p).st_mtime_ns)
os.setxattr(p, "user.a", b"v"); t("attribute", lambda: os.getxattr(p, "user.a").decode())
os.removexattr(d, "user.a"); t("attributes", lambda: len(os.listxattr(p)))
t("owner", lambda: os.chown(p, os.getuid(), -1))
t("link-owner", lambda: os.chown(W + "/l", os.getuid(), os.getgid(), follow_symlinks=False))
t("one-of-two", lambda: (sc(280, -100, B(p), struct.pack("qqqq", 0, 0x3ffffffe, 7, 8), 0), os.stat(p).st_mtime_ns)[1])
`,
      {
        mode: "0o640",
        fmode: "0o604",
        times: "2000000009",
        ftimes: "3000000001",
        "link-times": "6",
        kept: "3000000001",
        attribute: "v",
        attributes: "0",
        owner: "0",
        "link-owner": "0",
        "one-of-two": "7000000008",
      },
    ),
  },
];

escapes("D. Metadata", rows);
