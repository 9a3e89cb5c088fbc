import { readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { program, python, sh, typed } from "./harness/program.ts";
import { escapes, type Row } from "./harness/suite.ts";
import type { World } from "./harness/world.ts";

/** The program that may not be started; every Debian has it. */
const DENIED = "/usr/bin/base64";
/** The dynamic loader of this machine. */
const LOADER = process.arch === "arm64" ? "/lib/ld-linux-aarch64.so.1" : "/lib64/ld-linux-x86-64.so.2";
const deny = [`Exec(${DENIED})`];

const script = (world: World, name: string, text: string): void => writeFileSync(world.at(name), text, { mode: 0o755 });

const rows: readonly Row[] = [
  {
    number: "69",
    title: "a denied program, under other names",
    deny,
    program: sh(
      `t plain '${DENIED} --version'; t bare 'base64 --version'; t link 'ln -s ${DENIED} $W/l && $W/l --version'; t root '/proc/self/root${DENIED} --version'
       t copy 'cp ${DENIED} $W/c && $W/c --version'; t dots '/usr/bin/../bin/base64 --version'; t name 'bash -c "exec -a true ${DENIED} --version"'
       t hard 'ln ${DENIED} $W/h 2>/dev/null || cp ${DENIED} $W/h; $W/h --version'; t moved 'mv $W/c $W/c2 2>/dev/null || cp ${DENIED} $W/c2; $W/c2 --version'; t chmod 'cat ${DENIED} > $W/d && chmod +x $W/d && $W/d --version'`,
      Object.fromEntries(
        ["plain", "bare", "link", "root", "copy", "dots", "name", "hard", "moved", "chmod"].map((label) => [label, "refused" as const]),
      ),
    ),
    refused: ["exec"],
  },
  {
    number: "69c",
    title: "a denied program, as a typed line says it",
    deny,
    status: "any",
    program: typed(`t plain '${DENIED} --version'`, { plain: ["ok", "any"] }),
    refused: ["exec"],
    check: ({ stdout }) => (stdout.includes("plain ok") ? ["it was started"] : []),
  },
  {
    number: "69a",
    title: "a denied program, started by others",
    deny,
    program: sh(
      `t env 'env ${DENIED} --version'; t nice 'nice ${DENIED} --version'; t xargs 'echo --version | xargs ${DENIED}'; t sh 'sh -c "${DENIED} --version"'
       t find 'find $O/f -exec ${DENIED} {} +'; t timeout 'timeout 5 ${DENIED} --version'; t python 'python3 -c "import os; os.execv(\\"${DENIED}\\", [\\"base64\\", \\"--version\\"])"'
       t subprocess 'python3 -c "import subprocess; subprocess.check_call([\\"${DENIED}\\", \\"--version\\"])"'; t perl 'perl -e "exec {\\"${DENIED}\\"} \\"x\\", \\"--version\\" or exit 1"'`,
      Object.fromEntries(
        ["env", "nice", "xargs", "sh", "find", "timeout", "python", "subprocess", "perl"].map((label) => [label, "refused" as const]),
      ),
    ),
    refused: ["exec"],
  },
  {
    number: "69b",
    title: "a denied program, by a descriptor and from memory",
    deny,
    program: python(
      `
def child(f):
    pid = os.fork()
    if pid == 0:
        os.dup2(os.open("/dev/null", os.O_WRONLY), 1)
        try: f()
        except OSError as e: os._exit(e.errno)
        os._exit(99)
    status = os.waitpid(pid, 0)[1]
    if os.WIFSIGNALED(status): raise OSError(errno.EPERM, "")
    code = os.WEXITSTATUS(status)
    if code: raise OSError(code, "")
ARGS = [b"base64", b"--version"]
def vector(): return (ctypes.c_char_p * 3)(*ARGS, None)
t("fexecve", lambda: child(lambda: os.execve(os.open("${DENIED}", os.O_RDONLY), ARGS, {})))
t("execveat", lambda: child(lambda: sc(322, os.open("${DENIED}", os.O_PATH), B(""), vector(), None, 0x1000)))
t("dirfd", lambda: child(lambda: sc(322, os.open("/usr/bin", os.O_PATH), B("base64"), vector(), None, 0)))
def memory():
    fd = os.memfd_create("x", 0)
    os.write(fd, open("${DENIED}", "rb").read())
    os.execve(fd, ARGS, {})
t("memfd", lambda: child(memory))
def by_proc():
    fd = os.memfd_create("x", 0)
    os.write(fd, open("${DENIED}", "rb").read())
    os.execv("/proc/self/fd/%d" % fd, ARGS)
t("memfd-proc", lambda: child(by_proc))
def deleted():
    open(W + "/gone", "wb").write(open("${DENIED}", "rb").read()); os.chmod(W + "/gone", 0o755)
    fd = os.open(W + "/gone", os.O_RDONLY); os.unlink(W + "/gone"); os.execve(fd, ARGS, {})
t("deleted", lambda: child(deleted))
`,
      Object.fromEntries(["fexecve", "execveat", "dirfd", "memfd", "memfd-proc", "deleted"].map((label) => [label, "refused" as const])),
    ),
    refused: ["exec"],
  },
  {
    number: "71",
    title: "a denied program, by the dynamic loader",
    deny,
    program: sh(
      `t loader '${LOADER} ${DENIED} --version'; t option '${LOADER} --inhibit-cache --library-path /lib ${DENIED} --version'
       t copy 'cp ${LOADER} $W/ld && chmod +x $W/ld && $W/ld ${DENIED} --version'; t allowed '${LOADER} /bin/true'`,
      { loader: "refused", option: "refused", copy: "refused", allowed: "ok" },
    ),
    refused: ["exec"],
    check: ({ events }) =>
      events.some(({ text, outcome }) => outcome === "refused" && text.includes("base64")) ? [] : ["the record does not name the program"],
  },
  {
    number: "71a",
    title: "a denied program, in the place of the dynamic loader",
    deny,
    setUp: (world) => {
      // The name in a program is as long as the loader's, with zeros behind it.
      const own = (name: string, loader: string): void => {
        const bytes = readFileSync("/bin/true");
        const at = bytes.indexOf(`${LOADER}\0`);
        bytes.fill(0, at, at + LOADER.length).write(loader, at);
        writeFileSync(world.at(name), bytes, { mode: 0o755 });
      };
      own("$W/own", DENIED);
      own("$W/dots", "/bin/../bin/base64");
      own("$W/link", "l");
      own("$W/missing", "/no/such/loader");
      symlinkSync(DENIED, world.at("$W/l"));
      script(world, "$W/script", "#!/srv/W/own\n");
    },
    // Without the loader that it needs itself it dies at once.
    program: sh(
      `cd $W; t own './own --version'; t dots './dots --version'; t link './link --version'; t script './script'
       t descriptor 'python3 -c "import os; os.execve(os.open(\\"own\\", 0), [\\"own\\"], {})"'; t missing './missing'; t allowed '/bin/true'`,
      { own: "failed", dots: "failed", link: "failed", script: "failed", descriptor: "failed", missing: "same", allowed: "ok" },
    ),
    refused: ["exec"],
    check: ({ events }) => (events.filter(({ outcome }) => outcome === "refused").length >= 5 ? [] : ["not each of five was refused"]),
  },
  {
    number: "73",
    title: "scripts of a denied interpreter, and interpreters of interpreters",
    deny,
    setUp: (world) => {
      script(world, "$W/denied", `#!${DENIED} --version\n`);
      script(world, "$W/through-env", `#!/usr/bin/env -S base64 --version\n`);
      script(world, "$W/s0", "#!/bin/sh\nexit 0\n");
      for (let at = 1; at <= 6; at++) script(world, `$W/s${at}`, `#!/srv/W/s${at - 1}\n`);
      script(world, "$W/d0", `#!${DENIED} --version\n`);
      for (let at = 1; at <= 3; at++) script(world, `$W/d${at}`, `#!/srv/W/d${at - 1}\n`);
      script(world, "$W/text", "exit 0\n");
      script(world, "$W/empty", "");
      script(world, "$W/missing", "#!/no/such/interpreter\n");
      writeFileSync(world.at("$W/unexecutable"), "#!/bin/sh\n", { mode: 0o644 });
    },
    program: python(
      `
def run(p):
    pid = os.fork()
    if pid == 0:
        os.dup2(os.open("/dev/null", os.O_WRONLY), 1)
        try: os.execv(p, [p])
        except OSError as e: os._exit(e.errno)
    status = os.waitpid(pid, 0)[1]
    if os.WIFSIGNALED(status): raise OSError(errno.EPERM, "")
    if os.WEXITSTATUS(status): raise OSError(os.WEXITSTATUS(status), "")
for name in ["denied", "through-env", "d2", "d3", "s0", "s3", "s4", "s5", "s6", "text", "empty", "missing", "unexecutable"]: t(name, lambda: run(W + "/" + name))
t("folder", lambda: run(W))
t("none", lambda: run(W + "/none"))
`,
      {
        denied: "refused",
        // env(1) says 126.
        "through-env": ["0", /^(?!0$)/],
        d2: "refused",
        d3: "refused",
        s0: "0",
        s3: "0",
        s4: "same",
        s5: "same",
        s6: "ELOOP",
        text: "ENOEXEC",
        empty: "ENOEXEC",
        missing: "ENOENT",
        unexecutable: "EACCES",
        folder: "EACCES",
        none: "ENOENT",
      },
    ),
    refused: ["exec"],
  },
  {
    number: "75",
    title: "programs that give rights",
    as: ["user"],
    prelude:
      "cp /usr/bin/id /run/suid-id && chmod 4755 /run/suid-id && cp /usr/bin/id /run/sgid-id && chgrp 0 /run/sgid-id && chmod 2755 /run/sgid-id",
    program: sh(`echo suid $(/run/suid-id -u); echo sgid $(/run/sgid-id -g); grep NoNewPrivs /proc/self/status | tr -d '\t' | tr : ' '`, {
      suid: ["0", "1000"],
      sgid: ["0", "1000"],
      NoNewPrivs: ["0", "1"],
    }),
  },
  {
    number: "75a",
    title: "the rights of root are gone",
    as: ["root"],
    program: python(
      `
s = dict(l.split(":", 1) for l in open("/proc/self/status"))
for name in ["CapEff", "CapPrm", "CapInh", "CapAmb"]: print(name, int(s[name], 16))
t("become", lambda: os.setuid(1000) or os.getuid())
t("clock", lambda: time.clock_settime(time.CLOCK_REALTIME, time.time()))
t("name", lambda: socket.sethostname("x"))
t("device", lambda: os.open("/dev/mem", os.O_RDONLY) and 0)
t("disk", lambda: [os.open("/dev/" + n, os.O_RDWR) for n in ("vda", "sda", "loop0") if os.path.exists("/dev/" + n)] and 0)
t("sysctl", lambda: open("/proc/sys/net/ipv4/ip_forward", "w").write("0") and 0)
t("cgroup", lambda: os.mkdir("/sys/fs/cgroup/assent-escape-test"))
t("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1) and 0)
`,
      {
        CapEff: [/^[1-9]/, "0"],
        CapPrm: [/^[1-9]/, "0"],
        CapInh: "0",
        CapAmb: "0",
        become: ["any", "hidden"],
        clock: ["any", "hidden"],
        name: ["any", "hidden"],
        device: ["any", "hidden"],
        disk: ["any", "hidden"],
        sysctl: ["any", "hidden"],
        cgroup: ["any", "hidden"],
        raw: ["0", "absent"],
      },
    ),
    bare: "it would set the clock of the machine",
  },
  {
    number: "77",
    title: "exec from one of fifty threads",
    program: program(
      [
        "/bin/sh",
        "-c",
        `/media/threads exec $W /bin/sh -c 'echo replaced yes; echo x > $O/new && echo after ok || echo after failed'; echo y > $W/still && echo still ok; ls $W | grep -c '^t[0-9]' >/dev/null; true`,
      ],
      { replaced: "yes", after: "refused", still: "ok" },
    ),
    refused: ["open"],
  },
  {
    number: "77a",
    title: "threads, vfork and daemons are no way out",
    program: program(["/media/threads", "write", "$T"], { thread: "refused", vfork: "refused", daemon: "refused" }),
    refused: ["open"],
  },
  {
    number: "77b",
    title: "interpreters are no way out",
    program: sh(
      `t python 'python3 -c "open(\\"/srv/O/n1\\", \\"w\\")"'; t perl 'perl -e "open(F, q(>/srv/O/n2)) or exit 1"'; t awk 'awk "BEGIN { print 1 > \\"/srv/O/n3\\"; if (close(\\"/srv/O/n3\\") != 0) exit 1 }"'
       t bash 'bash -c "echo x > /srv/O/n4"'; t node '$NODE -e "require(\\"fs\\").writeFileSync(\\"/srv/O/n5\\", \\"\\")"'; t setsid 'setsid -w touch $O/n6'; t daemon '(setsid sh -c "sleep 0.1; touch /srv/O/n7; echo \\$? > /srv/W/status" &) ; sleep 1; grep -q 0 $W/status'`,
      {
        python: "refused",
        perl: "refused",
        awk: "refused",
        bash: "refused",
        node: "refused",
        setsid: "refused",
        daemon: "refused",
      },
    ),
    refused: ["open"],
  },
  {
    number: "77c",
    title: "arguments that cannot be judged are not judged well",
    deny: [...deny],
    program: python(
      `
def many():
    return subprocess.run(["${DENIED}"] + ["--version"] * 20000, stdout=subprocess.DEVNULL).returncode
t("many", many)
t("long", lambda: subprocess.run(["${DENIED}", "--version", "x" * 100000], stdout=subprocess.DEVNULL).returncode)
t("true", lambda: subprocess.run(["/bin/true"] + ["x" * 1000] * 1000).returncode)
t("too-big", lambda: subprocess.run(["/bin/true"] + ["x" * 131073]).returncode)
def none():
    pid = os.fork()
    if pid == 0:
        try: sc(59, B("${DENIED}"), 0, 0)
        except OSError as e: os._exit(e.errno)
    s = os.waitpid(pid, 0)[1]
    if os.WIFSIGNALED(s) or os.WEXITSTATUS(s) == errno.EACCES or os.WEXITSTATUS(s) == errno.EPERM: raise OSError(errno.EACCES, "")
t("no-argv", none)
`,
      {
        many: ["0", /^(?:EACCES|EPERM|PermissionError)$/],
        long: ["any", /^(?:EACCES|EPERM|PermissionError)$/],
        true: "0",
        "too-big": "E2BIG",
        "no-argv": ["any", "refused"],
      },
    ),
  },
  {
    number: "77d",
    title: "what goes on when the program has ended is supervised, or has ended, too",
    program: sh(
      `(setsid sh -c 'sleep 1; echo x > /srv/O/n1; sleep 1; touch /srv/O/n2 /srv/W/late; cat /srv/home/S/key' > /dev/null 2>&1 &)
       (trap "" HUP TERM; sleep 1.5; echo x > /srv/O/n3) > /dev/null 2>&1 &
       echo ended 1`,
      { ended: "1" },
    ),
    after: "sleep 3.5",
    check: ({ world }) => (readdirSync(world.at("$O")).length === 3 ? [] : ["something was made after the end"]),
  },
];

escapes("G. Programs", rows);
