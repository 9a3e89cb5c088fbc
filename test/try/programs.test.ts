import { spawnSync } from "node:child_process";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { has, type Ran, Suite, USERS } from "../supervise/programs/place.ts";
import { TryPlace } from "./place.ts";

/**
 * Real programs, bare and tried, at the same path: status, output and tree are the same. Of a tree: names, kinds, owners, modes, contents,
 * which names are one file, attributes, and times that a program has set.
 */
const suite = new Suite();
afterAll(() => suite.remove());

const TOOLS = join(import.meta.dirname, "../../node_modules");
const ENV = {
  SOURCE_DATE_EPOCH: "1700000000",
  TOOLS,
  GIT_CONFIG_GLOBAL: "/dev/null",
  PIP_DISABLE_PIP_VERSION_CHECK: "1",
  npm_config_loglevel: "error",
  npm_config_update_notifier: "false",
  GOFLAGS: "-buildvcs=false",
  ...Object.fromEntries(
    ["AUTHOR", "COMMITTER"].flatMap((who) => [
      [`GIT_${who}_NAME`, "x"],
      [`GIT_${who}_EMAIL`, "x@example.org"],
      [`GIT_${who}_DATE`, "1700000000 +0000"],
    ]),
  ),
};

/** In a home without them only a command that is itself a tool's may make the tool's own. */
const CACHES = 'mkdir -p "$HOMEDIR/.npm" "$HOMEDIR/.cache"';

interface Program {
  readonly name: string;
  readonly needs: string;
  /** Before, without Assent. */
  readonly prepare?: string;
  readonly command: string;
  readonly files?: Readonly<Record<string, string>>;
  /** What is not the same, and why. */
  readonly but?: { readonly names: RegExp; readonly why: string };
}

const REPOSITORY =
  "rm -rf .git; git init -q -b main .; git add -A; git commit -qm 1; git checkout -q -b other; echo o > o; git add o; git commit -qm 2; git checkout -q main; echo m >> a.txt; git commit -qam 3";
const git = (name: string, command: string, more: Partial<Program> = {}): Program => ({
  name: `git ${name}`,
  needs: "git",
  prepare: REPOSITORY,
  command,
  ...more,
});

const PROGRAMS: readonly Program[] = [
  git("add and commit", "echo n > n; git add -A; git commit -qm n; git log --oneline"),
  git("checkout of a branch, and of a file", "git checkout -q other; rm a.txt; git checkout -q a.txt; git status --porcelain"),
  git("merge", "git merge -q --no-edit other; git log --oneline | wc -l"),
  git("merge with a conflict", "git checkout -q -b c; echo c > a.txt; git commit -qam c; git merge -q main; git status --porcelain"),
  git("rebase", "git checkout -q other; git rebase -q main; git log --format=%s"),
  git("stash", "echo s >> a.txt; echo t > t; git stash -q -u; git stash list; git stash pop -q; git status --porcelain"),
  git("cherry-pick, revert, tag", "git cherry-pick other; git revert --no-edit HEAD; git tag -a -m t v1; git tag"),
  git("mv of a folder, and rm", "git mv src lib; git rm -q a.txt; git commit -qm mv; git status --porcelain"),
  git("gc", "git gc -q --prune=now; git fsck; git count-objects", { prepare: `${REPOSITORY}; git config pack.threads 1` }),
  git("clean and reset", "echo x > x; mkdir y; echo y > y/y; git clean -qfd; echo z >> a.txt; git reset -q --hard; git status --porcelain"),
  git("apply, format-patch and am", "git format-patch -q -1 other --stdout > p; git am -q p; git diff HEAD~1 > d; git apply -R d; rm p d"),
  git("archive and bundle", "git archive main > a.tar; git bundle create -q b main; git bundle verify -q b"),
  git("clone of another folder", "git clone -q --no-hardlinks src.git copy; git -C copy log --oneline", {
    prepare: `${REPOSITORY}; git clone -q --bare . src.git`,
  }),
  git("init, and a first commit", "git init -q -b main r; cd r; echo 1 > 1; git add 1; git commit -qm 1; git log --oneline"),
  {
    name: "npm install of a folder, and uninstall",
    needs: "npm",
    files: {
      "p/package.json": '{"name":"p","version":"1.0.0","bin":"b.js"}',
      "p/b.js": "#!/usr/bin/env node\n",
      "package.json": '{"name":"t"}',
    },
    command:
      "npm install --offline --no-audit --no-fund ./p; npm pack --silent ./p; npm install --offline --no-audit --no-fund ./p-1.0.0.tgz",
  },
  {
    name: "npm ci over an old tree, and uninstall",
    needs: "npm",
    files: { "p/package.json": '{"name":"p","version":"1.0.0"}', "package.json": '{"name":"t","dependencies":{"p":"file:p-1.0.0.tgz"}}' },
    prepare: "npm pack --silent ./p; npm install --offline --no-audit --no-fund",
    command: "npm ci --offline --no-audit --no-fund; npm uninstall --offline --no-audit --no-fund p",
  },
  {
    name: "tar",
    needs: "tar",
    prepare: "touch -d 2001-02-03 a.txt src",
    command: "tar czf t.tgz src a.txt --mtime=2001-01-01; mkdir o; tar xpf t.tgz -C o; tar tf t.tgz",
  },
  {
    name: "zip and unzip",
    needs: "unzip",
    prepare: "touch -d 2001-02-03 a.txt src/b.txt src",
    command: "zip -Xqr z.zip a.txt src; mkdir o; unzip -q z.zip -d o",
  },
  {
    name: "cp -al, and cp -a",
    needs: "cp",
    prepare: "ln a.txt a2; touch -d 2001-02-03 src/b.txt src",
    command: "cp -al src l; cp -a src c; cp -a a.txt a2 c/",
  },
  {
    name: "rsync",
    needs: "rsync",
    prepare: "ln -s b.txt src/l; touch -d 2001-02-03 src/b.txt src",
    command: "rsync -a src/ d/; rsync -a --delete src/ d/; echo x > d/x; rsync -ai --delete src/ d/",
  },
  { name: "sed -i, perl -pi", needs: "perl", command: "sed -i s/a/z/ a.txt; perl -pi -e 's/b/y/' src/b.txt; sed -i.bak s/z/q/ a.txt" },
  {
    name: "make",
    needs: "make",
    files: { Makefile: "all: o\no: a.txt\n\tcp a.txt o\n" },
    command: "make; make; sleep 0.05; touch a.txt; make -q; echo $?; make",
  },
  {
    name: "cmake",
    needs: "cmake",
    files: {
      "CMakeLists.txt": "cmake_minimum_required(VERSION 3.5)\nproject(x C)\nadd_executable(x x.c)\n",
      "x.c": "int main(void) { return 0; }\n",
    },
    command: "cmake -S . -B build > /dev/null && cmake --build build > /dev/null && ./build/x; echo $?; cmake --build build | tail -1",
    but: {
      names: /CMakeFiles\/(?:CMakeConfigureLog\.yaml|CMake(?:Output|Error)\.log|[\d.]+\/CMakeDetermineCompilerABI_C\.bin)$/,
      why: "names scratch folders at random",
    },
  },
  {
    name: "gcc and ar",
    needs: "gcc",
    files: { "x.c": "int f(void) { return 3; }\n", "m.c": "int f(void); int main(void) { return f(); }\n" },
    command: "gcc -c x.c && ar rcsD l.a x.o && gcc m.c l.a -o m; ./m; echo $?",
  },
  {
    name: "go build",
    needs: "go",
    files: { "go.mod": "module x\n\ngo 1.19\n", "x.go": "package main\n\nfunc main() { println(1) }\n" },
    command: "go vet ./... ; go build -o x . && ./x; echo $?",
  },
  {
    name: "tsc",
    needs: "node",
    files: { "x.ts": "export const a: number = 1;\n" },
    command: 'node "$TOOLS/typescript/bin/tsc" --incremental --declaration --outDir o --ignoreConfig x.ts; ls o',
  },
  {
    name: "esbuild",
    needs: "node",
    files: { "x.ts": "export const a: number = 1;\n" },
    command: '"$TOOLS/@esbuild/linux-x64/bin/esbuild" x.ts --bundle --outdir=o --sourcemap --log-level=error; ls o',
  },
  {
    name: "vite build",
    needs: "node",
    files: { "index.html": '<script type="module" src="/m.js"></script>', "m.js": "console.log(1);\n" },
    command: 'node "$TOOLS/vite/bin/vite.js" build --logLevel error; find dist | sort',
  },
  {
    name: "python's unittest",
    prepare: "touch -d 2001-02-03 test_x.py",
    needs: "python3",
    files: { "test_x.py": "import unittest\nclass T(unittest.TestCase):\n  def test(self): self.assertEqual(1, 1)\n" },
    command: "python3 -m unittest 2>&1 | tail -1",
  },
  {
    name: "python -m compileall, zipapp",
    needs: "python3",
    files: { "m/__main__.py": "print(1)\n" },
    command: "python3 -m compileall -q m; python3 m; python3 -c 'import shutil; shutil.rmtree(\"m/__pycache__\")'",
  },
  { name: "python -m venv", needs: "python3", command: "python3 -m venv --without-pip v; v/bin/python -c 'import sys; print(sys.prefix)'" },
  {
    name: "pip install of a wheel",
    needs: "python3",
    prepare:
      "mkdir w; cd w; mkdir x-1.dist-info; echo a=1 > x.py; printf 'Metadata-Version: 2.1\\nName: x\\nVersion: 1\\n' > x-1.dist-info/METADATA; printf 'Wheel-Version: 1.0\\nGenerator: t\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n' > x-1.dist-info/WHEEL; printf 'x.py,,\\nx-1.dist-info/METADATA,,\\nx-1.dist-info/WHEEL,,\\nx-1.dist-info/RECORD,,\\n' > x-1.dist-info/RECORD; python3 -c 'import shutil; shutil.make_archive(\"../x\",\"zip\",\".\")'; cd ..; mv x.zip x-1-py3-none-any.whl; rm -r w; python3 -m venv --without-pip v",
    command:
      "python3 -m pip --python v/bin/python install -q --no-index --no-compile ./x-1-py3-none-any.whl; v/bin/python -c 'import x; print(x.a)'; python3 -m pip --python v/bin/python uninstall -qy x",
    but: { names: /\.whl$/, why: "the wheel is packed with the time" },
  },
  {
    name: "sqlite3",
    needs: "sqlite3",
    command:
      "sqlite3 d 'create table t(x); insert into t values(1)'; sqlite3 d 'pragma journal_mode=wal; insert into t values(2); select * from t'",
  },
  {
    name: "patch",
    needs: "patch",
    files: { p: "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+z\n" },
    command: "patch -p1 < p; patch -R -p1 < p; patch -b -p1 < p",
  },
  {
    name: "ln, in all ways",
    needs: "ln",
    command: "ln a.txt b; ln -s a.txt l; ln -sf src l; ln -sfn src l; ln -f b c; rm b; ln -s missing m; readlink l m",
  },
  {
    name: "truncate, fallocate, dd",
    needs: "fallocate",
    command:
      "truncate -s 100000 t; fallocate -l 5000 f; fallocate -p -o 0 -l 4096 f; dd if=/dev/zero of=s bs=1k count=64 conv=sparse status=none; truncate -s 1 a.txt",
  },
  {
    name: "touch -d, cp -p, touch -h",
    needs: "touch",
    command: "touch -d 2001-02-03 a.txt src; cp -p a.txt b; ln -s x l; touch -h -d 2002-01-01 l; mkdir d; touch d/x; touch -d 2003-01-01 d",
  },
  {
    name: "chmod, of the project, too",
    needs: "chmod",
    command: "chmod 640 a.txt; chmod -R go-rwx src; chmod +x a.txt; chmod 750 .; umask 027; touch u; mkdir v; chmod 1777 v; chmod g+s src",
  },
  {
    name: "setfacl and setfattr",
    needs: "setfacl",
    command:
      "setfacl -m u:$(id -u):r a.txt; setfacl -d -m g::rwx src; touch src/n; setfattr -n user.x -v 1 a.txt src; setfattr -x user.x src; getfattr -d a.txt",
  },
  {
    name: "busybox",
    needs: "busybox",
    command:
      "busybox cp -a src c; busybox mv a.txt z; busybox sed -i s/b/q/ c/b.txt; touch -d 2001-02-03 c/b.txt c; busybox tar cf t.tar c; mkdir o; busybox tar xf t.tar -C o",
  },
  {
    name: "gzip, xz, zstd",
    needs: "zstd",
    prepare: "touch -d 2001-02-03 a.txt",
    command: "gzip -k a.txt; xz -k a.txt; zstd -q a.txt; gzip -d < a.txt.gz > b; gzip a.txt",
  },
  {
    name: "find -delete, split, install, mkdir -p",
    needs: "install",
    command:
      "find src -type f -delete; seq 100 > n; split -l 30 n part.; install -D -m 711 a.txt x/y/z; mkdir -p p/q/r; rmdir p/q/r; mv x w",
  },
  {
    name: "ruby",
    needs: "ruby",
    command:
      'ruby -rfileutils -e \'FileUtils.mkdir_p("r/s"); File.write("r/s/t", "1"); FileUtils.mv("r", "q"); FileUtils.cp_r("q", "p"); FileUtils.ln_s("p", "o")\'',
  },
  {
    name: "node's fs",
    needs: "node",
    command:
      'node -e \'const fs=require("fs"); fs.renameSync("src","lib"); fs.cpSync("lib","c",{recursive:true}); fs.rmSync("lib",{recursive:true}); fs.mkdtempSync; fs.appendFileSync("a.txt","b"); fs.linkSync("a.txt","h"); fs.truncateSync("h",1)\'',
  },
  {
    name: "javac and java",
    needs: "javac",
    files: { "X.java": "class X { public static void main(String[] a) { System.out.println(1); } }\n" },
    command: "javac X.java && java -Xshare:auto X",
  },
];

/** Everything below a folder, a line each. */
function wholeTree(folder: string, before: number): readonly string[] {
  const first = new Map<string, string>();
  const attributes = attributesIn(folder);
  const lineOf = (at: string): readonly string[] => {
    const path = join(folder, at);
    const stat = lstatSync(path);
    const kind = stat.isDirectory() ? "d" : stat.isSymbolicLink() ? "l" : stat.isFile() ? "f" : "?";
    const id = `${stat.dev}:${stat.ino}`;
    const same = kind === "f" ? (first.get(id) ?? at) : at;
    first.set(id, same);
    const time = stat.mtimeMs < before ? String(stat.mtimeMs) : "now";
    const facts = [
      at,
      kind,
      (stat.mode & 0o7777).toString(8),
      stat.uid,
      stat.gid,
      kind === "f" ? stat.nlink : "",
      same === at ? "" : `= ${same}`,
      time,
    ];
    const line = [...facts, attributes.get(at) ?? ""].join(" ");
    if (kind === "l") return [`${line} -> ${readlinkSync(path)}`];
    if (kind === "f")
      return [`${line} ${/(?:^|\/)\.git\/(?:worktrees\/[^/]+\/)?index$/.test(at) ? indexOf(path) : readFileSync(path, "latin1")}`];
    const names = kind === "d" ? readdirSync(path).sort() : [];
    return [line, ...names.flatMap((name) => lineOf(at === "." ? name : `${at}/${name}`))];
  };
  return lineOf(".");
}

/** It notes devices and inodes: what it says is compared, by git itself. */
const indexOf = (path: string): string =>
  spawnSync("git", ["-c", "safe.directory=*", "-C", dirname(dirname(path)), "ls-files", "-s"], { encoding: "utf8" }).stdout;

function attributesIn(folder: string): ReadonlyMap<string, string> {
  const { stdout } = spawnSync("getfattr", ["-R", "-h", "-d", "-m", "-", "."], { cwd: folder, encoding: "latin1" });
  return new Map(
    stdout.split("\n\n").flatMap((block) => {
      const [name = "", ...lines] = block.trim().split("\n");
      return name.startsWith("# file: ") ? [[name.slice(8), lines.sort().join(",")] as const] : [];
    }),
  );
}

describe.each(USERS)("as without Assent, of %s", (user) => {
  it.each(PROGRAMS.filter(({ needs }) => has(needs)).map((program) => [program.name, program] as const))("%s", async (_, program) => {
    const { prepare, command, files, but } = program;
    const place = new TryPlace(suite, user, files);
    const before = Date.now() - 1000;
    const play = async (run: () => Promise<Ran>): Promise<{ readonly ran: Ran; readonly tree: readonly string[] }> => {
      place.fresh();
      const ready = await place.bare(`${CACHES}; ${prepare ?? "true"}`, ENV);
      expect(ready.status, ready.stderr).toBe(0);
      const ran = await run();
      const tree = wholeTree(place.cwd, before).filter((line) => but?.names.test(line.split(" ")[0] ?? "") !== true);
      const stdout = ran.stdout.replace(/ in [\d.]+m?s$/gm, " in a while");
      return { ran: { ...ran, stdout, stderr: ran.stderr.replace(/^assent: (?:applied|.* failed \().*\n/gm, "") }, tree };
    };
    const bare = await play(() => place.bare(command, ENV));
    const tried = await play(() => place.try(command, ["--apply"], ENV));
    expect(tried.ran).toEqual(bare.ran);
    expect(tried.tree).toEqual(bare.tree);
  });
});
