import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { SAMPLE, sampled } from "../sampled.ts";
import { DIST } from "../scratch.ts";
import { here, lasting } from "./run-place.ts";

const PATH = "/usr/local/bin:/usr/bin:/bin";
const BIN = join(DIST, "bin.cjs");
const has = (program: string): boolean => PATH.split(":").some((folder) => existsSync(join(folder, program)));

interface Place {
  readonly home: string;
  /** Home and project are as they were before; what was remembered stays. */
  readonly reset: () => void;
  /** Runs a line of shell with every question answered so, as another program would. The questions. */
  readonly answered: (line: string, action: string, pattern?: string) => Promise<readonly string[]>;
  /** Runs it with nobody to ask, or with other options. */
  readonly alone: (
    line: string,
    options?: readonly string[],
    program?: string,
  ) => { readonly status: number | null; readonly output: string };
}

/** `~/keep/f`, `~/keep/g` and the repository `~/r` are there before; the project has what the lines read. */
function place(): Place {
  const { project, home: account } = here();
  const home = mkdtempSync(join(lasting(), "remembered-"));
  const exchange = mkdtempSync(join(lasting(), "exchange-"));
  const state = join(account, "state");
  onTestFinished(() => {
    for (const folder of [home, exchange]) rmSync(folder, { recursive: true, force: true });
  });
  const env = { PATH, HOME: home, TERM: "xterm", NO_COLOR: "1", XDG_STATE_HOME: state };
  const reset = (): void => {
    rmSync(home, { recursive: true });
    rmSync(project, { recursive: true });
    for (const folder of ["keep", "x", "r", ".config"]) mkdirSync(join(home, folder), { recursive: true });
    for (const folder of [".git", "d/e"]) mkdirSync(join(project, folder), { recursive: true });
    for (const name of ["f", "g"]) writeFileSync(join(home, "keep", name), "kept\nsecond\n");
    for (const [name, text] of FILES) writeFileSync(join(project, name), text);
    const made = "tar cf a.tar d && cd ~/r && git init -q && git config user.email a@b && git config user.name x";
    spawnSync("sh", ["-c", `${made} && echo 1 > f && git add . && git commit -qm 1`], { cwd: project, env });
  };
  mkdirSync(state);
  reset();
  return {
    home,
    reset,
    answered: async (line, action, pattern) => {
      const folder = mkdtempSync(join(exchange, "x-"));
      const child = spawn(process.execPath, [BIN, "run", "-q", "--background-dir", folder, "sh", "-c", line], {
        cwd: project,
        env,
        stdio: "ignore",
      });
      const asked: string[] = [];
      let last = 0;
      while (child.exitCode === null) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        const pending = readPending(join(folder, "pending.json"));
        if (pending === undefined || pending.seq === last) continue;
        last = pending.seq;
        asked.push(pending.question.what.replaceAll(home, "~"));
        const response = { seq: last, action, nonce: pending.nonce, ...(pattern === undefined ? {} : { pattern }) };
        writeFileSync(join(folder, "next"), JSON.stringify(response));
        renameSync(join(folder, "next"), join(folder, "response.json"));
      }
      return asked;
    },
    alone: (line, options = ["-P"], program = "sh") => {
      const words = program === "sh" ? ["sh", "-c", line] : [program, line];
      const { status, stdout, stderr } = spawnSync("setsid", ["-w", process.execPath, BIN, "run", "-q", ...options, ...words], {
        cwd: project,
        env,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
      });
      return { status, output: `${stdout}${stderr}`.replaceAll(home, "~") };
    },
  };
}

function readPending(
  file: string,
): { readonly seq: number; readonly nonce: string; readonly question: { readonly what: string } } | undefined {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a run writes
    return JSON.parse(readFileSync(file, "utf8")) as ReturnType<typeof readPending>;
  } catch {
    return undefined;
  }
}

const NODE = `const fs = require("fs"), f = process.argv[2], t = f + "." + Math.floor(1e6 + Math.random() * 4e9);
fs.writeFileSync(t, "x"); fs.chmodSync(t, 0o600); fs.renameSync(t, f);\n`;
const PYTHON = "import os, sys, tempfile\nf = sys.argv[1]\n";
const FILES: readonly (readonly [name: string, text: string])[] = [
  ["s", "new\n"],
  ["d/e/f", "1"],
  ["d/g", "2"],
  ["m.c", "int main() { return 0; }\n"],
  ["Makefile", "all:\n\tmkdir -p $(OUT)\n\tcp s $(OUT)/s.o\n\tmv $(OUT)/s.o $(OUT)/s.out\n\ttouch $(OUT)/stamp\n"],
  ["p.diff", "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-kept\n+new\n second\n"],
  ["w.js", NODE],
  [
    "a.py",
    `${PYTHON}d, n = tempfile.mkstemp(dir=os.path.dirname(f), prefix="." + os.path.basename(f) + ".")\nos.close(d)\nos.replace(n, f)\n`,
  ],
  ["b.py", `${PYTHON}t = f + ".tmp." + str(os.getpid())\nopen(t, "w").write("x")\nos.replace(t, f)\n`],
];

interface Everyday {
  readonly line: string;
  /** The first question; a line that asks more often says how often. */
  readonly says: string;
  readonly questions?: number;
  /** What it did before is in its way by itself. */
  readonly once?: true;
  readonly needs?: string;
}

const EVERYDAY: readonly Everyday[] = [
  { line: "touch ~/f", says: "create the file ~/f" },
  { line: "touch ~/keep/f", says: "change ~/keep/f" },
  { line: "touch ~/a ~/b ~/c", says: "create ~/a, ~/b and ~/c" },
  { line: "mkdir -p ~/p && touch ~/p/f && echo 2 > ~/p/g", says: "create the folder ~/p and put files into it" },
  { line: "mkdir -p ~/a/b && echo x | tee ~/a/b/f > /dev/null", says: "create the folder ~/a and put files into it" },
  { line: "mkdir -p ~/a ~/b && touch ~/b/f", says: "create the folders ~/a and ~/b and put files into them" },
  { line: "mkdir -p ~/q && rmdir ~/q", says: "create the folder ~/q and put files into it" },
  { line: "cp s ~/f", says: "create the file ~/f" },
  { line: "cp -p s ~/f", says: "create the file ~/f" },
  { line: "cp -p s ~/keep/f", says: "overwrite ~/keep/f" },
  { line: "cp -a d ~/d", says: "create the folder ~/d and put files into it" },
  { line: "cp s ~/t && mv ~/t ~/keep/f", says: "create the file ~/t", questions: 2 },
  { line: "mv ~/keep/f ~/keep/h", says: "move ~/keep/f to ~/keep/h", once: true },
  { line: "mv s ~/keep/f", says: "replace by a move", once: true },
  { line: "sed -i s/kept/new/ ~/keep/f", says: "change ~/keep/f" },
  { line: "sed -i s/kept/new/ ~/keep/f ~/keep/g", says: "change ~/keep/f and ~/keep/g" },
  { line: "perl -pi -e s/kept/new/ ~/keep/f", says: "create the file ~/keep/XX", questions: 2, needs: "perl" },
  { line: "tar -C ~/x -xf a.tar", says: "create the folder ~/x/d and put files into it" },
  { line: "cd ~/r && echo 2 >> f && git commit -qam 2", says: "change ~/r/f", questions: 2 },
  {
    line: "mkdir -p ~/p && cd ~/p && git init -q && git -c user.email=a -c user.name=b commit -qm 1 --allow-empty",
    says: "create the folder ~/p",
  },
  { line: "node w.js ~/keep/f", says: "change ~/keep/f", needs: "node" },
  { line: "python3 a.py ~/keep/f", says: "change ~/keep/f" },
  { line: "python3 a.py ~/n", says: "create ~/n" },
  { line: "python3 b.py ~/keep/f", says: "change ~/keep/f" },
  { line: "timeout 20 vim -u NONE -es -c %s/kept/new/e -c wq -c qa! ~/keep/f", says: "change ~/keep/f", needs: "vim" },
  { line: "rsync -a d/ ~/y/", says: "create the folder ~/y and put files into it", needs: "rsync" },
  { line: "rsync -a s ~/keep/f", says: "change ~/keep/f", needs: "rsync" },
  { line: "ln -s s ~/l", says: "create the link ~/l, which leads to s", once: true },
  { line: "ln -sf s ~/l", says: "create the link ~/l, which leads to s" },
  { line: "ln ~/keep/f ~/keep/h", says: "give ~/keep/f a second name, ~/keep/h", once: true },
  { line: "chmod 600 ~/keep/f", says: "change the permissions of ~/keep/f to 0600" },
  { line: "truncate -s 3 ~/keep/f", says: "change ~/keep/f" },
  { line: "gcc -o ~/x/m m.c", says: "create the file ~/x/m", needs: "gcc" },
  { line: "make -s OUT=$HOME/o", says: "create the folder ~/o and put files into it", needs: "make" },
  { line: "cd ~/keep && patch -s -N -p1 < $OLDPWD/p.diff", says: "change ~/keep/f", once: true, needs: "patch" },
  { line: "zip -q ~/z.zip s", says: "create the file ~/z.zip", questions: 2, needs: "zip" },
  { line: "install -m 755 s ~/keep/x", says: "create the file ~/keep/x" },
  { line: "install -D -m 644 s ~/i/j/k", says: "create the folder ~/i and put files into it" },
  { line: "echo x >> ~/keep/f", says: "change ~/keep/f" },
  { line: "dd if=s of=$HOME/keep/f status=none", says: "overwrite ~/keep/f" },
  { line: "rm -f ~/keep/f", says: "delete ~/keep/f" },
  { line: "gzip -kf ~/keep/f", says: "create the file ~/keep/f.gz" },
  { line: "git config --global user.name x", says: "change ~/.gitconfig" },
  { line: "sort -o ~/keep/f ~/keep/f", says: "change ~/keep/f" },
  { line: "split -l 1 ~/keep/f ~/x/part", says: "create the file ~/x/partaa", questions: 2 },
  { line: "sqlite3 ~/d.db 'create table if not exists t (a); insert into t values (1)'", says: "create the file ~/d.db", needs: "sqlite3" },
  { line: "python3 -m venv --without-pip ~/v", says: "create the folder ~/v and put files into it" },
  { line: "cat d/g > ~/keep/new && chmod 640 ~/keep/new", says: "create the file ~/keep/new" },
  { line: "mkdir -p ~/.config/k && echo 1 > ~/.config/k/conf", says: "create the folder ~/.config/k and put files into it" },
  { line: "date > ~/keep/log; date >> ~/keep/log", says: "create the file ~/keep/log" },
  { line: "touch ~/'my (own) notes, {a}.txt'", says: "create the file ~/my (own) notes, {a}.txt" },
];

const REFUSED = /assent: refused|Permission denied/;

describe(`what was answered once goes through with nobody there (${SAMPLE})`, () => {
  describe.each(["pattern", "learn"])("by %s", (way) => {
    for (const { line, says, questions = 1, once, needs } of sampled(EVERYDAY, 3))
      it.skipIf(needs !== undefined && !has(needs))(
        line,
        async () => {
          const { answered, alone, reset } = place();
          if (way === "pattern") {
            const asked = await answered(line, "pattern");
            expect([asked.length, asked[0]], asked.join("\n")).toEqual([questions, expect.stringContaining(says)]);
          } else expect(alone(line, ["--learn", "--yes"]).output).toContain("written to the profile");
          for (const again of once === true ? ["as before"] : ["with what it made", "as before"]) {
            if (again === "as before") reset();
            const { status, output } = alone(line);
            expect(output, again).not.toMatch(REFUSED);
            expect([again, status], output).toEqual([again, 0]);
          }
        },
        60_000,
      );
  });
});

/** As ptrace-approve wrote them, and as they are imported from it. */
const PATTERNS: readonly (readonly [line: string, pattern: string])[] = [
  ["touch ~/f", "open(~/f, _)"],
  ["cp -p s ~/keep/f", "open(~/keep/f, _)"],
  ["sed -i s/kept/new/ ~/keep/f", "open(~/keep/f, _)"],
  ["python3 a.py ~/n", "open(~/n, _)"],
  ["mkdir -p ~/p && cp -p s ~/p/f", "open(~/p/**, _)"],
  ["mkdir -p ~/p/q && touch ~/p/q/f", "open(~/p/**, _)"],
];

describe("and so by a pattern of ptrace-approve", () => {
  it.each(PATTERNS)("%s: %s", async (line, pattern) => {
    const { home, answered, alone, reset } = place();
    expect(await answered(line, "pattern", pattern.replace("~", home))).toHaveLength(1);
    reset();
    const { status, output } = alone(line);
    expect(output).not.toMatch(REFUSED);
    expect(status, output).toBe(0);
  });
});

/** Everything at home, as far as a program could change it. */
const snapshot = (home: string): readonly string[] =>
  spawnSync("sh", ["-c", "find . -path ./.config -prune -o -printf '%p %y %m %n %l\\n'; find . -type f -exec sha256sum {} +"], {
    cwd: home,
    encoding: "utf8",
  })
    .stdout.split("\n")
    .toSorted();

/** What lies near: other files, other folders, and other things done to the same ones. */
const NEAR = [
  "touch ~/elsewhere ~/keep/elsewhere ~/x/f ~/f.other ~/keep/f2 ~/keep/f.txt",
  "mkdir ~/other ~/keep/other ~/x/other",
  "echo 1 >> ~/keep/g2; echo 1 > ~/r/new",
  "chmod u+s ~/keep/f ~/keep/g",
  "chmod 777 ~/keep ~/keep/g",
  "ln -s /etc ~/keep/link; ln -s /etc/passwd ~/x/link",
  "ln ~/keep/g ~/x/hard; ln ~/keep/g ~/keep/f.hard",
  "mv ~/keep/g ~/x/moved; mv ~/r ~/x/r",
  "rm ~/keep/g; rm -r ~/r ~/keep",
  "echo 1 >> ~/.bashrc; echo 1 >> ~/.ssh/authorized_keys",
];
/** Done to one that the line made. */
const DONE_TO = [
  "rm -rf $P",
  "chmod 6755 $P",
  "ln $P ~/x/hard",
  "ln -sfn /etc $P",
  "ln -s /etc/passwd $P/link",
  "mv $P ~/x/moved",
  "cp ~/keep/g $P.other",
];

/** Rows whose question was about the very thing. */
const SAID: ReadonlySet<string> = new Set(["rm -f ~/keep/f", "mv ~/keep/f ~/keep/h", "ln ~/keep/f ~/keep/h"]);

describe(`and nothing else does (${SAMPLE})`, () => {
  for (const { line, needs } of sampled(EVERYDAY, 3))
    it.skipIf((needs !== undefined && !has(needs)) || SAID.has(line))(
      `near ${line}`,
      async () => {
        const { home, answered, alone, reset } = place();
        await answered(line, "pattern");
        const made = snapshot(home);
        reset();
        const before = snapshot(home);
        const [first] = made
          .filter((entry) => entry.startsWith("./") && !entry.includes("/.git") && !before.includes(entry))
          .map((entry) => entry.slice(2).replace(/ [a-z] \d+ \d+ .*$/, ""));
        alone(NEAR.join("\n"));
        expect(snapshot(home)).toEqual(before);
        // Whoever is not this program was not asked about.
        alone(line, ["-P", "--profile", "another"]);
        expect(snapshot(home), "another program").toEqual(before);
        alone(line);
        const after = snapshot(home);
        if (first !== undefined) alone(`P=~/'${first}'\n${DONE_TO.join("\n")}`);
        expect(snapshot(home), `done to ~/${first}`).toEqual(after);
      },
      60_000,
    );
});
