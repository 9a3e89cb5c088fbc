import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { DIST } from "../../scratch.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "ipc-")));
chmodSync(base, 0o777);
writeFileSync(
  join(base, "leaks.c"),
  '#include <stdio.h>\n#include <stdlib.h>\nint main(){ char *p = malloc(9); printf("ran %d\\n", p != NULL); return 0; }\n',
);
afterAll(() => rmSync(base, { recursive: true, force: true }));

const SYSTEM_V = `
import ctypes, os, struct
c = ctypes.CDLL(None, use_errno=True)
c.shmat.restype = ctypes.c_void_p
why = lambda: os.strerror(ctypes.get_errno())
def said(result): return why() if result is not None and result < 0 else "ok"
key = os.getpid() * 11 + 1
for name, args in (("semget", (key, 1)), ("msgget", (key,)), ("shmget", (key, 4096))):
    get = getattr(c, name)
    made = get(*args, 0o1600)
    print(name, said(made), get(*args, 0o1600) == made, get(*args, 0) == made, said(get(*args, 0o3600)))
sem, msg, shm = c.semget(key, 1, 0), c.msgget(key, 0), c.shmget(key, 4096, 0)
print("use", said(c.semctl(sem, 0, 16, 1)), said(c.semop(sem, struct.pack("hhh", 0, -1, 0), 1)),
      said(c.msgsnd(msg, struct.pack("l8s", 1, b"hello"), 5, 0)), c.msgrcv(msg, ctypes.create_string_buffer(99), 9, 0, 0),
      c.shmat(shm, None, 0) not in (None, 2**64 - 1))
print("take away", said(c.semctl(sem, 0, 0)), said(c.msgctl(msg, 0, None)), said(c.shmctl(shm, 0, None)), said(c.semop(sem, struct.pack("hhh", 0, 1, 0), 1)))
`;

const POSIX = `
import ctypes, os
r = ctypes.CDLL("librt.so.1", use_errno=True)
name = ("/assent-%d" % os.getpid()).encode()
q = r.mq_open(name, 0o102, 0o640, None)
print(q >= 0, r.mq_send(q, b"hi", 2, 0), r.mq_receive(q, ctypes.create_string_buffer(9000), 9000, None), r.mq_open(name, 0o302, 0o600, None), r.mq_open(name, 2) >= 0, r.mq_unlink(name), r.mq_open(name, 2), os.strerror(ctypes.get_errno()))
`;

/** Of somebody else: neither its id nor its key nor its name leads to it. */
const FOREIGN = `
import ctypes, os, sys
c = ctypes.CDLL(None, use_errno=True)
r = ctypes.CDLL("librt.so.1", use_errno=True)
key, sem, msg, name = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4].encode()
print(c.semget(key, 1, 0), c.semget(key, 1, 0o1600), c.msgget(key, 0), c.semctl(sem, 0, 12), c.semctl(sem, 0, 0), c.msgctl(msg, 0, None), r.mq_open(name, 0), r.mq_open(name, 0o102, 0o600, None), r.mq_unlink(name))
`;

const isRoot = process.getuid?.() === 0;
const USERS: readonly (readonly [who: string, start: readonly string[]])[] = [
  ["whoever plays the tests", []],
  ...(isRoot ? [["a plain user", ["setpriv", "--reuid=4321", "--regid=4321", "--clear-groups"]] as const] : []),
];

describe.each(USERS)("for %s", (who, start) => {
  const home = join(base, who.replaceAll(" ", "-"));
  mkdirSync(home);
  chmodSync(home, 0o777);
  const play = (...command: readonly string[]): string => {
    const [program = "", ...words] = [...start, process.execPath, join(DIST, "bin.cjs"), "run", "-P", "--", ...command];
    const { stdout, stderr } = spawnSync(program, words, {
      cwd: home,
      encoding: "utf8",
      env: { PATH: "/usr/bin:/bin:/usr/sbin", HOME: home },
    });
    return stdout + stderr;
  };
  const played = play("true");
  // Where a plain user cannot read the build.
  const can = !played.includes("Cannot find module") && !played.includes("EACCES");

  it.runIf(can)("System V semaphores, queues and memory of one's own", () => {
    const text = play("python3", "-c", SYSTEM_V);
    expect(text).toContain("semget ok True True File exists\nmsgget ok True True File exists\nshmget ok True True File exists\n");
    expect(text).toContain("use ok ok ok 5 True\ntake away ok ok ok Invalid argument\n");
  });

  it.runIf(can)("POSIX queues of one's own", () => {
    expect(play("python3", "-c", POSIX)).toContain("True 0 2 -1 True 0 -1 No such file or directory\n");
  });

  it.runIf(can)("not those of others", () => {
    const key = 0x5ca1ab2e;
    const made = execFileSync(
      "python3",
      [
        "-c",
        `import ctypes; c = ctypes.CDLL(None); r = ctypes.CDLL("librt.so.1"); print(c.semget(${key}, 1, 0o1666), c.msgget(${key}, 0o1666)); q = r.mq_open(b"/assent-foreign", 0o102, 0o666, None)`,
      ],
      { encoding: "utf8" },
    );
    const [sem = "", msg = ""] = made.trim().split(" ");
    try {
      const [found = ""] = play("python3", "-c", FOREIGN, String(key), sem, msg, "/assent-foreign").split("\n");
      // In a namespace of its own nothing of that key is there, and one is made.
      expect(found.replace(/^-1 \d+ /, "-1 -1 ")).toBe("-1 -1 -1 -1 -1 -1 -1 -1 -1");
    } finally {
      const left = execFileSync("python3", [
        "-c",
        `import ctypes; c = ctypes.CDLL(None); r = ctypes.CDLL("librt.so.1"); print(c.semctl(${sem}, 0, 0), c.msgctl(${msg}, 0, None), r.mq_unlink(b"/assent-foreign"))`,
      ]);
      expect(left.toString()).toBe("0 0 0\n");
    }
  });

  it.runIf(can)("fakeroot", () => {
    if (!existsSync("/usr/bin/fakeroot")) return;
    expect(play("fakeroot", "sh", "-c", "touch a; chown 1:1 a; stat -c is-%u a; rm a")).toContain("is-1\n");
  });

  it.runIf(can)("ss lists who listens, without an error", () => {
    const text = play("ss", "-ltn");
    expect(text).toMatch(/^State +Recv-Q/);
    expect(text).not.toContain("netlink");
  });
});

describe("programs under LeakSanitizer", () => {
  it.each(["address", "leak"])("-fsanitize=%s: it runs, and it is said that leaks are not looked for", (kind) => {
    const file = join(base, kind);
    if (spawnSync("gcc", [`-fsanitize=${kind}`, "-o", file, join(base, "leaks.c")]).status !== 0) return;
    const env = { PATH: "/usr/bin:/bin", HOME: base, LSAN_OPTIONS: "verbosity=0" };
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(DIST, "bin.cjs"), "run", "-P", "--", file], {
      cwd: base,
      encoding: "utf8",
      env,
    });
    expect([status, stdout]).toEqual([0, "ran 1\n"]);
    expect(stderr).toContain("the check is off (LSAN_OPTIONS=detect_leaks=0)");
  });
});
