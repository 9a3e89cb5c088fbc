import { twice } from "./twice.ts";

const PYTHON = "/usr/bin/python3";

/** How programs start, talk to and end each other. */
twice("processes", [
  {
    name: "bash: here-documents, traps, pipes, process substitution, coprocesses, arrays, globs, redirections",
    script: `
      cat <<E > here
$((1 + 2)) $HOSTNAMELESS $(echo sub)
E
      cat <<'E' <<<"here string"
E
      trap 'echo on exit' EXIT; trap 'echo usr1' USR1; kill -USR1 $$; seq 5 | while read -r n; do echo -n "$n "; done; echo
      diff <(seq 3) <(seq 4) || true; tee >(tr a-z A-Z > upper) < here > /dev/null; sleep 0.1; cat upper; coproc C { cat; }; echo co >&"\${C[1]}"; read -r line <&"\${C[0]}"; echo "$line"; eval "exec \${C[1]}>&-"; wait || true
      exec 3> three; echo via3 >&3; exec 3>&-; { echo out; echo err >&2; } > both 2>&1; cat both; echo {a,b}{1,2}; shopt -s nullglob; echo none*; set -o noclobber; (echo x > both) 2>/dev/null || echo kept; echo x >| both
      printf '%s\\n' "\${PIPESTATUS[@]}"; (exit 7) || echo $?; bash -c 'kill -TERM $$' || echo $?; bash -c 'exec -a other bash -c "echo \\$0"'; echo "\${BASH_SOURCE[0]##*/}"; read -r -t 0.05 x < <(sleep 1) || echo timeout; ! false`,
  },
  {
    name: "job control: stopping, continuing, foreground and background, wait -n, kill of a group",
    script: `
      set -m; sleep 30 & p=$!; kill -STOP $p; sleep 0.1; cut -d' ' -f3 /proc/$p/stat; jobs | tr -s ' '; kill -CONT %1; kill %1; wait %1 || echo $?
      (sleep 0.1; exit 5) & wait -n || echo $?; (sleep 60 & sleep 60) & sleep 0.1; kill -- -$!; wait $! || echo $?; (sleep 0.05; echo bg) & fg %% > /dev/null; timeout 0.1 sleep 5 || echo $?; timeout -s INT 0.1 sleep 5 || echo $?
      nice -n 5 sh -c nice; nohup sh -c 'echo hup' 2>/dev/null; ulimit -n 200; ulimit -Sn; ulimit -c 0; env -i A=1 /usr/bin/env; setsid -w sh -c 'exit 4' || echo $?`,
  },
  {
    name: "daemons: setsid, double fork, a process that outlives its parents, pid files",
    needs: [PYTHON],
    script: `cat > d.py <<'E'
import os, sys, time
if os.fork(): os.wait(); sys.exit()
os.setsid()
if os.fork(): os._exit(0)
os.chdir("/"); os.umask(0)
for fd in (0, 1, 2): os.close(fd)
os.open("/dev/null", os.O_RDWR); os.dup(0); os.dup(0)
work = sys.argv[1]
open(work + "/pid", "w").write(str(os.getpid())); time.sleep(0.3)
open(work + "/made", "w").write("by a daemon"); os.chmod(work + "/made", 0o640); os.rename(work + "/made", work + "/done")
E
      ${PYTHON} d.py "$PWD"; for i in $(seq 100); do test -s pid && break; sleep 0.02; done; kill -0 $(cat pid) && echo lives; for i in $(seq 200); do test -e done && break; sleep 0.02; done; cat done; stat -c %a done; rm pid
      (setsid sh -c 'sleep 0.2; echo late > late' > /dev/null 2>&1 &); for i in $(seq 200); do test -s late && break; sleep 0.02; done; cat late`,
  },
  {
    name: "limits, priorities, affinities and signals of nobody: numbers that no process has",
    needs: [PYTHON],
    script: `${PYTHON} - <<'E'
import ctypes, errno, os, resource
libc = ctypes.CDLL(None, use_errno=True)
child = os.fork()
if child == 0: os._exit(0)
os.waitpid(child, 0)
mask, old, prio = ctypes.create_string_buffer(b"\\xff" * 128), (ctypes.c_ulong * 2)(), ctypes.c_int(0)
for who in (-1, -5, child, 4194303):
    for what in ("prlimit", "old"):
        ctypes.set_errno(0); print(what, libc.prlimit(who, resource.RLIMIT_CORE, None, old if what == "old" else None), errno.errorcode.get(ctypes.get_errno(), 0))
    for name, call in (("affinity", lambda: libc.sched_setaffinity(who, 128, mask)), ("scheduler", lambda: libc.sched_setscheduler(who, 0, ctypes.byref(prio))), ("param", lambda: libc.sched_setparam(who, ctypes.byref(prio))),
        ("priority", lambda: libc.setpriority(0, who, 0)), ("ioprio", lambda: libc.syscall(251, 1, who, 0)), ("kcmp", lambda: libc.syscall(312, os.getpid(), who, 0, 0, 0)), ("pages", lambda: libc.syscall(279, who, 0, None, None, None, 0)), ("migrate", lambda: libc.syscall(256, who, 0, None, None))):
        ctypes.set_errno(0); print(name, call(), errno.errorcode.get(ctypes.get_errno(), 0))
    if who > 0:
        ctypes.set_errno(0); print("kill", libc.kill(who, 0), libc.syscall(234, who, who, 0), errno.errorcode.get(ctypes.get_errno(), 0))
E`,
  },
  {
    name: "threads of python and node that all write",
    needs: [PYTHON],
    files: {
      "t.mjs": `import { Worker, isMainThread, workerData } from "node:worker_threads"; import fs from "node:fs"; import { execFileSync, spawnSync } from "node:child_process";
if (isMainThread) { await Promise.all([0,1,2,3].map((n) => new Promise((r) => new Worker(new URL(import.meta.url), { workerData: n }).on("exit", r))));
await Promise.all([...Array(100)].map((_, i) => fs.promises.writeFile("p" + i, String(i)))); console.log(fs.readdirSync(".").length); }
else { for (let i = 0; i < 40; i++) { fs.writeFileSync("w" + workerData + "-" + i, "x"); fs.renameSync("w" + workerData + "-" + i, "v" + workerData + "-" + i); } execFileSync("touch", ["spawned" + workerData]); }`,
    },
    script: `
      ${PYTHON} -c '
import threading, os, subprocess
from concurrent.futures import ThreadPoolExecutor
def work(n):
    os.makedirs(f"d{n}/e", exist_ok=True)
    for i in range(30):
        with open(f"d{n}/e/{i}", "w") as f: f.write(str(i))
        if i % 3 == 0: os.unlink(f"d{n}/e/{i}")
    return subprocess.run(["sh", "-c", f"echo {n} > d{n}/shell; exit {n}"]).returncode
with ThreadPoolExecutor(8) as pool: print(list(pool.map(work, range(8))))'
      node t.mjs`,
  },
  {
    name: "posix_spawn, vfork, fork, exec by descriptor, multiprocessing with its semaphores and shared memory",
    needs: [PYTHON],
    script: `
      ${PYTHON} -c '
import os, subprocess, sys
pid = os.posix_spawn("/bin/sh", ["sh", "-c", "echo spawned; exit 3"], os.environ); print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
pid = os.posix_spawn("/bin/cat", ["cat"], os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, "opened", os.O_CREAT | os.O_WRONLY, 0o640), (os.POSIX_SPAWN_OPEN, 0, "/etc/hostname", os.O_RDONLY, 0)]); os.waitpid(pid, 0)
print(subprocess.run(["true"]).returncode, subprocess.run("echo $0", shell=True).returncode, subprocess.run(["./none"], shell=False).returncode if os.path.exists("none") else "none")
r = os.fork()
if r == 0: os.execve(os.open("/bin/echo", os.O_RDONLY), ["echo", "by descriptor"], os.environ)
os.wait()
try: subprocess.run(["/etc/passwd"])
except OSError as e: print(e.errno)
try: subprocess.run(["/nowhere/x"])
except OSError as e: print(e.errno)
p = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=True, start_new_session=True); print(p.communicate(b"hello"))' | sort
      cat > mp.py <<'E'
import multiprocessing as mp
from multiprocessing import shared_memory
def f(x): return x * x
if __name__ == "__main__":
    for how in ("fork", "spawn", "forkserver"):
        with mp.get_context(how).Pool(3) as pool: print(how, pool.map(f, range(5)))
    m = shared_memory.SharedMemory(create=True, size=4096); m.buf[0] = 7; n = shared_memory.SharedMemory(m.name); print(n.buf[0]); n.close(); m.close(); m.unlink()
    q = mp.Queue(); p = mp.Process(target=q.put, args=("queued",)); p.start(); print(q.get()); p.join(); lock = mp.Lock(); print(lock.acquire(timeout=1))
E
      ${PYTHON} mp.py; rm -f opened`,
  },
  {
    name: "vfork and clone in C, threads that exec, setuid bits that mean nothing",
    needs: ["gcc"],
    script: `cat > v.c <<'E'
#define _GNU_SOURCE
#include <unistd.h>
#include <sys/wait.h>
#include <stdio.h>
#include <spawn.h>
#include <pthread.h>
#include <fcntl.h>
#include <errno.h>
static void *go(void *a) { execl("/bin/echo", "echo", "from a thread", (char *)0); return 0; }
int main(void) {
  int status; pid_t p = vfork(); if (p == 0) { execl("/bin/sh", "sh", "-c", "exit 9", (char *)0); _exit(1); } waitpid(p, &status, 0); printf("%d\\n", WEXITSTATUS(status));
  p = vfork(); if (p == 0) { execl("/none", "none", (char *)0); _exit(errno); } waitpid(p, &status, 0); printf("%d\\n", WEXITSTATUS(status));
  for (int i = 0; i < 20; i++) { p = fork(); if (p == 0) { char n[9]; sprintf(n, "f%d", i); close(open(n, O_CREAT | O_WRONLY, 0666)); _exit(0); } } while (wait(0) > 0);
  fflush(stdout); pthread_t t; pthread_create(&t, 0, go, 0); pthread_join(t, 0); return 1; }
E
      gcc -pthread -o v v.c; ./v; ls | wc -l`,
  },
  {
    name: "signals: handlers during calls, timers, SIGCHLD, EINTR, pending opens interrupted",
    needs: [PYTHON],
    rootOnly: true,
    script: `
      ${PYTHON} -c '
import signal, os, time, threading
hits = [0]; signal.signal(signal.SIGALRM, lambda *a: hits.__setitem__(0, hits[0] + 1)); signal.siginterrupt(signal.SIGALRM, False); signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
for i in range(400):
    with open(f"s{i}", "x") as f: f.write(str(i))
    os.rename(f"s{i}", f"r{i}"); os.mkdir(f"d{i}"); os.rmdir(f"d{i}")
signal.setitimer(signal.ITIMER_REAL, 0); print(len(os.listdir(".")), hits[0] > 10)
os.mkfifo("p")
def late(*a): raise TimeoutError
signal.signal(signal.SIGALRM, late); signal.setitimer(signal.ITIMER_REAL, 0.2)
try: open("p")
except TimeoutError: print("interrupted")
r = os.open("p", os.O_RDONLY | os.O_NONBLOCK); w = os.open("p", os.O_WRONLY); os.write(w, b"x"); print(os.read(r, 1))'`,
  },
  {
    name: "a pseudo-terminal by script(1) and python's pty",
    needs: ["script", PYTHON],
    script: `
      script -qec 'tty | sed s/[0-9]*$/N/; stty size; test -t 1 && echo terminal; echo typed > typed' log < /dev/null | tr -d '\\r'; cat typed
      ${PYTHON} -c '
import pty, os, sys
out = []
def read(fd):
    data = os.read(fd, 1024); out.append(data); return data
status = pty.spawn(["sh", "-c", "test -t 0 && echo yes; exit 6"], read, lambda fd: b""); print(os.waitstatus_to_exitcode(status))' < /dev/null | tr -d '\\r'`,
    ignore: /\/log$/,
  },
  {
    name: "inotify, tail -f, polling writers",
    needs: [PYTHON],
    script: `
      (for i in 1 2 3; do sleep 0.05; echo $i >> log; done) & touch log; timeout 5 tail -f -n +1 -s 0.02 log | head -3 || true; wait
      ${PYTHON} -c '
import ctypes, os, struct, subprocess
L = ctypes.CDLL(None); fd = L.inotify_init1(0); L.inotify_add_watch(fd, b".", 0x100 | 0x200 | 0xc0 | 0x8)
subprocess.run("echo x > new; mv new newer; rm newer", shell=True)
seen = []
while len(seen) < 5:
    data = os.read(fd, 4096); at = 0
    while at < len(data):
        wd, mask, cookie, length = struct.unpack_from("iIII", data, at); seen.append((hex(mask), data[at + 16 : at + 16 + length].rstrip(b"\\0").decode())); at += 16 + length
for mask, name in seen: print(mask, name)' | sed s/0x/mask-/`,
  },
  {
    name: "servers on loopback: node http and python http.server, clients in the same tree",
    needs: [PYTHON],
    files: {
      "s.mjs": `import http from "node:http"; const s = http.createServer((q, r) => r.end("page " + q.url)); s.listen(0, "127.0.0.1", async () => { const u = "http://127.0.0.1:" + s.address().port; console.log(await (await fetch(u + "/a")).text()); const { execFile } = await import("node:child_process"); execFile("${PYTHON}", ["-c", "import urllib.request, sys; print(urllib.request.urlopen(sys.argv[1]).read())", u + "/b"], (e, out, err) => { console.log(out, err); s.close(); }); });`,
      "s.py": `
import http.server, threading, urllib.request, socketserver, os
class Q(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *a): pass
s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Q); threading.Thread(target=s.serve_forever, daemon=True).start()
print(len(urllib.request.urlopen(f"http://localhost:{s.server_port}/s.mjs").read())); s.shutdown()
u = socketserver.UnixStreamServer("sock", socketserver.StreamRequestHandler); print(oct(os.stat("sock").st_mode)); u.server_close(); os.unlink("sock")
`,
    },
    script: `node s.mjs; ${PYTHON} s.py`,
  },
  {
    name: "/proc of one's own: self, fd, exe, cwd, environ, children, /dev/fd, /dev/stdin, /dev/full",
    needs: [PYTHON],
    script: `
      cd -P .; readlink /proc/self/exe; cat /proc/self/comm; tr '\\0' ' ' < /proc/self/cmdline; echo; ls -l /proc/self/cwd | grep -c "$PWD"; cat /proc/self/environ | tr '\\0' '\\n' | grep -c ^HOME=; cat /proc/$$/comm; echo x | cat /dev/stdin; cat /dev/fd/3 3< <(echo three); (echo to > /dev/stdout) | cat; (echo full > /dev/full) 2>/dev/null || echo full; head -c 4 /dev/zero | od -c | head -1; cat /proc/thread-self/comm; echo 5 | tee /proc/self/fd/1 | cat
      exec 5< <(echo five); sleep 0.1; cat /proc/self/fd/5; cat < /proc/$$/fd/5 || true; wc -l < /proc/self/maps > /dev/null && echo maps; test -r /proc/self/status && echo status; cat /proc/self/oom_score_adj; ${PYTHON} -c 'import os; print(os.path.samefile("/proc/self/cwd", "."), os.readlink("/proc/self/fd/0") != "", len(os.listdir("/proc/self/task")))'; ps -o comm= -p $$ 2>/dev/null || true`,
  },
  {
    name: "many short processes, deep trees",
    script: `for i in $(seq 150); do /bin/true; done; f() { if [ "$1" -gt 0 ]; then (f $(($1 - 1)); exit $?); else echo bottom > bottom; exit 3; fi; }; f 60 || echo $?; seq 40 | xargs -P4 -I{} sh -c 'echo {} > x{}'; ls | wc -l`,
  },
]);
