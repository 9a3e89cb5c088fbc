import { describe, expect, it } from "vitest";
import { attack, SLOWER } from "./world.ts";

const python = (text: string): string => `python3 -c '${text}'`;

/** What the program does to `n`, which is another name of a file outside, and what it finds in it then. */
const CHANGES: readonly (readonly [what: string, program: string, found: string])[] = [
  ["it is written to", "echo new > n; cat n", "new"],
  ["it is written to at its end", "echo new >> n; cat n", "theirs\nnew"],
  ["it is edited in place", python('f = open("n", "r+"); f.write("THE"); f.close(); print(open("n").read())'), "THEirs"],
  ["it is cut", `truncate -s 2 n; cat n`, "th"],
  ["it is cut by its name", python('import os; os.truncate("n", 3); print(open("n").read())'), "the"],
  [
    "it is mapped",
    python(
      'import mmap, os; f = os.open("n", os.O_RDWR); m = mmap.mmap(f, 0); m[0:3] = b"MAP"; m.flush(); m.close(); print(open("n").read())',
    ),
    "MAPirs",
  ],
  ["its mode changes", "chmod 700 n; stat -c %a n", "700"],
  ["it gets an attribute", python('import os; os.setxattr("n", "user.x", b"1"); print(os.listxattr("n"))'), "['user.x']"],
  ["it is written to by a link to it", "ln -s n l; echo new > l; cat n", "new"],
  ["it is written to by a third name", "ln n m; echo new > m; cat m n", "new\ntheirs"],
  ["it was moved first", "mv n m; echo new > m; cat m", "new"],
  ["its folder was moved first", "mkdir d; mv n d; mv d e; echo new > e/n; cat e/n", "new"],
  ["it is copied over", "echo new > x; cp x n; cat n", "new"],
  ["sed edits it, which replaces it", "sed -i s/theirs/new/ n; cat n", "new"],
  ["it is replaced", "echo new > x; mv x n; cat n", "new"],
  ["it is removed and made anew", "rm n; echo new > n; cat n", "new"],
];

describe.concurrent("a file with names outside keeps what it holds there", () => {
  it.each(CHANGES)(
    "%s",
    async (_what, program, found) => {
      const { out } = await attack({
        before: "echo theirs > $O/kept; chmod 644 $O/kept; ln $O/kept n",
        program,
        after: "echo ---; cat $O/kept; stat -c '%a %h' $O/kept; getfattr $O/kept 2>/dev/null",
      });
      const [inside = "", outside = ""] = out.split("---\n");
      expect(inside.replace(/status \d+\n$/, "").trim()).toBe(found);
      expect(outside).toMatch(/^theirs\n644 [12]\n/);
      expect(outside).not.toContain("user.x");
    },
    SLOWER * 60_000,
  );

  /** Through a descriptor that was there before there is no name to part: it is refused. */
  it.each([
    ["it", 'f = os.open("n", os.O_RDONLY); os.open("/proc/self/fd/%d" % f, os.O_WRONLY)'],
    ["its mode", 'f = os.open("n", os.O_RDONLY); os.fchmod(f, 0o777)'],
    ["an attribute", 'f = os.open("n", os.O_RDONLY); os.setxattr(f, "user.x", b"1")'],
    ["it, where the name is gone", 'f = os.open("n", os.O_RDONLY); os.unlink("n"); os.open("/proc/self/fd/%d" % f, os.O_WRONLY)'],
    ["it, where another has the name", 'f = os.open("n", os.O_RDONLY); os.rename("x", "n"); os.open("/proc/self/fd/%d" % f, os.O_RDWR)'],
    ["its mode, where the name is gone", 'f = os.open("n", os.O_RDONLY); os.unlink("n"); os.fchmod(f, 0o777)'],
    [
      "it, where a file is called so",
      'f = os.open("n", os.O_RDONLY); os.rename("x", "n (deleted)"); os.unlink("n"); os.open("/proc/self/fd/%d" % f, os.O_WRONLY)',
    ],
  ])(
    "%s, by a descriptor",
    async (_what, text) => {
      const { out } = await attack({
        before: "echo theirs > $O/kept; chmod 644 $O/kept; ln $O/kept n; echo x > x",
        program: `${python(`import os; ${text}`)} 2>&1 | tail -1`,
        after: "echo ---; cat $O/kept; stat -c %a $O/kept; getfattr $O/kept 2>/dev/null",
      });
      expect(out).toMatch(/PermissionError/);
      expect(out).toMatch(/---\ntheirs\n644\n/);
      expect(out).not.toContain("user.x");
    },
    SLOWER * 60_000,
  );

  it("the receipt says so, and an undo brings back what it held", async () => {
    const { out } = await attack({
      before: "echo theirs > $O/kept; ln $O/kept n",
      program: "echo new > n",
      after: 'A="$NODE /srv/assent/dist/bin.cjs"; $A receipt; $A undo --yes > /dev/null 2>&1; cat n $O/kept',
    });
    expect(out).toMatch(/\nhad other names \(hard links\): copied first, so that these keep what they held\n {2}n\n/);
    expect(out).toMatch(/theirs\ntheirs\n$/);
  });

  it(
    "whoever makes links all the while finds no moment for it",
    async () => {
      const race = (name: string, loop: string): string =>
        python(`import os, time\nend = time.time() + 4\nwhile time.time() < end:\n  try: ${loop}\n  except OSError: pass`);
      const { out } = await attack({
        before: "echo theirs > $O/kept; ln $O/kept n; ln $O/kept m; echo mine > mine",
        program: `${race("a", 'os.link("n", "l"); os.unlink("l")')} & ${race("b", 'os.rename("m", "q"); os.link("mine", "m"); os.unlink("m"); os.rename("q", "m")')} & ${race("c", 'open("l", "w").write("bad")')} & ${race("d", 'open("m", "r+").write("bad")')} & wait`,
        after: "echo ---; cat $O/kept",
      });
      expect(out).toMatch(/---\ntheirs\n/);
    },
    SLOWER * 60_000,
  );

  it("what the run links itself, and what lies in its folders under all its names, is one file", async () => {
    const { out } = await attack({
      before: "echo a > b1; mkdir sub; ln b1 sub/b2; echo k > $O/kept; ln $O/kept n",
      program: `echo x > o; ln o p; echo y > o; cat p; echo z > b1; cat sub/b2; chmod 700 sub/b2; stat -c %a b1; mv p sub/p; echo w > o; cat sub/p; ln o /srv/tmp/t; echo v > o; cat /srv/tmp/t; python3 -c "import os; os.utime('n', (5, 5))"; stat -c %h n`,
    });
    expect(out).toContain("y\nz\n700\nw\nv\n2\nstatus 0");
  });
});
