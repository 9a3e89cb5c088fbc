import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { shellWord } from "@assent/core/data";
import { startTerminal, type Terminal } from "../approve/terminal.ts";
import { Suite, USERS } from "../supervise/programs/place.ts";
import { treeOf, TryPlace } from "./place.ts";

const suite = new Suite();
afterAll(() => suite.remove());

const text = (path: string): string => readFileSync(path, "utf8");

describe.each(USERS)("a tried run of %s", (user) => {
  const fresh = (files?: Readonly<Record<string, string>>): TryPlace => new TryPlace(suite, user, files);

  it("changes nothing on disk, and what it did is kept until somebody applies or drops it", async () => {
    const place = fresh();
    const before = treeOf(place.cwd);
    const ran = await place.try("echo out; echo more >> a.txt; mkdir -p new/x; echo 1 > new/x/y", []);
    expect(ran).toMatchObject({ status: 75, stdout: "out\n" });
    expect(ran.stderr).toContain("nothing on disk has changed yet");
    expect(ran.stderr).toMatch(/changed +a\.txt\n +new +new\/ \(2 folders, 1 file, 2 bytes\)/);
    expect(treeOf(place.cwd)).toEqual(before);
    const id = (await place.assent("try", "list")).stdout.split(" ")[0] ?? "";
    expect((await place.assent("try", "show", id)).stdout).toContain("+more");
    expect(await place.assent("try", "apply", id)).toMatchObject({ status: 0 });
    expect(text(join(place.cwd, "a.txt"))).toBe("a\nmore\n");
    expect(text(join(place.cwd, "new/x/y"))).toBe("1\n");
    expect((await place.assent("try", "list")).stdout).toBe("");
    expect((await place.assent("receipt")).stdout).toContain("new/");
    expect((await place.assent("undo", "--yes")).status).toBe(0);
    expect(treeOf(place.cwd)).toEqual(before);
  });

  it("ends with the program's own status and streams where it changed nothing", async () => {
    const place = fresh();
    expect(await place.try("cat a.txt; echo err >&2; exit 7")).toEqual({ status: 7, stdout: "a\n", stderr: "err\n" });
    expect(await place.try("kill -TERM $$")).toMatchObject({ status: 143 });
    expect((await place.assent("try", "list")).stdout).toBe("");
  });

  it("says first that the program failed, and applies what the policy allows all the same", async () => {
    const place = fresh();
    const ran = await place.try("echo x > made; exit 2");
    expect(ran.status).toBe(2);
    expect(ran.stderr).toMatch(/^assent: sh failed \(2\)\nassent: applied/);
    expect(text(join(place.cwd, "made"))).toBe("x\n");
  });

  it("applies nothing where one change is not allowed, and never ends with 0 then", async () => {
    const place = fresh();
    const ran = await place.try("echo x > made; mkdir .claude; echo {} > .claude/settings.json");
    expect(ran.status).toBe(75);
    expect(existsSync(join(place.cwd, "made"))).toBe(false);
    expect(existsSync(join(place.cwd, ".claude"))).toBe(false);
  });

  it.skipIf(user === "root")("applies nothing where a folder is left that its owner may not look into", async () => {
    const place = fresh();
    const ran = await place.try("mkdir d; echo x > d/x; chmod 000 d; echo y > made");
    expect(ran.status).toBe(75);
    expect(existsSync(join(place.cwd, "made"))).toBe(false);
  });

  it.each([
    ["removes", "rm .env && echo new > made", undefined],
    ["puts another file there", "cp a.txt b && mv b .env", "a\n"],
  ])("%s a secret that it cannot read, as without Assent", async (_, command, then) => {
    const policy = '{ "version": 1, "permissions": { "allow": ["Delete(.env)", "Write(.env)", "Edit(.env)"] } }';
    const place = fresh({ ".env": "KEY=1\n", "deep/er/.env": "KEY=2\n", "deep/a": "a\n", "p.json": policy });
    const ran = await place.try(`cat .env deep/er/.env; ls deep deep/er; ${command}`, ["--policy", join(place.cwd, "p.json")]);
    expect(ran.stdout).toBe("deep:\na\ner\n\ndeep/er:\n");
    const id = (await place.assent("try", "list")).stdout.split(" ")[0] ?? "";
    await place.assent("try", "apply", id);
    expect(existsSync(join(place.cwd, ".env")) ? text(join(place.cwd, ".env")) : undefined).toBe(then);
    expect(text(join(place.cwd, "deep/er/.env"))).toBe("KEY=2\n");
    expect((await place.assent("undo", "--yes")).status).toBe(0);
    expect(text(join(place.cwd, ".env"))).toBe("KEY=1\n");
  });

  it.each(["mv .env e", "chmod 600 .env; echo x >> .env", "mkdir d; ln .env d/x; rm .env", "mv deep/.env .; rmdir deep"])(
    "keeps what would lose the content of a secret: %s",
    async (command) => {
      const place = fresh({ ".env": "KEY=1\n", "deep/.env": "KEY=2\n" });
      const before = treeOf(place.cwd);
      const ran = await place.try(command);
      expect(ran).toMatchObject({ status: 75 });
      expect(ran.stderr).toContain("what it holds would be lost");
      expect(treeOf(place.cwd)).toEqual(before);
    },
  );

  it("says a line a folder of what git leaves out", async () => {
    const place = fresh({ ".gitignore": "out/\n*.log\nnode_modules\n", "out/old": "old\n" });
    const command = "echo x > out/a; echo y >> out/old; mkdir node_modules; echo 1 > node_modules/m; echo 2 > t.log; echo 3 > src/new";
    const ran = await place.try(command, []);
    expect(ran.stderr).toMatch(/ new +src\/new\n +ignored +node_modules\/ \(1 folder, 1 file, 2 bytes\), out\/ \(2 changes\), t\.log\n/);
  });

  it("drops what it is told to drop", async () => {
    const place = fresh();
    await place.try("mkdir d; chmod 000 d; echo x > made", []);
    const id = (await place.assent("try", "list")).stdout.split(" ")[0] ?? "";
    expect((await place.assent("try", "drop", id)).status).toBe(0);
    expect((await place.assent("try", "list")).stdout).toBe("");
    expect(existsSync(join(place.cwd, "made"))).toBe(false);
  });

  it.each([
    ["was edited", (cwd: string) => writeFileSync(join(cwd, "a.txt"), "mine\n"), "echo more >> a.txt"],
    ["was made, too", (cwd: string) => writeFileSync(join(cwd, "new.txt"), "mine\n"), "echo theirs > new.txt"],
    ["came into a folder that is to go", (cwd: string) => writeFileSync(join(cwd, "src/c.txt"), "mine\n"), "rm -r src"],
  ])("overwrites nothing that %s by somebody else meanwhile", async (_, edit, command) => {
    const place = fresh();
    await place.try(`${command}; echo x > made`, []);
    edit(place.cwd);
    const after = treeOf(place.cwd);
    const id = (await place.assent("try", "list")).stdout.split(" ")[0] ?? "";
    const applied = await place.assent("try", "apply", id);
    expect(applied.status).toBe(75);
    expect(applied.stderr).toContain("by somebody else");
    expect(treeOf(place.cwd)).toEqual(after);
  });

  it("says which command to use where a rule is about system calls", async () => {
    const place = fresh({ "p.json": '{ "version": 1, "permissions": { "deny": ["open(/x/**, _)"] } }' });
    const ran = await place.try("echo 'a b'", ["--policy", join(place.cwd, "p.json")]);
    expect(ran.status).toBe(125);
    expect(ran.stderr).toContain(String.raw`assent run -- sh -c 'echo '\''a b'\'''`);
  });
});

describe.skipIf(process.getuid?.() !== 0)("a person who looks at what a command did", () => {
  const tries = (command: string): { readonly place: TryPlace; readonly terminal: Terminal } => {
    const place = new TryPlace(suite, "root", { ".env": "KEY=1\n" });
    const words = [process.execPath, suite.command, "try", "--", "sh", "-c", command].map(shellWord).join(" ");
    return { place, terminal: startTerminal({ home: place.place.home, project: place.cwd }, `exec ${words}`, 100, place.place.env()) };
  };

  it("picks some of it: the rest is thrown away, and one undo takes back what was picked", async () => {
    const { place, terminal } = tries("echo more >> a.txt; mkdir n; echo 1 > n/x; echo 2 > n/y; echo z > z; rm src/b.txt");
    const before = treeOf(place.cwd);
    await terminal.sees("c choose files");
    terminal.press("c\n");
    await terminal.sees("Enter goes back:");
    expect(terminal.screen().filter((line) => /^ {2}\d /.test(line))).toEqual([
      "  1  changed  a.txt",
      "  2  new      n (3 changes)",
      "  3  gone     src/b.txt",
      "  4  new      z",
    ]);
    terminal.press("7\n");
    await terminal.sees("that is not in the list");
    terminal.press("1-2\n");
    await terminal.sees("throw away the others");
    expect(treeOf(place.cwd)).toEqual(before);
    terminal.press("y\n");
    expect(await terminal.ended).toBe(0);
    expect(treeOf(place.cwd).map((line) => line.replace(/ \d+ /, " "))).toEqual(expect.arrayContaining(["a.txt 1 a\nmore\n"]));
    expect([existsSync(join(place.cwd, "n/y")), existsSync(join(place.cwd, "z")), existsSync(join(place.cwd, "src/b.txt"))]).toEqual([
      true,
      false,
      true,
    ]);
    expect((await place.assent("try", "list")).stdout).toBe("");
    expect(await place.assent("undo", "--yes")).toMatchObject({ status: 0 });
    expect(treeOf(place.cwd)).toEqual(before);
  });

  it("applies what the policy allows without the rest, and nothing of what it does not", async () => {
    const { place, terminal } = tries("ln -s .env link; echo x > made");
    for (const [number, then, keys] of [
      ["1", "not applied", "c\n"],
      ["2", "throw away the others", "y\n"],
    ] as const) {
      if (number === "1") {
        await terminal.sees("c choose files");
        terminal.press("c\n");
      }
      await terminal.sees("Enter goes back:");
      terminal.press(`${number}\n`);
      await terminal.sees(then);
      await terminal.sees(/>/);
      terminal.press(keys);
    }
    expect(await terminal.ended).toBe(0);
    expect([existsSync(join(place.cwd, "link")), existsSync(join(place.cwd, "made"))]).toEqual([false, true]);
  });
});

/** Programs whose trees are the same after they were applied as without Assent. */
const SAME: readonly string[] = [
  "rm a.txt; echo x > a.txt; chmod 640 a.txt",
  "rm -r src; mkdir src; echo c > src/c",
  "rm -r src; echo file > src",
  "rm a.txt; mkdir a.txt; echo in > a.txt/in",
  "mv a.txt moved; mv src/b.txt src/c.txt",
  "ln -s a.txt link; ln -s missing dangling; ln a.txt second",
  "mkdir -p deep/er/est; touch deep/er/est/f; chmod 500 deep/er; chmod 700 deep/er/est",
  "printf 'x%.0s' $(seq 5000) > big; truncate -s 1000000 sparse",
  "chmod 755 a.txt; chmod 711 src",
  "mkdir ro; touch ro/x; chmod 500 ro",
  "umask 077; echo s > private; mkdir folder",
  "mkdir new; mv src new/src 2>/dev/null || cp -r src new/src; rm -rf src",
  "cp -al src copy; echo x >> copy/b.txt",
  "mv src lib; mv lib/b.txt lib/c.txt; mkdir d; mv lib d/",
  'mv src/b.txt src/c.txt; touch src/d; python3 -c \'import os; os.rename("src", "lib")\'',
  "mkdir src/in; ln -s b.txt src/in/l; chmod 700 src; mv src d && mkdir src && mv -T src e && mv -T d e",
  "mkdir full; touch full/x; mv -T src full; mv -T src a.txt; mv src src/in; mv -n a.txt src/b.txt; true",
  "tar cf t.tar src a.txt; mkdir out; tar xf t.tar -C out",
  "sed -i s/a/z/ a.txt; install -m 700 a.txt bin",
  "git init -q r; git -C r config branch.x.remote origin; git clone -q r c 2>/dev/null; git -C c remote set-url origin ../r",
  'printf \'a\\nb\' > "with\nnewline"; : > "with space"; : > "-rf"',
  'python3 -m compileall -q . ; python3 -c \'open("m.py","w").write("x=1\\n")\'; python3 -m compileall -q m.py; rm -rf __pycache__',
  "printf 'all: o\\no: a.txt\\n\\tcp a.txt o\\n' > M; make -sf M; make -sf M",
  "sqlite3 db 'create table t(x); insert into t values(1)' 2>/dev/null; rm -f db",
  "mkfifo p; rm p; mkdir q; rmdir q; touch r; rm r",
];

describe.each(USERS)("after it was applied, of %s", (user) => {
  it.each(SAME.map((command) => [command] as const))("the tree is as without Assent: %s", async (command) => {
    const tried = new TryPlace(suite, user);
    const bare = new TryPlace(suite, user);
    const ran = await tried.try(command);
    const plain = await bare.bare(command);
    expect({ ...ran, stderr: ran.stderr.replace(/^assent: applied.*\n/m, "") }).toEqual(plain);
    expect(treeOf(tried.cwd)).toEqual(treeOf(bare.cwd));
  });
});
