import { describe, expect, it } from "vitest";
import { attack, SLOWER } from "./world.ts";

/** A line of Python as one word of shell. */
const py = (text: string): string => `cat > /srv/tmp/p.py <<'PY'
import os, sys, ctypes, errno, struct, time, threading, signal
L = ctypes.CDLL(None, use_errno=True)
def sc(*a):
    r = L.syscall(*[ctypes.c_long(x) if isinstance(x, int) else ctypes.c_char_p(x) if isinstance(x, bytes) else x for x in a])
    return r if r >= 0 else errno.errorcode[ctypes.get_errno()]
# The number of a call, which is another one on each processor.
def nr(x64, arm64): return arm64 if os.uname().machine == 'aarch64' else x64
${text}
PY
timeout ${20 * SLOWER} python3 /srv/tmp/p.py; echo "py $?"`;

describe.concurrent("calls do what they do without supervision", () => {
  it("pipes are opened when the other end is, with or without data", async () => {
    const { out } = await attack({
      program: `mkfifo a b
( exec 3<a 4>b; echo one ) & ( exec 3>a 4<b; echo two ) & wait
exec 5<>a; timeout 5 sh -c 'exec 6<a; echo three'; exec 5>&-
( : > b ) & cat b; echo four
( sleep 0.3; : > b ) & cat b; echo five
( sleep 0.3; echo six > b ) & cat b
timeout 1 cat a; echo "seven $?"`,
    });
    for (const word of ["one", "two", "three", "four", "five", "six", "seven 124"]) expect(out).toMatch(new RegExp(`^${word}$`, "m"));
  });

  it("openat2 keeps what it was asked to keep", async () => {
    const { out } = await attack({
      before: "ln -s ../out/f link; mkdir d; ln -s /etc/passwd d/abs; ln -s ../proj/x d/up; echo x > x",
      program: py(`
def o2(dfd, path, flags, resolve):
    how = ctypes.create_string_buffer(struct.pack('QQQ', flags, 0, resolve))
    r = sc(437, dfd, path, how, 24)
    return r if isinstance(r, str) else 'ok'
d = os.open('d', os.O_RDONLY)
print('A', o2(-100, b'link', 0, 4), o2(-100, b'/proc/self/status', 0, 4), o2(-100, b'/proc/self/exe', 0, 2), o2(-100, b'/proc/self/exe', 0, 0))
print('B', o2(d, b'abs', 0, 8), o2(d, b'up', 0, 8), o2(d, b'../x', 0, 8), o2(d, b'/../../x', 0, 16), o2(-100, b'x', 0, 8))
print('C', sc(nr(76, 45), b'x', -1), o2(-100, b'x', 0, 0x40), o2(-100, b'x', 0x10000000000, 0))
`),
    });
    expect(out).toContain("A ELOOP ELOOP ELOOP ok");
    expect(out).toContain("B EXDEV EXDEV EXDEV ENOENT ok");
    expect(out).toContain("C EINVAL EINVAL EINVAL");
  });

  it("interpreters are found where the kernel finds them", async () => {
    const { out } = await attack({
      before:
        "mkdir d; cp /bin/dash d/sh2; printf '#!./sh2\\necho relative $0\\n' > d/r; printf '#!/bin/sh -e' > n; printf '#! /bin/sh \\t -u  \\necho words $0 $1\\n' > w; chmod +x d/r n w; printf '#!/srv/proj/w a b\\n' > x; chmod +x x",
      program: `cd d; ./r; cd ..; ./n; echo "n $?"; ./w 1; ./x 2
${py(`
d = os.open('.', os.O_RDONLY); os.set_inheritable(d, True)
if os.fork() == 0:
    argv = (ctypes.c_char_p * 3)(b'w', b'3', None); env = (ctypes.c_char_p * 1)(None)
    print('E', sc(nr(322, 281), d, b'w', argv, env, 0))
os.wait()
`)}`,
    });
    expect(out).toMatch(/^relative \.\/r$/m);
    expect(out).toContain("n 0");
    expect(out).toContain("words ./w 1");
    expect(out).toContain("words /srv/proj/w a b");
    expect(out).toMatch(/^words \/dev\/fd\/\d+\/w 3$/m);
    expect(out).not.toContain("killed");
  });

  it("files get the mode that the umask leaves, also right after another thread has changed it", async () => {
    const { out } = await attack({
      program: py(`
bad = 0
stop = False
def maker():
    n = 0
    while not stop:
        os.close(os.open('/srv/tmp/m%d' % (n % 50), os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o666)); n += 1
t = threading.Thread(target=maker); t.start()
for i in range(200):
    os.umask(0o077); time.sleep(0.001)
    name = '/srv/tmp/u%d' % i
    r = []
    u = threading.Thread(target=lambda: r.append(os.close(os.open(name, os.O_CREAT | os.O_WRONLY, 0o666)))); u.start(); u.join()
    if os.stat(name).st_mode & 0o777 != 0o600: bad += 1
    os.umask(0o022)
stop = True; t.join()
print('bad', bad)
`),
    });
    expect(out).toContain("bad 0");
  });

  it("files get the mode that the umask leaves, whoever has changed it: a process that shares it, one that has its own, the program before", async () => {
    const { out } = await attack({
      program: py(`
CLONE, FS = nr(56, 220), 0x200
def mode(name, umask=None):
    if umask is not None: os.umask(umask)
    os.close(os.open('/srv/tmp/' + name, os.O_CREAT | os.O_WRONLY, 0o666))
    os.mkdir('/srv/tmp/' + name + '.d', 0o777)
    return '%o %o' % (os.stat('/srv/tmp/' + name).st_mode & 0o777, os.stat('/srv/tmp/' + name + '.d').st_mode & 0o777)
def child(flags, work):
    pid = sc(CLONE, flags | signal.SIGCHLD, 0, 0, 0, 0)
    if pid == 0:
        try: work()
        finally: os._exit(0)
    return pid
def say(name, text): os.write(1, ('%s: %s\\n' % (name, text)).encode())
# A process that shares the mask, changes it and calls nothing more; then one that has a mask of its own.
for name, flags in (('shared', FS), ('own', 0)):
    mode(name + '0', 0o022)
    r, w = os.pipe()
    pid = child(flags, lambda: (os.umask(0o077), os.write(w, b'x'), time.sleep(60)))
    os.read(r, 1); say(name, mode(name)); say(name + ' again', mode(name + '2'))
    os.kill(pid, 9); os.waitpid(pid, 0); say(name + ' ended', mode(name + '3'))
# The other way round.
for name, flags in (('sharing', FS), ('apart', 0)):
    os.umask(0o022)
    r, w = os.pipe(); r2, w2 = os.pipe()
    pid = child(flags, lambda: (mode(name + '0'), os.write(w2, b'x'), os.read(r, 1), say(name, mode(name))))
    os.read(r2, 1); os.umask(0o007); os.write(w, b'x'); os.waitpid(pid, 0)
# Threads, each of which changes it and makes something at once.
os.umask(0o022)
bad = []
def turn(i):
    m = (0o022, 0o077, 0o007, 0)[i % 4]
    with lock:
        if mode('t%d' % i, m) != '%o %o' % (0o666 & ~m, 0o777 & ~m): bad.append(i)
lock = threading.Lock()
ts = [threading.Thread(target=turn, args=(i,)) for i in range(60)]
[t.start() for t in ts]; [t.join() for t in ts]
say('threads', bad)
say('all taken', mode('none', 0o777)); os.umask(0o022)
say('after', mode('after'))
os.umask(0o027); os.execv('/bin/sh', ['sh', '-c', 'cd /srv/tmp; echo > next; mkdir next.d; echo next: $(stat -c %a next next.d)'])
`),
    });
    for (const line of [
      "shared: 600 700",
      "shared again: 600 700",
      "shared ended: 600 700",
      "own: 644 755",
      "own again: 644 755",
      "own ended: 644 755",
      "sharing: 660 770",
      "apart: 644 755",
      "threads: []",
      "all taken: 0 0",
      "after: 644 755",
      "next: 640 750",
    ])
      expect(out.split("\n")).toContain(line);
  });

  it("/dev/tty is the terminal of whoever opens it", async () => {
    const { out } = await attack({
      program: `script -qec 'setsid -w sh -c "cat < /dev/tty" 2>&1; tty; sh -c "exec 3</dev/tty; ls -l /proc/self/fd/3"' /dev/null < /dev/null`,
    });
    expect(out).toMatch(/No such device or address/);
    expect(out).toMatch(/-> \/dev\/pts\/\d+/);
  });

  it("what has ended does not stay", async () => {
    const { out } = await attack({
      program:
        "i=0; while [ $i -lt 100 ]; do ( /bin/true & ); i=$((i+1)); done; sleep 1; /bin/true; cat /proc/[0-9]*/stat 2>/dev/null | grep -c ') Z '",
    });
    expect(Number(/^(\d+)$/m.exec(out)?.[1])).toBeLessThan(5);
  });
});

describe.concurrent("messages", () => {
  it("arrive whole, with what travels along, however long they wait", async () => {
    const { out } = await attack({
      program: py(`
import socket, array, hashlib
data = os.urandom(1 << 20) * 5
for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET):
    a, b = socket.socketpair(socket.AF_UNIX, kind)
    part = data if kind == socket.SOCK_STREAM else data[:100000]
    def send(): print('sent', a.sendmsg([part[:7], part[7:99], b'', part[99:]], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [0]))]) == len(part), flush=True)
    t = threading.Thread(target=send); t.start(); time.sleep(0.2)
    got, fds, _, _ = socket.recv_fds(b, 200000, 4)
    while len(got) < len(part): got += b.recv(1 << 20)
    t.join(); print('whole', got == part, len(fds))
    a.setblocking(False)
    n = a.sendmsg([part])
    print('some', 0 < n <= len(part), n < len(data))
`),
    });
    const once = ["sent True", "whole True 1", "some True True"];
    expect(out.split("\n").filter((line) => /^(?:sent|whole|some|py) /.test(line))).toEqual([...once, ...once, "py 0"]);
  });

  it("say of their sender what is so, or are not sent (unix(7), SCM_CREDENTIALS)", async () => {
    const { out } = await attack({
      program: py(`
import socket, struct
a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
def say(*ids):
    try: return a.sendmsg([b'x'], [(socket.SOL_SOCKET, 2, struct.pack('%di' % len(ids), *ids))])
    except OSError as e: return errno.errorcode[e.errno]
pid, uid, gid = os.getpid(), os.getuid(), os.getgid()
print('C', say(pid, uid, gid), say(pid, 12345, gid), say(pid, uid, 12345), say(1, uid, gid), say(os.getppid(), uid, gid), say(pid, uid), say(pid, uid, gid))
`),
    });
    expect(out).toContain("C 1 EPERM EPERM EPERM EPERM EINVAL 1");
  });

  it("that wait take no memory of the supervisor's", async () => {
    const { out } = await attack({
      program: py(`
import socket
supervisor = os.getppid()
# Newer Nodes name their first thread.
while open('/proc/%d/comm' % supervisor).read() not in ('node\\n', 'MainThread\\n', 'node-MainThread\\n'):
    supervisor = int(open('/proc/%d/stat' % supervisor).read().rsplit(')', 1)[1].split()[1])
size = lambda: int(open('/proc/%d/statm' % supervisor).read().split()[1]) * 4096
before = size()
many = [socket.socketpair() for _ in range(40)]
data = b'x' * (8 << 20)
for a, _ in many: threading.Thread(target=lambda: a.sendmsg([data]), daemon=True).start()
time.sleep(2)
grown = size() - before
print('grown', 'little' if grown < 100 << 20 else grown, flush=True)
os._exit(0)
`),
    });
    expect(out).toContain("grown little");
  });
});

describe.concurrent("nothing reaches beyond the tree", () => {
  it("priorities and locks", async () => {
    const { out } = await attack({
      program: py(`
setpriority, ioprio_set = nr(141, 140), nr(251, 30)
print('P', sc(setpriority, 2, 0, 5), sc(setpriority, 1, 0, 5), sc(ioprio_set, 3, 0, 7), sc(ioprio_set, 2, 0, 7), sc(setpriority, 0, 0, 1), sc(setpriority, 0, os.getpid(), 2), sc(setpriority, 0, 1, 5))
f = os.open('/srv/proj/own', os.O_CREAT | os.O_RDWR)
import fcntl
try: fcntl.fcntl(f, 1024, 1); print('leased')
except OSError as e: print('L', errno.errorcode[e.errno])
`),
    });
    expect(out).toContain("P EPERM EPERM EPERM EPERM 0 0 EPERM");
    expect(out).toContain("L EACCES");
    // The priority of the whole session, the supervisor's too (sched(7)).
    const session = await attack({ program: "echo 11 > /proc/self/autogroup; cat /proc/self/autogroup" });
    expect(session.out).not.toContain("nice 11");
  });

  it("the tree ends when the supervisor is killed, or goes on without any right", async () => {
    const { out } = await attack({
      program: `( sleep 2; echo late > /srv/proj/late; cat /srv/out/f ) & kill -9 $PPID; echo "kill $?"; wait`,
    });
    expect(out).toContain("kill 1");
  });

  it("descriptors of the supervisor are not inherited", async () => {
    const { out } = await attack({ program: "ls /proc/self/fd | tr '\\n' ' '" });
    // The last one is the folder that is listed.
    expect(out).toMatch(/^0 1 2 3 status 0$/m);
  });
});
