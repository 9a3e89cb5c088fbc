import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { has, Suite, type User, USERS } from "../programs/place.ts";

/** A run in an odd place: a sandbox that refuses calls, a strange /proc, a closed state folder, a terminal that is left raw. */
const suite = new Suite();
afterAll(() => suite.remove());
const mayMount = process.getuid?.() === 0 && spawnSync("unshare", ["-m", "true"]).status === 0;

/** `python3 refuse.py NUMBERS PROGRAM…`: with a filter that answers EPERM, as sandboxes of agents do. */
const REFUSE = `
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
numbers = [int(n) for n in sys.argv[1].split(",")]
code = [(0x20, 0, 0, 0)] + [(0x15, len(numbers) - at, 0, nr) for at, nr in enumerate(numbers)] + [(6, 0, 0, 0x7fff0000), (6, 0, 0, 0x00050001)]
text = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *one) for one in code))
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.syscall(317, 1, 0, ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(code), ctypes.addressof(text)))) == 0
os.execvp(sys.argv[2], sys.argv[2:])
`;
const [READV, WRITEV, PTRACE] = [310, 311, 101];

describe.runIf(process.arch === "x64" && has("python3")).each(USERS)("in a sandbox that refuses calls, as %s", (user: User) => {
  const inside = async (refused: readonly number[], text: string): Promise<{ status: number | string; stdout: string; stderr: string }> => {
    const place = suite.place();
    place.fresh(user);
    writeFileSync(join(place.folder, "refuse.py"), REFUSE);
    const argv = place.supervised(["bash", "-c", text]);
    return await place.run({ user, argv: ["python3", join(place.folder, "refuse.py"), refused.join(","), ...argv], seconds: 60 });
  };

  it("memory of others by process_vm_readv: it is read by /proc", async () => {
    // Long words, words at the end of a page, many arguments, bad addresses.
    const text = `echo hi > x; cat x; mv x y; ls /nonexistent 2>&1; /bin/echo $(seq 3000) | md5sum; x=$(printf %03000d 7); [ -e /tmp/$x ] || echo long
python3 -c 'import ctypes; l=ctypes.CDLL(None, use_errno=True); print(l.open(8, 0), ctypes.get_errno())'; echo no > ../outside; echo $?`;
    const bare = await inside([WRITEV], text);
    expect(await inside([READV, WRITEV], text)).toMatchObject({ status: bare.status, stdout: bare.stdout });
    expect(bare.stdout).toMatch(/^hi\n[^]*long\n-1 14\n1\n$/);
  });

  it("tracing: nothing is started, and it is said what is in the way", async () => {
    const ran = await inside([READV, WRITEV, PTRACE], "echo started");
    expect(ran).toMatchObject({ status: 125, stdout: "" });
    expect(ran.stderr).toMatch(/ptrace: EPERM.*sandbox around/);
  });
});

interface Case {
  readonly name: string;
  /** Before, in namespaces of its own. */
  readonly before: string;
  readonly status: number;
  readonly says: RegExp;
}

const CASES: readonly Case[] = [
  { name: "no /proc", before: "umount -l /proc", status: 125, says: /needs \/proc, but it is not mounted; `mount -t proc/ },
  {
    name: "another file system there",
    before: "umount -l /proc; mount -t tmpfs none /proc",
    status: 125,
    says: /needs \/proc, but it is not mounted/,
  },
  { name: "the /proc of another PID namespace", before: ":", status: 125, says: /shows another PID namespace/ },
  { name: "processes of others hidden", before: "mount -t proc -o hidepid=2 proc /proc", status: 0, says: /^ran$/m },
  {
    name: "a state folder that is read-only",
    before: 'mount -t proc proc /proc; mount -t tmpfs -o ro none "$STATE"',
    status: 125,
    says: /EROFS.*start `assent run` outside the sandbox, or set XDG_STATE_HOME/,
  },
];

describe.runIf(mayMount).each(USERS)("with odd mounts, as %s", { concurrent: true }, (user: User) => {
  for (const { name, before, status, says } of CASES)
    it(name, async () => {
      const place = suite.place();
      place.fresh(user);
      const as = user === "nobody" ? "setpriv --reuid=65534 --regid=65534 --clear-groups" : "";
      const argv = place.supervised(["sh", "-c", "echo ran"]);
      const script = `${before}\n${as} "$@"; s=$?; ${as} "$1" "$2" doctor > doctor; exit $s`;
      const ran = await place.run({
        user: "root",
        argv: ["unshare", "-mpf", "--kill-child", "sh", "-c", script, "sh", ...argv],
        env: { STATE: place.state },
        seconds: 60,
      });
      expect(ran.status, ran.stderr).toBe(status);
      expect(ran.stdout + ran.stderr).toMatch(says);
      const doctor = spawnSync("cat", ["doctor"], { cwd: place.cwd, encoding: "utf8" }).stdout;
      // Of the state folder it knows nothing.
      if (!name.includes("state")) expect(/^ {2}off {2} *\/proc /m.test(doctor), doctor).toBe(status !== 0);
    });
});

/** Types lines into a shell on a terminal of its own, and tells how that is set between them. */
const DRIVE = `
import functools, os, pty, select, sys, termios, time
print = functools.partial(print, flush=True)
pid, fd = pty.fork()
if pid == 0: os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
out = b""
def until(what, seconds=40):
    global out
    end = time.time() + seconds
    while what not in out and time.time() < end:
        if select.select([fd], [], [], 0.1)[0]:
            try: out += os.read(fd, 4096)
            except OSError: break
    found = what in out
    out = out.split(what, 1)[-1] if found else out
    return found
def usable():
    flags = termios.tcgetattr(fd)[3]
    return bool(flags & termios.ECHO) and bool(flags & termios.ICANON)
os.write(fd, b"set +o emacs; set +o vi; PS1=; echo rea''dy\\n"); until(b"ready")
for line in sys.argv[1:]:
    kind, text = line.split(":", 1)
    if kind == "type": os.write(fd, text.encode() + b"\\n")
    if kind == "key": os.write(fd, bytes([int(text)]))
    if kind == "wait": print(text if until(text.encode()) else f"never {text}: {out!r}")
    if kind == "usable": print("usable" if usable() else "raw")
os.write(fd, b"echo en''d\\n"); print("end" if until(b"end", 10) else f"never end: {out!r}")
`;

const RAW = `'import sys,tty; tty.setraw(0); print("raw" + "ed"); sys.stdout.flush()'`;

const STOP = `import os; os.kill(0, 20); print("on" + "ward", flush=True)`;

const TERMINAL: readonly { readonly name: string; readonly lines: readonly string[]; readonly expected: string }[] = [
  {
    name: "a program that made it raw is killed",
    lines: [`type:$RUN sh -c "python3 -c $RAW; kill -9 \\$\\$"; echo st''atus $?`, "wait:rawed", "wait:status 137", "usable:"],
    expected: "rawed\nstatus 137\nusable\nend\n",
  },
  {
    name: "one that ends by itself",
    lines: ["type:$RUN stty -echo; echo st''atus $?", "wait:status 0", "usable:"],
    expected: "status 0\nusable\nend\n",
  },
  {
    name: "an interactive shell with a job ends",
    lines: [
      "type:$RUN bash --norc --noprofile -i",
      "type:echo in''side",
      "wait:inside",
      "type:sleep 3 & exit",
      "type:echo ou''tside",
      "wait:outside",
      "usable:",
    ],
    expected: "inside\noutside\nusable\nend\n",
  },
  {
    name: "a raw one is stopped and goes on",
    lines: [
      `type:$RUN python3 -c "import os,sys,tty; tty.setraw(0); print('raw'+'ed', flush=True); os.kill(0, 19); print('go'+'ing', flush=True)"`,
      "wait:rawed",
      "wait:Stopped",
      "usable:",
      "type:fg",
      "wait:going",
      "type:echo ou''tside",
      "wait:outside",
    ],
    expected: "rawed\nStopped\nusable\ngoing\noutside\nend\n",
  },
  {
    name: "it stops itself where no shell could continue it, as in a container: that stops nothing",
    lines: [`type:script -qec "$RUN python3 -c '$STOP'" /dev/null; echo st''atus $?`, "wait:onward", "wait:status 0", "usable:"],
    expected: "onward\nstatus 0\nusable\nend\n",
  },
];

describe.runIf(has("python3")).each(USERS)("the terminal after a run, as %s", { concurrent: true }, (user: User) => {
  for (const { name, lines, expected } of TERMINAL)
    it(name, async () => {
      const place = suite.place();
      place.fresh(user);
      writeFileSync(join(place.folder, "drive.py"), DRIVE);
      const run = place.supervised([], ["-q"]).join(" ");
      const ran = await place.run({
        user,
        argv: ["python3", join(place.folder, "drive.py"), ...lines],
        env: { RUN: run, RAW, STOP },
        seconds: 90,
      });
      expect(ran.stdout, ran.stderr).toBe(expected);
    });
});
