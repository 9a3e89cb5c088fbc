import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { DIST } from "../scratch.ts";
import { here } from "./run-place.ts";

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

/** Runs a line of shell at a terminal, without a policy file. Home is no temporary folder. `$HOME/keep/f` was there before. */
function ask(line: string, keys = "a"): Asked {
  const place = here();
  const home = mkdtempSync(join(LASTING, "assent-home-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  mkdirSync(join(home, "keep"));
  writeFileSync(join(home, "keep/f"), "kept\n");
  const { stdout, stderr } = spawnSync("python3", [DRIVER, keys, "--", process.execPath, join(DIST, "bin.cjs"), "run", "sh", "-c", line], {
    cwd: place.project,
    encoding: "utf8",
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home, TERM: "xterm", NO_COLOR: "1" },
  });
  expect(stdout, stderr).not.toBe("");
  const text = (name: string): string | undefined => (existsSync(join(home, name)) ? readFileSync(join(home, name), "utf8") : undefined);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the driver prints
  return { ...(JSON.parse(stdout) as Pick<Asked, "questions" | "output">), text };
}

describe("what is one wish is one question", () => {
  it.each<[line: string, says: string, made: string]>([
    ["touch ~/f", "create the file", "f"],
    [
      "mkdir ~/p; cd ~/p; git init -q; echo {} > package.json; mkdir -p a/b; mv package.json a/b; rm -r a",
      "create the folder",
      "p/.git/HEAD",
    ],
    ["mkdir -p ~/x/y/z; echo 1 > ~/x/y/z/f; chmod 600 ~/x/y/z/f", "create the folder", "x/y/z/f"],
    ["git config --global user.name x", "change ", ".gitconfig"],
  ])(
    "%s",
    (line, says, made) => {
      const { questions, output, text } = ask(line);
      expect(questions, output).toBe(1);
      expect(output).toContain(says);
      expect(text(made), output).toBeDefined();
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
    ["the rights of others", "mkdir ~/v; cp /bin/true ~/v/t; chmod u+s ~/v/t && echo lent > ~/v/lent", "v/lent", undefined],
  ];
  it.each(cases)(
    "%s",
    (_, line, closed, was) => {
      const { output, text } = ask(line, "ad");
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
