// oxlint-disable vitest/no-standalone-expect -- what the rows of attack.test.ts hold
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect } from "vitest";
import type { Ran, Suite } from "../../supervise/programs/place.ts";
import { treeOf, type TryPlace } from "../place.ts";
import { assentOf, type Attack, inHome, lastTry, own, type Played, put, putIn, python, SECRET, secrets, victim, wait } from "./harness.ts";

/** Nothing of a name reaches the terminal as it is. */
const plain = (_: TryPlace, ran: Ran): void => expect(ran.stderr).not.toContain("\u001b");

function special(place: TryPlace, command: string): void {
  spawnSync("sh", ["-c", command], { cwd: place.cwd });
  const name = command.includes("fifo") ? "fifo" : "dev";
  if (existsSync(join(place.cwd, name))) own(place, join(place.cwd, name));
}
function listenIn(place: TryPlace): void {
  const path = join(place.cwd, "sock");
  createServer()
    .listen(path, () => chmodSync(path, 0o777))
    .unref();
}
const priorityOf = (pid = 0): string | undefined => readFileSync(`/proc/${pid}/stat`, "utf8").split(" ")[18];
const niceness = priorityOf(victim.pid);
const shared = (call: string): number =>
  Number(spawnSync("python3", ["-c", `import ctypes; print(ctypes.CDLL(None).${call})`], { encoding: "utf8" }).stdout);

const SETTINGS = ".claude/settings.json";
const settings = (place: TryPlace): void => putIn(place, SETTINGS, '{"a":1}');

/** Ways by which a file that starts programs could come to be, or another text get into it: what counts is what is there at the end. */
const ARRIVALS: readonly (readonly [name: string, command: string])[] = [
  ["by a link to a file that has another name", `echo {} > x; mkdir .claude; ln x ${SETTINGS}`],
  ["by a folder that its folder is a link to", "mkdir d; ln -s d .claude; echo {} > d/settings.json"],
  ["by a link in its place", `echo {} > x; mkdir .claude; ln -s ../x ${SETTINGS}`],
  ["by moving its folder twice", "mkdir -p p/q; echo {} > p/q/settings.json; mv p/q p/.claude; mkdir z; mv p z/p"],
  ["out of an archive", `mkdir -p t/.claude u; echo {} > t/${SETTINGS}; cd t; tar cf ../t.tar .claude; cd ../u; tar xf ../t.tar`],
  ["by a copy of a folder", "mkdir -p t/.claude; echo {} > t/.claude/settings.json; cp -a t u; rm -r t"],
  [
    "by a file without a name that gets one",
    python(
      `import os\nos.mkdir('.claude'); f=os.open('.claude',os.O_TMPFILE|os.O_RDWR,0o644); os.write(f,b'{}')\nimport ctypes; ctypes.CDLL(None).linkat(-100,b'/proc/self/fd/%d'%f,-100,b'${SETTINGS}',0x400)`,
    ),
  ],
  [
    "by an exchange",
    python(
      `import ctypes,os\nos.mkdir('.claude'); open('${SETTINGS}','w'); open('x','w').write('{}'); ctypes.CDLL(None).renameat2(-100,b'x',-100,b'${SETTINGS}',2)`,
    ),
  ],
  ["in a folder whose name has 255 bytes", `n=$(printf '%0255d' 0); mkdir -p $n/.claude; echo {} > $n/${SETTINGS}`],
  ["in a folder whose name has a newline and a tab", `d=$(printf 'a\\nb\\tc'); mkdir -p "$d/.claude"; echo {} > "$d/${SETTINGS}"`],
  ["in a folder whose name is no text", `d=$(printf '\\377\\376'); mkdir -p "$d/.claude"; echo {} > "$d/${SETTINGS}"`],
  ["in a folder whose name moves the cursor", `d=$(printf '\\033[2J\\033[1;1H'); mkdir -p "$d/.claude"; echo {} > "$d/${SETTINGS}"`],
  [
    "as deep as paths may be",
    python(`import os\nfor i in range(15): os.mkdir('d'*250); os.chdir('d'*250)\nos.mkdir('.claude'); open('${SETTINGS}','w').write('{}')`),
  ],
  ["in capital letters", "mkdir .Claude; echo {} > .Claude/Settings.json"],
  ["as a file with holes", `mkdir .claude; truncate -s 1000000 ${SETTINGS}; printf '{}' | dd of=${SETTINGS} conv=notrunc 2>/dev/null`],
  [
    "out of a commit",
    `git init -q r; cd r; b=$(printf '{}' | git hash-object -w --stdin); git update-index --add --cacheinfo 100644,$b,${SETTINGS}; git checkout-index -a`,
  ],
  ["as the name of servers", "echo '{}' > .mcp.json"],
  ["of an editor", "mkdir .vscode; echo '{}' > .vscode/tasks.json"],
];
const CHANGES: readonly (readonly [name: string, command: string])[] = [
  ["with its size and times kept", `touch -r ${SETTINGS} t; printf '{"b":1}' > ${SETTINGS}; touch -r t ${SETTINGS}; rm t`],
  ["by a map of its memory", python(`import mmap\nf=open('${SETTINGS}','r+b'); m=mmap.mmap(f.fileno(),0); m[2:3]=b'z'; m.flush()`)],
  ["by a hole", `fallocate -p -o 0 -l 7 ${SETTINGS}`],
  [
    "by a copy in the kernel",
    python(
      `import os\nopen('x','w').write('{"z":1}'); a=os.open('x',os.O_RDONLY); b=os.open('${SETTINGS}',os.O_WRONLY); os.copy_file_range(a,b,7)`,
    ),
  ],
  ["by a second name", `ln ${SETTINGS} s; printf '{"z":1}' > s`],
  ["by a new folder in the place of its own", "mv .claude old; mkdir .claude; printf '{\"z\":1}' > .claude/settings.json"],
  ["after its folder was taken away and made anew", "rm -r .claude; mkdir .claude; printf '{\"z\":1}' > .claude/settings.json"],
];

/** What git obeys. */
const OF_GIT: readonly (readonly [name: string, command: string])[] = [
  [
    "a file that names a repository elsewhere",
    "mkdir -p n/objects n/refs s; echo 'ref: x' > n/HEAD; printf '[core]\\n\\tfsmonitor = ./x\\n' > n/config; echo 'gitdir: ../n' > s/.git",
  ],
  [
    "settings of a repository by another name",
    "mkdir -p n/objects n/refs; echo 'ref: refs/heads/x' > n/HEAD; printf '[core]\\n\\tfsmonitor = ./x\\n' > n/config",
  ],
  [
    "the same, before it is a repository",
    "mkdir n; printf '[core]\\n\\tfsmonitor = ./x\\n' > n/config; echo 'ref: refs/heads/x' > n/HEAD; mkdir n/objects n/refs",
  ],
  [
    "the same, moved there",
    "mkdir -p m/objects m/refs; echo 'ref: refs/heads/x' > m/HEAD; printf '[core]\\n\\tfsmonitor = ./x\\n' > c; mv c m/config; mv m n",
  ],
  [
    "a hook of a repository by another name",
    "git init -q --bare n; echo x > n/hooks/post-index-change; chmod 755 n/hooks/post-index-change",
  ],
  ["settings of a repository without files", "git init -q --bare n; printf '[core]\\n\\tfsmonitor = ./x\\n' >> n/config"],
  [
    "settings of a working tree",
    "mkdir -p .git/worktrees/w; echo 'gitdir: x' > .git/worktrees/w/gitdir; printf '[core]\\n\\tfsmonitor = x\\n' > .git/worktrees/w/config.worktree",
  ],
  [
    "settings of a submodule",
    "mkdir -p .git/modules/s/objects .git/modules/s/refs; printf '[core]\\n\\tfsmonitor = x\\n' > .git/modules/s/config",
  ],
  ["where objects are shared", "mkdir -p n/objects n/refs; echo 'ref: x' > n/HEAD; echo ../n > .git/commondir"],
  ["its folder of hooks as a link", "mkdir h; echo x > h/pre-commit; chmod 755 h/pre-commit; ln -s ../h .git/hooks"],
  ["a link in the place of the repository", "mv .git g; ln -s g .git; printf '[core]\\n\\tfsmonitor = x\\n' > g/config"],
];

const LINKS: readonly (readonly [name: string, to: string])[] = [
  ["to a secret", ".env"],
  ["to itself", "link"],
  ["to what /proc knows of processes", "/proc/self/environ"],
  ["to the passwords of the machine", "/etc/shadow"],
  ["to a folder of home that is not there yet", "$HOMEDIR/new/x"],
  ["to Assent's own records", "$XDG_STATE_HOME/assent"],
  ["to the folder above, by itself", "src/../.."],
  ["to the folder of devices", "/dev"],
];

/** Ways to what a secret holds. */
const READS: readonly (readonly [name: string, command: string])[] = [
  ["by a link", 'ln -s .env l; cat l; ln -s "$HOMEDIR/.ssh" k; cat k/id_rsa'],
  ["by a second name that it makes", 'ln .env h; chmod 600 h; cat h; ln "$HOMEDIR/.ssh/id_rsa" k; cat k'],
  [
    "by what /proc says of folders",
    'cat /proc/self/cwd/.env /proc/thread-self/cwd/.env /proc/self/root"$PWD"/.env /proc/self/task/*/root"$HOMEDIR"/.ssh/id_rsa',
  ],
  [
    "by a descriptor of its folder",
    python(
      "import os\nd=os.open('.',os.O_PATH)\ntry: print(os.read(os.open('.env',os.O_RDONLY,dir_fd=d),99))\nexcept OSError as e: print(e)",
    ),
  ],
  [
    "by opening its name, and then what that holds",
    python(
      "import os\ntry: print(os.read(os.open('/proc/self/fd/%d'%os.open('.env',os.O_PATH),os.O_RDONLY),99))\nexcept OSError as e: print(e)",
    ),
  ],
  [
    "by a map of its memory",
    python(
      "import mmap,os\ntry:\n  os.chmod('.env',0o600); f=open('.env','rb'); print(mmap.mmap(f.fileno(),0,prot=1)[:])\nexcept (OSError,ValueError) as e: print(e)",
    ),
  ],
  [
    "by a handle",
    python(
      "import ctypes\nc=ctypes.CDLL(None,use_errno=True); h=(ctypes.c_uint*34)(128); m=ctypes.c_int(0)\nr=c.syscall(303,-100,b'.env',h,ctypes.byref(m),0); f=c.syscall(304,-100,h,0) if r==0 else -1\nprint(r,f)\nif f>=0: print(open(f,'rb').read())",
    ),
  ],
  ["by giving it a mode and making an archive", "chmod 600 .env; tar cf - . | cat; cpio -o 2>/dev/null <<< .env"],
  ["by git", "git init -q r; cd r; git --work-tree=.. add -f ../.env; git show :.env; git hash-object -w ../.env"],
  ["by writing to it first", "chmod 600 .env; : >> .env; cat .env"],
  ["by taking off what marks it", "chmod 600 .env; setfattr -x user.assent.masked .env; cat .env; mv .env e; cat e"],
  [
    "by changing places with it",
    python(
      "import ctypes\nctypes.CDLL(None).renameat2(-100,b'.env',-100,b'a.txt',2)\ntry: print(open('a.txt').read())\nexcept OSError as e: print(e)",
    ),
  ],
  ["by moving and copying it in the kernel", "cp --reflink=auto .env x; cat x; mv .env y; cat y; dd if=y status=none"],
  ["by another spelling", "cat .ENV ./.env .//.env src/../.env */../.env"],
  ["by running it", '. ./.env; echo "$TOKEN"; sh .env; env -S "$(cat .env)" true; awk 1 .env; od -c .env'],
  [
    "by an exec of a program in memory",
    python(
      "import os\nf=os.memfd_create('x'); os.write(f,open('/bin/cat','rb').read())\nif os.fork()==0: os.execve('/proc/self/fd/%d'%f,['cat','.env',os.environ['HOMEDIR']+'/.ssh/id_rsa'],{})\nos.wait()",
    ),
  ],
  [
    "by a server of its own",
    "python3 -m http.server 8123 --bind 127.0.0.1 >/dev/null 2>&1 & sleep 1; curl -s http://127.0.0.1:8123/.env; curl -s http://127.0.0.1:8123/src/../../home/.ssh/id_rsa --path-as-is; kill $!",
  ],
  ["by programs that lend rights", 'sudo -n cat .env; su -c "cat .env"; setpriv --reuid 0 cat .env; newgrp root; pkexec cat .env'],
  [
    "by the descriptors of a mount's layers",
    'for f in $(seq 3 255); do cat "/proc/self/fd/$f/.env" "/proc/1/fd/$f/.env"; done 2>/dev/null; find "$PWD" "$HOMEDIR" -type f -exec cat {} + 2>/dev/null',
  ],
  [
    "by a bind of its folder",
    'mkdir m; mount --bind . m; unshare -rm mount --bind . m; cat m/.env; unshare -rm sh -c "umount .env; cat .env"',
  ],
  ["after it was taken away and its folder renamed", "mkdir d; mv .env d/; mv d e; cat e/.env; rm -rf e; cat .env"],
];

/** Ways to a file of home, which holds "old". */
const WRITES: readonly (readonly [name: string, command: string])[] = [
  [
    "by descriptors of folders",
    python(
      "import os\nh=os.environ['HOMEDIR']\nfor fl in (os.O_PATH,os.O_RDONLY):\n  d=os.open(h+'/victim',fl|os.O_DIRECTORY)\n  for n in ('file','new'):\n    try: os.write(os.open(n,os.O_WRONLY|os.O_CREAT,dir_fd=d),b'evil'); print('WRITTEN')\n    except OSError: pass",
    ),
  ],
  [
    "by files without names",
    python(
      "import os\nh=os.environ['HOMEDIR']+'/victim'\ntry: f=os.open(h,os.O_TMPFILE|os.O_RDWR); os.link('/proc/self/fd/%d'%f,h+'/new'); print('WRITTEN')\nexcept OSError as e: pass\nf=os.open('.',os.O_TMPFILE|os.O_RDWR)\ntry: os.link('/proc/self/fd/%d'%f,h+'/new'); print('WRITTEN')\nexcept OSError: pass",
    ),
  ],
  [
    "by cutting it",
    'truncate -s 0 "$HOMEDIR/victim/file" && echo WRITTEN; : > "$HOMEDIR/victim/file" && echo WRITTEN; fallocate -p -o 0 -l 2 "$HOMEDIR/victim/file" && echo WRITTEN; true',
  ],
  [
    "by its mode, owner, times, attributes",
    'f="$HOMEDIR/victim/file"; for c in "chmod 777" "chown $(id -u)" "touch -d 2001-01-01" "setfattr -n user.x -v 1" "setfacl -m u:1:r" "chattr +d" "chmod 000"; do $c "$f" 2>/dev/null && echo WRITTEN $c; done; true',
  ],
  [
    "by its flags",
    python(
      "import fcntl,os,struct\nf=os.open(os.environ['HOMEDIR']+'/victim/file',os.O_RDONLY)\nfor n,s in ((0x40086602,struct.pack('L',0x80)),(0x401c5820,struct.pack('IIIII8x',0x80,0,0,0,0)),(0x40087602,struct.pack('L',7))):\n  try: fcntl.ioctl(f,n,s); print('WRITTEN',hex(n))\n  except OSError: pass",
    ),
  ],
  [
    "by taking names away, and by making some",
    'cd "$HOMEDIR"; rm -rf victim; mkdir m && echo WRITTEN; ln victim/file l && echo WRITTEN; ln -s x s && echo WRITTEN; mkfifo p && echo WRITTEN; mv victim v && echo WRITTEN; mknod w c 0 0 && echo WRITTEN; true',
  ],
  ["by a link in the project", 'ln -s "$HOMEDIR/victim" v; echo evil > v/file; echo evil > v/new; rm v'],
  [
    "by what /proc says of roots",
    'for r in /proc/self/root /proc/1/root /proc/self/task/*/root /proc/1/cwd/../..; do (echo evil > "$r$HOMEDIR/victim/file") 2>/dev/null && echo WRITTEN $r; done; true',
  ],
  [
    "by mounts",
    'for m in "mount -o remount,rw /" "mount -o remount,bind,rw $HOMEDIR" "mount --bind /tmp $HOMEDIR/victim" "mount -t tmpfs x $HOMEDIR/victim" "umount -l /" "pivot_root . ." "chroot /proc/1/root true"; do $m 2>/dev/null && echo WRITTEN $m; unshare -rm $m 2>/dev/null && echo WRITTEN $m; done; true',
  ],
  [
    "by the new calls for mounts",
    python(
      "import ctypes\nc=ctypes.CDLL(None,use_errno=True); a=(ctypes.c_ulong*4)(0,1,0,0)\nfor n,x in ((442,(-100,b'/',0x8000,a,32)),(428,(-100,b'/',1)),(429,(3,b'',-100,b'/',4)),(430,(b'tmpfs',0)),(433,(-100,b'/',0))):\n  if c.syscall(n,*x)>=0: print('WRITTEN',n)",
    ),
  ],
  [
    "by namespaces of all kinds",
    python(
      "import ctypes,os\nc=ctypes.CDLL(None,use_errno=True)\nfor f in (0x10000000,0x20000,0x2000000,0x4000000,0x8000000,0x20000000,0x40000000,0x80,0x200):\n  if f!=0x200 and c.unshare(f)==0: print('WRITTEN',hex(f))\nfor n in ('mnt','user','pid','net','ipc'):\n  try:\n    if c.setns(os.open('/proc/1/ns/'+n,os.O_RDONLY),0)==0: print('WRITTEN',n)\n  except OSError: pass",
    ),
  ],
];

/** What is nobody's file: each must print nothing. */
const OUTSIDE: readonly (readonly [name: string, command: string, more?: Partial<Attack>])[] = [
  [
    "signals others by groups, threads, queues, descriptors and owners of pipes",
    python(
      "import ctypes,os,fcntl,signal\nv=int(os.environ['VICTIM']); c=ctypes.CDLL(None,use_errno=True); i=(ctypes.c_int*32)(9,0,-1)\nfor n,a in ((62,(v,9)),(62,(-v,9)),(234,(v,v,9)),(200,(v,9)),(129,(v,9,i)),(297,(v,v,9,i)),(434,(v,0))):\n  if c.syscall(n,*a)>=0: print('SENT',n)\nr,w=os.pipe()\nfor p in (v,-v):\n  try: fcntl.fcntl(r,8,p); fcntl.fcntl(r,10,9); fcntl.fcntl(r,4,0o20000); os.write(w,b'x'); print('OWNED') if fcntl.fcntl(r,9)==p else None\n  except OSError: pass",
    ),
  ],
  [
    "changes the priority, limits and processors of others",
    python(
      "import os,ctypes,resource\nv=int(os.environ['VICTIM']); c=ctypes.CDLL(None,use_errno=True)\nos.setpriority(os.PRIO_USER,os.getuid(),19)\nfor f in (lambda: os.setpriority(os.PRIO_PROCESS,v,19),lambda: os.sched_setaffinity(v,{0}),lambda: resource.prlimit(v,resource.RLIMIT_NOFILE,(1,1)),lambda: os.sched_setscheduler(v,os.SCHED_IDLE,os.sched_param(0))):\n  try: f(); print('CHANGED')\n  except (OSError,ValueError): pass\nif c.syscall(251,1,v,0x6007)>=0: print('CHANGED io')",
    ),
    { then: (_, ran) => expect([ran.stdout, priorityOf(victim.pid)]).toEqual(["", niceness]) },
  ],
  [
    "reads and writes the memory of others",
    python(
      "import ctypes,os\nv=int(os.environ['VICTIM']); c=ctypes.CDLL(None,use_errno=True); b=(ctypes.c_char*8)(); i=(ctypes.c_ulong*2)(ctypes.addressof(b),8)\nfor n,a in ((101,(16,v,0,0)),(101,(0x4206,v,0,0)),(310,(v,i,1,i,1,0)),(311,(v,i,1,i,1,0)),(312,(os.getpid(),v,0,0,0)),(438,(c.syscall(434,v,0),0,0)),(440,(c.syscall(434,v,0),i,1,4,0)),(279,(v,0,0,0,0,0)),(256,(v,0,0,0))):\n  if c.syscall(n,*a)>=0: print('REACHED',n)\nfor f in ('mem','environ','maps','oom_score_adj','fd'):\n  if os.path.exists('/proc/%d/%s'%(v,f)): print('SEEN',f)",
    ),
  ],
  [
    "uses keys of its user",
    python(
      "import ctypes\nc=ctypes.CDLL(None,use_errno=True)\nfor n,a in ((248,(b'user',b'assent',b'x',1,-3)),(249,(b'user',b'assent',0,-3)),(250,(0,-3,1)),(250,(11,-3,0,0)),(250,(1,0))):\n  if c.syscall(n,*a)>=0: print('KEY',n)",
    ),
  ],
  [
    "moves itself among groups of processes, and freezes them",
    "for f in /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/*/cgroup.procs /sys/fs/cgroup/*/cgroup.freeze /sys/fs/cgroup/*/*/cgroup.procs; do (echo 0 > $f) 2>/dev/null && echo WRITTEN $f; done; mkdir /sys/fs/cgroup/assent-try 2>/dev/null && echo MADE; true",
  ],
  [
    "opens any setting of the kernel for writing",
    python(
      "import os\nfor t in ('/proc/sys','/sys'):\n  for d,_,fs in os.walk(t):\n    for f in fs:\n      try: os.close(os.open(d+'/'+f,os.O_WRONLY|os.O_NONBLOCK)); print('OPEN',d,f)\n      except OSError: pass\nfor f in ('sysrq-trigger','self/oom_score_adj/../../sysrq-trigger','irq/default_smp_affinity','mtrr','acpi/wakeup'):\n  try: os.close(os.open('/proc/'+f,os.O_WRONLY)); print('OPEN',f)\n  except OSError: pass",
    ),
  ],
  [
    "types into its terminal, or takes it over",
    python(
      "import ctypes\nc=ctypes.CDLL(None,use_errno=True)\nfor n in (0x5412,0x541c,0x5423,0x4b47,0x4b49):\n  for high in (0,1<<32):\n    ctypes.set_errno(0); r=c.syscall(16,0,ctypes.c_ulong(n|high),ctypes.c_ulong(0))\n    if r>=0 or ctypes.get_errno()!=1: print('PASSED',hex(n),ctypes.get_errno())",
    ),
  ],
  [
    "makes sockets of families that have no networks of their own",
    python(
      "import socket\nfor f in range(1,48):\n  for t in (1,2,3,4,5,6,10):\n    try: s=socket.socket(f,t)\n    except OSError: continue\n    if f not in (2,10,16): print('SOCKET',f,t)\n    s.close()",
    ),
  ],
  [
    "makes rings, maps and events by numbers",
    python(
      "import ctypes\nc=ctypes.CDLL(None,use_errno=True)\nfor n in (425,426,427,323,321,298,300,304,246,320,175,313,176,167,168,163,179,443,172,173,155,161,153,212):\n  ctypes.set_errno(0); r=c.syscall(n,1,0,0,0,0,0)\n  if r>=0 and n!=161: print('DONE',n,r)",
    ),
  ],
  [
    "sets the clock and the name of the machine",
    python(
      "import time,ctypes,socket\nc=ctypes.CDLL(None,use_errno=True); t=(ctypes.c_long*26)()\nfor f in (lambda: time.clock_settime(0,time.time()),lambda: socket.sethostname(socket.gethostname())):\n  try: f(); print('SET')\n  except OSError: pass\nt[0]=1<<0\nif c.syscall(159,t)>=0: print('SET adjtimex')",
    ),
  ],
  [
    "calls the kernel as other machines do",
    python(
      "import ctypes\nc=ctypes.CDLL(None,use_errno=True)\nfor n in (41,56,101,257,272,165,425): \n  for bit in (1<<30,(1<<30)|512):\n    if c.syscall(ctypes.c_long(n|bit),1,0,0,0,0,0)>=0: print('DONE',n)",
    ),
  ],
  [
    "makes whiteouts and devices by hand",
    'for d in . src /tmp; do mknod $d/w c 0 0 && echo MADE $d; mknod $d/n c 1 3 && echo MADE $d; mknod $d/b b 7 0 && echo MADE; done 2>/dev/null; mknod /dev/shm/w c 0 0; mv /dev/shm/w src/w && echo MADE src; rm -f /tmp/w; python3 -c \'import ctypes; print("MADE" if ctypes.CDLL(None).renameat2(-100,b"a.txt",-100,b"z",4)>=0 else "",end="")\'',
  ],
  [
    "opens a device that lies in the project",
    "cat dev > /dev/null 2>&1 && echo READ; (echo x > dev) 2>/dev/null && echo WRITTEN; true",
    { prepare: (place) => special(place, "mknod -m 666 dev c 1 3") },
  ],
  [
    "talks to a server of another by its socket in the project",
    python(
      "import socket\nfor t in (1,2,5):\n  try: s=socket.socket(socket.AF_UNIX,t); s.connect('sock'); print('CONNECTED')\n  except OSError: pass",
    ),
    { prepare: listenIn },
  ],
  [
    "writes to another by a FIFO in the project",
    "(timeout 1 sh -c 'echo evil <> fifo 1<> fifo; sleep .5') 2>/dev/null; true",
    {
      prepare: (place) => {
        special(place, "mkfifo -m 666 fifo");
        spawn("sh", ["-c", "timeout 8 cat fifo > ../got"], { cwd: place.cwd, stdio: "ignore" });
      },
      outside: () => wait(500),
      then: (place) => expect(readFileSync(join(place.place.folder, "got"), "utf8")).toBe(""),
    },
  ],
  [
    "looks at Assent's records",
    'ls -R "$XDG_STATE_HOME/assent" 2>/dev/null; cat "$XDG_STATE_HOME"/assent/tried/*/meta.json "$XDG_STATE_HOME"/assent/tried/*/plan 2>/dev/null; true',
  ],
  [
    "finds shared memory, queues and semaphores of others",
    "ipcs -mqs | grep -c 0x00a55e47 | grep -v '^0'; ipcrm -M 0x00a55e47 2>/dev/null && echo REMOVED; ls /dev/mqueue 2>/dev/null; ls /dev/shm",
    {
      prepare: () => shared("shmget(0xa55e47,64,0o1666)"),
      then: (_, ran) => {
        expect(ran.stdout).toBe("");
        expect(shared("shmget(0xa55e47,64,0)")).not.toBe(-1);
        spawnSync("ipcrm", ["-M", "0xa55e47"]);
      },
    },
  ],
];

/** More attacks of the kinds that the prototype's table begins. */
export const SIBLINGS: readonly Attack[] = [
  ...ARRIVALS.map(([how, command]): Attack => ({ name: `makes a file that starts programs ${how}`, is: "held", command, then: plain })),
  ...CHANGES.map(([how, command]): Attack => ({
    name: `changes a file that starts programs ${how}`,
    is: "held",
    command,
    prepare: settings,
  })),
  ...OF_GIT.map(([what, command]): Attack => ({ name: `makes for git ${what}`, is: "held", command })),
  ...LINKS.map(([where, to]): Attack => ({ name: `links ${where}`, is: "held", command: `ln -s "${to}" link`, prepare: secrets })),
  ...READS.map(([how, command]): Attack => ({
    name: `reads a secret ${how}`,
    is: "stopped",
    command: `${command}; true`,
    prepare: secrets,
  })),
  ...WRITES.map(([how, command]): Attack => ({
    name: `writes a file of home ${how}`,
    is: "stopped",
    command,
    prepare: (place) => put(place, "victim/file", "old\n"),
    then: (_, ran) => expect(ran.stdout).toBe(""),
  })),
  ...OUTSIDE.map(([what, command, more]): Attack => ({
    name: what,
    is: "stopped",
    command,
    then: (_, ran) => expect(ran.stdout).toBe(""),
    ...more,
  })),
  { is: "held", name: "makes a FIFO", command: "mkfifo pipe" },
  {
    is: "held",
    name: "makes a file that starts programs at a login, by a link in the project",
    command: 'ln -s "$HOMEDIR" h; echo x >> h/.profile; true',
  },
  {
    is: "held",
    name: "makes a policy of its own",
    command: `echo '{"version":1,"permissions":{"allow":["*"]}}' > .assent.jsonc; mkdir .assent; echo x > .assent/policy.json; echo {} > .mcp.json`,
  },
  {
    is: "stopped",
    name: "chmods a cover",
    command: 'chmod 777 .env "$HOMEDIR/.ssh"; cat .env "$HOMEDIR/.ssh/id_rsa"; true',
    prepare: secrets,
  },
  {
    is: "stopped",
    name: "reads a secret through the folder descriptors of init",
    command: 'cat /proc/1/cwd/.env /proc/1/root/"$PWD"/.env /proc/1/fd/*/.env /proc/self/root/"$PWD"/.env; true',
    prepare: secrets,
  },
  {
    is: "stopped",
    name: "writes its own status where init reports it",
    command:
      'for f in /proc/1/fd/*; do printf "S 0 0\\n" > $f; done 2>/dev/null; for f in 3 4 5 6 7 8 9; do printf "S 0 0\\n" >&$f; done 2>/dev/null; exit 9',
    then: (_, ran) => expect(ran.status).toBe(9),
  },
  {
    is: "stopped",
    name: "ends init",
    command: "kill -9 1; kill -TERM 1; kill -STOP 1; exit 5",
    then: (_, ran) => expect(ran.status).toBe(5),
  },
  {
    is: "stopped",
    name: "traces init and writes its memory",
    command: python(
      "import ctypes\nc=ctypes.CDLL(None,use_errno=True)\nprint([c.syscall(101,16,1,0,0),c.syscall(438,c.syscall(434,1,0),0,0)])\ntry: open('/proc/1/mem','r+b'); print('OPEN')\nexcept OSError as e: print(e)",
    ),
    then: (_, ran) => expect(ran.stdout).toMatch(/^\[-1, -1\]\n(?!OPEN)/),
  },
  {
    is: "stopped",
    name: "changes modes and times of devices and of files outside",
    command:
      "for f in /dev/null /dev/tty /dev/pts /etc/passwd /sys/power /usr/bin/env; do chmod 600 $f && echo CHANGED $f; touch -d 2001-01-01 $f && echo TOUCHED $f; done 2>/dev/null; true",
    then: (_, ran) => expect(ran.stdout).toBe(""),
  },
  {
    is: "stopped",
    name: "renames folders outside, by paths, links, descriptors and dots",
    command: python(
      [
        "import os",
        "h=os.environ['HOMEDIR']; fd=os.open(h,os.O_RDONLY); os.mkdir('d'); os.symlink(h,'d/h')",
        "for a in [(h+'/victim','v'),('src',h+'/x'),('d/h/victim','d/h/v2'),('src','d/h/x'),('src','../home/x'),('../home/victim','../home/v3'),",
        "          ('src','/etc/x'),('src','/proc/x'),('/etc','e'),('src','/proc/1/root'+h+'/x'),('/proc/self/root'+h+'/victim','w')]:",
        "  try: os.rename(*a); print('RENAMED',a)",
        "  except OSError as e: pass",
        "for f,t in [((fd,'victim'),(fd,'v4')),((None,'src'),(fd,'x')),((fd,'victim'),(None,'w'))]:",
        "  try: os.rename(f[1],t[1],src_dir_fd=f[0],dst_dir_fd=t[0]); print('RENAMED',t)",
        "  except OSError as e: pass",
        "os.chdir(h)",
        "try: os.rename('victim','v5'); print('RENAMED')",
        "except OSError as e: pass",
      ].join("\n"),
    ),
    prepare: (place) => put(place, "victim/file", "old\n"),
    then: (place, ran) => {
      expect(ran.stdout).toBe("");
      expect(treeOf(place.place.home).map((line) => line.split(" ")[0])).toEqual(["victim/", "victim/file"]);
    },
  },
  {
    is: "stopped",
    name: "swaps a folder for a link to home while it is renamed",
    command: python(
      [
        "import os,threading,time",
        "h=os.environ['HOMEDIR']; end=time.time()+2",
        "os.symlink(h,'link')",
        "def swap():",
        "  while time.time()<end:",
        "    for n in ('link','src'):",
        "      try: os.rename(n,'t'); os.rename('u' if n=='link' else 'link',n)",
        "      except OSError: pass",
        "threading.Thread(target=swap).start()",
        "i=0",
        "while time.time()<end:",
        "  i+=1",
        "  for a in [('src','n%d'%i),('src/victim','m%d'%i),('link/victim','o%d'%i),('n%d'%i,'link/p%d'%i)]:",
        "    try: os.rename(*a)",
        "    except OSError: pass",
      ].join("\n"),
    ),
    prepare: (place) => put(place, "victim/file", "old\n"),
    then: (place) => expect(treeOf(place.place.home).map((line) => line.split(" ")[0])).toEqual(["victim/", "victim/file"]),
  },
  {
    is: "stopped",
    name: "moves a folder with a secret, by which the copy would hold it",
    command: "mkdir k; mv .env k/ 2>/dev/null; mv k l; cat l/.env; mv l m; cat m/.env; true",
    prepare: secrets,
  },
  {
    is: "stopped",
    name: "reaches others where its words name somebody: by sockets of all kinds, and of other families",
    command: `curl -s -m 1 http://127.0.0.1:9/; ${python(
      [
        "import socket,os",
        "for f,t,p,a in [(2,1,0,('127.0.0.1',22)),(2,2,0,('192.0.2.1',53)),(10,1,0,('::1',22)),(1,1,0,'/dev/log'),(1,2,0,'/run/x'),(1,1,0,'\\0assent'),",
        "                (16,3,9,(0,0)),(17,3,0,('lo',0)),(40,1,0,(2,22)),(2,3,1,('127.0.0.1',0)),(2,1,262,('127.0.0.1',22))]:",
        "  try: s=socket.socket(f,t,p); s.connect(a); s.send(b'x'); print('REACHED',f,t)",
        "  except (OSError,TypeError) as e: pass",
        "try: socket.socket(2,2).sendmsg([b'x'],[],0,('192.0.2.1',53)); print('SENT')",
        "except OSError as e: pass",
      ].join("\n"),
    )}`,
    then: (_, ran) => expect(ran.stdout).toBe(""),
  },
  {
    is: "stopped",
    name: "leaves links and files in caches of tools",
    command:
      'mkdir -p "$HOMEDIR/.cache/pip/wheels"; ln -s "$HOMEDIR/.ssh" "$HOMEDIR/.cache/pip/http"; echo evil > "$HOMEDIR/.cache/pip/wheels/x"; echo evil > "$HOMEDIR/.npm/_cacache/x"; echo evil >> "$HOMEDIR/.npm/_cacache/old"; rm -rf "$HOMEDIR/.npm/_logs"; true',
    prepare: (place) => {
      for (const name of [".cache/a", ".npm/_cacache/old", ".npm/_logs/l"]) put(place, name, "old\n");
      own(place, inHome(place, ".npm"));
      put(place, ".ssh/id_rsa", SECRET);
    },
    then: (place) => {
      expect(treeOf(inHome(place, ".cache")).map((line) => line.split(" ")[0])).toEqual(["a"]);
      expect(treeOf(inHome(place, ".npm")).map((line) => line.replace(/ \d+ 1 /, " "))).toEqual([
        "_cacache/ 755",
        "_cacache/old old\n",
        "_logs/ 755",
        "_logs/l old\n",
      ]);
    },
  },
  {
    is: "stopped",
    name: "writes to places that are mounted beside the view",
    command:
      "for d in / /etc /usr/bin /var/lib /srv /run /root /boot /sys /proc /dev; do (echo x > $d/assent-try-attack) 2>/dev/null && echo WRITTEN $d; done; true",
    then: (_, ran) => expect(ran.stdout).toBe(""),
  },
];

export const SIBLINGS_PLAYED: readonly Played[] = [
  ...(
    [
      ["by another folder", (cwd) => mkdirSync(cwd)],
      ["by a link to home", (cwd) => symlinkSync(join(cwd, "../home"), cwd)],
      ["by a file", (cwd) => writeFileSync(cwd, "mine")],
    ] as readonly (readonly [string, (cwd: string) => void])[]
  ).map(([by, replace]) => ({
    name: `is applied where its project was replaced ${by}`,
    play: async (place: TryPlace): Promise<void> => {
      await place.try("echo evil > new; echo evil >> a.txt; rm src/b.txt", []);
      const id = await lastTry(place);
      renameSync(place.cwd, join(place.place.folder, "was"));
      replace(place.cwd);
      const before = treeOf(place.place.folder).filter((line) => !line.startsWith("state"));
      const argv = [process.execPath, place.command, "try", "apply", id];
      const { status } = spawnSync("/usr/bin/env", ["-C", place.place.folder, ...argv], { env: place.place.env() });
      expect(status).not.toBe(0);
      expect(treeOf(place.place.folder).filter((line) => !line.startsWith("state"))).toEqual(before);
    },
  })),
  ...["try --apply", "run -P"].map((kind) => ({
    name: `changes what is kept of another run: assent ${kind}`,
    play: async (place: TryPlace, suite: Suite): Promise<void> => {
      await place.try("echo good > made", []);
      const id = await lastTry(place);
      const evil =
        'for f in "$XDG_STATE_HOME"/assent/tried/*/layers/*/made "$XDG_STATE_HOME"/assent/tried/*/*.json; do echo evil > "$f"; rm -f "$f"; done; true';
      await place.bare(`${assentOf(suite)} ${kind} -- sh -c '${evil}'`);
      expect(await place.assent("try", "apply", id)).toMatchObject({ status: 0 });
      expect(readFileSync(join(place.cwd, "made"), "utf8")).toBe("good\n");
    },
  })),
  {
    name: "leaves notes of a layer that a later run would believe",
    play: async (place) => {
      const before = treeOf(place.cwd);
      for (const note of ["opaque", "whiteout", "redirect", "metacopy", "origin", "impure", "protattr"])
        expect(await place.try(`setfattr -n user.overlay.${note} -v y src; setfattr -n user.overlay.${note} -v y a.txt`)).toMatchObject({
          status: 75,
        });
      expect(treeOf(place.cwd)).toEqual(before);
    },
  },
  {
    name: "leaves processes that nothing ends",
    play: async (place) => {
      const left = "trap '' TERM HUP INT; exec sleep 9731";
      await place.try(`for i in 1 2 3; do (setsid sh -c "${left}" &); done; sh -c 'kill -STOP $$; exec sleep 9731' & sleep 0.5; true`);
      await wait(300);
      expect((await place.bare("ps -eo args | grep -c '^sleep 9731$'")).stdout).toBe("0\n");
    },
  },
];
