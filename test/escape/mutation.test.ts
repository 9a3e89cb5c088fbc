import { readFileSync } from "node:fs";
import { buffer, bytes, calls, loaded, python, result, sh, step } from "./harness/program.ts";
import { escapes, type Row } from "./harness/suite.ts";
import { AT, O } from "./harness/syscalls.ts";

const CHAR = 0o020666;

const rows: readonly Row[] = [
  {
    number: "31",
    title: "files and folders of O are deleted",
    program: calls(
      step("o", "works", "openat", AT.cwd, "$O", O.path),
      step("unlink", "refused", "unlink", "$T"),
      step("unlinkat", "refused", "unlinkat", result("o"), "d/g", 0),
      step("rmdir", "refused", "rmdir", "$O/empty"),
      step("removedir", ["works", "any"], "unlinkat", result("o"), "d", AT.removeDir),
      step("shell", ["any", "refused"], "unlink", "../O/f"),
      step("own", "works", "unlink", "$W/f"),
    ),
    refused: ["delete", "rmdir"],
  },
  {
    number: "31a",
    title: "programs that delete, move and link",
    program: sh(
      `t rm 'rm -f $O/d/g'; t rmr 'rm -rf $O/empty'; t mv 'mv $T $W/stolen'; t cp 'cp $W/f $O/new1'; t tee 'echo x | tee $O/new2'
       t dd 'dd if=/dev/null of=$O/new3'; t install 'install -m 644 $W/f $O/new4'; t touch 'touch $O/new5'; t sed 'sed -i s/o/x/ $O/new1 2>/dev/null || sed -i s/m/x/ /srv/O/d/../new1'
       t find 'find $O -name "new*" -delete; touch $O/new6'`,
      {
        rm: "refused",
        rmr: "refused",
        mv: "refused",
        cp: "refused",
        tee: "refused",
        dd: "refused",
        install: "refused",
        touch: "refused",
        sed: "refused",
        find: "refused",
      },
    ),
  },
  {
    number: "33",
    title: "special files are made in O",
    program: calls(
      step("regular", "refused", "mknod", "$O/n1", 0o100644, 0),
      step("fifo", "refused", "mknod", "$O/n2", 0o010644, 0),
      step("mknodat", "refused", "mknodat", AT.cwd, "$O/n3", 0o010644, 0),
      step("socket", "works", "socket", 1, 1, 0),
      step("bind", "refused", "bind", result("socket"), bytes(1, 0, "/srv/O/s"), 11),
      step("socket-own", "works", "socket", 1, 1, 0),
      step("bind-own", "works", "bind", result("socket-own"), bytes(1, 0, "/srv/W/s"), 11),
      step("own", "works", "mknod", "$W/fifo", 0o010644, 0),
    ),
    refused: ["mknod", "bind"],
  },
  {
    number: "33a",
    title: "devices are made, in O and in W",
    as: ["root"],
    program: calls(
      step("char", "refused", "mknod", "$O/n1", CHAR, 0x103),
      step("char-own", "refused", "mknod", "$W/n2", CHAR, 0x103),
      step("block-own", "refused", "mknodat", AT.cwd, "$W/n3", 0o060666, 0x100),
      step("whiteout-own", "any", "mknod", "$W/n4", 0o020000, 0),
    ),
  },
  {
    number: "33b",
    title: "truncate by name",
    program: calls(
      step("truncate", "refused", "truncate", "$T", 0),
      step("longer", "refused", "truncate", "$T", 100_000),
      step("relative", "refused", "truncate", "../O/f", 0),
      step("folder", "EISDIR", "truncate", "$W", 0),
      step("negative", "EINVAL", "truncate", "$W/f", -1),
      step("own", "works", "truncate", "$W/f", 2),
    ),
    refused: ["truncate"],
    check: ({ world }) => (readFileSync(world.at("$W/f"), "utf8") === "mi" ? [] : ["W/f was not cut"]),
  },
  {
    number: "35",
    title: "mkdir -p with parents that are there",
    program: sh(
      `t own 'mkdir -p $W/a/b/c && test -d $W/a/b/c'; t again 'mkdir -p $W/a/b/c'; t there 'mkdir -p $O/d'; t deep 'mkdir -p $O/d/x/y'
       t odd 'mkdir -p $W/a/../a2/./b/'; t python 'python3 -c "import os; os.makedirs(\\"/srv/W/p/q\\")"'`,
      { own: "ok", again: "ok", there: "ok", deep: "refused", odd: "ok", python: "ok" },
    ),
  },
  {
    number: "35a",
    title: "folders that are there say so",
    program: calls(
      step("o", "EEXIST", "mkdir", "$O", 0o755),
      step("srv", "EEXIST", "mkdir", "/srv", 0o755),
      step("root", "EEXIST", "mkdir", "/", 0o755),
      step("file", "EEXIST", "mkdir", "$T", 0o755),
      step("new", "refused", "mkdir", "$O/new", 0o755),
      step("slash", "refused", "mkdir", "$O/new2/", 0o755),
      step("own-slash", "works", "mkdir", "$W/new/", 0o755),
      step("own-dot", "EEXIST", "mkdir", "$W/new/.", 0o755),
    ),
    refused: ["mkdir"],
  },
  {
    number: "37",
    title: "asynchronous writes",
    program: calls(
      step("set-up", "works", "io_setup", 8, buffer("context")),
      step("own", "works", "open", "$W/f", O.wronly),
      step("foreign", "works", "open", "$T", O.rdonly),
      // struct iocb: data, key, opcode PWRITE and descriptor, address, size, offset, …
      step("write", "1", "io_submit", loaded("context"), 1, [[7, 0, 1n | (3n << 32n), "done", 4, 0, 0, 0]]),
      step("write-foreign", "EBADF", "io_submit", loaded("context"), 1, [[7, 0, 1n | (4n << 32n), "done", 4, 0, 0, 0]]),
      step("events", "1", "io_getevents", loaded("context"), 1, 1, buffer("events"), 0),
    ),
    check: ({ world }) => (readFileSync(world.at("$W/f"), "utf8") === "done" ? [] : ["nothing was written"]),
  },
  {
    number: "37a",
    title: "io_uring, whose calls no filter sees",
    program: calls(step("set-up", "absent", "io_uring_setup", 8, buffer("parameters"))),
  },
  {
    number: "37b",
    title: "memory that is shared with a file",
    program: python(
      `
f = open(W + "/f", "r+b"); m = mmap.mmap(f.fileno(), 4); m[0:4] = b"MMAP"; m.flush()
t("own", lambda: open(W + "/f").read() == "MMAP")
g = open(T, "rb")
def writable(): mmap.mmap(g.fileno(), 4, prot=mmap.PROT_READ | mmap.PROT_WRITE)
t("foreign", writable)
p = mmap.mmap(g.fileno(), 4, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_WRITE); p[0:4] = b"xxxx"
t("protect", lambda: sc(10, ctypes.addressof(ctypes.c_char.from_buffer(p)) & ~4095, 4096, 3))
m2 = mmap.mmap(g.fileno(), 4, flags=mmap.MAP_SHARED, prot=mmap.PROT_READ)
L.mmap.restype = ctypes.c_void_p
a = L.mmap(None, 4096, 1, 1, g.fileno(), 0)
t("make-writable", lambda: sc(10, a, 4096, 3))
`,
      { own: "True", foreign: /EACCES|PermissionError/, protect: "0", "make-writable": "EACCES" },
    ),
  },
];

escapes("C. Other calls that change things", rows);
