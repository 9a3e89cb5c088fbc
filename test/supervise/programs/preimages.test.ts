import { afterAll, describe, expect, it } from "vitest";
import { hasTurn, remove, Suite, USERS } from "./place.ts";

/**
 * What undo keeps shares no inode with anything that can be reached: runs after it read and change the user's files as if
 * there had been none, and what somebody does to those files never changes what is kept.
 */
interface Case {
  readonly name: string;
  readonly before?: string;
  readonly run: string;
  /** After the run; ends with what it must print, in a second run as well as without. Before the undo. */
  readonly left?: readonly [script: string, prints: string];
  /** After the undo, likewise. */
  readonly back?: readonly [script: string, prints: string];
  /** In what the undo or the run says. */
  readonly says?: RegExp;
  /** After the undo of that undo, likewise. */
  readonly again?: readonly [script: string, prints: string];
  /** Between the undo and its own undo. */
  readonly edit?: string;
}

const CASES: readonly Case[] = [
  { name: "a deleted file", before: "echo O > a", run: "rm a", back: ["cat a", "O"] },
  {
    name: "a deleted file, changed by a second run after the undo",
    before: "echo O > a",
    run: "rm a",
    back: ["echo P >> a; cat a", "O P P"],
  },
  { name: "a file with another name", before: "echo O > f; ln f g", run: "rm f", left: ["cat g", "O"], back: ["cat f g", "O O"] },
  {
    name: "the other name is written to since",
    before: "echo O > f; ln f g",
    run: "rm f",
    left: ["echo P > g; cat g", "P"],
    back: ["cat f g", "O P"],
  },
  { name: "both names", before: "echo O > f; ln f g", run: "rm f g", back: ["cat f g; stat -c %h f", "O O 2"] },
  {
    name: "both names of a large file",
    before: "head -c 70000000 /dev/zero > f; ln f g",
    run: "rm f g",
    back: ["wc -c < f; stat -c %h g", "70000000 2"],
  },
  {
    name: "one name of a large file",
    before: "head -c 70000000 /dev/zero > f; ln f g",
    run: "rm f",
    left: ["wc -c < g", "70000000"],
    says: /left alone: f .*other names/,
  },
  {
    name: "a file renamed over",
    before: "echo O > f; ln f g; echo N > n",
    run: "mv n f",
    left: ["cat f g", "N O"],
    back: ["cat f g n", "O O N"],
  },
  {
    name: "a file renamed over, alone",
    before: "echo O > f; echo N > n",
    run: "mv n f",
    left: ["cat f", "N"],
    back: ["echo x >> f; cat f n", "O x x N"],
  },
  {
    name: "a link made in the run, and one name removed",
    before: "echo O > f",
    run: "ln f g; rm f",
    left: ["cat g", "O"],
    back: ["cat f; ls", "O f"],
  },
  { name: "a link made and removed in the run", before: "echo O > f", run: "ln f g; rm g", left: ["cat f; stat -c %h f", "O 1"] },
  {
    name: "a link made, written through and removed",
    before: "echo O > f",
    run: "ln f g; echo P > g; rm f",
    left: ["cat g", "P"],
    back: ["cat f; ls", "O f"],
  },
  {
    name: "a local clone of a repository, deleted in another run",
    before: "git init -q r; cd r; echo 1 > f; git add f; git commit -qm 1; cd ..; git clone -q r c",
    run: "rm -rf c",
    left: ["git -C r log --format=%s; git -C r fsck", "1"],
    back: ["git -C c log --format=%s; git -C r log --format=%s; git -C c fsck", "1 1"],
  },
  {
    name: "a local clone in the run",
    before: "git init -q r; cd r; echo 1 > f; git add f; git commit -qm 1",
    run: "git clone -q r c",
    left: ["git -C c log --format=%s; git -C r log --format=%s", "1 1"],
    back: ["git -C r fsck; ls", "r"],
  },
  {
    name: "a package folder of links into a store, deleted",
    before:
      "mkdir -p store p/node_modules/x; echo L > p/pnpm-lock.yaml; for i in 1 2 3; do echo $i > store/$i; ln store/$i p/node_modules/x/$i; done",
    run: "rm -rf p/node_modules",
    left: ["cat store/*", "1 2 3"],
    says: /left alone: p\/node_modules was not kept whole: `pnpm install --frozen-lockfile` makes it again/,
  },
  {
    name: "links into a store without a list of versions",
    before: "mkdir -p store p; for i in 1 2 3; do echo $i > store/$i; ln store/$i p/$i; done",
    run: "rm -rf p",
    left: ["cat store/*", "1 2 3"],
    back: ["cat p/*", "1 2 3"],
  },
  {
    name: "a list of versions that the run itself makes",
    before: "mkdir -p store p/node_modules; for i in 1 2 3; do echo $i > store/$i; ln store/$i p/node_modules/$i; done",
    run: "touch p/package-lock.json; rm -rf p/node_modules",
    back: ["cat p/node_modules/*", "1 2 3"],
  },
  {
    name: "what a build links",
    before: "mkdir -p target/deps; echo L > Cargo.lock; echo B > target/deps/b; ln target/deps/b target/b",
    run: "rm target/b; ln target/deps/b target/b; rm target/deps/b; echo C > target/deps/b",
    left: ["cat target/b target/deps/b", "B C"],
  },
  { name: "written to where it is still open", before: "echo O > f", run: "exec 3>>f; rm f; echo late >&3", back: ["cat f", "O"] },
  {
    name: "mapped, deleted and written to",
    before: "echo O > f",
    run: 'python3 -c \'import mmap,os;f=open("f","r+b");m=mmap.mmap(f.fileno(),0);os.unlink("f");m[0:1]=b"X";m.flush()\'',
    back: ["cat f", "O"],
  },
  {
    name: "open for writing by somebody outside the run",
    before: "echo O > log; (for i in $(seq 100); do sleep 0.1; echo late; done >> log) & sleep 0.3",
    run: "rm log",
    back: ["head -1 log", "O"],
  },
  {
    name: "edited in place after the undo, and the undo undone",
    before: "echo O > a",
    run: "rm a; echo N > a",
    back: ["cat a", "O"],
    edit: "true",
    again: ["cat a", "N"],
  },
  {
    name: "the undo of an undo, and that one undone",
    before: "echo O > a; echo Q > b",
    run: "mv b a",
    back: ["cat a b", "O Q"],
    again: ["cat a; ls", "Q a"],
  },
  {
    name: "a fifo and a symlink",
    before: "mkfifo p; ln -s x l; ln l m 2>/dev/null || ln -P l m",
    run: "rm p l",
    back: ["stat -c %F p l", "fifo symbolic link"],
  },
  { name: "a file that nobody may read", before: "echo O > a; chmod 0 a", run: "rm -f a", back: ["stat -c %a:%s a", "0:2"] },
  {
    name: "attributes come back with the bytes",
    before: "echo O > a; chmod 751 a; touch -d @1000000000 a; setfattr -n user.x -v y a 2>/dev/null || true",
    run: "rm a",
    back: ["stat -c %a:%Y a", "751:1000000000"],
  },
  {
    name: "attributes that may not be read",
    before: "echo O > a; setfattr -n user.x -v y a; chmod 200 a",
    run: "chmod 600 a; echo N > a",
    back: ["stat -c %a a; chmod 600 a; getfattr --only-values -n user.x a; chmod 200 a", "200 y"],
  },
  {
    name: "a sparse file",
    before: "truncate -s 300M a; echo end >> a",
    run: "rm a",
    back: ["tail -c 4 a; stat -c %s a; [ $(stat -c %b a) -lt 1000 ] && echo sparse", "end 314572804 sparse"],
  },
];

const suite = new Suite();
afterAll(() => suite.remove());

const ENV = { GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@b", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@b" };

describe.each(USERS)("what undo keeps is nobody else's, as %s", { concurrent: true }, (user) => {
  for (const { name, before = "", run, left, back, says, edit, again } of CASES.filter((_, row) => hasTurn(user, row)))
    it(name, async () => {
      const place = suite.place();
      place.fresh(user);
      const bash = async (text: string): Promise<string> => {
        const ran = await place.run({ user, argv: ["bash", "-c", text], env: ENV });
        expect(ran, text).toMatchObject({ status: 0 });
        return ran.stdout.trim().replaceAll(/\s+/g, " ");
      };
      const supervised = async (text: string): Promise<string> => {
        const ran = await place.run({ user, argv: place.supervised(["bash", "-c", text]), env: ENV });
        expect(ran, text).toMatchObject({ status: 0 });
        expect(ran.stderr).not.toMatch(/refused|denied/);
        return ran.stdout.trim().replaceAll(/\s+/g, " ");
      };
      const undo = async (...id: readonly string[]): Promise<string> => {
        const ran = await place.run({ user, argv: [...place.supervised([]).slice(0, 2), "undo", "--yes", ...id], env: ENV });
        return `${ran.stdout}${ran.stderr}`;
      };
      // Nothing that is kept has a second name.
      const shared = async (): Promise<string> => await bash(`find ${place.state} -path '*/kept/*' -links +1`);
      const check = async (what: readonly [string, string] | undefined): Promise<void> => {
        expect(await shared()).toBe("");
        if (what === undefined) return;
        const [script, prints] = what;
        const twice = script.includes(">>") ? await bash(`${script} >/dev/null; true`) : await bash(script);
        if (twice !== "") expect(twice).toBe(prints);
        expect(await supervised(script)).toBe(prints);
      };
      await bash(`{ ${before || ":"}; } >/dev/null`);
      await supervised(run);
      const id = (await bash(`ls ${place.state}/assent/runs | sort | tail -1`)).trim();
      await check(left);
      const said = await undo(id);
      if (says === undefined) expect(said).not.toContain("left alone");
      else expect(said).toMatch(says);
      await check(back);
      const undone = /assent undo (\S+)/.exec(said)?.[1];
      if (edit !== undefined) await bash(edit);
      if (again !== undefined) {
        await undo(undone ?? "");
        await check(again);
        // The first may be undone once more.
        await undo(id);
        await check(back);
      }
      remove(place.folder);
    });
});
