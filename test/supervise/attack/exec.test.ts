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
