import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { has, type Place, Suite } from "../programs/place.ts";
import { until } from "./start.ts";

const suite = new Suite();
afterAll(() => suite.remove());

function place(): Place {
  const made = suite.place();
  made.fresh("self");
  return made;
}
const quiet = ["-P", "-q"];

interface Said {
  readonly status: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

/** A line for bash in which `"${RUN[@]}"` is `assent run` with its options, or nothing. */
async function line(at: Place, text: string, supervise = true): Promise<Said> {
  const words = supervise ? at.supervised([], quiet).map((word) => `'${word}'`) : [];
  return at.run({
    user: "self",
    argv: ["bash", "-c", `RUN=(${words.join(" ")}); ${text.replaceAll(/\brun /g, '"${RUN[@]}" ')}`],
    seconds: 60,
  });
}

/** The same without supervision and with it, from the same folder. */
async function same(text: string): Promise<Said> {
  const at = place();
  const bare = await line(at, text, false);
  at.fresh("self");
  const said = await line(at, text);
  expect(said).toEqual(bare);
  return said;
}

describe("how a run ends", { concurrent: true }, () => {
  it("with the program's own status, or 128 and the signal", async () => {
    const codes = [0, 1, 42, 126, 127, 255];
    const signals = [1, 2, 3, 6, 9, 11, 13, 15, 25, 64];
    const text = `for c in ${codes.join(" ")}; do run sh -c "exit $c"; echo -n "$? "; done; echo; for s in ${signals.join(" ")}; do run sh -c "kill -$s \\$\\$; exit 99" 2>/dev/null; echo -n "$? "; done`;
    const { stdout } = await line(place(), text);
    expect(stdout.split("\n").map((each) => each.trim().split(" ").map(Number))).toEqual([codes, signals.map((signal) => 128 + signal)]);
  });

  it("a process that outlives the program stays supervised, and does its work", async () => {
    const at = place();
    const said = await line(
      at,
      `run bash -c '(sleep 0.4; echo late > late; echo no > ${at.folder}/outside; sleep 0.2; echo later > later) & exit 3'; echo $?`,
    );
    expect(said.stdout).toBe("3\n");
    await until("it is done", () => existsSync(join(at.cwd, "later")), 20);
    expect([readFileSync(join(at.cwd, "late"), "utf8"), existsSync(join(at.folder, "outside"))]).toEqual(["late\n", false]);
  });

  it("TERM, HUP, USR1 sent to it reach the program", async () => {
    const said = await line(
      place(),
      `run bash -c 'trap "echo got term; exit 7" TERM; trap "echo got usr" USR1; trap "echo got hup" HUP; echo ready > ready; for i in $(seq 100); do sleep 0.05; done' & p=$!; until test -s ready; do sleep 0.02; done; sleep 0.1; kill -USR1 $p; sleep 0.2; kill -HUP $p; sleep 0.2; kill -TERM $p; wait $p; echo $?`,
    );
    expect(said.stdout).toBe("got usr\ngot hup\ngot term\n7\n");
  });
});

describe("what goes in and out", { concurrent: true }, () => {
  it.each<readonly [what: string, text: string, stdout: string]>([
    ["a pipe into it, to the last byte", "head -c 20000000 /dev/zero | run wc -c", "20000000\n"],
    ["a pipe out of it", "run head -c 20000000 /dev/zero | wc -c", "20000000\n"],
    ["both", "seq 100000 | run cat | md5sum | cut -c1-8; seq 100000 | md5sum | cut -c1-8 > x; cat x", ""],
    ["a file, read on by the next", "seq 5 > f; (run head -c 2; cat) < f", "1\n2\n3\n4\n5\n"],
    ["nobody reads any more", "run yes | head -1; echo ${PIPESTATUS[0]}", "y\n141\n"],
    ["output and errors to files", "run sh -c 'echo out; echo err >&2' > o 2> e; cat o e", "out\nerr\n"],
    ["both to one file, appended", "echo first > o; run sh -c 'echo out; echo err >&2' >> o 2>&1; cat o", "first\nout\nerr\n"],
    ["no input", "run sh -c 'read x || echo none' < /dev/null", "none\n"],
    // Node opens /dev/null for what is closed when it starts, so the program has that.
    ["input closed", "run sh -c 'cat && echo nothing' <&-; echo $?", "nothing\n0\n"],
    ["output closed", "run sh -c 'echo x' >&- 2>/dev/null; echo $?", "0\n"],
    ["errors closed", "run sh -c 'echo x; echo y >&2' 2>&-; echo $?", "x\n0\n"],
    ["everything closed", "run sh -c 'echo ran > ran' <&- >&- 2>&-; cat ran", "ran\n"],
    ["a full device", "run sh -c 'echo x || exit 5' > /dev/full 2>/dev/null; echo $?", "5\n"],
    ["descriptors above are closed", "run sh -c 'echo x >&9 || echo closed' 9> nine 2>/dev/null", "closed\n"],
    ["its environment", "A=1 B='x y' run sh -c 'echo \"$A $B\"; echo $ASSENT_NOTHING'", "1 x y\n\n"],
    ["a limit", "ulimit -n 300; run sh -c 'ulimit -n'; ulimit -c 0; run sh -c 'ulimit -c'", "300\n0\n"],
    ["a mask", "umask 027; run sh -c 'umask; echo > made'; stat -c %a made", "0027\n640\n"],
    [
      "signals of nobody ignored",
      "run sh -c 'grep Sig[BI] /proc/self/status | cut -f2 | tail -c 9'; run sh -c 'grep SigBlk /proc/self/status | cut -f2'",
      "00000000\n0000000000000000\n",
    ],
    ["its name", "run bash -c 'echo $0' me; run sh -c 'echo $0'", "me\nsh\n"],
    [
      "a name found on PATH, a path, a script",
      "printf '#!/bin/sh\\necho script $0 $1\\n' > s; chmod +x s; run ./s a; PATH=$PWD:$PATH run s b; run $PWD/s c | sed s#$PWD#P#",
      "",
    ],
  ])("%s", async (what, text, expected) => {
    // Where it differs from a run without, it is said above.
    const { stdout } = / closed|ignored/.test(what) ? await line(place(), text) : await same(text);
    expect(stdout).toBe(expected === "" ? stdout : expected);
  });

  it("assent run in assent run joins it, or says why not", async () => {
    const at = place();
    const { status, stdout, stderr } = await line(
      at,
      `run ${at.supervised([], ["-P"]).slice(0, 3).join(" ")} -P -- sh -c 'echo inner; echo x > made'; echo $?`,
    );
    expect([status, stdout === "inner\n0\n" || /\n?125\n$/.test(stdout)], stdout + stderr).toEqual([0, true]);
    if (stdout === "inner\n0\n") expect(readFileSync(join(at.cwd, "made"), "utf8")).toBe("x\n");
    else expect(stderr).toMatch(/assent/);
  });

  it.runIf(has("gdb"))("a debugger says that it cannot trace; the run goes on", async () => {
    const { stdout, status } = await line(
      place(),
      `run gdb -nx -batch -ex starti /bin/true < /dev/null 2>&1 | cat; run sh -c 'echo after'`,
    );
    expect([/not permitted|Cannot|Could not|disabled/i.test(stdout), stdout.endsWith("after\n"), status], stdout).toEqual([true, true, 0]);
  });

  it("Ctrl-C on a terminal is the program's", async () => {
    const at = place();
    writeFileSync(
      join(at.folder, "drive.py"),
      `
import os, pty, sys, time, select
pid, fd = pty.fork()
if pid == 0: os.execv(sys.argv[1], sys.argv[1:])
out = b""; sent = False; end = time.time() + 20
while time.time() < end:
    if select.select([fd], [], [], 0.1)[0]:
        try: data = os.read(fd, 4096)
        except OSError: break
        if not data: break
        out += data
    if b"ready" in out and not sent: time.sleep(0.2); os.write(fd, b"\\x03"); sent = True
_, status = os.waitpid(pid, 0)
print(out.decode().replace("\\r", "").split("ready\\n")[1].replace("^C", "").strip(), os.waitstatus_to_exitcode(status))
`,
    );
    const handled = await at.run({
      user: "self",
      argv: [
        "python3",
        join(at.folder, "drive.py"),
        ...at.supervised(["bash", "-c", "trap 'echo got it; exit 5' INT; echo ready; for i in $(seq 100); do sleep 0.1; done"], quiet),
      ],
    });
    expect(handled.stdout, handled.stderr).toBe("got it 5\n");
    const not = await at.run({
      user: "self",
      argv: ["python3", join(at.folder, "drive.py"), ...at.supervised(["sh", "-c", "echo ready; exec sleep 10"], quiet)],
    });
    expect(not.stdout, not.stderr).toBe(" 130\n");
  });
});

describe("what is not there", () => {
  it("a working folder that was removed: it is said, not thrown", () => {
    const at = place();
    const [node = "", ...words] = at.supervised(["sh", "-c", "echo ran"], quiet);
    const script = `mkdir gone; cd gone; rmdir ../gone; exec "$@"`;
    const { status, stderr } = spawnSync("sh", ["-c", script, "sh", node, ...words], {
      cwd: at.cwd,
      env: at.env(),
      encoding: "utf8",
      timeout: 20_000,
    });
    expect([status === 0 || stderr !== "", stderr.includes("    at ")], stderr).toEqual([true, false]);
  });
});
