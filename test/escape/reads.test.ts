import { execFileSync } from "node:child_process";
import { chmodSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { buffer, calls, python, result, sh, step, zeros } from "./harness/program.ts";
import { escapes, type Row } from "./harness/suite.ts";
import { AT, O } from "./harness/syscalls.ts";
import { SECRET, type World } from "./harness/world.ts";

const OUTSIDE = "sleep 60 & echo $! > /srv/outside; touch /srv/ready; wait";

const giveAttributes = (world: World): void => {
  symlinkSync("/srv/home/S/key", world.at("$W/l"));
  linkSync(world.at("$S/key"), world.at("$W/h"));
  const give = "import os, sys\nfor path, text in zip(sys.argv[1::2], sys.argv[2::2]): os.setxattr(path, 'user.note', text.encode())";
  const texts = { $S: SECRET, "$S/key": SECRET, "$W/f": "mine", $T: "theirs" };
  execFileSync("python3", ["-c", give, ...Object.entries(texts).flatMap(([path, text]) => [world.at(path), text])]);
};

const rows: readonly Row[] = [
  {
    number: "47",
    title: "what is in S",
    program: calls(
      step("open", "hidden", "open", "$S", O.rdonly | O.directory),
      step("list", ["works", "any"], "getdents64", result("open"), buffer("entries"), 4096),
      step("path", "works", "open", "$HOME", O.path),
      step("openat", "hidden", "openat", result("path"), "S", O.rdonly | O.directory),
      step("watch", "works", "inotify_init"),
      step("home", "works", "open", "$HOME", O.rdonly | O.directory),
    ),
  },
  {
    number: "47a",
    title: "the key, by every way of reading it",
    setUp: (world) => {
      symlinkSync("/srv/home/S/key", world.at("$W/l"));
      symlinkSync("/srv/home/S", world.at("$W/ls"));
      writeFileSync(world.at("$S/script"), `#!/bin/sh\necho ${SECRET}\n`, { mode: 0o755 });
    },
    program: sh(
      `t cat 'cat $S/key'; t link 'cat $W/l'; t folder 'cat $W/ls/key'; t dots 'cat $W/../home/./S/key'; t magic 'cat /proc/self/root/srv/home/S/key'
       t dd 'dd if=$S/key'; t cp 'cp $S/key $W/copy'; t read 'read x < $S/key'; t source '. $S/key || false'; t grep 'grep -r hunter $S'; t tar 'tar cf $W/t.tar $S'
       t script '$S/script'; t shell 'sh $S/script'; t list 'ls $S/'; t find 'find $S/ | grep key'; t glob 'set -- $S/*; test -e "$1"'
       t cd 'cd $S && cat key'; t write 'echo x >> $S/key; cat $S/key'`,
      Object.fromEntries(
        ["cat", "link", "folder", "dots", "magic", "dd", "cp", "read", "grep", "tar", "script", "shell", "list", "find", "cd", "write"]
          .map((label) => [label, "refused"] as const)
          .concat([["glob", ["ok", "any"] as never]]),
      ),
    ),
    refused: ["open"],
  },
  {
    number: "47b",
    title: "the key, by calls",
    program: calls(
      step("path", "works", "open", "$S/key", O.path),
      step("reopen", "hidden", "open", "/proc/self/fd/3", O.rdonly),
      step("openat2", "hidden", "openat2", AT.cwd, "$S/key", [O.rdonly, 0, 0], 24),
      step("read-write", "hidden", "open", "$S/key", O.rdwr),
      step("create", "hidden", "open", "$S/key", O.rdwr | O.creat, 0o644),
      step("chdir", ["works", "any"], "chdir", "$S"),
      step("here", ["works", "hidden"], "open", "key", O.rdonly),
      step("tree", ["any", "absent"], "open_tree", AT.cwd, "$S", 1),
    ),
    refused: ["open"],
  },
  {
    number: "47c",
    title: "what its attributes hold, and which it has",
    allow: ["Write($S/**)", "Write($W/**)"],
    setUp: giveAttributes,
    program: calls(
      step("get", "refused", "getxattr", "$S/key", "user.note", zeros(64), 64),
      step("size", "refused", "getxattr", "$S/key", "user.note", 0, 0),
      step("lget", "refused", "lgetxattr", "$S/key", "user.note", zeros(64), 64),
      step("link", "refused", "getxattr", "$W/l", "user.note", zeros(64), 64),
      step("other-name", "refused", "getxattr", "$W/h", "user.note", zeros(64), 64),
      step("folder", "refused", "getxattr", "$S", "user.note", zeros(64), 64),
      step("path", "works", "open", "$S/key", O.path),
      step("magic", "refused", "getxattr", "/proc/self/fd/3", "user.note", zeros(64), 64),
      step("name-only", "EBADF", "fgetxattr", result("path"), "user.note", zeros(64), 64),
      step("write-only", ["works", "any"], "open", "$S/key", O.wronly),
      step("by-write", ["works", /^(?:EACCES|EBADF)$/], "fgetxattr", result("write-only"), "user.note", zeros(64), 64),
      step("list-by-write", ["works", /^(?:EACCES|EBADF)$/], "flistxattr", result("write-only"), zeros(64), 64),
      step("here", "works", "chdir", "$S"),
      step("relative", "refused", "getxattr", "key", "user.note", zeros(64), 64),
      // Linux 6.13.
      step("at", [/^(?:\d+|ENOSYS)$/, "absent"], "getxattrat", AT.cwd, "key", 0, "user.note", [zeros(64), 64], 16),
      step("at-empty", /^(?:EBADF|ENOSYS)$/, "getxattrat", result("path"), "", AT.emptyPath, "user.note", [zeros(64), 64], 16),
      step("list", "refused", "listxattr", "$S/key", zeros(64), 64),
      step("llist", "refused", "llistxattr", "$S/key", zeros(64), 64),
      step("list-folder", "refused", "listxattr", "$S", zeros(64), 64),
      step("listat", [/^(?:\d+|ENOSYS)$/, "absent"], "listxattrat", AT.cwd, "key", 0, zeros(64), 64),
      step("rights", "ENODATA", "getxattr", "$S/key", "system.posix_acl_access", zeros(64), 64),
      step("label", "same", "getxattr", "$S/key", "security.capability", zeros(64), 64),
      step("no-name", "ERANGE", "getxattr", "$S/key", "", zeros(64), 64),
      step("own", "same", "getxattr", "$W/f", "user.note", zeros(64), 64),
      step("own-small", "ERANGE", "getxattr", "$W/f", "user.note", zeros(1), 1),
      step("own-bad", "EFAULT", "getxattr", "$W/f", "user.note", 8, 64),
      step("own-none", "ENODATA", "getxattr", "$W/f", "user.none", zeros(64), 64),
      step("own-list", "same", "listxattr", "$W/f", zeros(64), 64),
      step("other", "same", "lgetxattr", "$T", "user.note", zeros(64), 64),
    ),
    refused: ["open"],
  },
  {
    number: "47d",
    title: "what attributes hold, as programs read them",
    setUp: giveAttributes,
    program: python(
      `
t("read", lambda: os.getxattr(S + "/key", "user.note").decode())
t("link", lambda: os.getxattr(W + "/l", "user.note").decode())
t("list", lambda: os.listxattr(S + "/key"))
t("mine", lambda: os.getxattr(W + "/f", "user.note").decode())
t("mine-listed", lambda: os.listxattr(W + "/f"))
t("look", lambda: subprocess.run(["ls", "-la", S + "/key", W], stdout=-3).returncode)
t("copy", lambda: (subprocess.run(["cp", "-a", W + "/f", W + "/g"]).returncode, os.getxattr(W + "/g", "user.note").decode()))
`,
      {
        read: [SECRET, "refused"],
        link: [SECRET, "refused"],
        list: ["['user.note']", "refused"],
        mine: "mine",
        "mine-listed": "['user.note']",
        look: "0",
        copy: "(0, 'mine')",
      },
    ),
  },
  {
    number: "47e",
    title: "which names come and go in S",
    setUp: (world) => symlinkSync("/srv/home/S", world.at("$W/ls")),
    program: calls(
      step("watch", "works", "inotify_init"),
      step("folder", "refused", "inotify_add_watch", result("watch"), "$S", 0xfff),
      step("link", "refused", "inotify_add_watch", result("watch"), "$W/ls", 0xfff),
      step("link-itself", "same", "inotify_add_watch", result("watch"), "$W/ls", 0x0200_0fff),
      step("path", "works", "open", "$S", O.path),
      step("magic", "refused", "inotify_add_watch", result("watch"), "/proc/self/fd/4", 0xfff),
      step("only-folder", "refused", "inotify_add_watch", result("watch"), "$S/.", 0x0100_0fff),
      step("more", "refused", "inotify_add_watch", result("watch"), "$S/../S", 0x2000_0100),
      step("here", "works", "chdir", "$S"),
      step("dot", "refused", "inotify_add_watch", result("watch"), ".", 0xfff),
      step("mine", "works", "inotify_add_watch", result("watch"), "$W", 0xfff),
      step("above", "works", "inotify_add_watch", result("watch"), "$HOME", 0xfff),
      step("file", "works", "inotify_add_watch", result("watch"), "$T", 0xfff),
      step("file-as-folder", "ENOTDIR", "inotify_add_watch", result("watch"), "$T", 0x0100_0fff),
      step("nothing", "ENOENT", "inotify_add_watch", result("watch"), "$W/none", 0xfff),
      step("no-watch", "EBADF", "inotify_add_watch", result("path"), "$W", 0xfff),
      step("no-mask", "EINVAL", "inotify_add_watch", result("watch"), "$W", 0),
      step("marks", ["any", "absent"], "fanotify_init", 0x600, 0),
      step("handle", ["any", /^(?:EOPNOTSUPP|EACCES|EPERM)$/], "name_to_handle_at", AT.cwd, "$S/key", zeros(200), zeros(8), 0),
    ),
    refused: ["open"],
  },
  {
    number: "47f",
    title: "names told by a watch, as programs hear them",
    unchanged: ["$O"],
    beside:
      "touch /srv/ready; sleep 2; for i in 1 2 3 4 5 6; do echo x > $S/hunter2-f00dfeed; rm $S/hunter2-f00dfeed; echo x > $W/told; rm $W/told; sleep 0.5; done",
    program: python(
      `
def told(folder):
    lib = ctypes.CDLL(None, use_errno=True); fd = lib.inotify_init1(0)
    if lib.inotify_add_watch(fd, B(folder), 0x100) < 0: raise OSError(ctypes.get_errno(), "watch")
    return os.read(fd, 4096)[16:].rstrip(b"\\0").decode()
t("secret", lambda: told(S))
t("mine", lambda: told(W))
`,
      { secret: [SECRET, "refused"], mine: "told" },
    ),
  },
  {
    number: "49",
    title: "S and its parent are mounted somewhere else, too",
    prelude: "mkdir -m 755 /run/s /run/h && mount --bind $S /run/s && mount --bind $HOME /run/h",
    program: sh(`t direct 'cat /run/s/key'; t parent 'cat /run/h/S/key'; t list 'ls /run/s | grep key'`, {
      direct: "hidden",
      parent: "hidden",
      list: "any",
    }),
  },
  {
    number: "51",
    title: "new files beside S are not dark",
    allow: ["Write($HOME/new*)"],
    beside:
      "touch /srv/ready; sleep 0.5; echo later > $HOME/later; mkdir $HOME/folder; echo in > $HOME/folder/in; mv $HOME/folder $HOME/moved",
    program: sh(
      `t make 'echo hi > $HOME/new'; t read 'grep -q hi $HOME/new'; t replace 'echo hu > $HOME/new2 && mv $HOME/new2 $HOME/new && grep -q hu $HOME/new'
       for i in 1 2 3 4 5 6 7 8 9 10; do [ -e $HOME/moved/in ] || sleep 0.3; done; t later 'grep -q later $HOME/later'; t moved 'grep -q in $HOME/moved/in'; t key 'cat $S/key'`,
      { make: "ok", read: "ok", replace: "ok", later: "ok", moved: "ok", key: "hidden" },
    ),
  },
  {
    number: "53",
    title: "what the kernel tells of processes outside",
    beside: OUTSIDE,
    program: python(
      `
out = int(open("/srv/outside").read()); helper = os.getppid()
t("own", lambda: len(open("/proc/self/environ", "rb").read()) > 0)
child = subprocess.Popen(["sleep", "5"]); t("child", lambda: len(open("/proc/%d/status" % child.pid).read()) > 0); child.kill()
for name in ["environ", "mem", "maps", "auxv", "stack", "syscall"]:
    t("outside-" + name, lambda: open("/proc/%d/%s" % (out, name), "rb").read(0))
    t("helper-" + name, lambda: open("/proc/%d/%s" % (helper, name), "rb").read(0))
for name in ["cwd", "root", "exe", "fd/0"]:
    t("outside-" + name.replace("/", "-"), lambda: os.open("/proc/%d/%s" % (out, name), os.O_RDONLY) and 0)
    t("helper-" + name.replace("/", "-"), lambda: os.open("/proc/%d/%s" % (helper, name), os.O_RDONLY) and 0)
t("helper-task", lambda: open("/proc/%d/task/%d/environ" % (helper, helper), "rb").read(0))
t("through-root", lambda: open("/proc/%d/root/srv/O/new" % out, "w").close())
`,
      {
        own: "True",
        child: "True",
        ...Object.fromEntries(
          ["environ", "mem", "maps", "auxv", "cwd", "root", "fd-0"].flatMap((name) => [
            [`outside-${name}`, ["any", "hidden"] as const],
            [`helper-${name}`, ["any", "hidden"] as const],
          ]),
        ),
        "helper-task": ["any", "hidden"],
        "through-root": "hidden",
      },
    ),
  },
  {
    number: "53a",
    title: "the environment of the first process",
    as: ["root"],
    program: python(`t("init", lambda: open("/proc/1/environ", "rb").read(1).decode())`, { init: [/^E$|^[A-Z]$/, "hidden"] }),
  },
  {
    number: "53b",
    title: "folders that are readable list as ever, and tell their metadata",
    setUp: (world) => mkdirSync(world.at("$O/many")),
    program: sh(
      `t list 'ls -la $O $W /srv > /dev/null'; t stat 'stat $T > /dev/null'; t find 'find $O -type f | grep -q g'; t read 'cat $T $O/d/g > /dev/null'; t link 'ln -s x $W/l && readlink $W/l'`,
      {
        list: "ok",
        stat: "ok",
        find: "ok",
        read: "ok",
        link: "ok",
      },
    ),
  },
  {
    number: "53c",
    title: "the key is neither started, loaded, mapped, locked nor sent",
    setUp: (world) => chmodSync(world.at("$S/key"), 0o755),
    program: python(
      `
t("exec", lambda: subprocess.run([S + "/key"]).returncode)
t("load", lambda: ctypes.CDLL(S + "/key"))
t("import", lambda: exec(compile(open(S + "/key").read(), "k", "exec")))
t("lock", lambda: __import__("fcntl").flock(os.open(S + "/key", os.O_RDONLY), 2))
t("direct", lambda: os.open(S + "/key", os.O_RDONLY | os.O_DIRECT) and 0)
t("exclusive", lambda: os.open(S + "/key", os.O_RDONLY | os.O_NOATIME) and 0)
t("noctty", lambda: os.open(S + "/key", os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK) and 0)
t("swap", lambda: sc(167, B(S + "/key"), 0))
t("acct", lambda: sc(163, B(S + "/key")))
def passed():
    a, b = socket.socketpair()
    if os.fork() == 0:
        try: socket.send_fds(a, [b"x"], [os.open(S + "/key", os.O_RDONLY)])
        except OSError: a.send(b"no")
        os._exit(0)
    text, fds, _, _ = socket.recv_fds(b, 2, 1)
    if not fds: raise OSError(errno.EACCES, "")
    return len(os.read(fds[0], 1))
t("passed", passed)
`,
      {
        exec: ["any", /^(?!0$)/],
        load: ["any", "any"],
        import: ["any", /^(?:EACCES|EPERM|ENOENT)$/],
        lock: "hidden",
        direct: ["any", /^(?:EACCES|EPERM|ENOENT|EINVAL)$/],
        exclusive: ["any", "hidden"],
        noctty: "hidden",
        passed: ["1", "hidden"],
      },
    ),
  },
];

escapes("E. Reads and secrets", rows);
