import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { Suite, USERS } from "./place.ts";

/** Programs that are ended while they start, or before: what is not there any more was changed by nobody. */
const ENDED = `
import os, signal, subprocess, threading, time
def start(words):
    try: return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except OSError: return None
for n in range(60):
    p = start(["/bin/sleep", "9"])
    if n % 3: time.sleep(n / 20000)
    p.kill(); p.wait()
for n in range(30):
    pid = os.fork()
    if pid == 0:
        threading.Timer(n / 10000, lambda: os.kill(os.getpid(), signal.SIGKILL)).start()
        os.execv("/bin/sh", ["sh", "-c", "exec /bin/sleep 9"])
    time.sleep(n / 10000)
    try: os.kill(pid, signal.SIGKILL)
    except ProcessLookupError: pass
    os.waitpid(pid, 0)
p = subprocess.Popen(["sh", "-c", "for i in 1 2 3 4 5 6 7 8; do (sleep 9 & exec sleep 8) & done; wait"], start_new_session=True)
time.sleep(0.05); os.killpg(p.pid, signal.SIGKILL); p.wait()
print("done")
`;

const suite = new Suite();
afterAll(() => suite.remove());

it.each(USERS)("programs that are killed while they start are no suspicion of anybody (%s)", { timeout: 100_000 }, async (user) => {
  const place = suite.place();
  place.fresh(user, { "ended.py": ENDED });
  const { status, stdout, stderr } = await place.run({ user, argv: place.supervised(["/usr/bin/python3", join(place.cwd, "ended.py")]) });
  expect([status, stdout], stderr).toEqual([0, "done\n"]);
  expect(stderr).not.toMatch(/changed|killed|refused|judge/);
});
