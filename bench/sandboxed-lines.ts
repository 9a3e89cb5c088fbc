// Whether what goes ahead sandboxed fails where it would not have failed by itself: `npm run sandboxed-lines -- LINES` (what `npm run friction --
// --lines LINES` wrote). Sixty of its lines, by a seed and in the shares of their first programs, are played bare and sandboxed, each in namespaces
// of its own: no network, one folder of one project that can be written. A line that fails bare, too, cannot be played here and makes room for
// the next. `--seed N`, `--count N`; `SHOW=1` shows what a line said.
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { randomNumbers } from "./random.ts";

const HOME = "/home/dev";
const PROJECT = join(HOME, "app");
const SECONDS = 40;

const TEXTS: Readonly<Record<string, string>> = {
  py: "print(1)\n",
  js: "console.log(1);\n",
  mjs: "console.log(1);\n",
  cjs: "console.log(1);\n",
  ts: "export {};\n",
  tsx: "export {};\n",
  json: '{ "a": 1, "scripts": {} }\n',
  jsonl: '{ "a": 1 }\n',
  sh: "#!/bin/sh\necho played\n",
  go: "package a\n",
  java: "class A {}\n",
};

const words = process.argv.slice(2);
const option = (name: string, otherwise: number): number => {
  const at = words.indexOf(name);
  return at < 0 ? otherwise : Number(words.splice(at, 2)[1]);
};
const seed = option("--seed", 1);
const count = option("--count", 60);
const dist = process.env["ASSENT_DIST"] ?? join(process.cwd(), "dist");
const [file] = words;
if (file === undefined) throw new Error("name the file that `npm run friction -- --lines FILE` wrote");

// In no temporary folder: what a run may do there says nothing.
const base = process.getuid?.() === 0 ? "/srv" : join(homedir(), ".cache");
mkdirSync(base, { recursive: true });
const scratch = realpathSync(mkdtempSync(join(base, "assent-lines-")));
const env = {
  PATH: [...new Set([dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"])].join(delimiter),
  HOME,
  LC_ALL: "C.UTF-8",
  NO_COLOR: "1",
  GIT_EDITOR: "true",
  GOFLAGS: "-mod=mod",
  GOTOOLCHAIN: "local",
};

type Result = Pick<SpawnSyncReturns<string>, "status" | "stdout" | "stderr">;

const found: string[] = [];
const programs = new Map<string, number>();
const failing = { bare: 0, sandboxed: 0 };
try {
  for (const command of draw(sandboxedLines(file))) {
    if ([...programs.values()].reduce((a, b) => a + b, 0) >= count) break;
    const bare = play(command, "bare");
    if (bare.status !== 0) {
      failing.bare += 1;
      continue;
    }
    const program = firstProgram(command);
    programs.set(program, (programs.get(program) ?? 0) + 1);
    const sandboxed = play(command, "sandboxed");
    if (sandboxed.status !== bare.status) {
      failing.sandboxed += 1;
      tell(`fails sandboxed (exit ${sandboxed.status})`, command, sandboxed);
    } else if (plain(sandboxed) !== plain(bare) && plain(play(command, "bare")) === plain(bare)) {
      tell("says something else sandboxed", command, sandboxed, bare);
    }
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
const played = [...programs.values()].reduce((a, b) => a + b, 0);
process.stdout.write(
  `${played} lines played with seed ${seed} (${[...programs].map(([name, times]) => `${name} ${times}`).join(", ")}): ${failing.sandboxed} fail sandboxed only; ${found.length - failing.sandboxed} say something else; ${failing.bare} more cannot be played here\n`,
);
process.exitCode = failing.sandboxed > 0 ? 1 : 0;

function sandboxedLines(name: string): readonly string[] {
  return readFileSync(name, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { readonly command: string; readonly sandboxed: string })
    .filter(({ sandboxed }) => sandboxed.startsWith("allow sandboxed"))
    .map(({ command }) => command);
}

/** All lines in an order of which each beginning has the shares of their first programs. */
function draw(lines: readonly string[]): readonly string[] {
  const random = randomNumbers(seed);
  const strata = new Map<string, string[]>();
  for (const line of lines) strata.set(firstProgram(line), [...(strata.get(firstProgram(line)) ?? []), line]);
  const keyed = [...strata].flatMap(([program, stratum]) => {
    if (!isHere(program)) return [];
    const shuffled = stratum.map((line) => ({ line, by: random() })).toSorted((a, b) => a.by - b.by);
    const offset = random();
    return shuffled.map(({ line }, i) => ({ line, by: (i + offset) / shuffled.length }));
  });
  return keyed.toSorted((a, b) => a.by - b.by).map(({ line }) => line);
}

/** Behind `cd X &&`, comments, `set -e` and assignments. */
function firstProgram(line: string): string {
  const rest = line.replace(/^(?:\s+|#.*\n|(?:cd|set|export)\s[^;&\n]*(?:&&|;|\n)|[A-Za-z_]\w*=[^\s;&]*[;&\s]+)+/, "");
  return /^[^\s;&|<>()]+/.exec(rest)?.[0] ?? "";
}

function isHere(program: string): boolean {
  return /^[\w.+-]+$/.test(program) && spawnSync("bash", ["-c", 'command -v -- "$1"', "bash", program], { env }).status === 0;
}

/** A project that has what the line names: folders, files by their endings, scripts, targets, tools, and two commits. */
function makeProject(line: string): void {
  const app = join(scratch, "home/app");
  rmSync(join(scratch, "home"), { recursive: true, force: true });
  const put = (name: string, text: string): void => {
    try {
      mkdirSync(dirname(join(app, name)), { recursive: true });
      writeFileSync(join(app, name), text, { flag: "wx", mode: name.endsWith(".sh") || text.startsWith("#!") ? 0o755 : 0o644 });
    } catch {
      // What is there stays, and a file is no folder.
    }
  };
  const under = [...line.matchAll(/\bcd\s+"?(?:\/home\/dev\/app\/?)?([\w@.-]+(?:\/[\w@.-]+)*)/g)].map(([, folder = ""]) => folder);
  const roots = ["", ...under.filter((folder) => !folder.startsWith("..") && !folder.startsWith("/"))];
  const scripts = [...line.matchAll(/\b(?:npm|pnpm|yarn|bun)\s+(?:(?:-\S+|run)\s+)*([a-z][\w:-]*)/g)].map(([, name = ""]) => name);
  const tools = [...line.matchAll(/\bnpx\s+(?:-\S+\s+)*([a-z][\w-]*)/g)].map(([, name = ""]) => name);
  const targets = [...line.matchAll(/\bmake\s+(?:-\S+\s+)*([a-z][\w-]*)/g)].map(([, name = ""]) => name);
  const named = [...line.matchAll(/(?<![\w$~./-])(?:\/home\/dev\/app\/|\.\/)?((?:[\w@.-]+\/)*[\w@-]*\.(\w{1,6}))(?![\w/])/g)];
  for (const root of roots) {
    put(
      join(root, "package.json"),
      JSON.stringify({
        name: "app",
        version: "1.0.0",
        scripts: Object.fromEntries(
          ["test", "build", "lint", ...scripts].map((name) => [name, `mkdir -p build && echo ${name} | tee build/out`]),
        ),
      }),
    );
    put(join(root, "go.mod"), "module example.com/app\n\ngo 1.19\n");
    for (const folder of ["", ...[...line.matchAll(/(?<=\s)\.\/([\w/-]*)/g)].map(([, name = ""]) => name.replace(/\/$/, ""))]) {
      if (/\.\w+$/.test(folder)) continue;
      put(
        join(root, folder, "a.go"),
        `package ${folder === "" ? "main\n\nfunc main() {}" : "a"}\n\nfunc Add(a, b int) int { return a + b }\n`,
      );
      put(
        join(root, folder, "a_test.go"),
        `package ${folder === "" ? "main" : "a"}\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Fatal()\n\t}\n}\n`,
      );
    }
    put(
      join(root, "Makefile"),
      `${["all", "test", ...targets].map((name) => `${name}:\n\t@mkdir -p build; echo ${name} > build/made\n`).join("\n")}`,
    );
    for (const tool of tools) {
      put(join(root, `node_modules/${tool}/package.json`), JSON.stringify({ name: tool, version: "1.0.0", bin: { [tool]: "tool.js" } }));
      put(
        join(root, `node_modules/.bin/${tool}`),
        '#!/usr/bin/env node\nconst fs = require("node:fs");\nfs.mkdirSync("node_modules/.cache/tool", { recursive: true });\nfs.writeFileSync("node_modules/.cache/tool/x", "1");\nconsole.log(process.argv.slice(2).join(" "));\n',
      );
    }
  }
  for (const [, name = "", ending = ""] of named)
    for (const root of roots) {
      if (ending === "go" && !name.includes("_test")) put(join(root, name), "package a\n");
      else put(join(root, name), TEXTS[ending] ?? "one\ntwo\nthree\n");
    }
  for (const [name, text] of Object.entries({
    "README.md": "# app\n",
    ".gitignore": "node_modules\nbuild\n__pycache__\n",
    "src/index.ts": "export {};\n",
    "src/app.py": "print(1)\n",
    "tests/test_app.py": "def test_app(): pass\n",
    "docs/guide.md": "# guide\n",
    "tsconfig.json": "{}\n",
  }))
    put(name, text);
  writeFileSync(
    join(scratch, "home/.gitconfig"),
    "[user]\n\tname = A Person\n\temail = person@example.com\n[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n",
  );
  const branches = [...line.matchAll(/\bgit\s+(?:checkout|switch|merge|rebase|branch -[dD])\s+([a-z][\w./-]*)/g)].map(
    ([, name = ""]) => name,
  );
  const git = [
    "git init -q . && git add README.md && git commit -qm Begin && git add -A && git commit -qm All",
    ...branches.filter((name) => name !== "main").map((name) => `git branch ${name}`),
    "git branch feature",
    'for f in README.md src/app.py; do echo "# more" >> "$f"; done',
  ].join("; ");
  const made = spawnSync("bash", ["-c", git], { cwd: app, env: { ...env, HOME: join(scratch, "home") }, encoding: "utf8" });
  if (made.error !== undefined) throw made.error;
}

/** The machine can be read, and of it only this scratch folder is written. */
function inNamespaces(script: string, input: string): Result {
  const setup = [
    "set -e",
    `mount --bind ${scratch} ${scratch}`,
    `awk '{ print $5 }' /proc/self/mountinfo | grep -vxF ${scratch} | while IFS= read -r at; do mount -o remount,bind,ro "$at" 2>/dev/null || :; done`,
    `[ ! -w /etc ]`,
    "mkdir -p $S/dev",
    "mount -t tmpfs none $S/dev",
    "for d in null zero full random urandom tty; do touch $S/dev/$d; mount --bind /dev/$d $S/dev/$d; done",
    "mkdir $S/dev/shm $S/dev/pts && mount -t devpts none $S/dev/pts -o newinstance,ptmxmode=0666 && ln -s pts/ptmx $S/dev/ptmx",
    "ln -s /proc/self/fd $S/dev/fd; for n in 0:stdin 1:stdout 2:stderr; do ln -s /proc/self/fd/${n%:*} $S/dev/${n#*:}; done",
    "mount --rbind $S/dev /dev",
    "for d in /tmp /var/tmp /run /root /home; do mount -t tmpfs none $d; done",
    `mkdir ${HOME} && cp -a $S/home/. ${HOME}`,
    "ip link set lo up 2>/dev/null || :",
    `cd ${PROJECT}`,
    script,
  ].join("\n");
  return spawnSync("setsid", ["-w", "unshare", "-Urmpfniu", "--mount-proc", "--kill-child", "bash", "-c", setup], {
    env: { ...env, S: scratch },
    input,
    encoding: "utf8",
    timeout: SECONDS * 1000,
    killSignal: "SIGKILL",
    maxBuffer: 1 << 26,
  });
}

function play(command: string, how: "bare" | "sandboxed"): Result {
  makeProject(command);
  if (how === "bare") {
    writeFileSync(join(scratch, "home/line"), command);
    return inNamespaces(`set +e; line=$(cat ~/line); rm ~/line; unset S; bash -c "$line" < /dev/null; exit $?`, "");
  }
  writeFileSync(join(scratch, "home/.agent-permissions.jsonc"), '{ "unknown": "confine" }\n');
  const call = {
    session_id: "lines",
    cwd: PROJECT,
    permission_mode: "default",
    hook_event_name: "PermissionRequest",
    tool_name: "Bash",
    tool_input: { command },
    permission_suggestions: [],
  };
  const take =
    'let s = ""; process.stdin.on("data", (d) => (s += d)).on("end", () => { const d = JSON.parse(s).hookSpecificOutput?.decision; if (d?.behavior !== "allow") { console.error("asked: " + s); process.exit(99); } process.stdout.write(d.updatedInput?.command ?? ""); })';
  return inNamespaces(
    [
      "set +e; unset S",
      `line=$('${process.execPath}' '${join(dist, "bin.cjs")}' check --agent claude | '${process.execPath}' -e '${take}') || exit 98`,
      'case "$line" in *confine*) ;; *) echo "not sandboxed: $line" >&2; exit 97;; esac',
      'bash -c "$line" < /dev/null; exit $?',
    ].join("\n"),
    JSON.stringify(call),
  );
}

/** Without what differs from one time to the next. */
function plain({ stdout, stderr }: Result): string {
  return `${stdout}\n${stderr}`
    .replace(/\b[0-9a-f]{7,40}\b/g, "#")
    .replace(/\d+/g, "#")
    .replace(/^\S*bash: /gm, "bash: ")
    .replace(/^assent: .*$/gm, "")
    .trim();
}

function tell(what: string, command: string, ...results: readonly Result[]): void {
  const said = results.map(({ stdout, stderr }) => (stdout + stderr).trim().split("\n").slice(-6).join("\n    ")).join("\n  bare:\n    ");
  found.push(command);
  process.stdout.write(`${what}: ${command.slice(0, 300)}\n    ${said}\n`);
}
