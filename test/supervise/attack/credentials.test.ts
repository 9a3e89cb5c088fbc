import { describe, expect, it } from "vitest";
import { attack } from "./world.ts";

describe.concurrent("a credential is its program's own, for its own use", () => {
  it.each<readonly [program: string]>([
    [
      "curl -s file:///srv/home/.netrc; curl -s -K ~/.netrc; curl -s -d @/srv/home/.netrc http://127.0.0.1:1; curl -s -o .x file://localhost/srv/home/.netrc",
    ],
    ["git config -f ~/.git-credentials --list; git diff --no-index /dev/null ~/.git-credentials; git hash-object -w ~/.git-credentials"],
    [
      "LD_PRELOAD=/srv/proj/x.so curl -s file:///srv/home/.netrc; cp /usr/bin/curl .; ./curl -s file:///srv/home/.netrc; ln -s /bin/cat curl2; (exec -a curl cat ~/.netrc)",
    ],
    ["scp -q ~/.ssh/id_rsa ./stolen; cat stolen"],
  ])("%s", async (program) => {
    const { out } = await attack({
      before:
        "echo machine x login y password TOKEN > ~/.netrc; echo https://u:TOKEN@example.com > ~/.git-credentials; rm -rf .git; git init -q .",
      program: `${program}; echo done`,
      after:
        "cat .x 2>/dev/null; for f in .git/objects/??/*; do zcat -f $f | strings; python3 -c 'import sys,zlib; print(zlib.decompress(open(sys.argv[1],\"rb\").read()))' $f; done 2>/dev/null",
    });
    expect(out).toMatch(/^done$/m);
    expect(out).not.toMatch(/TOKEN|SECRETKEY/);
  });

  it("which it may read", async () => {
    const { events } = await attack({
      before: "echo machine x login y password TOKEN > ~/.netrc",
      program: "curl -s -n http://127.0.0.1:1; curl -s --netrc-file ~/.netrc http://127.0.0.1:1; cat ~/.netrc",
    });
    const reads = events.filter(({ text }) => text.startsWith("open(/srv/home/.netrc"));
    expect(reads.map(({ outcome }) => outcome)).toEqual(["done", "done", "refused"]);
  });

  const READS = `
import os, time
def read(path):
    try: return open(path).read().strip()
    except OSError: return 'denied'
`;

  it.each<readonly [how: string, program: string]>([
    [
      "forked before its parent became the program",
      `${READS}
r, w = os.pipe()
pid = os.fork()
if pid == 0:
    if os.fork() == 0:
        while read('/proc/%d/comm' % os.getppid()) != 'ssh-keygen': time.sleep(0.01)
        print('got', read('/srv/home/.ssh/id_rsa'), flush=True)
        os._exit(0)
    os.dup2(r, 0)
    os.execv('/usr/bin/ssh-keygen', ['ssh-keygen', '-q', '-f', '/srv/tmp/k'])
time.sleep(1)
os.close(w)`,
    ],
    [
      "adopted by the program",
      `${READS}
import ctypes
libc = ctypes.CDLL(None)
r, w = os.pipe()
pid = os.fork()
if pid == 0:
    program = os.getpid()
    libc.prctl(36, 1, 0, 0, 0) # PR_SET_CHILD_SUBREAPER
    if os.fork() == 0:
        while read('/proc/%d/comm' % program) != 'ssh-keygen': time.sleep(0.01)
        if os.fork() != 0: os._exit(0)
        while os.getppid() != program: time.sleep(0.01)
        print('got', read('/srv/home/.ssh/id_rsa'), flush=True)
        os._exit(0)
    os.dup2(r, 0)
    os.execv('/usr/bin/ssh-keygen', ['ssh-keygen', '-q', '-f', '/srv/tmp/k'])
time.sleep(1)
os.close(w)`,
    ],
    [
      "looking into the program's memory",
      `${READS}
import subprocess
p = subprocess.Popen(['ssh-keygen', '-q', '-f', '/srv/tmp/k'], stdin=subprocess.PIPE)
time.sleep(0.3)
at = int(read('/proc/%d/maps' % p.pid).split('-')[0], 16)
try:
    f = open('/proc/%d/mem' % p.pid, 'rb'); f.seek(at); print('got', f.read(4))
except OSError: print('got denied')
f = open('/proc/self/mem', 'rb'); f.seek(int(read('/proc/self/maps').split('-')[0], 16)); print('own', len(f.read(4)))
p.stdin.close()`,
    ],
  ])("not of a process %s", async (_, program) => {
    const { out } = await attack({ program: `cat > /srv/tmp/p.py <<'PY'\n${program}\nPY\ntimeout 20 python3 /srv/tmp/p.py` });
    expect(out).toMatch(/^got denied$/m);
  });

  it("of what it forks, too", async () => {
    const { out } = await attack({
      // A program of that name, as root installs it, which goes on in a process of its own.
      before:
        "mkdir -m 700 ~/.gnupg; echo KEYFILE > ~/.gnupg/secring.gpg; mount -t tmpfs -o mode=755 none /usr/local/sbin; cp /bin/dash /usr/local/sbin/gpg-agent",
      program: "gpg-agent -c '( ( sleep 0.3; read key < ~/.gnupg/secring.gpg; echo got $key ) & )'; sleep 1",
    });
    expect(out).toMatch(/^got KEYFILE$/m);
  });
});
