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

  it("a name that only looks like memory", async () => {
    const { out } = await attack({
      program: 'echo x > "/memfd:x"; mkdir "/memfd:d (deleted)"; ls -d /memfd* 2>&1',
      after: 'rm -rf "/memfd:x" "/memfd:d (deleted)"',
    });
    expect(out).toContain("No such file");
  });
});
