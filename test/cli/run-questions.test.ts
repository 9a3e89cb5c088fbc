import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { DIST } from "../scratch.ts";
import { here } from "./run-place.ts";

const PATH = "/usr/local/bin:/usr/bin:/bin";
const DRIVER = fileURLToPath(new URL("answer_questions.py", import.meta.url));

/** No temporary folder, and nothing below `node_modules`, where files that name programs are obeyed by nobody. */
const FOUND = [homedir(), "/srv", "/opt", "/var/lib"].find((folder) => {
  try {
    accessSync(folder, constants.W_OK);
    return !/^\/(?:var\/)?tmp(?:\/|$)/.test(folder);
  } catch {
    return false;
  }
});
if (FOUND === undefined) throw new Error("no folder outside the temporary ones can be written");
const LASTING: string = FOUND;

interface Asked {
  readonly questions: number;
  readonly output: string;
  /** The text of a file at home; undefined: it is not there. */
  readonly text: (name: string) => string | undefined;
}

/** Runs a line of shell at a terminal, without a policy file. Home is no temporary folder. `$HOME/keep/f`, `$HOME/keep/g` and `$HOME/bin/had` were there before. */
function ask(line: string, keys = "y"): Asked {
  const place = here();
  const home = mkdtempSync(join(LASTING, "assent-home-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  // As in everybody's home.
  for (const folder of ["keep", "bin", ".config", ".local"]) mkdirSync(join(home, folder));
  for (const file of ["keep/f", "keep/g", "bin/had"]) writeFileSync(join(home, file), "kept\n");
  const { stdout, stderr } = spawnSync("python3", [DRIVER, keys, "--", process.execPath, join(DIST, "bin.cjs"), "run", "sh", "-c", line], {
    cwd: place.project,
    encoding: "utf8",
    env: { PATH, HOME: home, TERM: "xterm", NO_COLOR: "1" },
  });
  expect(stdout, stderr).not.toBe("");
  const text = (name: string): string | undefined => (existsSync(join(home, name)) ? readFileSync(join(home, name), "utf8") : undefined);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the driver prints
  return { ...(JSON.parse(stdout) as Pick<Asked, "questions" | "output">), text };
}

/** A program of the machine: without it the row is left out, with its name. */
const has = (program: string): boolean => PATH.split(":").some((folder) => existsSync(join(folder, program)));

/** A package without a registry: an archive that lies in the project. */
const PACKED = "mkdir -p k/package/bin && cd k && echo 'console.log(1)' > package/bin/t.js";
const MANIFEST = `printf '{"name":"k","version":"1.0.0","bin":{"%s":"bin/t.js"}}'`;
const packed = (program: string): string => `(${PACKED} && ${MANIFEST} ${program} > package/package.json && tar czf ../k.tgz package)`;
const OFFLINE = "--offline --no-audit --no-fund --loglevel=error";

const MAKEFILE = String.raw`printf 'install:\n\tinstall -d $(PREFIX)/bin $(PREFIX)/share/man/man1\n\tinstall s $(PREFIX)/bin/%s\n\tinstall -m 644 s $(PREFIX)/share/man/man1/h.1\n'`;
const built = (program: string): string => `echo '#!/bin/sh' > s && ${MAKEFILE} ${program} > Makefile`;
const ARCHIVE = "mkdir -p d/e && echo 1 > d/e/f && echo 2 > d/g && tar cf a.tar d";
const REPOSITORY =
  "git init -q r && cd r && git config user.email a@b && git config user.name x && mkdir s && echo 1 > f && echo 2 > s/g && git add . && git commit -qm 1 && cd ..";
const GO = "printf 'module x\\ngo 1.19\\n' > go.mod && printf 'package main\\nfunc main() {}\\n' > m.go";

interface Everyday {
  readonly line: string;
  /** What a sensible person expects. */
  readonly questions: 0 | 1;
  readonly says?: string;
  /** At home, afterwards. */
  readonly made?: string;
  /** Programs without which it is left out. */
  readonly needs?: readonly string[];
}

/** The first things that people do. Before they are asked about they prepare what they need in the project, where nobody is asked. */
const EVERYDAY: readonly Everyday[] = [
  { line: "touch ~/f", questions: 1, says: "create the file ~/f", made: "f" },
  { line: "touch ~/f; rm ~/f; touch ~/f", questions: 1, made: "f" },
  {
    line: "mkdir ~/p; cd ~/p; git init -q; echo {} > package.json; mkdir -p a/b; mv package.json a/b; rm -r a",
    questions: 1,
    says: "create the folder ~/p and put files into it",
    made: "p/.git/HEAD",
  },
  {
    line: `mkdir ~/p; cd ~/p; git init -q; npm init -y >/dev/null`,
    questions: 1,
    says: "create the folder ~/p",
    made: "p/package.json",
  },
  {
    line: "python3 -m venv --without-pip ~/v",
    questions: 1,
    says: "create the folder ~/v",
    made: "v/pyvenv.cfg",
    needs: ["python3"],
  },
  { line: "sed -i s/kept/new/ ~/keep/f", questions: 1, says: "change ~/keep/f", made: "keep/f" },
  { line: "sed -i s/kept/new/ ~/keep/f ~/keep/g", questions: 1, says: "change ~/keep/f and ~/keep/g" },
  {
    line: "mkdir ~/a ~/b; touch ~/b/f; mkdir -p ~/a/c",
    questions: 1,
    says: "create the folders ~/a and ~/b and put files into them",
    made: "b/f",
  },
  { line: "mkdir -p ~/a/b ~/c/d && touch ~/c/d/f", questions: 1, says: "create the folders ~/a/b and ~/c/d", made: "c/d/f" },
  { line: "touch ~/a ~/b ~/c", questions: 1, says: "create ~/a, ~/b and ~/c", made: "c" },
  { line: "rm ~/keep/f ~/keep/g", questions: 1, says: "delete ~/keep/f and ~/keep/g" },
  { line: "mkdir -p ~/x/y/z; echo 1 > ~/x/y/z/f; chmod 600 ~/x/y/z/f", questions: 1, says: "create the folder", made: "x/y/z/f" },
  { line: "git config --global user.name x", questions: 1, says: "change ~/.gitconfig", made: ".gitconfig" },
  { line: "git config --global user.name x; git config --global user.email a@b.c", questions: 1, made: ".gitconfig" },
  {
    line: `${packed("k-tool")} && npm i -g ${OFFLINE} --prefix ~/.local ./k.tgz`,
    questions: 1,
    says: "install into ~/.local, with programs in ~/.local/bin",
    made: ".local/bin/k-tool",
  },
  {
    line: `${packed("k-tool")} && npm init -y >/dev/null && npm i ${OFFLINE} ./k.tgz && ./node_modules/.bin/k-tool`,
    questions: 0,
    needs: ["npm"],
  },
  { line: `${packed("k-tool")} && npm pack ${OFFLINE} --pack-destination ~/ ./k.tgz`, questions: 1, made: "k-1.0.0.tgz", needs: ["npm"] },
  { line: "cargo new -q c && cd c && cargo build -q --offline", questions: 0, needs: ["cargo"] },
  { line: "cargo new -q ~/c && cd ~/c && cargo build -q --offline", questions: 1, made: "c/Cargo.lock", needs: ["cargo"] },
  {
    line: "cargo new -q c && cargo install -q --offline --path c",
    questions: 1,
    says: "install into ~/.cargo, with programs in ~/.cargo/bin",
    made: ".cargo/bin/c",
    needs: ["cargo"],
  },
  { line: `${GO} && go build ./...`, questions: 0, needs: ["go"] },
  { line: `mkdir ~/g && cd ~/g && ${GO} && go build -o x ./...`, questions: 1, made: "g/x", needs: ["go"] },
  { line: `${GO} && go install -buildvcs=false ./...`, questions: 1, says: "put programs into ~/go/bin", made: "go/bin/x", needs: ["go"] },
  {
    line: `${built("h-tool")} && make -s install PREFIX=$HOME/.local`,
    questions: 1,
    says: "asked because: later commands start what is put into ~/.local/bin by its name",
    made: ".local/bin/h-tool",
    needs: ["make"],
  },
  { line: `${built("h-tool")} && make -s install PREFIX=$HOME/opt/h`, questions: 1, made: "opt/h/bin/h-tool", needs: ["make"] },
  { line: "mkdir ~/.local/bin; :", questions: 1, says: "create the folder ~/.local/bin" },
  {
    line: "echo 1 > t-tool; install t-tool ~/keep/../bin/t-tool",
    questions: 1,
    says: "later commands start it by its name, t-tool",
    made: "bin/t-tool",
  },
  { line: `${ARCHIVE} && tar -C ~ -xf a.tar`, questions: 1, says: "create the folder ~/d", made: "d/e/f" },
  { line: `${ARCHIVE} && mkdir ~/x && tar -C ~/x -xf a.tar`, questions: 1, made: "x/d/e/f" },
  { line: `${REPOSITORY} && git clone -q ./r ~/src/r`, questions: 1, says: "create the folder ~/src", made: "src/r/s/g" },
  { line: `${ARCHIVE} && cp -a d ~/r && rm a.tar`, questions: 1, says: "create the folder ~/r", made: "r/e/f" },
  { line: "ssh-keygen -q -t ed25519 -N '' -f ~/k", questions: 1, made: "k.pub", needs: ["ssh-keygen"] },
  {
    line: "echo 1 > a; curl -sS -o ~/keep/x file://$PWD/a",
    questions: 1,
    says: "create the file ~/keep/x",
    made: "keep/x",
    needs: ["curl"],
  },
  {
    line: "mkdir ~/.config/k && echo 1 > ~/.config/k/conf && mkdir ~/.config/k/d",
    questions: 1,
    says: "~/.config/k",
    made: ".config/k/conf",
  },
  {
    line: "python3 -c 'import sqlite3; d = sqlite3.connect(\"'$HOME'/d.db\"); d.execute(\"create table t (a)\"); d.commit()'",
    questions: 1,
    made: "d.db",
  },
  { line: 'python3 -c \'open("\'$HOME\'/gen.py", "w").write("x = 1")\' && echo "y = 2" >> ~/gen.py', questions: 1, made: "gen.py" },
];

describe("what is one wish is one question", () => {
  for (const { line, questions, says, made, needs = [] } of EVERYDAY) {
    const missing = needs.filter((program) => !has(program));
    const shown = line.split(" && ").at(-1) ?? line;
    it.skipIf(missing.length > 0)(
      `${questions}: ${shown}${missing.length === 0 ? "" : ` (there is no ${missing.join(", ")})`}`,
      () => {
        const asked = ask(line);
        expect(asked.questions, asked.output).toBe(questions);
        if (says !== undefined) expect(asked.output).toContain(says);
        if (made !== undefined) expect(asked.text(made), asked.output).toBeDefined();
      },
      120_000,
    );
  }

  it.each<readonly [why: string, keys: string, line: string, questions: number]>([
    ["for this run: what is alike, with what is put into it", "r", "mkdir ~/keep/a; touch ~/keep/a/x; mkdir ~/keep/b; touch ~/keep/b/x", 1],
    ["for this run: its times, too", "r", "touch ~/keep/a; touch ~/keep/b; chmod 600 ~/keep/b", 1],
    ["a program is trusted each time it starts", "ty", "touch ~/keep/a; mkdir ~/b; touch ~/keep/c ~/d; touch ~/keep/f", 2],
    ["another program is not", "t", "touch ~/keep/a; mkdir ~/b", 2],
    ["nor is a shell, which may be told anything", "tn", "sh -c 'echo 1 > ~/keep/a; mkdir ~/q'; sh -c 'echo 1 > ~/b'", 2],
    ["once: this file, with its times", "y", "touch ~/keep/f", 1],
    ["a temporary file is a change of the file whose place it takes", "y", "echo 1 > ~/keep/f.tmp; mv ~/keep/f.tmp ~/keep/f", 1],
    ["which is no word to another program", "y", "echo 1 > ~/keep/f.tmp; mv ~/keep/f.tmp ~/keep/f; echo 2 > ~/keep/g", 2],
  ])(
    "%s",
    (_, keys, line, questions) => {
      const asked = ask(line, keys);
      expect(asked.questions, asked.output).toBe(questions);
    },
    120_000,
  );

  it("what will be refused in the end is not asked before", () => {
    const { questions, output, text } = ask("echo id > ~/.bashrc.tmp; mv ~/.bashrc.tmp ~/.bashrc");
    expect([questions, text(".bashrc.tmp"), text(".bashrc")], output).toEqual([0, undefined, undefined]);
  }, 120_000);
});

describe("what a person let a run make opens nothing else", () => {
  const cases: readonly (readonly [what: string, line: string, closed: string, was: string | undefined])[] = [
    ["a link in the folder's place", "mkdir ~/v; rmdir ~/v; ln -s ~/keep ~/v; touch ~/v/new", "keep/new", undefined],
    ["the folder under another name", "mkdir ~/v; mv ~/v ~/w; touch ~/w/new", "w/new", undefined],
    ["another name of a file that was there", "mkdir ~/v; ln ~/keep/f ~/v/f; echo lost > ~/v/f", "keep/f", "kept\n"],
    ["a link to a file that was there", "mkdir ~/v; ln -s ~/keep/f ~/v/f; echo lost > ~/v/f", "keep/f", "kept\n"],
    ["a file that was there, by the way up", "mkdir ~/v; echo lost > ~/v/../keep/f", "keep/f", "kept\n"],
    ["a hook of git", "mkdir ~/v; git init -q ~/v; echo id > ~/v/.git/hooks/pre-commit", "v/.git/hooks/pre-commit", undefined],
    ["startup files", "mkdir ~/v; echo id > ~/v/rc; mv ~/v/rc ~/.bashrc", ".bashrc", undefined],
    ["settings of agents", "mkdir ~/v; mkdir ~/v/.claude; echo {} > ~/v/.claude/settings.json", "v/.claude/settings.json", undefined],
    ["files that name programs", "mkdir ~/v; echo x > ~/v/mise.toml", "v/mise.toml", undefined],
    ["a folder in which they lie", "mkdir -p ~/v/c; echo x > ~/v/c/tasks.json; mv ~/v/c ~/v/.vscode", "v/.vscode/tasks.json", undefined],
    ["a link that is such a folder", "mkdir -p ~/v/c; echo x > ~/v/c/tasks.json; ln -s c ~/v/.vscode", "v/.vscode/tasks.json", undefined],
    ["a program of another's name", `${built("git")} && make -s install PREFIX=$HOME/.local`, ".local/bin/git", undefined],
    [
      "a program of another's name, in a package",
      `${packed("ls")}; npm i -g ${OFFLINE} --prefix ~/.local ./k.tgz`,
      ".local/bin/ls",
      undefined,
    ],
    [
      "programs, to what else runs",
      `${built("h-tool")} && make -s install PREFIX=$HOME/.local; echo 1 > ~/.local/bin/t-tool`,
      ".local/bin/t-tool",
      undefined,
    ],
    ["a program that was there", `${built("had")} && make -s install PREFIX=$HOME`, "bin/had", "kept\n"],
    ["programs, by the folder in which it lies", "mkdir ~/go; mkdir ~/go/bin; echo 1 > ~/go/bin/t-tool", "go/bin/t-tool", undefined],
    ["programs, by a move", "echo 1 > ~/f; mv ~/f ~/bin/t-tool", "bin/t-tool", undefined],
    [
      "startup files, in an installation",
      `${built("h-tool")}; make -s install PREFIX=$HOME/.local; echo id > ~/.profile`,
      ".profile",
      undefined,
    ],
    [
      "what python loads by itself",
      "mkdir -p ~/.local/lib/python3.1/site-packages; echo x > ~/.local/lib/python3.1/site-packages/a.pth",
      ".local/lib/python3.1/site-packages/a.pth",
      undefined,
    ],
    [
      "what else lies where a named file is changed",
      "sed -i s/a/b/ ~/keep/f; sed s/a/b/ ~/keep/f > ~/keep/sedAAAAAA",
      "keep/sedAAAAAA",
      undefined,
    ],
    ["the place of a named file, for another program", "sed -i s/kept/kept/ ~/keep/f; echo lost > ~/keep/f", "keep/f", "kept\n"],
    ["what a link of that name leads to", "ln -s ~/keep/f l; sed -i --follow-symlinks s/x/y/ l; echo lost > ~/keep/f", "keep/f", "kept\n"],
    ["what is put in the place of a named file", "touch ~/keep/f ~/keep/g; echo lost > n; mv n ~/keep/f", "keep/f", "kept\n"],
    ["a program that is named along", "rm ~/bin/had ~/keep/g; :", "keep/g", "kept\n"],
    ["more than the named folders", "mkdir ~/a ~/b; touch ~/d", "d", undefined],
    ["startup files that are named along", "touch ~/n ~/.bashrc", ".bashrc", undefined],
    ["programs that are named along", "cp /bin/true t; touch ~/n ~/bin/ls", "bin/ls", undefined],
    ["the rights of others", "mkdir ~/v; cp /bin/true ~/v/t; chmod u+s ~/v/t && echo lent > ~/v/lent", "v/lent", undefined],
  ];
  it.each(cases)(
    "%s",
    (_, line, closed, was) => {
      const { output, text } = ask(line, "yn");
      expect(text(closed), output).toBe(was);
    },
    120_000,
  );

  it.each([
    ["what git runs", "git config --global alias.x '!id'"],
    ["a git into which other code is loaded", "LD_LIBRARY_PATH=. git config --global user.name x"],
    [
      "what takes the place of git's settings by hand",
      "printf '[alias]\\n\\tx = !id\\n' > ~/.gitconfig.lock; mv ~/.gitconfig.lock ~/.gitconfig",
    ],
  ])(
    "git's own settings, whatever the person says: %s",
    (_, line) => {
      const { output, text } = ask(line);
      expect(text(".gitconfig"), output).toBeUndefined();
    },
    120_000,
  );
});

it.each([
  ["where nobody is asked", ["-P"]],
  ["where another program answers", ["--background-dir", "q"]],
])("programs that later commands start are no matter of a run %s", (_, options) => {
  const place = here();
  mkdirSync(join(place.project, "q"), { mode: 0o700 });
  mkdirSync(join(place.home, "bin"));
  const { stderr } = place.run([...options, "sh", "-c", "echo 1 > ~/bin/t-tool"]);
  expect(stderr).toContain("can start programs later");
  expect(existsSync(join(place.home, "bin/t-tool"))).toBe(false);
});
