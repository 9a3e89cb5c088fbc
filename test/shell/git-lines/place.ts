import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A repository with a canary in each file that git or the policy keeps from somebody, and what lines of git print there. */

export interface GitPlace {
  readonly root: string;
  readonly home: string;
  readonly project: string;
}

/** Canaries are `CANARY-KIND-NAME`: of secrets by their names, of files that a written rule denies, and of those that may be shown. */
export const SECRET = /CANARY-SECRET-\w+/g;
export const DENIED = /CANARY-PRIVATE-\w+/g;

const COMMITS: readonly (readonly [string, Readonly<Record<string, string | undefined>>])[] = [
  [
    "first",
    {
      "src/a.ts": "a",
      "lib/a.ts": "a",
      "a.ts": "a",
      "README.md": "read",
      ".gitignore": "*.log\n/.env\n/src/.env\n",
      "private/k.txt": "PRIVATE-first",
      "private/gone.txt": "PRIVATE-gone",
    },
  ],
  ["second", { "src/a.ts": "b", "private/gone.txt": undefined, "private/k.txt": "PRIVATE-second" }],
  ["third", { "src/a.ts": "c", "private/k.txt": "PRIVATE-third" }],
];

/** Makes the place anew below `root`. `policy`: of the project. */
export function makePlace(root: string, policy?: string): GitPlace {
  const home = join(root, "home");
  const project = join(home, "p");
  const write = (path: string, text: string): void => {
    const at = path.startsWith("~/") ? join(home, path.slice(2)) : join(project, path);
    mkdirSync(dirname(at), { recursive: true });
    writeFileSync(at, /^(?:SECRET|PRIVATE)-/.test(text) ? `CANARY-${text}\n` : `${text}\n`);
  };
  const git = (...words: readonly string[]): string =>
    execFileSync("git", words, {
      cwd: project,
      encoding: "utf8",
      env: { PATH: process.env["PATH"], HOME: home, LC_ALL: "C" },
      stdio: ["ignore", "pipe", "ignore"],
    });
  mkdirSync(project, { recursive: true });
  write("~/.gitconfig", "[user]\n\tname = a\n\temail = a@b.c\n[init]\n\tdefaultBranch = main");
  write("~/.ssh/id_rsa", "SECRET-key");
  write("~/.aws/credentials", "SECRET-aws");
  write("~/empty/.keep", "");
  write("~/other/x.txt", "other");
  git("init", "-q");
  for (const [message, files] of COMMITS) {
    for (const [path, text] of Object.entries(files))
      if (text === undefined) rmSync(join(project, path));
      else write(path, text);
    git("add", "-A");
    git("commit", "-qm", message);
    if (message === "first") git("tag", "-am", "one", "v1");
  }
  git("checkout", "-qb", "feature", "HEAD~1");
  write("lib/a.ts", "f");
  write("private/branch.txt", "PRIVATE-branch");
  git("add", "-A");
  git("commit", "-qm", "of feature");
  git("checkout", "-q", "main");
  git("merge", "-qm", "merged", "feature");
  git("notes", "add", "-m", "a note");
  write(".env.local", "SECRET-stashed");
  write("private/stashed.txt", "PRIVATE-stashed");
  write("src/a.ts", "d");
  git("stash", "push", "-uqm", "kept");
  write(".env", "SECRET-ignored");
  write("src/.env", "SECRET-below");
  write("sub/.env", "SECRET-untracked");
  write("ignored.log", "log");
  write("private/new.txt", "PRIVATE-new");
  write("private/debug.log", "PRIVATE-ignored");
  write("private/staged.txt", "PRIVATE-staged");
  write("conf/.env", "SECRET-staged");
  git("add", "-f", "private/staged.txt", "conf/.env");
  write("private/k.txt", "PRIVATE-changed");
  write("src/a.ts", "e");
  if (policy !== undefined) writeFileSync(join(project, ".agent-permissions.jsonc"), policy);
  return { root, home, project };
}

/** Runs lines in namespaces of their own, each in a place that is made anew; says what each printed. */
export function printedBy(lines: readonly string[], place: GitPlace): readonly string[] {
  if (lines.length === 0) return [];
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "assent-git-lines-")));
  try {
    writeFileSync(join(scratch, "lines"), `${lines.join("\n")}\n`);
    // Everything is read-only but a copy of the place, which lies where the lines say. No network, no other process.
    const driver = `
mount --make-rprivate / && mount -t tmpfs none /dev/shm && cp -a ${place.root} /dev/shm/kept && cp -a ${place.root} /dev/shm/used
mount --bind ${scratch} ${scratch} && mount --bind /dev/shm/used ${place.root}
for at in / /home /root /var /etc /usr /tmp; do mount -o remount,ro,bind $at 2>/dev/null; done
export HOME=${place.home} LC_ALL=C GIT_TERMINAL_PROMPT=0
n=0
while IFS= read -r line <&9; do
  if [ $((n % 50)) = 0 ]; then find /dev/shm/used -mindepth 1 -delete; cp -a /dev/shm/kept/. /dev/shm/used/; fi
  cd ${place.project}
  timeout -k 1 5 bash -c "$line" </dev/null 9<&- 2>&1 | head -c 200000 > ${scratch}/$n
  n=$((n + 1))
done 9< ${scratch}/lines
`;
    execFileSync("unshare", ["-mpnif", "--mount-proc", "--kill-child", "bash", "-c", driver], {
      stdio: ["ignore", "ignore", "inherit"],
      timeout: 3_000_000,
    });
    return lines.map((_, at) => readFileSync(join(scratch, String(at)), "latin1"));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
