import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { buffer, calls, python, result, sh, step } from "./harness/program.ts";
import { escapes, type Row } from "./harness/suite.ts";
import { AT, O } from "./harness/syscalls.ts";
import { SECRET } from "./harness/world.ts";

const OUTSIDE = "sleep 60 & echo $! > /srv/outside; touch /srv/ready; wait";

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
