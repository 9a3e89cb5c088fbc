import { describe, expect, it } from "vitest";
import { attack, SLOWER } from "./world.ts";

/** Reads a file so often that it is known to be harmless, then does something to the way there, and reads on: what each read found. */
const READER = `
import os, sys, subprocess, threading, time
def read(path, dir_fd=None, flags=os.O_RDONLY):
    try: fd = os.open(path, flags, dir_fd=dir_fd)
    except OSError as error: return os.strerror(error.errno)
    try: return os.read(fd, 100).decode().strip()
    except IsADirectoryError: return 'EISDIR'
    finally: os.close(fd)
def known(path, **how):
    for _ in range(5): found = read(path, **how)
    return found
def say(*words): print(*words, flush=True)
`;

const python = (script: string): string => `cat > r.py <<'PY'\n${READER}\n${script}\nPY\npython3 r.py`;

/** What is done to `/srv/proj/sub/plain` once reading it is known, and what is read then. */
const CHANGES: readonly { readonly title: string; readonly script: string; readonly finds: readonly string[] }[] = [
  {
    title: "a link to a secret takes the file's place",
    script: "os.unlink('sub/plain'); os.symlink('/srv/proj/.env', 'sub/plain')",
    finds: ["Permission denied"],
  },
  {
    title: "a link to the folder of a secret takes the folder's place",
    script: "os.rename('sub', 'sub2'); os.symlink('/srv/home/.ssh', 'sub'); say(read('sub/id_rsa'))",
    finds: ["Permission denied", "No such file or directory"],
  },
  {
    title: "somebody else moves a secret there",
    script:
      "outside('mv /srv/proj/.env /srv/proj/sub/.env; mkdir /srv/proj/.ssh; mv /srv/proj/sub /srv/proj/.ssh/'); say(read('.ssh/sub/.env'))",
    finds: ["Permission denied", "No such file or directory"],
  },
  {
    title: "somebody else gives a secret this name besides its own",
    script: "outside('ln -f /srv/proj/.env /srv/proj/sub/plain')",
    finds: ["Permission denied"],
  },
  {
    title: "it becomes a secret by its name",
    script: "outside('mv /srv/proj/sub/plain /srv/proj/sub/.env'); say(read('sub/.env'))",
    finds: ["Permission denied", "No such file or directory"],
  },
  { title: "it becomes a pipe", script: "outside('rm sub/plain; mkfifo sub/plain; (echo piped > sub/plain) &')", finds: ["piped"] },
  { title: "it becomes a folder", script: "os.unlink('sub/plain'); os.mkdir('sub/plain')", finds: ["EISDIR"] },
  {
    title: "it becomes a device that means the reader",
    script: "os.unlink('sub/plain'); os.symlink('/proc/self/comm', 'sub/plain')",
    finds: ["python3"],
  },
  { title: "it is replaced", script: "open('new', 'w').write('new'); os.replace('new', 'sub/plain')", finds: ["new"] },
];

describe.concurrent("what is known of reading a file ends with what it rests on", () => {
  it.each(CHANGES)("$title", async ({ script, finds }) => {
    const { out } = await attack({
      before: `mkdir sub; echo plain > sub/plain
cat > /srv/outside.sh <<'SH'
while sleep 0.02; do [ -e /srv/proj/ask ] && { sh /srv/proj/ask; rm /srv/proj/ask; }; done
SH
timeout ${30 * SLOWER} sh /srv/outside.sh &`,
      program: python(`
def outside(line):
    open('ask.new', 'w').write(line + '\\n'); os.rename('ask.new', 'ask')
    while os.path.exists('ask'): time.sleep(0.02)
say(known('sub/plain'), known('/srv/proj/sub/plain'))
${script}
for path in ['sub/plain', '/srv/proj/sub/plain', './sub/plain'][:${finds[0] === "piped" ? "1" : "3"}]: say('then', read(path))
`),
    });
    expect(out).toContain("plain plain");
    expect(out).not.toContain("SECRET");
    for (const found of finds) expect(out).toContain(found);
    expect(out.match(/^then plain$/gm)).toBeNull();
  });

  it("a path says where it leads, whatever folder the program is in", async () => {
    const { out } = await attack({
      before: "mkdir -p sub/in /srv/out/in; echo here > sub/in/f; echo there > /srv/out/in/f; echo up > sub/f; ln -s /srv/home/.ssh sub/l",
      program: python(`
here = os.open('sub', os.O_RDONLY)
say(known('sub/in/f'), known('in/f', dir_fd=here), known('sub/in/../f'), known('sub//in/./f'), known('in/../../.env', dir_fd=here))
os.chdir('sub'); say(known('in/f'), known('../.env'), known('../sub/in/f'), known('l/id_rsa'))
os.chdir('/srv/out'); say(known('in/f'), known('in/f', dir_fd=here), known('f/', dir_fd=here), known('in/f/x'))
os.rename('/srv/proj/sub', '/srv/proj/moved'); say(known('in/f', dir_fd=here))
os.chdir('/srv/proj/moved/in'); os.unlink('f'); os.rmdir('/srv/proj/moved/in')
say(known('f'), known('in', dir_fd=os.open('/dev/null', os.O_RDONLY)), known('f', dir_fd=9999))
os.mkdir('/srv/proj/moved/in (deleted)'); open('/srv/proj/moved/in (deleted)/f', 'w').write('other'); say(known('f'))
`),
    });
    const no = "Permission denied";
    const gone = "No such file or directory";
    expect(out.split("\n").filter((line) => line !== "")).toEqual(
      expect.arrayContaining([
        `here here up here ${no}`,
        `here ${no} here ${no}`,
        `there here Not a directory Not a directory`,
        "here",
        `${gone} Not a directory Bad file descriptor`,
        gone,
      ]),
    );
    expect(out).not.toContain("SECRET");
    expect(out).not.toContain("other");
  });

  it("flags mean what they mean", async () => {
    const { out } = await attack({
      before: "mkdir sub; echo plain > f; ln -s f l",
      program: python(`
import fcntl
# A 64-bit kernel sets O_LARGEFILE by itself; the C library's is 0.
LARGE = 0o400000 if os.uname().machine == 'aarch64' else 0o100000
def flags(path, how):
    for _ in range(5):
        try: fd = os.open(path, how | os.O_CLOEXEC)
        except OSError as error: found = os.strerror(error.errno); continue
        found = oct(fcntl.fcntl(fd, fcntl.F_GETFL) & ~LARGE), fcntl.fcntl(fd, fcntl.F_GETFD); os.close(fd)
    return found
for path, name in [('f', 'RDONLY'), ('f', 'NONBLOCK'), ('f', 'NOFOLLOW'), ('l', 'NOFOLLOW'), ('f', 'DIRECTORY'), ('sub', 'RDONLY'), ('sub', 'DIRECTORY')]:
    say(path, name, flags(path, getattr(os, 'O_' + name)))
say(os.listdir('sub'), len(os.listdir('/srv/proj')) > 3)
`),
    });
    expect(out).toContain("f RDONLY ('0o0', 1)");
    expect(out).toContain("f NONBLOCK ('0o4000', 1)");
    expect(out).toMatch(/^l NOFOLLOW Too many levels of symbolic links$/m);
    expect(out).toMatch(/^f DIRECTORY Not a directory$/m);
    expect(out).toContain("sub RDONLY ('0o0', 1)");
    expect(out).toContain("[] True");
  });

  it("a rule holds for a folder that comes meanwhile, by every spelling of its name", async () => {
    const { out } = await attack({
      before: "mkdir -p /srv/out/a/b; echo plain > /srv/out/a/b/f; echo plain > /srv/out/a/g",
      deny: ["Read(/srv/out/a/closed/**)"],
      program: python(`
os.chdir('/srv/out/a')
say(known('b/f'), known('g'))
os.makedirs('/srv/proj/closed'); open('/srv/proj/closed/f', 'w').write('mine')
say(known('/srv/out/a/closed/f'), known('closed'), known('closed/f'))
`),
    });
    expect(out).toContain("plain plain");
    expect(out.match(/Permission denied|No such file/g)?.length).toBeGreaterThanOrEqual(2);
  });
});

describe.concurrent("somebody swaps what a path leads to while it is opened", () => {
  it("neither a link, nor a folder, nor a second name shows a secret", async () => {
    const { out } = await attack({
      before: `cat > /srv/swap.py <<'PY'
import os, time
os.mkdir('/srv/out/secrets'); open('/srv/out/secrets/f', 'w').write('SECRETF')
os.mkdir('/srv/proj/s'); open('/srv/proj/s/f', 'w').write('plain'); os.symlink('/srv/out/secrets', '/srv/proj/t')
while not os.path.exists('/srv/proj/go'): time.sleep(0.02)
for _ in range(20000):
    os.rename('/srv/proj/s', '/srv/proj/u'); os.rename('/srv/proj/t', '/srv/proj/s')
    os.rename('/srv/proj/s', '/srv/proj/t'); os.rename('/srv/proj/u', '/srv/proj/s')
open('/srv/proj/over', 'w')
PY
timeout ${30 * SLOWER} python3 /srv/swap.py &`,
      deny: ["Read(/srv/out/secrets/**)"],
      program: python(`
seen = {}
say(known('s/f'))
open('go', 'w').close()
while not os.path.exists('over'):
    for _ in range(50):
        for path in ['s/f', '/srv/proj/s/f']:
            found = read(path); seen[found] = seen.get(found, 0) + 1
say({found: True for found in sorted(seen)}, seen.get('plain', 0) > 10)
`),
    });
    expect(out).not.toContain("SECRET");
    expect(out).toMatch(/^plain$/m);
    expect(out).toMatch(/'Permission denied': True.*'plain': True\} True$/m);
  });
});

describe.concurrent("a descriptor is the one that was opened", () => {
  // seccomp_unotify(2): handing one over with the answer in one step, interrupted, answers 0, which is standard input.
  it("even where the supervisor is stopped meanwhile, and goes on", async () => {
    const { out } = await attack({
      before: `mkdir sub; for i in 1 2 3 4 5 6 7 8; do echo plain$i > sub/f$i; done
cat > /srv/signals.py <<'PY'
import glob, os, signal, time
def supervisors(): return [int(p.split('/')[2]) for p in glob.glob('/proc/[0-9]*/cmdline') if b'--beside' in open(p, 'rb').read()]
while not os.path.exists('/srv/proj/go'): time.sleep(0.02)
found = supervisors()
while not os.path.exists('/srv/proj/over'):
    for pid in found: os.kill(pid, signal.SIGSTOP); os.kill(pid, signal.SIGCONT)
    time.sleep(0.0002)
print('signalled', len(found) > 0, flush=True)
PY
timeout ${40 * SLOWER} python3 /srv/signals.py &`,
      program: python(`
open('go', 'w').close()
wrong = 0
for at in range(4000):
    fd = os.open('sub/f%d' % (at % 8 + 1), os.O_RDONLY)
    if fd < 3: wrong += 1; continue
    if os.read(fd, 100).strip() != b'plain%d' % (at % 8 + 1): wrong += 1
    os.close(fd)
open('over', 'w').close()
say('wrong', wrong)
time.sleep(0.5)
`),
    });
    expect(out).toMatch(/^wrong 0$/m);
    expect(out).toContain("signalled True");
  });
});
