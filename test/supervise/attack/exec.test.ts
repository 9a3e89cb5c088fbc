import { describe, expect, it } from "vitest";
import { attack } from "./world.ts";

describe.concurrent("a program that a rule forbids", () => {
  const deny = ["Exec(/usr/bin/sha1sum)", "exec(/usr/bin/md5sum, _)", "Bash(sha256sum:*)", "Shell(sha512sum)"];
  it.each([
    ["copied", "cp /usr/bin/$p c; ./c /dev/null"],
    ["copied and linked", "cp /usr/bin/$p c; ln c d; ln -s d e; ./e /dev/null"],
    ["linked before", "./hard-$p /dev/null"],
    ["loaded", "/lib64/ld-linux-x86-64.so.2 /usr/bin/$p /dev/null"],
    ["loaded with options", "/lib64/ld-linux-x86-64.so.2 --library-path /usr/lib --argv0 ls /usr/bin/$p /dev/null"],
    ["a copy, loaded", "cp /usr/bin/$p c; chmod -x c; /lib64/ld-linux-x86-64.so.2 ./c /dev/null"],
    ["by a copy of the loader", "cp /lib64/ld-linux-x86-64.so.2 c; ./c /usr/bin/$p /dev/null"],
    ["by a loader that a loader loads", "cp /lib64/ld-linux-x86-64.so.2 c; /lib64/ld-linux-x86-64.so.2 ./c /usr/bin/$p /dev/null"],
    ["by the interpreter of a script", "printf '#!/lib64/ld-linux-x86-64.so.2 /usr/bin/%s\\n' $p > c; chmod +x c; ./c"],
    ["through /proc", "/proc/self/root/usr/bin/$p /dev/null"],
    [
      "in memory",
      `python3 -c "
import os
f=os.memfd_create('x',0); os.write(f,open('/usr/bin/$p','rb').read()); os.execve(f,['x','/dev/null'],{})"`,
    ],
  ])("%s", async (_, line) => {
    const { out } = await attack({
      deny,
      before: "for p in sha1sum md5sum sha256sum sha512sum; do mkdir -p /srv/l; cp /usr/bin/$p /srv/l/$p; done",
      program: `for p in sha1sum md5sum sha256sum sha512sum; do ( ${line} ); done; cksum /dev/null; cp /usr/bin/cksum k; ./k /dev/null`,
    });
    expect(out).not.toMatch(/^[0-9a-f]{32,} /m);
    expect(out.match(/^4294967295 0/gm)).toHaveLength(2);
  });
});

describe("a program that a rule forbids, in the place of one's own", () => {
  // Without a library, as whatever is to run before one is loaded.
  const before = `
cat > /srv/tmp/denied.c <<'X'
void _start(void) {
  static const char text[] = "DENIED RAN\\n";
#ifdef __x86_64__
  long n; __asm__ volatile ("syscall" : "=a"(n) : "a"(1), "D"(1), "S"(text), "d"(11) : "rcx", "r11", "memory");
  __asm__ volatile ("syscall" : : "a"(231), "D"(0));
#else
  register long a __asm__("x0") = 1, b __asm__("x1") = (long)text, c __asm__("x2") = 11, n __asm__("x8") = 64;
  __asm__ volatile ("svc 0" : "+r"(a) : "r"(b), "r"(c), "r"(n) : "memory");
  a = 0, n = 94; __asm__ volatile ("svc 0" : : "r"(a), "r"(n));
#endif
}
X
gcc -O1 -nostdlib -static-pie /srv/tmp/denied.c -o /srv/out/denied
echo 'int main(){return 0;}' > /srv/tmp/own.c
export loader=$(ls /lib64/ld-linux-*.so.* /lib/ld-linux-*.so.* 2>/dev/null | head -1)
own() { gcc /srv/tmp/own.c -o $1 -Wl,--dynamic-linker=$2; }
script() { printf '#!%s\\n' "$2" > $1; chmod +x $1; }`;
  const START = "import os,sys; os.execve(os.open(sys.argv[1],0),['o'],{})";
  const MEMORY = "import os,sys; f=os.memfd_create('x',0); os.write(f,open(sys.argv[1],'rb').read()); os.execve(f,['o'],{})";
  const rows = [
    ["by its path", "own a /srv/out/denied", "./a"],
    ["through a link of one's own", "own b /srv/proj/bl; ln -s /srv/out/denied bl", "./b"],
    ["by a relative path", "own c ../out/denied", "./c"],
    ["by a relative path, from elsewhere", "own d out/denied", "cd ..; proj/d"],
    ["by the folder it works in", "own e /proc/self/cwd/../out/denied", "./e"],
    ["by its own root", "own f /proc/thread-self/root/srv/out/denied", "./f"],
    ["as a copy", "own g /srv/proj/gc; cp /srv/out/denied gc", "./g"],
    ["as a hard link made in the run", "own h /srv/proj/hl; cp /srv/out/denied hc", "ln hc hl; ./h"],
    ["by its name on PATH", "own i /srv/out/./denied", "PATH=$PATH:. i"],
    ["of the interpreter of a script", "own j /srv/out/denied; script js /srv/proj/j", "./js"],
    ["of the interpreter of an interpreter", "own k /srv/out/denied; script ks /srv/proj/k; script kt ./ks", "./kt"],
    ["as a script's interpreter", "script l /srv/out/denied", "./l"],
    ["as what a script's interpreter loads", 'script m "$loader /srv/out/denied"', "./m"],
    ["as what a copy of the loader loads", "cp $loader n", "./n /srv/out/denied"],
    ["as what a loader loads that a loader loads", "cp $(ls /lib/ld-musl-* || echo $loader) nn", "$loader ./nn /srv/out/denied"],
    ["by a descriptor", "own o /srv/out/denied", `python3 -c "${START}" o`],
    ["of a program in memory", "own p /srv/out/denied", `python3 -c "${MEMORY}" p`],
    ["of a program of another class", "own q /srv/out/denied; printf '\\001' | dd of=q bs=1 seek=4 conv=notrunc", "./q"],
    ["of a program of another byte order", "own r /srv/out/denied; printf '\\002' | dd of=r bs=1 seek=5 conv=notrunc", "./r"],
    [
      "of a program that is static but for this",
      "gcc -static-pie /srv/tmp/own.c -Wl,--dynamic-linker=/srv/out/denied -Wl,-I/srv/out/denied -o s",
      "./s",
    ],
  ] as const;
  const line = rows.map(([, , program], at) => `( ${program} ) 2>&1 | sed 's/^/${at}: /'`).join("\n");
  const of = (deny: string) => attack({ deny: [deny], before: [before, ...rows.map(([, made]) => made)].join("\n"), program: line });
  it("runs where no rule speaks of it, and nowhere else", async () => {
    const ran = (out: string): readonly string[] => rows.flatMap(([name], at) => (out.includes(`${at}: DENIED RAN`) ? [name] : []));
    const [free, denied] = await Promise.all([of("Exec(/srv/out/another)"), of("Exec(/srv/out/denied)")]);
    expect(ran(free.out)).toEqual(rows.map(([name]) => name));
    expect(ran(denied.out)).toEqual([]);
  });

  it("does not run where it takes the loader's place while that is judged", async () => {
    const { out } = await attack({
      deny: ["Exec(/srv/out/denied)"],
      before: `${before}
own o /srv/out/l; ln -s $loader /srv/out/l; ln -s /srv/out/denied /srv/out/m
cat > /srv/tmp/swap.c <<'X'
#define _GNU_SOURCE
#include <stdio.h>
int main(void) { for (;;) renameat2(-100, "/srv/out/l", -100, "/srv/out/m", RENAME_EXCHANGE); }
X
gcc /srv/tmp/swap.c -o /srv/tmp/swap; /srv/tmp/swap & swap=$!`,
      program: "for i in $(seq 300); do ./o && echo OWN RAN; done 2>&1",
      after: "kill $swap",
    });
    expect(out).toContain("OWN RAN");
    expect(out).not.toContain("DENIED RAN");
    expect(out).toMatch(/was started by \/srv\/out\/denied|Killed/);
  });

  it("is not what the system's own loader is", async () => {
    const { out } = await attack({
      deny: ["Exec(/usr/lib/**)", "Exec(/lib64/**)"],
      before: "cp /usr/bin/true own",
      program: "ls /srv/out; ./own && echo OWN RAN",
    });
    expect(out).toContain("f\nOWN RAN\n");
  });
});

describe.concurrent("who a program is", () => {
  it("is not believed when its environment loads code into it", async () => {
    const { out } = await attack({
      before: `cat > /srv/out/evil.c <<'X'
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void f(void){FILE*p=fopen("/srv/home/.ssh/id_rsa","r");char b[64]={0};if(p&&fgets(b,60,p))fprintf(stderr,"STOLEN %s",b);}
X
gcc -shared -fPIC /srv/out/evil.c -o evil.so`,
      program:
        "LD_PRELOAD=/srv/proj/evil.so ssh -V; LD_PRELOAD=/srv/proj/evil.so /lib64/ld-linux-x86-64.so.2 /usr/bin/ssh -V; ssh-keygen -y -f ~/.ssh/id_rsa; sh -c 'LD_PRELOAD=./evil.so exec ssh -V'",
    });
    expect(out).not.toContain("SECRETKEY");
    expect(out).not.toContain("Permission denied");
  });
});

it("a server that is started for a test is no danger to the machine", async () => {
  const { out } = await attack({
    // Programs of that name, as root installs them.
    before: "mount -t tmpfs -o mode=755 none /usr/local/sbin; for p in postgres redis-server; do cp /bin/dash /usr/local/sbin/$p; done",
    program: `sh -c '"postgres" -c "echo one > data"'; redis-server -c 'echo two; echo x > /srv/out/x; kill -9 1'; ls`,
    after: "ls /srv/out",
  });
  expect(out).toMatch(/^data$/m);
  expect(out).toMatch(/^two$/m);
  expect(out).toMatch(/^status 0\nf$/m);
});
