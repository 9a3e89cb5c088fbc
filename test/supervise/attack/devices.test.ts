import { describe, expect, it } from "vitest";
import { attack } from "./world.ts";

describe("what everybody may use is not everybody's to take away", () => {
  it("devices", async () => {
    const { out } = await attack({
      before: "mount -t tmpfs none /dev; mknod -m 666 /dev/null c 1 3; mknod -m 666 /dev/zero c 1 5; ln -s /proc/self/fd/0 /dev/stdin",
      program:
        "rm -f /dev/null /dev/stdin; mv /dev/zero /srv/tmp/z; chmod 0 /dev/null; mkdir /dev/x; ln /dev/null /dev/n; echo x > /dev/null && echo used",
      after: "ls -l /dev",
    });
    expect(out).toContain("used");
    expect(out).toMatch(/^crw-rw-rw- 1 .* null$/m);
    expect(out).toMatch(/^crw-rw-rw- 1 .* zero$/m);
    expect(out).toMatch(/^l.* stdin -> /m);
    expect(out).not.toMatch(/ [xn]$/m);
  });

  it("keyboards, screens and memory are not read like files", async () => {
    const { out } = await attack({
      // kmsg, and a keyboard that is not there.
      before:
        "mknod -m 666 /dev/vcs9 c 1 11; mknod -m 666 /dev/other-null c 1 3; mkdir -p /dev/input; mknod -m 666 /dev/input/event99 c 13 163",
      program:
        "for d in /dev/vcs9 /dev/input/event99; do (: < $d) && echo opened $d; done; (: < /dev/other-null) && echo null; head -c 2 /dev/urandom | wc -c; head -c 3 /dev/zero | wc -c",
      after: "rm -r /dev/vcs9 /dev/other-null /dev/input",
    });
    expect(out).not.toContain("opened");
    expect(out.match(/Permission denied/g)).toHaveLength(2);
    expect(out).toMatch(/^null\n2\n3$/m);
  });

  it("a name that only looks like memory", async () => {
    const { out } = await attack({
      program: 'echo x > "/memfd:x"; mkdir "/memfd:d (deleted)"; ls -d /memfd* 2>&1',
      after: 'rm -rf "/memfd:x" "/memfd:d (deleted)"',
    });
    expect(out).toContain("No such file");
  });
});

it("without a sandbox nothing is left to the kernel that a changed path could turn into a file", async () => {
  const { out } = await attack({
    // seccomp(2): landlock_create_ruleset(2) is not there.
    before: `echo mine > /srv/ofil; cat > /srv/nolandlock.py <<'PY'
import ctypes, os, struct, sys
filters = b"".join(struct.pack("HBBI", *f) for f in [(0x20, 0, 0, 0), (0x15, 0, 1, 444), (6, 0, 0, 0x50026), (6, 0, 0, 0x7fff0000)])
buffer = ctypes.create_string_buffer(filters)
program = struct.pack("HxxxxxxP", 4, ctypes.addressof(buffer))
libc = ctypes.CDLL(None)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program, 0, 0) == 0
os.execv(sys.argv[1], sys.argv[1:])
PY`,
    by: "python3 /srv/nolandlock.py",
    options: ["-P", "--best-effort"],
    program: `echo x > /dev/null && echo fine; head -c 3 /dev/zero | wc -c
cat > r.c <<'C'
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>
static volatile char path[16] = "/dev/null";
static void *flip(void *x) { for (;;) { memcpy((char *)path, "/srv/ofil", 9); memcpy((char *)path, "/dev/null", 9); } return x; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, flip, 0);
  for (int i = 0; i < 20000; i++) { int fd = open((char *)path, O_WRONLY); if (fd >= 0) { write(fd, "EVIL", 4); close(fd); } }
  return 0;
}
C
gcc -O1 -pthread -o r r.c && ./r; echo tried`,
    after: "cat /srv/ofil",
  });
  expect(out).toMatch(/^fine$/m);
  expect(out).toMatch(/^3$/m);
  expect(out).toMatch(/^tried$/m);
  expect(out).not.toContain("EVIL");
});
