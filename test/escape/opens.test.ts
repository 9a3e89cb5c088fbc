import { mkdirSync, statSync, symlinkSync } from "node:fs";
import { buffer, bytes, calls, python, result, sh, step } from "./harness/program.ts";
import { escapes, type Row } from "./harness/suite.ts";
import { AT, O } from "./harness/syscalls.ts";

const CREATE = O.creat | O.wronly;
const EXISTS_OR_REFUSED = /^(?:EEXIST|EACCES|EPERM)$/;

const modeOf = (mode: number): string => (mode & 0o7777).toString(8);

const rows: readonly Row[] = [
  {
    number: "17",
    title: "access mode 3, for ioctl only",
    program: calls(step("open", "refused", "open", "$T", 3), step("openat", "refused", "openat", AT.cwd, "$T", 3)),
    refused: ["open"],
  },
  {
    number: "17a",
    title: "every flag that changes a file",
    program: calls(
      step("truncating-read", "refused", "open", "$T", O.rdonly | O.trunc),
      step("append", "refused", "open", "$T", O.wronly | O.append),
      step("read-write", "refused", "open", "$T", O.rdwr),
      step("creat", "refused", "creat", "$T", 0o644),
      step("create-existing", "refused", "open", "$T", O.creat | O.rdwr, 0o644),
      step("high-flags", "refused", "open", "$T", 0x1_0000_0000 + O.wronly),
      step("high-dirfd", "refused", "openat", 0x7fff_ffff_9cn << 8n, "$T", O.wronly),
      step("unknown-flags", "refused", "open", "$T", 0o1 | 0x4000_0000),
      step("create-read", ["works", /^(?:\d+|EACCES|EPERM)$/], "open", "$T", O.creat | O.rdonly, 0o644),
      step("create-read-new", "refused", "open", "$O/new", O.creat | O.rdonly, 0o644),
    ),
    refused: ["open"],
  },
  {
    number: "19",
    title: "openat2, with every size of its record",
    program: calls(
      step("write", "refused", "openat2", AT.cwd, "$T", [O.wronly, 0, 0], 24),
      step("longer", "refused", "openat2", AT.cwd, "$T", [O.wronly, 0, 0, 0], 32),
      step("page", "refused", "openat2", AT.cwd, "$T", bytes(Buffer.from([O.wronly]), Buffer.alloc(4095)), 4096),
      step("tail", "E2BIG", "openat2", AT.cwd, "$T", [O.wronly, 0, 0, 1], 32),
      step("short", "EINVAL", "openat2", AT.cwd, "$T", [O.wronly, 0, 0], 8),
      step("huge", "E2BIG", "openat2", AT.cwd, "$T", buffer("how"), 65_536),
      step("pointer", "EFAULT", "openat2", AT.cwd, "$T", 8, 24),
      step("flags", "EINVAL", "openat2", AT.cwd, "$W/f", [1n << 62n, 0, 0], 24),
      // A flag since some kernel after 6.12 (7.2 has it); the trap handler does not know it.
      step("newer-flag", ["any", "EINVAL"], "openat2", AT.cwd, "$W/f", [1n << 32n, 0, 0], 24),
      step("mode", "EINVAL", "openat2", AT.cwd, "$W/f", [O.rdonly, 0o644, 0], 24),
      step("resolve", "EINVAL", "openat2", AT.cwd, "$W/f", [O.rdonly, 0, 0x1000], 24),
      step("read", "works", "openat2", AT.cwd, "$T", [O.rdonly, 0, 0], 24),
      step("own", "works", "openat2", AT.cwd, "$W/new", [CREATE, 0o644, 0], 24),
    ),
    refused: ["open"],
  },
  {
    number: "19a",
    title: "openat2, with every way to resolve",
    setUp: (world) => {
      symlinkSync("/srv/O/f", world.at("$W/l"));
      symlinkSync("/f", world.at("$O/d/absolute"));
    },
    program: calls(
      step("o", "works", "openat", AT.cwd, "$O", O.path),
      step("w", "works", "openat", AT.cwd, "$W", O.path),
      step("in-root", "refused", "openat2", result("o"), "/f", [O.wronly, 0, 0x10], 24),
      step("in-root-up", "refused", "openat2", result("o"), "../../f", [O.wronly, 0, 0x10], 24),
      step("in-root-link", "refused", "openat2", result("o"), "d/absolute", [O.wronly, 0, 0x10], 24),
      step("beneath", "refused", "openat2", result("o"), "d/../f", [O.wronly, 0, 0x08], 24),
      step("beneath-up", "EXDEV", "openat2", result("w"), "../O/f", [O.rdonly, 0, 0x08], 24),
      step("beneath-link", "EXDEV", "openat2", result("w"), "l", [O.rdonly, 0, 0x08], 24),
      step("no-links", "ELOOP", "openat2", result("w"), "l", [O.rdonly, 0, 0x04], 24),
      step("no-magic", "ELOOP", "openat2", AT.cwd, "/proc/self/root/srv/O/f", [O.rdonly, 0, 0x02], 24),
      step("no-device", "same", "openat2", AT.cwd, "/proc/self/status", [O.rdonly, 0, 0x01], 24),
      step("cached", /^(?:\d+|EAGAIN)$/, "openat2", result("w"), "f", [O.rdonly, 0, 0x20], 24),
    ),
  },
  {
    number: "21",
    title: "from a folder that was opened by O_PATH",
    program: calls(
      step("o", "works", "openat", AT.cwd, "$O", O.path),
      step("write", "refused", "openat", result("o"), "f", O.wronly),
      step("file", "works", "openat", AT.cwd, "$T", O.path),
      step("empty", "ENOENT", "openat", result("file"), "", O.wronly),
      step("reopen", "refused", "open", "/proc/self/fd/4", O.wronly),
    ),
    refused: ["open"],
  },
  {
    number: "23",
    title: "a file that is open for reading is opened again for writing",
    program: calls(
      step("read", "works", "open", "$T", O.rdonly),
      step("self", "refused", "open", "/proc/self/fd/3", O.rdwr),
      step("thread", "refused", "open", "/proc/thread-self/fd/3", O.wronly | O.trunc),
      step("dev", "refused", "open", "/dev/fd/3", O.wronly),
      step("folder", "works", "open", "/proc/self/fd", O.rdonly | O.directory),
      step("dirfd", "refused", "openat", result("folder"), "3", O.wronly),
      step("link", "works", "symlink", "/proc/self/fd/3", "$W/l"),
      step("through-link", "refused", "open", "$W/l", O.rdwr),
      step("again", "works", "open", "/proc/self/fd/3", O.rdonly),
    ),
    refused: ["open"],
  },
  {
    number: "23a",
    title: "what a file that is open for reading does not let one do",
    program: calls(
      step("read", "works", "open", "$T", O.rdonly),
      step("ftruncate", "EINVAL", "ftruncate", result("read"), 0),
      step("fallocate", "EBADF", "fallocate", result("read"), 0, 0, 4096),
      step("write", "EBADF", "write", result("read"), "x", 1),
      step("map", "EACCES", "mmap", 0, 4096, 3, 1, result("read"), 0),
      step("own", "works", "open", "$W/f", O.rdwr),
      step("copy", "EBADF", "copy_file_range", result("own"), 0, result("read"), 0, 1, 0),
      step("send", "EBADF", "sendfile", result("read"), result("own"), 0, 1),
      step("clone", "EBADF", "ioctl", result("read"), 0x4004_9409, result("own")),
      step("map-own", "works", "mmap", 0, 4096, 3, 1, result("own"), 0),
    ),
  },
  {
    number: "25",
    title: "flags with an error of their own",
    setUp: (world) => symlinkSync("/srv/O/f", world.at("$W/l")),
    program: calls(
      step("exclusive", ["EEXIST", EXISTS_OR_REFUSED], "open", "$T", CREATE | O.excl, 0o644),
      step("exclusive-link", ["EEXIST", EXISTS_OR_REFUSED], "open", "$W/l", CREATE | O.excl, 0o644),
      step("exclusive-own", "EEXIST", "open", "$W/f", CREATE | O.excl, 0o644),
      step("directory", ["ENOTDIR", /^(?:ENOTDIR|EACCES|EPERM)$/], "open", "$T", O.wronly | O.directory),
      step("directory-own", "ENOTDIR", "open", "$W/f", O.rdonly | O.directory),
      step("create-directory", "EINVAL", "open", "$W/x", O.creat | O.directory | O.rdonly, 0o755),
      step("nofollow", ["ELOOP", /^(?:ELOOP|EACCES|EPERM)$/], "open", "$W/l", O.wronly | O.nofollow),
      step("nofollow-new", "refused", "open", "$O/n1", CREATE | O.nofollow, 0o644),
      step("exclusive-new", "refused", "open", "$O/n2", CREATE | O.excl, 0o644),
      step("tmpfile-read", "EINVAL", "open", "$W", O.tmpfile | O.rdonly, 0o644),
    ),
  },
  {
    number: "27",
    title: "what is made where it is allowed, is made as the program wants it",
    allow: ["Write($O/made/**)"],
    setUp: (world) => mkdirSync(world.at("$O/made")),
    unchanged: ["$S", "$O/d"],
    prelude: "mkdir $W/sg && chgrp 1234 $W/sg && chmod 2777 $W/sg",
    program: calls(
      step("umask-77", "works", "umask", 0o77),
      step("private", "works", "open", "$O/made/private", CREATE, 0o666),
      step("private-own", "works", "open", "$W/private", CREATE, 0o666),
      step("umask-0", "works", "umask", 0),
      step("open", "works", "open", "$O/made/open", CREATE, 0o666),
      step("sticky", "works", "open", "$W/special", CREATE, 0o1755),
      step("folder", "works", "mkdir", "$O/made/folder", 0o777),
      step("umask-22", "works", "umask", 0o22),
      step("folder-22", "works", "mkdir", "$W/folder", 0o777),
      step("fifo", "works", "mknod", "$W/fifo", 0o010666, 0),
      step("group", "works", "open", "$W/sg/file", CREATE, 0o666),
      step("group-folder", "works", "mkdir", "$W/sg/folder", 0o777),
      step("kept", "works", "open", "$W/kept", CREATE, 0o644),
      step("closed", "works", "open", "$W/closed", CREATE | O.cloexec, 0o644),
      step("kept-flag", "0", 72, result("kept"), 1),
      step("closed-flag", "1", 72, result("closed"), 1),
      step("append", "works", "open", "$W/append", CREATE | O.append, 0o644),
      step("append-flags", "same", 72, result("append"), 3),
      step("append-write", "2", "write", result("append"), "ab", 2),
      step("read-only", "works", "open", "$W/read-only", CREATE | O.excl, 0o400),
      step("read-only-write", "3", "write", result("read-only"), "abc", 3),
    ),
    check: ({ world, user }) => {
      const wanted: Readonly<Record<string, string>> = {
        "$O/made/private": "600",
        "$W/private": "600",
        "$O/made/open": "666",
        "$W/special": "1755",
        "$O/made/folder": "777",
        "$W/folder": "755",
        "$W/fifo": "644",
        "$W/sg/file": "644",
        "$W/sg/folder": "2755",
        "$W/read-only": "400",
      };
      const modes = Object.entries(wanted).flatMap(([path, mode]) => {
        const got = modeOf(statSync(world.at(path)).mode);
        return got === mode ? [] : [`${path} has mode ${got}, not ${mode}`];
      });
      const { gid } = statSync(world.at("$W/sg/file"));
      const { uid } = statSync(world.at("$O/made/private"));
      const owner = process.getuid?.() === 0 && user === "user" ? 1000 : process.getuid?.();
      return [...modes, ...(gid === 1234 ? [] : [`group ${gid}`]), ...(uid === owner ? [] : [`owner ${uid}`])];
    },
  },
  {
    number: "27a",
    title: "O_CLOEXEC holds across exec",
    program: sh(
      `exec 5>$W/kept; python3 -c 'import os; os.open("/srv/W/closed", os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC); os.execv("/bin/ls", ["ls", "-l", "/proc/self/fd"])' > $W/list
      grep -q kept $W/list && echo kept yes; grep -q closed $W/list && echo closed yes || echo closed no`,
      { kept: "yes", closed: "no" },
    ),
  },
  {
    number: "27b",
    title: "devices, pipes and the like work as ever",
    program: python(
      `
t("null", lambda: os.write(os.open("/dev/null", os.O_WRONLY), b"x"))
t("zero", lambda: len(os.read(os.open("/dev/zero", os.O_RDWR), 8)))
t("random", lambda: len(os.read(os.open("/dev/urandom", os.O_RDONLY), 8)))
t("full", lambda: os.write(os.open("/dev/full", os.O_WRONLY), b"x"))
t("tty", lambda: os.open("/dev/tty", os.O_RDWR))
os.mkfifo(W + "/fifo")
def reader(): print("piped", open(W + "/fifo").read(), flush=True)
th = threading.Thread(target=reader); th.start()
time.sleep(0.1)
f = open(W + "/fifo", "w"); f.write("through"); f.close(); th.join()
t("no-reader", lambda: os.open(W + "/fifo", os.O_WRONLY | os.O_NONBLOCK))
t("shm", lambda: os.write(os.open("/dev/shm/x", os.O_CREAT | os.O_RDWR), b"x"))
t("temp", lambda: open("/tmp/x", "w").write("x"))
t("stdout", lambda: os.write(os.open("/dev/stdout", os.O_WRONLY), b"by-device 1\\n"))
t("stdout-fd", lambda: os.write(os.open("/proc/self/fd/1", os.O_WRONLY | os.O_APPEND), b"by-fd 1\\n"))
t("memfd", lambda: os.write(os.open("/proc/self/fd/%d" % os.memfd_create("m"), os.O_RDWR), b"x"))
def deleted():
    fd = os.open(W + "/gone", os.O_CREAT | os.O_RDWR); os.unlink(W + "/gone")
    return os.write(os.open("/proc/self/fd/%d" % fd, os.O_RDWR), b"x")
t("deleted", deleted)
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))
t("many", lambda: [os.open("/dev/null", os.O_RDONLY) for i in range(30)])
`,
      {
        null: "1",
        zero: "8",
        random: "8",
        full: "ENOSPC",
        tty: "ENXIO",
        piped: "through",
        "no-reader": "ENXIO",
        shm: "1",
        temp: "1",
        stdout: "works",
        "by-device": "1",
        "by-fd": "1",
        memfd: "1",
        deleted: "1",
        many: "EMFILE",
      },
    ),
  },
  {
    number: "29",
    title: "T by a handle",
    as: ["root"],
    program: calls(
      step("o", "works", "open", "$O", O.rdonly | O.directory),
      step("handle", ["works", "any"], "name_to_handle_at", AT.cwd, "$T", buffer("h", Buffer.of(128, 0, 0, 0)), buffer("m"), 0),
      step("open", "absent", "open_by_handle_at", result("o"), buffer("h"), O.wronly | O.trunc),
    ),
  },
  {
    number: "29a",
    title: "files that came open from outside",
    program: sh(`t inherited 'echo x >&7'; t folder 'echo x > /proc/self/fd/8/new'`, { inherited: "refused", folder: "refused" }),
    wrap: ["/bin/sh", "-c", 'exec "$@" 7>>$T 8<$O', "sh"],
    bare: "the descriptors are given to the supervisor",
  },
  {
    number: "29b",
    title: "nothing of the supervisor's is open in the program",
    program: python(
      `
print("open", " ".join(sorted(n for n in os.listdir("/proc/self/fd") if int(n) > 2 and os.path.exists("/proc/self/fd/" + n))) or "none", flush=True)
t("child", lambda: subprocess.run(["sh", "-c", "ls /proc/self/fd | tr -d '\\n'"], capture_output=True, text=True).stdout)
t("umask", lambda: oct(os.umask(0o22)))
t("blocked", lambda: len(signal.pthread_sigmask(signal.SIG_BLOCK, [])))
t("ignored", lambda: [l for l in open("/proc/self/status") if l.startswith("SigIgn")][0].split()[1])
t("limits", lambda: __import__("resource").getrlimit(7))
`,
      { open: ["any", "none"], child: "same", umask: "same", blocked: "0", ignored: "same", limits: "same" },
    ),
  },
];

escapes("B. Ways to open", rows);
