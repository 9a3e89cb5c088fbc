import { twice } from "./twice.ts";

const PYTHON = "/usr/bin/python3";

/** Programs that make, copy, move and remove files. */
twice("files", [
  {
    name: "tar keeps links, modes, holes and odd names",
    needs: ["tar"],
    script: `
      mkdir -p a/b/c; echo one > a/one; ln a/one a/b/hard; ln -s ../one a/b/soft; ln -s nowhere a/dangling
      chmod 4750 a/one; chmod 1777 a/b; chmod 555 a/b/c; mkfifo a/pipe; truncate -s 1M a/hole; printf x >> a/hole
      touch "a/with space" $'a/new\\nline' $'a/\\xff\\xfe'
      tar -cSf x.tar --sort=name --mtime=@0 --owner=0 --group=0 a
      mkdir out && tar -xpSf x.tar -C out && diff -r --no-dereference a out/a 2>&1 | grep -v fifo || true
      tar -czf x.tgz --mtime=@0 a/b && tar -tzf x.tgz | sort
      tar -cf - a | tar -xf - --one-top-level=again`,
    volatile: /\/x\.tgz$/,
  },
  {
    name: "rsync -a, twice, with --delete and hard links",
    needs: ["rsync"],
    script: `
      mkdir -p from/d; for i in 1 2 3; do echo $i > from/d/$i; done; ln from/d/1 from/link; ln -s d/2 from/soft; chmod 700 from/d; chmod 600 from/d/3
      rsync -aH from/ to; echo more >> from/d/2; rm from/d/3
      rsync -aH --delete --itemize-changes from/ to; diff -r from to && echo same`,
    chance: [
      [/^\.d\.\.t.*\n/gm, ""],
      [/^>f\.st/gm, ">f.s."],
    ],
  },
  {
    name: "cp -a, install, mv, ln",
    script: `
      mkdir -p a/deep/er; echo x > a/x; chmod 640 a/x; ln -s x a/l; ln a/x a/h; touch -d @1000000000.5 a/x; touch -h -d @5 a/l
      cp -a a b; stat -c '%n %a %h' b/* b/deep; stat -c %Y b/x b/l; cp --reflink=auto a/x c; cp -p a/x d; cp -r a/. e; cp -l a/x f; cp -s "$PWD/a/x" g
      install -m 0751 a/x bin; install -d -m 0710 i1/i2; install -D -m 4755 a/x p/q/r; install -b a/x bin; ls
      mv a/deep b/moved; mv -T b/moved i1/i2; mv -n a/x b/x; mv -b c d; mv bin "bin with space"; ln -sfn b L; ln -sfn a L; ln -f d hard
      mv --exchange a b 2>/dev/null || true; rm -rf e; rmdir -p one/two 2>&1 || true; mkdir -p -m 700 one/two; rmdir -p one/two; unlink f`,
  },
  {
    name: "mv to another file system and back",
    script: `
      other=$(mktemp -d /dev/shm/assent-XXXXXX); trap 'rm -rf "$other"' EXIT; mkdir -p t/u; echo data > t/u/f; chmod 640 t/u/f; ln -s f t/u/l
      mv t "$other/"; test ! -e t; cat "$other/t/u/l"; mv "$other/t" back; ls -R back`,
  },
  {
    name: "find -delete, -exec, xargs -P4, rm -rf",
    script: `
      mkdir -p t/{a,b,c}/{1,2,3}; for f in t/{a,b,c}/{1,2,3}/f{1..6}; do echo $f > $f; done
      find t -name f1 -delete; find t -name f2 -exec chmod 600 {} +; find t -name f3 -print0 | xargs -0 -P4 -n1 gzip -n
      find t -type f -name f4 -execdir mv {} {}.bak \\; ; find t/c -depth -type d -empty; rm -rf t/b; find t | sort`,
  },
  {
    name: "umask, setgid folders, sticky folders",
    script: `
      dash -c 'umask 077; echo a > a; mkdir d; umask 002; echo b > b; mkdir e; (umask 0; echo c > c; mkfifo p; mkdir -m 750 m); umask; echo f > f'
      mkdir g; chmod 2775 g; mkdir g/sub; echo > g/file; stat -c '%n %a %g' g g/sub g/file; umask u=rwx,g=,o=; echo > last
      python=${PYTHON}; test ! -x $python || $python -c '
import os
os.umask(0o137); os.close(os.open("p1", os.O_CREAT|os.O_WRONLY, 0o777)); os.mkdir("p2", 0o7777); os.mknod("p3", 0o666)
os.close(os.open("p4", os.O_CREAT|os.O_WRONLY, 0o6755)); os.mkfifo("p5", 0o777)'`,
  },
  {
    name: "O_TMPFILE, named later; O_EXCL; O_APPEND; O_DIRECTORY; O_NOFOLLOW",
    needs: [PYTHON],
    script: `cat > t.py <<'E'
import os, errno
def t(name, f):
    try: print(name, f())
    except OSError as e: print(name, errno.errorcode[e.errno])
fd = os.open(".", os.O_TMPFILE | os.O_RDWR, 0o640); os.write(fd, b"later")
os.link(f"/proc/self/fd/{fd}", "named", src_dir_fd=fd, follow_symlinks=True); print(open("named").read(), oct(os.stat("named").st_mode), os.fstat(fd).st_nlink)
t("excl", lambda: os.open(".", os.O_TMPFILE | os.O_EXCL | os.O_WRONLY) > 0)
t("tmpfile read only", lambda: os.open(".", os.O_TMPFILE | os.O_RDONLY))
t("tmpfile on a file", lambda: os.open("named", os.O_TMPFILE | os.O_RDWR))
t("again", lambda: os.open("named", os.O_CREAT | os.O_EXCL | os.O_WRONLY))
os.symlink("nowhere", "dangling"); os.symlink("named", "link"); os.symlink("loop", "loop"); os.mkdir("d")
for flags, label in ((os.O_RDONLY, "r"), (os.O_WRONLY, "w"), (os.O_CREAT | os.O_WRONLY, "cw"), (os.O_CREAT | os.O_EXCL | os.O_WRONLY, "xw"),
                     (os.O_RDONLY | os.O_NOFOLLOW, "rn"), (os.O_RDONLY | os.O_DIRECTORY, "rd"), (os.O_PATH, "p"), (os.O_PATH | os.O_NOFOLLOW, "pn"),
                     (os.O_WRONLY | os.O_TRUNC, "wt"), (os.O_CREAT | os.O_DIRECTORY, "cd"), (os.O_WRONLY | os.O_APPEND, "wa"), (os.O_RDWR | os.O_DIRECTORY, "rwd")):
    for path in ("named", "link", "loop", "d", "d/", "named/", "named/x", "d/none/x", "", ".", "..", "/", "d/../link", "d/new-" + label, "d/slash/", "x" * 256, "x/" * 2050):
        t(f"{label} {path[:20]}", lambda: os.open(path, flags, 0o666) > 0)
t("dangling", lambda: os.open("dangling", os.O_CREAT | os.O_WRONLY) > 0); print(os.path.exists("nowhere"))
fd = os.open("log", os.O_CREAT | os.O_APPEND | os.O_WRONLY); os.write(fd, b"one\\n"); os.lseek(fd, 0, 0); os.write(fd, b"two\\n"); print(open("log").read())
E
      ${PYTHON} t.py`,
  },
  {
    rootOnly: true,
    name: "names: errors of mkdir, rmdir, unlink, rename, link, symlink, chmod as the kernel has them",
    needs: [PYTHON],
    script: `cat > t.py <<'E'
import os, errno
def t(name, f, *a, **k):
    try: print(name, f(*a, **k))
    except OSError as e: print(name, errno.errorcode[e.errno])
os.mkdir("d"); os.mkdir("d/e"); open("f", "w").close(); os.symlink("f", "l"); os.symlink("d", "ld"); os.symlink("none", "n"); os.mkfifo("p")
P = ["f", "f/", "d", "d/", "l", "l/", "ld", "ld/", "n", "n/", "p", "none", "none/", "none/x", "f/x", "d/.", "d/..", ".", "..", "/", "", "d/e/../e"]
for p in P:
    for name, call in (("mkdir", lambda: os.mkdir(p)), ("unlink", lambda: os.unlink(p)), ("rmdir", lambda: os.rmdir(p)),
        ("symlink", lambda: os.symlink("x", p)), ("chmod", lambda: os.chmod(p, os.stat(p).st_mode & 0o7777)),
        ("utime", lambda: os.utime(p, (1, 2))), ("utime l", lambda: os.utime(p, (1, 2), follow_symlinks=False)), ("truncate", lambda: os.truncate(p, 0)), ("mknod", lambda: os.mknod(p)),
        ("chown", lambda: os.chown(p, -1, -1)), ("lchown", lambda: os.lchown(p, -1, -1))):
        if p in ("/", "..") and name in ("chmod", "utime", "utime l", "chown", "lchown"): continue
        before = set(os.listdir(".")); t(f"{name} {p!r}", call)
        for new in set(os.listdir(".")) - before: (os.rmdir if os.path.isdir(new) and not os.path.islink(new) else os.unlink)(new)
        for q in ("f", "d/e"): (os.path.exists(q) or (open(q, "w").close() if q == "f" else os.makedirs(q)))
        os.path.lexists("l") or os.symlink("f", "l"); os.path.lexists("ld") or os.symlink("d", "ld"); os.path.lexists("n") or os.symlink("none", "n"); os.path.lexists("p") or os.mkfifo("p")
for p in P:
    for q in ["f", "d", "d/", "l", "ld", "n", "none", "none/", "none/x", "d/e", "d/e/x", ".", "", "f/x"]:
        if p in ("/",): continue
        import shutil; shutil.rmtree("s", ignore_errors=True); os.mkdir("s"); here = os.getcwd(); os.chdir("s")
        os.mkdir("d"); os.mkdir("d/e"); open("f", "w").close(); os.symlink("f", "l"); os.symlink("d", "ld"); os.symlink("none", "n"); os.mkfifo("p")
        t(f"rename {p!r} {q!r}", os.rename, p, q); t(f"link {p!r} {q!r}", os.link, p, q, follow_symlinks=False)
        print(sorted(os.listdir("."))); os.chdir(here)
E
      ${PYTHON} t.py`,
  },
  {
    name: "sparse files, fallocate, truncate, dd, split, mmap writers, copy_file_range, sendfile",
    needs: [PYTHON, "fallocate"],
    script: `
      truncate -s 100M hole; printf end | dd of=hole bs=1 seek=52428800 conv=notrunc status=none; test $(du -k hole | cut -f1) -lt 100 && echo sparse
      fallocate -l 1M full; fallocate -p -o 4096 -l 8192 full || true; cp --sparse=always hole copy; seq 1000 | split -l 100 - part-; truncate -s -10 part-aa; truncate -s %512 part-ab; rm hole copy
      ${PYTHON} -c '
import mmap, os
f = open("map", "w+b"); f.truncate(1 << 20); m = mmap.mmap(f.fileno(), 0); m[5000:5005] = b"hello"; m.flush(); m.close()
a = os.open("map", os.O_RDONLY); b = os.open("c1", os.O_CREAT | os.O_WRONLY); print(os.copy_file_range(a, b, 8192)); c = os.open("c2", os.O_CREAT | os.O_WRONLY); print(os.sendfile(c, a, 0, 6000))
os.posix_fallocate(c, 0, 10000); os.ftruncate(c, 9000); os.fchmod(c, 0o600); os.fsync(c)'`,
  },
  {
    name: "a file of 256 MB",
    script: `dd if=/dev/zero of=big bs=1M count=256 status=none; cp big big2; cmp big big2 && rm big2; ls -l big | cut -d' ' -f5; rm big`,
    rootOnly: true,
  },
  {
    name: "paths near PATH_MAX, deep folders, long names",
    needs: [PYTHON],
    files: {
      "t.py": `
import os, errno
def t(name, f, *a):
    try: print(name, f(*a))
    except OSError as e: print(name, errno.errorcode[e.errno])
top = os.getcwd(); n = "n" * 250
for i in range(14): os.mkdir(n); os.chdir(n)
open("leaf", "w").write("deep"); os.rename("leaf", n); os.symlink(n, "l"); print(open("l").read()); os.makedirs("x/y"); os.removedirs("x/y"); os.chmod(n, 0o600); os.unlink("l"); os.link(n, "hard"); print(os.stat("hard").st_nlink)
t("far down", os.getcwd); os.chdir(top)
path = top
while len(path) + 251 < 3840: path += "/" + n
for length in (4093, 4094, 4095, 4096, 4097, 5000):
    # The last names make the path exactly so long.
    rest = length - len(path) - 1; first = path + "/" + "a" * min(200, rest - 2); t("folder", os.makedirs, first) if not os.path.isdir(first) else 0
    name = first + "/" + "z" * (length - len(first) - 1); t(f"{length} open", lambda: os.close(os.open(name, os.O_CREAT | os.O_WRONLY))); t(f"{length} mkdir", os.mkdir, name); t(f"{length} stat", lambda: os.stat(name).st_size); t(f"{length} unlink", os.unlink, name); t(f"{length} symlink", os.symlink, "x", name); t(f"{length} rename", os.rename, name, first + "/r")
for name in ("z" * 255, "z" * 256, "ü" * 127, "ü" * 128): t(len(name), lambda: os.close(os.open(name, os.O_CREAT | os.O_WRONLY))); t("mkdir", os.mkdir, name + "/"); t("link to", os.symlink, name * 17, "long-link"); os.path.lexists("long-link") and os.unlink("long-link")
for i in range(300): os.mkdir("d"); os.chdir("d")
open("bottom", "w").write("x"); os.chdir(top)
`,
    },
    script: `${PYTHON} t.py; find . -depth -name bottom | tr -cd / | wc -c; rm -rf d; find . | wc -l; rm -rf ./n*; ls | cut -c1-40`,
  },
  {
    // The kernel does not say how such an object is called, so it cannot be judged: the one difference that is meant.
    name: "below PATH_MAX nothing can be opened or made",
    needs: [PYTHON],
    script: `
      ${PYTHON} -c '
import os, errno
n = "n" * 250
def t(name, f, *a):
    try: print(name, f(*a))
    except OSError as e: print(name, errno.errorcode[e.errno])
for i in range(16): os.mkdir(n); os.chdir(n)
t("mkdir", os.mkdir, n); t("chdir", os.chdir, n); t("stat", lambda: os.stat(".").st_nlink); t("open", lambda: os.close(os.open("f", os.O_CREAT | os.O_WRONLY)))'; rm -rf n*; ls`,
    differs: "mkdir None\nchdir None\nstat 2\nopen ENAMETOOLONG\n",
    rootOnly: true,
  },
  {
    name: "10 000 files made, listed and removed",
    needs: [PYTHON],
    script: `${PYTHON} -c '
import os
for i in range(10000):
    with open(f"f{i}", "w") as f: f.write(str(i))
print(len(os.listdir(".")))
for i in range(0, 10000, 2): os.unlink(f"f{i}")
for i in range(1, 10000, 4): os.rename(f"f{i}", f"g{i}")'; ls | wc -l; rm -f f*; ls | wc -l`,
    long: true,
  },
  {
    name: "mkfifo, flock, mktemp, sort -T, tee, sed -i, patch, comm, shred",
    needs: ["flock", "patch"],
    script: `
      mkfifo p; (echo through > p) & cat p; wait; exec 9> lock; flock 9; flock -n lock echo free || echo locked; flock -u 9; flock -n lock echo free; exec 9>&-
      for i in 1 2 3 4; do (flock 8; n=$(cat n 2>/dev/null || echo 0); echo $((n + 1)) > n) 8> mutex & done; wait; cat n
      t=$(mktemp -p .); stat -c %a "$t"; rm "$t"; d=$(mktemp -d -p .); stat -c %a "$d"; rmdir "$d"
      mkdir st; seq 20000 | shuf --random-source=/bin/sh | sort -n -S 64k -T st > sorted; head -3 sorted; ls st | wc -l
      echo a b c | tee x y z > w; sed -i.bak 's/b/B/' x; sed -i --follow-symlinks 's/a/A/' y; diff -u x y > xy.diff || true; patch x < xy.diff; cmp x y && echo patched; shred -u z; rev w | tac`,
    volatile: /\/xy\.diff$/,
    ignore: /\/n$/,
  },
  {
    name: "the limit of a file's size, by name and by descriptor",
    needs: [PYTHON],
    script: `
      echo > f; ${PYTHON} -c '
import os, resource, signal
seen = []
signal.signal(signal.SIGXFSZ, lambda *_: seen.append("signal"))
resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
for size in 100, 101, 50:
    for what in "f", os.open("f", os.O_RDWR):
        try: os.truncate(what, size); print(size, os.path.getsize("f"), seen)
        except OSError as e: print(size, e.strerror, seen)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
os.truncate("f", 5000); resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY)); os.truncate("f", 200); print(os.path.getsize("f"))
'`,
  },
  {
    name: "extended attributes, times to the nanosecond, ACLs where there are tools",
    needs: [PYTHON],
    script: `
      echo > f; mkdir d; ${PYTHON} -c '
import os
try:
    os.setxattr("f", "user.note", b"v\\0w"); os.setxattr("d", "user.big", b"x" * 3000); print(os.listxattr("f"), os.getxattr("f", "user.note"))
    os.setxattr("f", "user.note", b"again", os.XATTR_REPLACE); os.removexattr("d", "user.big"); print(os.listxattr("d"))
except OSError as e: print(e.errno)
try: os.setxattr("f", "user.note", b"", os.XATTR_CREATE)
except OSError as e: print(e.errno)
os.utime("f", ns=(1_000_000_001, 2_000_000_003)); s = os.stat("f"); print(s.st_atime_ns, s.st_mtime_ns)
fd = os.open("f", os.O_RDONLY); os.utime(fd, ns=(5, 6)); print(os.stat("f").st_mtime_ns); os.utime("d"); os.fchmod(fd, 0o604); os.fchown(fd, -1, -1)'
      touch -r f -c d none; touch -a -d 2001-01-01 f; touch -t 200202020202.02 f; stat -c '%X %Y' f
      if command -v setfacl >/dev/null; then mkdir acl; setfacl -d -m u:1:rwx acl; umask 077; touch acl/f; mkdir acl/d; getfacl acl/f acl/d; fi`,
  },
  {
    name: "ACLs: what is made below a folder with a default ACL, by every call, under every umask; copied, moved, changed, removed",
    needs: ["setfacl", PYTHON],
    script: `
      mkdir full narrow; setfacl -d -m u:1:rwx,g:2:r-x full; setfacl -d -m u::rwx,g::---,o::--- narrow
      for d in full narrow; do for m in 000 022 077 777; do (umask $m; mkdir $d/$m; ${PYTHON} - $d/$m <<'P'
import os, socket, sys
os.chdir(sys.argv[1])
os.close(os.open("file", os.O_CREAT | os.O_WRONLY, 0o666)); os.close(os.open("private", os.O_CREAT | os.O_WRONLY, 0o600)); os.close(os.open("run", os.O_CREAT | os.O_WRONLY, 0o777))
os.mkdir("folder"); os.mkdir("closed", 0o700); os.mkfifo("pipe"); os.mkfifo("pipe2", 0o640); os.mknod("node", 0o100644)
s = socket.socket(socket.AF_UNIX); s.bind("socket")
fd = os.open(".", os.O_TMPFILE | os.O_RDWR, 0o666); print(oct(os.fstat(fd).st_mode), os.listxattr(fd))
P
      ); chmod u+rx $d/$m; getfacl -cR $d/$m; ls -Al $d/$m | cut -c1-11; done; done
      umask 027; mkdir -m 711 full/m; install -m 640 /dev/null full/i; install -d full/deep/er; cp -a full copied; cp full/i plain; mv full/i moved; touch full/t
      setfacl -m u:1:r,m::r moved; getfacl -c moved; setfacl -x u:1 moved; setfacl -b full/t; setfacl -k full/deep; chmod g-w full/m; chmod 000 full/deep/er; getfacl -c full/deep/er; chmod 700 full/deep/er; getfacl -cR copied full; getfacl -c plain moved`,
  },
  {
    name: "busybox",
    needs: ["busybox"],
    script: `
      busybox sh -c 'mkdir -p a/b; echo x > a/b/c; cp -a a d; mv d e; ln -s b a/l; tar c a | tar x -C e; find e | sort; rm -r a; mkfifo p; cat p & echo fifo > p; wait; umask 027; touch u; stat -c %a u; install -m 700 u v; sed -i s/x/y/ e/b/c; cat e/b/c; echo hi | gzip -c | zcat; dd if=/dev/zero of=z bs=1k count=3 2>/dev/null; ash -c "exit 3"; echo $?'`,
  },
  {
    name: "zip, gzip, xz, cpio and unpacking over what is there",
    needs: ["gzip", "xz"],
    script: `
      seq 5000 > a; gzip -nk a; gunzip -c a.gz | cmp - a; xz -k a; xz -dc a.xz | cmp - a; rm a.xz; bzip2 -k a 2>/dev/null && rm a.bz2; gzip -nf a; gunzip -f a.gz
      if command -v cpio > /dev/null; then mkdir o; echo a | cpio -o --quiet | (cd o && cpio -idm --quiet); cmp a o/a; fi; if command -v zip > /dev/null; then zip -Xq z.zip a; rm a; unzip -q z.zip; rm z.zip; fi; ls`,
  },
]);
