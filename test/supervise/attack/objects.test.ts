import { describe, expect, it } from "vitest";
import { attack, SLOWER } from "./world.ts";

describe.concurrent("a protected file stays protected under every name", () => {
  it("a hard link that was there before", async () => {
    const { out } = await attack({
      before: "ln /srv/home/.ssh/id_rsa hk; ln .env plain; echo K > ../out/named; ln ../out/named n",
      deny: ["Read(/srv/out/named)", "Edit(/srv/out/named)"],
      program: "cat hk; cat plain; cat n; echo x > n; chmod 777 n; cat /srv/out/f",
      after: "cat /srv/out/named",
    });
    expect(out).not.toContain("SECRET");
    expect(out.match(/^K$/gm)).toHaveLength(1);
    expect(out).toContain("outside");
  });

  it("moved by itself or with its folder", async () => {
    const { out } = await attack({
      before: "mkdir sub conf; echo KEY > sub/key; echo KEY > one; echo prod > conf/prod",
      deny: ["Read(/srv/proj/sub/key)", "Read(one)", "Edit(conf/prod)"],
      program:
        "mv one two; cat one two; mv sub s2; cat s2/key; mv conf c2; echo changed > c2/prod; cat c2/prod; mv s2 s3; cat s3/key; ln s3/key l; cat l",
    });
    expect(out).not.toContain("KEY");
    expect(out).not.toContain("changed");
    expect(out).toContain("prod");
  });

  it("a number that is given to another file means that one", async () => {
    const { out } = await attack({
      before: "mkdir sub; echo KEY > sub/key",
      deny: ["Read(/srv/proj/sub/key)"],
      program: "mv sub s2; rm s2/key; for i in 1 2 3 4 5 6 7 8; do echo free > f$i; cat f$i; done",
    });
    expect(out.match(/^free$/gm)).toHaveLength(8);
  });

  it("a place mounted twice", async () => {
    const { out } = await attack({
      before: "mkdir /srv/out/again /srv/proj/mnt; mount --bind /srv/home /srv/out/again; mount --bind /srv/home/.ssh mnt",
      deny: ["Read(/srv/home/x)"],
      program: "cat /srv/out/again/.ssh/id_rsa mnt/id_rsa; cat /srv/out/again/x; echo ok",
    });
    expect(out).not.toContain("SECRET");
    expect(out).toContain("ok");
  });

  it("a second /proc says nothing of the supervisor", async () => {
    const { out } = await attack({
      before: "mkdir /srv/out/proc; mount -t proc none /srv/out/proc; mkdir /srv/out/bound; mount --bind /proc /srv/out/bound",
      program:
        "head -c 0 /srv/out/bound/self/mem && echo opened; head -1 /srv/out/bound/self/maps; head -1 /proc/self/status | sed 's/Name/own/'; tr '\\0' '\\n' < /srv/out/proc/self/environ | grep -c . ; head -c 0 /srv/out/proc/self/mem && echo opened; cat /srv/out/proc/self/maps | head -1; cat /srv/out/proc/self/status | head -1",
    });
    expect(out).not.toContain("opened");
    expect(out).not.toMatch(/Name:\t(?:node|assent)|^[0-9a-f]{8,}-/m);
  });

  it("what is moved to a protected place is judged as written there", async () => {
    const { out } = await attack({
      before: "rmdir .git",
      deny: ["Edit(/srv/proj/deploy/key)"],
      program:
        "mkdir -p g/hooks; echo evil > g/hooks/pre-commit; mv g .git; ls .git/hooks; mkdir d; echo e > d/key; mv d deploy; ls deploy; mkdir fine; echo x > fine/y; mv fine good; ls good",
    });
    expect(out).not.toMatch(/^(?:pre-commit|key)$/m);
    expect(out).toMatch(/^y$/m);
  });

  it("a name like that of memory is a name", async () => {
    const { out } = await attack({
      program:
        "echo a > '/memfd:x'; mkdir '/memfd:y (deleted)'; python3 -c \"import os; f=os.memfd_create('m'); os.write(f,b'fine'); print(open('/proc/self/fd/%d' % f,'rb').read().decode())\"",
    });
    // The root is read-only: what the kernel would say itself is what the program hears.
    expect(out.match(/Permission denied|Read-only file system/g)).toHaveLength(2);
    expect(out).toMatch(/^fine$/m);
  });

  it("devices that nobody is harmed by stay where they are", async () => {
    const { out } = await attack({
      program:
        "rm /dev/null; mv /dev/zero /dev/z; chmod 600 /dev/tty; rm /dev/stdin; ln -s /srv/out/f /dev/new; echo fine > /dev/null && echo fine",
      after: "ls /dev | tr '\\n' ' '",
    });
    expect(out).toContain("full null ptmx pts random shm stderr stdin stdout tty urandom zero ");
    expect(out).toMatch(/^fine$/m);
  });

  it("the records of runs are not read", async () => {
    const { out } = await attack({ program: "ls $XDG_STATE_HOME/assent/runs; cat $XDG_STATE_HOME/assent/runs/*/journal.jsonl" });
    expect(out).not.toMatch(/^\d{8}-/m);
  });
});

describe.concurrent("rules do not move", () => {
  it("with a link that the program makes", async () => {
    const { out } = await attack({
      before: "mkdir -p /srv/out/data/sub/x /srv/out/x",
      allow: ["Write(/srv/out/data/**)", "Write(/srv/out/data/sub/x/**)"],
      program: `mv /srv/out/data/sub /srv/out/data/old; ln -s /srv/out /srv/out/data/sub
i=0; while [ $i -lt 3000 ]; do : > x$i; i=$((i+1)); done
echo evil > /srv/out/data/sub/x/evil; ls /srv/out/x; ls | wc -l`,
    });
    expect(out).not.toMatch(/^evil$/m);
    expect(out).toMatch(/^3000$/m);
  });
});

describe.concurrent("what the run made is the run's own as long as it is there", () => {
  it("an abstract name that somebody else has taken since", async () => {
    const listen = "import socket; s = socket.socket(socket.AF_UNIX); s.bind('\\0' + name); s.listen()";
    const { out } = await attack({
      before: `cat > /srv/out.py <<'PY'
import os, time
name = 'given-up'
while not os.path.exists('/srv/proj/free'): time.sleep(0.02)
${listen}; open('/srv/out/taken', 'w')
print('reached', s.accept()[0].recv(9), flush=True)
PY
timeout ${20 * SLOWER} python3 /srv/out.py &`,
      program: `cat > /srv/tmp/p.py <<'PY'
import os, time
name = 'given-up'
${listen}
def reach(text):
    c = socket.socket(socket.AF_UNIX)
    try: c.connect('\\0' + name); c.send(text); print(text, 'sent', flush=True)
    except OSError as e: print(text, e.errno, flush=True)
reach(b'own'); s.close(); reach(b'gone'); open('free', 'w')
while not os.path.exists('/srv/out/taken'): time.sleep(0.02)
reach(b'foreign')
PY
timeout ${20 * SLOWER} python3 /srv/tmp/p.py`,
    });
    expect(out).toContain("b'own' sent");
    expect(out).toContain("b'foreign' 13");
    expect(out).not.toContain("reached");
  });
});
