import { describe, expect, it } from "vitest";
import { attack } from "./world.ts";

/** Names, with what is written in each, below the project; who was there before, and what undo must leave exactly so. */
const TREE = String.raw`tree() { find . -path ./.git -prune -o -printf '%y %m %P %l\n' | sort; find . -type f | sort | xargs cat; }`;
/** Ends the supervisor itself, which has no time to note anything, once the program has made so many files. */
const killedAt = (count: number): string => String.raw`cat > /srv/killed <<'EOF'
#!/bin/bash
"$@" &
until [ "$(find /srv/proj -name 'n*' 2>/dev/null | wc -l)" -ge ${count} ]; do sleep 0.02; done
for p in /proc/[0-9]*; do tr '\0' ' ' < $p/cmdline 2>/dev/null | grep -q 'run --beside' && kill -9 "$(basename "$p")"; done
wait
EOF
chmod +x /srv/killed
`;
const UNDO = `"$NODE" /srv/assent/dist/bin.cjs undo --yes`;

/** Many calls, and no other program for each. */
const python = (loop: string): string => `exec python3 -c 'import itertools, os
def make(path):
    with open(path, "w") as file: file.write(path)
${loop}'`;

describe.concurrent("a file that is made by the text of its path", () => {
  it("is never made where somebody leads the path meanwhile", async () => {
    const { out } = await attack({
      before:
        "mkdir a real; touch a/0; " +
        "(while :; do mv a b; ln -s /srv/home/.ssh a; sleep 0.002; rm a; mv b a; sleep 0.002; done) 2>/dev/null & echo $! > /srv/racer",
      program: python(`for i in range(300):
    for path in f"a/f{i}", f"/srv/proj/a/g{i}":
        try: make(path)
        except OSError: pass
    try: os.mkdir(f"a/d{i}")
    except OSError: pass`),
      after: "kill $(cat /srv/racer); ls /srv/home/.ssh; echo made $(find /srv/proj -name '[fg]*' | wc -l)",
    });
    expect(out).toMatch(/^made [1-9]\d/m);
    expect(out).toMatch(/^id_rsa$/m);
    expect(out).not.toMatch(/^[dfg]\d+$/m);
  });

  it("the run itself may be who leads it elsewhere", async () => {
    const { out } = await attack({
      program: `${python(`os.mkdir("a"); make("a/0")
if os.fork() == 0:
    for i in range(150): os.rename("a", "b"); os.symlink("/srv/home/.ssh", "a"); os.unlink("a"); os.rename("b", "a")
    os._exit(0)
for i in range(300):
    for path in f"a/f{i}", f"/srv/proj/a/g{i}":
        try: make(path)
        except OSError: pass
os.wait()`)}`,
      after: "ls /srv/home/.ssh; echo made $(find /srv/proj -name '[fg]*' | wc -l)",
    });
    expect(out).toMatch(/^made [1-9]\d/m);
    expect(out).toMatch(/^id_rsa$/m);
    expect(out).not.toMatch(/^[fg]\d+$/m);
  });

  it.each([
    ["a protected name in a folder that the run made", "mkdir d; touch d/a; echo x > d/held; echo x > $PWD/d/held", "d/held"],
    [
      "a folder that was renamed to a protected name",
      "mkdir d; touch d/a; cd d; mv ../d ../kept; echo x > b; cd ..; echo x > kept/c",
      "kept/b kept/c",
    ],
    [
      "a descriptor of a folder that was renamed",
      `mkdir d; touch d/a; python3 -c 'import os
f = os.open("d", os.O_DIRECTORY); os.rename("d", "kept")
os.open("b", os.O_CREAT | os.O_WRONLY, dir_fd=f)'`,
      "kept/b",
    ],
    ["a folder that was moved below a protected one", "mkdir d; touch d/a; mkdir kept; mv d kept/d; cd kept/d; echo x > b", "kept/d/b"],
    [
      "a folder that took the name of one that is gone",
      "mkdir d; touch d/a; mv d e; ln -s /srv/home/.ssh d; echo x > d/b",
      "/srv/home/.ssh/b",
    ],
    ["a name with steps back in it", "mkdir d; touch d/a; echo x > d/../d/./held; echo x > d//held", "d/held"],
  ])("%s is judged as what it is", async (_, program, not) => {
    const { out } = await attack({
      deny: ["Edit(**/held)", "Edit(/srv/proj/kept/**)"],
      program: `${program}\necho end`,
      after: `cd /srv/proj; for f in ${not}; do [ -e $f ] && echo "made $f"; done`,
    });
    expect(out).toContain("end");
    expect(out).not.toMatch(/^made /m);
  });

  it("a working folder that is gone leads nowhere, also where one of its kernel's name for it lies", async () => {
    const { out } = await attack({
      program: "mkdir d 'd (deleted)'; touch 'd (deleted)/0' d/0; cd d; rm -r ../d; echo x > b; mkdir c; echo end",
      after: "ls '/srv/proj/d (deleted)'",
    });
    expect(out).toContain("end");
    expect(out).toMatch(/^0$/m);
    expect(out).not.toMatch(/^[bc]$/m);
  });

  it("errors are those of the kernel", async () => {
    const { out } = await attack({
      before: "ln -s gone dangling; ln -s real way; mkdir real; touch real/0; echo old > real/old",
      program: `touch real/0 ./0; python3 - <<'EOF'
import os, errno
def make(path, flags):
    try: os.close(os.open(path, os.O_WRONLY | os.O_CREAT | flags, 0o640)); return oct(os.stat(path).st_mode & 0o777)
    except OSError as error: return errno.errorcode[error.errno]
os.umask(0o027)
for path in ["real/new", "real/old", "real/none/x", "real/old/x", "way/new2", "dangling", "real/", "real", "./real/new3", "real/" + "n" * 256]:
    print(path[:12], make(path, 0), make(path, os.O_EXCL))
EOF`,
      after: "cat real/old; ls",
    });
    expect(out).toContain(
      [
        "real/new 0o640 EEXIST",
        "real/old 0o644 EEXIST",
        "real/none/x ENOENT ENOENT",
        "real/old/x ENOTDIR ENOTDIR",
        "way/new2 0o640 EEXIST",
        "dangling 0o640 EEXIST",
        "real/ EISDIR EISDIR",
        "real EISDIR EEXIST",
        "./real/new3 0o640 EEXIST",
        "real/nnnnnnn ENAMETOOLONG ENAMETOOLONG",
      ].join("\n"),
    );
    expect(out).toMatch(/^old$/m);
  });
});

describe.concurrent("a supervisor that is killed while its run makes files", () => {
  it.each([
    ["in folders that it made", "mkdir -p made/a made/b; while :; do i=$((i+1)); echo $i > made/a/n$i; echo $i > $PWD/made/b/n$i; done"],
    [
      "which it renames, replaces, links and removes",
      python(`os.mkdir("made")
for i in range(100000):
    make(f"made/n{i}"); make("made/t"); os.replace("made/t", f"made/n{i}"); os.link(f"made/n{i}", f"made/l{i}")
    os.rename("made", "made2"); os.rename("made2", "made"); os.unlink(f"made/l{i}"); os.mkdir(f"made/d{i}"); os.rmdir(f"made/d{i}")
    os.symlink("n0", f"made/s{i}"); os.chmod(f"made/n{i}", 0o600)`),
    ],
    [
      "with what was there before moved and linked in, and out again",
      python(`os.mkdir("made"); os.rename("old/one", "made/one"); os.link("old/two", "made/two"); make("made/two"); os.rename("made/one", "back")
for i in range(100000):
    make(f"made/n{i}"); os.rename("old/three", "made/three"); make("made/three"); os.rename("made/three", "old/three")`),
    ],
    // What the program writes through a descriptor it has goes on without the supervisor for a moment: hence --force.
  ])("%s: undo brings back the exact tree", async (_, program) => {
    const { out } = await attack({
      before: `${killedAt(150)}mkdir old; echo 1 > old/one; echo 2 > old/two; echo 3 > old/three; ${TREE}; tree > /srv/tree`,
      by: "/srv/killed",
      program: `set -e; exec 2>/dev/null; ${program}`,
      after: `${TREE}; cd /srv/proj; ls -R | grep -c '^n'; ${UNDO} --force >/srv/undone 2>&1; tree | diff /srv/tree - && echo same || cat /srv/undone`,
    });
    expect(out).toMatch(/^same$/m);
    expect(Number(/^(\d+)$/m.exec(out)?.[1])).toBeGreaterThanOrEqual(150);
  });

  it("what another program puts into such a folder meanwhile, and the run then writes to, goes back to what that had made of it", async () => {
    const { out } = await attack({
      before:
        "(until [ -e alone ] && [ -e made/n150 ]; do sleep 0.01; done; echo alone > alone/t; for i in 1 2 3 4; do echo theirs $i > made/t$i; done; touch /srv/tmp/there) & echo $! > /srv/other",
      program: python(`os.mkdir("alone"); os.mkdir("made")
for i in range(200): make(f"made/n{i}")
while not os.path.exists("/srv/tmp/there"): pass
for path, mode in ("made/t1", "a"), ("made/t2", "w"), ("/srv/proj/made/t3", "r+"):
    with open(path, mode) as file: file.write("run")
try: open("made/t4", "x")
except FileExistsError: print("exists")
os.replace("made/n0", "made/t4"); os.unlink("alone/t"); make("alone/n")
for i in range(200): make(f"made/m{i}")`),
      after: `cat made/t*; echo; ${UNDO} >/srv/undone 2>&1; ls made alone; cat made/*; cat alone/*; cat /srv/undone`,
    });
    expect(out).toContain("exists");
    expect(out).toMatch(/theirs 1\nrunrunrun/);
    expect(out).toContain("alone:\nt\n\nmade:\nt1\nt2\nt3\nt4\ntheirs 1\ntheirs 2\ntheirs 3\ntheirs 4\nalone\n");
  });

  it("what another program puts into such a folder afterwards stays", async () => {
    const { out } = await attack({
      before: `${killedAt(100)}`,
      by: "/srv/killed",
      program: "set -e; exec 2>/dev/null; mkdir made; while :; do i=$((i+1)); echo $i > made/n$i; done",
      after: `sleep 1; echo theirs > made/theirs; echo theirs > made/n1; ${UNDO}; cat made/theirs made/n1; ls made/n50 || echo undone`,
    });
    expect(out.match(/^theirs$/gm)).toHaveLength(2);
    expect(out).toMatch(/^undone$/m);
  });
});
