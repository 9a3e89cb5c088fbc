import { buffer, bytes, calls, program, python, result, sh, step, type Step } from "./harness/program.ts";
import { escapes, type Row } from "./harness/suite.ts";
import { AT, NR, O } from "./harness/syscalls.ts";

const X32 = 0x4000_0000;

/** 17 layers: a ruleset that says nothing about files but creating sockets, again and again. */
const layers: readonly Step[] = Array.from({ length: 17 }, (_, at) => [
  step(`ruleset${at}`, ["any", "any"], "landlock_create_ruleset", [1 << 9], 8, 0),
  step(`layer${at}`, at < 14 ? "works" : "any", "landlock_restrict_self", result(`ruleset${at}`), 0),
]).flat();

const rows: readonly Row[] = [
  {
    number: "103",
    on: "x64",
    of32Bits: true,
    title: "int 0x80",
    program: program(["/media/abi32", "$T", "$S/key"], { write: "absent", read: "absent", unlink: "absent" }),
  },
  {
    number: "103a",
    of32Bits: true,
    title: "a program of the i386 ABI",
    status: "any",
    program: sh("/media/elf32; echo end 1", { elf32: ["0", /^(?:undefined|failed)$/], end: "1" }),
  },
  {
    number: "103b",
    on: "x64",
    title: "numbers of the x32 ABI, and numbers that are none",
    program: calls(
      step("open", ["any", "absent"], X32 + NR.open, "$T", O.wronly | O.trunc),
      step("openat", ["any", "absent"], X32 + NR.openat, AT.cwd, "$T", O.wronly | O.trunc),
      step("execve", ["any", "absent"], X32 + 520, "/bin/true", 0, 0),
      step("unlink", ["any", "absent"], X32 + NR.unlink, "$T"),
      step("none", "ENOSYS", 900, 0),
      step("negative", "ENOSYS", -1, 0),
      step("high", "same", 0x1_0000_0000 + NR.getpid),
    ),
  },
  {
    number: "103c",
    title: "every number above the newest call that is known",
    program: python(
      `
def newer():
    for n in [*range(470, 1200), 0x7fffffff, 0x80000000, 0xffffffff]:
        try: sc(n, 0, 0, 0, 0, 0, 0)
        except OSError as e:
            if e.errno == errno.ENOSYS: continue
        raise OSError(errno.EIO, str(n))
t("newer", newer)
`,
      // A kernel may have newer ones than we know (7.2 has some); in a run there are none.
      { newer: [/^(?:0|EIO)$/, "0"] },
    ),
  },
  {
    number: "103d",
    title: "an exec that is only asked about, children of other parents, owners of descriptors",
    beside: "sleep 60 & echo $! > /srv/outside; touch /srv/ready; wait",
    after: "kill -0 $(cat /srv/outside) && echo outside alive",
    program: python(
      `
import fcntl
out = int(open("/srv/outside").read())
v = (ctypes.c_char_p * 2)(b"true", None)
def check(fd, path, flags):
    try: sc(322, fd, B(path), v, v, 0x10000 | flags)
    except OSError as e:
        if e.errno not in (errno.EINVAL, errno.EACCES): raise
t("check", lambda: check(-100, "/bin/true", 0))
t("check-fd", lambda: check(os.open("/bin/true", os.O_RDONLY), "", 0x1000))
def child(flags):
    pid = sc(56, flags | 17, 0, 0, 0, 0)
    if pid == 0:
        try: open(T, "w").write("stolen")
        except OSError: pass
        os._exit(0)
    time.sleep(0.3)
    if open(T).read() != "orig": raise OSError(errno.EIO, "")
t("sibling", lambda: child(0x8000))
t("shared", lambda: child(0x600))
def owner():
    a, b = socket.socketpair()
    fcntl.fcntl(a, 10, signal.SIGKILL); fcntl.fcntl(a, 8, out)
    fcntl.fcntl(a, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK); b.send(b"x"); time.sleep(0.2)
t("owner", owner)
pidfd = os.pidfd_open(out)
t("release", lambda: sc(448, pidfd, 0))
t("group", lambda: sc(424, pidfd, 9, 0, 4))
t("core", lambda: sc(157, 62, 2, out, 0, 0))
`,
      {
        check: "0",
        "check-fd": "0",
        sibling: ["any", "0"],
        shared: ["any", "0"],
        owner: "any",
        release: ["any", /^(?:EINVAL|EPERM|ENOSYS)$/],
        group: ["any", /^(?:ESRCH|EPERM|EINVAL)$/],
        core: ["any", /^(?:EINVAL|EPERM|ENODEV)$/],
      },
    ),
  },
  {
    number: "105",
    title: "mounts",
    as: ["root"],
    program: calls(
      step("tmpfs", "absent", "mount", "none", "$W", "tmpfs", 0, 0),
      step("bind", "absent", "mount", "$W", "$O", 0, 4096, 0),
      step("remount", "absent", "mount", "none", "$O", 0, 4096 | 32, 0),
      step("umount", ["any", "absent"], "umount2", "/srv", 2),
      step("tree", ["works", "absent"], "open_tree", AT.cwd, "/media", 1),
      step("move", ["any", "absent"], "move_mount", result("tree"), "", AT.cwd, "/media", 4),
      step("fsopen", "absent", "fsopen", "tmpfs", 0),
      step("fspick", "absent", "fspick", AT.cwd, "/tmp", 0),
      step("setattr", ["any", "absent"], "mount_setattr", AT.cwd, "/tmp", 0, [0, 0, 0, 0], 32),
      step("pivot", ["any", "absent"], "pivot_root", ".", "."),
      step("chroot", "absent", "chroot", "/tmp"),
      step("write", ["any", "refused"], "open", "$T", O.wronly | O.trunc),
    ),
  },
  {
    number: "105a",
    title: "new namespaces, and mounts in them",
    program: python(
      `
def ns(flags):
    pid = os.fork()
    if pid == 0:
        try: sc(272, flags)
        except OSError as e: os._exit(e.errno)
        try: open(T, "w").write("stolen")
        except OSError: pass
        for src, dst in ((W, O), ("/srv/home/S", W)):
            try:
                if sc(165, B(src), B(dst), 0, 4096, 0) == 0: os.system("cat /srv/W/key")
            except OSError: pass
        os._exit(0)
    code = os.WEXITSTATUS(os.waitpid(pid, 0)[1])
    if code: raise OSError(code, "")
t("user", lambda: ns(0x10000000))
t("user-mount", lambda: ns(0x10020000))
t("mount", lambda: ns(0x20000))
t("net", lambda: ns(0x40000000))
t("pid", lambda: ns(0x20000000))
t("clone3", lambda: sc(435, bytes([0]*3 + [0x10]) + bytes(84), 88) and 0)
def clone(flags):
    pid = sc(56, flags | 17, 0, 0, 0, 0)
    if pid == 0:
        try: open(T, "w").write("stolen")
        except OSError: pass
        os._exit(0)
    os.waitpid(pid, 0)
t("clone", lambda: clone(0x10000000))
`,
      {
        user: ["any", "absent"],
        "user-mount": ["any", "absent"],
        mount: ["any", "absent"],
        net: ["any", "absent"],
        pid: ["any", "absent"],
        clone: ["any", "absent"],
      },
    ),
    bare: "it writes to T",
  },
  {
    number: "107",
    title: "namespaces of others are entered",
    beside: "sleep 60 & echo $! > /srv/outside; touch /srv/ready; wait",
    program: python(
      `
out = int(open("/srv/outside").read())
for name, pid in (("init", 1), ("helper", os.getppid()), ("outside", out)):
    for ns in ("mnt", "net", "user", "pid", "ipc"):
        t(name + "-" + ns, lambda: sc(308, os.open("/proc/%d/ns/%s" % (pid, ns), os.O_RDONLY), 0))
    t(name + "-pidfd", lambda: sc(308, sc(434, pid, 0), 0x20000))
t("own", lambda: sc(308, os.open("/proc/self/ns/net", os.O_RDONLY), 0))
`,
      Object.fromEntries(
        ["init", "helper", "outside"].flatMap((who) =>
          ["mnt", "net", "user", "pid", "ipc", "pidfd"].map((ns) => [
            `${who}-${ns}`,
            ["any", /^(?:EACCES|EPERM|ENOSYS|ENOENT|EINVAL)$/] as const,
          ]),
        ),
      ),
    ),
  },
  {
    number: "109",
    title: "memory and queues that others made",
    beside: `python3 -c '
import ctypes
L = ctypes.CDLL(None)
i = L.shmget(0x5ca1ab1e, 4096, 0o1600 | 0o66); L.semget(0x5ca1ab1e, 1, 0o1666); L.msgget(0x5ca1ab1e, 0o1666)
open("/srv/ready", "w").close()
import time; time.sleep(60)'`,
    after: `python3 -c '
import ctypes
L = ctypes.CDLL(None)
print("memory", "there" if L.shmget(0x5ca1ab1e, 4096, 0) >= 0 else "gone"); print("queue", "there" if L.msgget(0x5ca1ab1e, 0) >= 0 else "gone"); print("semaphore", "there" if L.semget(0x5ca1ab1e, 1, 0) >= 0 else "gone")'`,
    program: python(
      `
t("get", lambda: sc(29, 0x5ca1ab1e, 4096, 0) * 0)
t("attach", lambda: sc(30, sc(29, 0x5ca1ab1e, 4096, 0), 0, 0o10000) * 0)
t("remove", lambda: sc(31, sc(29, 0x5ca1ab1e, 4096, 0), 0, 0))
t("remove-queue", lambda: sc(71, sc(68, 0x5ca1ab1e, 0), 0, 0))
t("remove-semaphore", lambda: sc(66, sc(64, 0x5ca1ab1e, 1, 0), 0, 0, 0))
t("mq", lambda: sc(240, B("outside"), 0o102, 0o666, 0) * 0)
`,
      Object.fromEntries(
        ["remove", "remove-queue", "remove-semaphore", "attach"].map((label) => [
          label,
          ["works", /^(?:EACCES|EPERM|ENOSYS|ENOENT|EIDRM)$/] as const,
        ]),
      ),
    ),
    check: ({ labels }) =>
      ["memory", "queue", "semaphore"].filter((name) => labels.get(name) !== "there").map((name) => `the ${name} of others is gone`),
  },
  {
    number: "111",
    title: "17 layers of Landlock",
    program: calls(
      step("nnp", "works", "prctl", 38, 1, 0, 0, 0),
      ...layers,
      step("one-more", "any", "landlock_restrict_self", result("ruleset16"), 0),
      step("refused", ["any", "refused"], "open", "$T", O.wronly),
      step("own", "works", "open", "$W/new", O.creat | O.wronly, 0o644),
    ),
    check: ({ labels }) => (labels.get("layer16") === "E2BIG" ? [] : [`the 17th layer is ${labels.get("layer16")}`]),
  },
  {
    number: "111a",
    title: "keys, personalities, terminals",
    beside: "touch /srv/ready",
    program: calls(
      step("add", ["any", "absent"], "add_key", "user", "escape", "x", 1, -3),
      step("session", ["any", "absent"], "keyctl", 0, -3, 0),
      step("request", ["any", /^(?:EACCES|EPERM|ENOSYS|ENOKEY)$/], "request_key", "user", "escape", 0, -3),
      step("read-implies-exec", ["any", "absent"], "personality", 0x40_0000),
      step("ask-personality", "works", "personality", 0xffff_ffff),
      step("type", ["any", /^(?:EACCES|EPERM|ENOTTY|EIO|EBADF|ENOSYS)$/], "ioctl", 0, 0x5412, "x"),
      step("type-high", ["any", /^(?:EACCES|EPERM|ENOTTY|EIO|EBADF|ENOSYS)$/], "ioctl", 0, 0x1_0000_5412, "x"),
      step("linux", ["any", /^(?:EACCES|EPERM|ENOTTY|EIO|EBADF|ENOSYS|EINVAL)$/], "ioctl", 0, 0x541c, "\u0003"),
      step("undumpable", "works", "prctl", 4, 0, 0, 0, 0),
      step("still", "refused", "open", "$T", O.wronly),
      step("again", "works", "open", "$W/new", O.creat | O.wronly, 0o644),
    ),
  },
  {
    number: "111b",
    title: "clocks, modules, swap and the like",
    as: ["root"],
    program: calls(
      step("reboot", ["any", "absent"], 169, 0, 0, 0, 0),
      step("module", ["any", "absent"], 175, buffer("b"), 0, ""),
      step("kexec", ["any", "absent"], 246, 0, 0, 0, 0),
      step("swap", ["any", "absent"], 168, "/none"),
      step("accounting", ["any", "absent"], 163, "$W/f"),
      step("quota", ["any", "absent"], 179, 0, 0, 0, 0),
      step("ports", ["any", "absent"], 172, 3),
      step("log", ["any", "absent"], 103, 3, buffer("b"), 10),
      step("host", ["any", "absent"], 170, bytes("x"), 1),
      step("fanotify", ["any", "absent"], 300, 0, 0),
      step("statmount", "any", 457, 0, 0, 0, 0),
    ),
    bare: "it would change the machine",
  },
];

escapes("J. The kernel's surface", rows);
