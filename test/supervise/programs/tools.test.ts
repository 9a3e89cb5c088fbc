import { twice } from "./twice.ts";

const PYTHON = "/usr/bin/python3";
const GIT = {
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_AUTHOR_DATE: "2001-02-03T04:05:06Z",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@example.com",
  GIT_COMMITTER_DATE: "2001-02-03T04:05:06Z",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_COUNT: "2",
  GIT_CONFIG_KEY_0: "init.defaultBranch",
  GIT_CONFIG_VALUE_0: "main",
  GIT_CONFIG_KEY_1: "protocol.file.allow",
  GIT_CONFIG_VALUE_1: "always",
  GIT_PAGER: "cat",
};

const ROOT_TOOLS = `${import.meta.dirname}/../../../node_modules`;

/** Tools that projects are built with. */
twice("tools", [
  {
    name: "git: init, commit, branch, rebase, merge, stash, tag, worktree, submodule, clone, push, fetch, gc, bundle, archive",
    needs: ["git"],
    env: GIT,
    script: `
      git init -q one; cd one; echo a > a; mkdir d; echo b > d/b; chmod +x d/b; ln -s a l; git add -A; git commit -qm first; git checkout -qb side; echo c > c; git add c; git commit -qm c; git checkout -q main; echo a2 >> a; git commit -qam a2
      git rebase -q main side; git checkout -q main; git merge -q --no-ff -m merge side; git tag -a v1 -m v1; echo dirty >> a; git stash -q; git stash pop -q; git checkout -q a; git mv c cc; git commit -qm mv; git rm -q cc; git commit -qm rm; git revert --no-edit HEAD~1 2>&1 | tail -1 || git revert --abort
      git reset -q --hard; git worktree add -q ../tree side; (cd ../tree; git log --oneline | cat); git worktree remove ../tree; cd ..
      git clone -q one two; git clone -q --bare one bare.git; git clone -q --shared one three; git clone -q --depth 1 "file://$PWD/one" four; cd two; git submodule --quiet add "$PWD/../one" sub; git commit -qm sub; git remote add b ../bare.git; git push -q b HEAD:refs/heads/new; git fetch -q b; git submodule --quiet update --init
      git log --graph --oneline --all | cat; git gc -q; git fsck 2>&1; git bundle create -q ../x.bundle main; git archive HEAD | tar -t; git config user.name me; git clean -fdxq; git bisect start -q 2>/dev/null || true; git bisect reset -q 2> /dev/null || true; git notes add -m n; git cherry-pick --allow-empty HEAD~0 > /dev/null 2>&1 || git cherry-pick --abort || true; git status --short; git ls-files -s`,
    volatile:
      /\/(?:index|x\.bundle|.*\.(?:idx|pack|rev|bitmap)|logs\/.*|.*commit-graph.*|objects\/info\/.*|ORIG_HEAD|FETCH_HEAD|COMMIT_EDITMSG)$/,
    ignore: /\/objects\/pack\/|\/gc\.(?:pid|log)$/,
  },
  {
    name: "npm: install from folders and a tarball, ci, run, pack, link, exec",
    needs: ["npm"],
    rootOnly: true,
    files: {
      "package.json": JSON.stringify({
        name: "top",
        version: "1.0.0",
        scripts: { pre: "node -p 1+1", build: "tool > built", postbuild: "node -e \"require('dep')\"" },
        dependencies: { dep: "file:dep", packed: "file:packed-1.0.0.tgz" },
      }),
      "dep/package.json": JSON.stringify({
        name: "dep",
        version: "1.0.0",
        bin: { tool: "cli.js" },
        scripts: { postinstall: "node -e \"require('fs').writeFileSync('installed','yes')\"" },
      }),
      "dep/cli.js": "#!/usr/bin/env node\nconsole.log('tool', process.argv.slice(2))\n",
      "dep/index.js": "console.log('dep')\n",
      "packed/package.json": JSON.stringify({ name: "packed", version: "1.0.0", main: "p.js" }),
      "packed/p.js": "module.exports = 1\n",
    },
    env: {
      npm_config_offline: "true",
      npm_config_audit: "false",
      npm_config_fund: "false",
      npm_config_update_notifier: "false",
      npm_config_loglevel: "error",
      npm_config_progress: "false",
    },
    script: `
      npm pack ./packed; npm install; npm run build; cat built; rm -rf node_modules; npm ci; npm ls; npx --no-install tool x; npm run pre; npm version patch --no-git-tag-version; npm pkg set a=b; npm pack --dry-run 2>&1 | tail -1`,
    chance: [[/in \d+m?s/g, "in a while"]],
    volatile: /\/(?:_cacache\/.*|\.package-lock\.json|_update-notifier.*)$/,
    ignore: /\/(?:_logs|_cacache)(?:\/|$)/,
  },
  {
    name: "python: venv, pip install of a source package and a wheel, its script, compileall, unittest",
    needs: [PYTHON],
    files: {
      "setup.py":
        "from setuptools import setup\nsetup(name='thing', version='1.0', py_modules=['thing'], entry_points={'console_scripts': ['thing=thing:main']})\n",
      "thing.py": "def main(): print('thing runs')\n",
      "test_thing.py": "import unittest, thing\nclass T(unittest.TestCase):\n    def test(self): thing.main()\n",
    },
    env: { PIP_NO_INDEX: "1", PIP_DISABLE_PIP_VERSION_CHECK: "1", PIP_NO_INPUT: "1", PYTHONHASHSEED: "0", SOURCE_DATE_EPOCH: "1000000000" },
    script: `
      ${PYTHON} -m venv v; v/bin/python -c 'import sys; print(sys.prefix != sys.base_prefix)'; v/bin/pip list 2>/dev/null | cut -d' ' -f1; ${PYTHON} -m unittest -q 2>&1 | grep -v Ran
      mkdir w; (cd w; mkdir -p thing-1.0.dist-info; cp ../thing.py .; printf 'Metadata-Version: 2.1\\nName: thing\\nVersion: 1.0\\n' > thing-1.0.dist-info/METADATA; printf 'Wheel-Version: 1.0\\nGenerator: x\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n' > thing-1.0.dist-info/WHEEL; printf '[console_scripts]\\nthing=thing:main\\n' > thing-1.0.dist-info/entry_points.txt; touch thing-1.0.dist-info/RECORD; ${PYTHON} -m zipfile -c ../thing-1.0-py3-none-any.whl thing.py thing-1.0.dist-info/)
      v/bin/pip install -q ./thing-1.0-py3-none-any.whl; v/bin/thing; v/bin/pip uninstall -qy thing; test ! -e v/bin/thing; v/bin/pip install -q --no-build-isolation . 2>/dev/null && v/bin/thing || echo "no build backend"; . v/bin/activate; python -c 'import ssl, sqlite3, ctypes; print("modules")'`,
    volatile: /\.(?:pyc|whl|egg-info\/.*)$/,
    rootOnly: true,
    ignore: /\/(?:RECORD|direct_url\.json|__pycache__|build|.*\.egg-info)(?:\/|$)/,
  },
  {
    name: "make -j4 with gcc, ar, install, and a second build that does nothing",
    needs: ["make", "gcc"],
    files: {
      Makefile:
        "OBJS = $(patsubst %.c,%.o,$(sort $(wildcard *.c)))\nprog: lib.a main.o\n\tgcc -o $@ main.o lib.a\nlib.a: $(filter-out main.o,$(OBJS))\n\tar rcsD $@ $^\n%.o: %.c\n\tgcc -O1 -MMD -c -o $@ $<\ninstall: prog\n\tinstall -D -m 755 prog $(DESTDIR)/bin/prog\nclean:\n\trm -f *.o *.d *.a prog\n.PHONY: install clean\n",
      "main.c":
        '#include <stdio.h>\nint f1(void), f2(void), f3(void), f4(void);\nint main(void) { printf("%d\\n", f1() + f2() + f3() + f4()); return 0; }\n',
      ...Object.fromEntries([1, 2, 3, 4].map((n) => [`f${n}.c`, `int f${n}(void) { return ${n}; }\n`])),
    },
    script: `make -s -j4; ./prog; make -q && echo nothing; make -s install DESTDIR="$PWD/out"; touch f1.c; make -s -j4; make -s clean; make -j2 --output-sync > /dev/null; ./prog; gcc -O2 -flto -pipe -g -save-temps=obj -o lto main.c f?.c; ./lto; ldd prog > /dev/null; strip prog`,
    volatile: /\/lto/,
  },
  {
    name: "cmake",
    needs: ["cmake", "make", "gcc"],
    files: {
      "CMakeLists.txt":
        "cmake_minimum_required(VERSION 3.10)\nproject(p C)\nadd_library(l STATIC l.c)\nadd_executable(e e.c)\ntarget_link_libraries(e l)\nenable_testing()\nadd_test(NAME t COMMAND e)\n",
      "l.c": "int l(void) { return 0; }\n",
      "e.c": "int l(void);\nint main(void) { return l(); }\n",
    },
    script: `cmake -S . -B build > log; cmake --build build -j2 > log2; cd build; ctest | grep passed; ./e`,
    volatile: /\/(?:log2?|build\/.*)$/,
    ignore: /CMakeScratch|LastTest|CMakeTmp|TryCompile|\/Testing\//,
    rootOnly: true,
  },
  {
    name: "cargo build, test and run",
    needs: ["/root/.cargo/bin/cargo"],
    env: {
      PATH: `/root/.cargo/bin:${process.env["PATH"] ?? ""}`,
      RUSTUP_HOME: process.env["RUSTUP_HOME"] ?? "/root/.rustup",
      CARGO_TERM_COLOR: "never",
    },
    files: {
      "Cargo.toml": '[package]\nname = "p"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\nq = { path = "q" }\n',
      "src/main.rs": 'fn main() { println!("{}", q::f()); }\n#[test] fn t() { assert_eq!(q::f(), 3); }\n',
      "q/Cargo.toml": '[package]\nname = "q"\nversion = "0.1.0"\nedition = "2021"\n',
      "q/src/lib.rs": "pub fn f() -> u32 { 3 }\n",
    },
    script: `cargo build --offline -q; cargo run --offline -q; cargo test --offline -q 2>&1 | grep -c 'test result: ok'; touch src/main.rs; cargo build --offline -q`,
    volatile: /\/target\/.*/,
    ignore: /\/(?:\.fingerprint|incremental)\/|\/\.cargo\//,
    rootOnly: true,
  },
  {
    name: "go build",
    needs: ["go"],
    files: { "go.mod": "module p\n\ngo 1.20\n", "main.go": 'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println("go") }\n' },
    env: { GOFLAGS: "-mod=mod", GOPROXY: "off" },
    script: `go build -o p .; ./p; go vet ./...`,
    volatile: /\/p$/,
    ignore: /\/\.cache\//,
    long: true,
  },
  {
    name: "sqlite3: write-ahead log, several writers, vacuum, dump; python's sqlite3 with threads",
    needs: ["sqlite3", PYTHON],
    script: `
      sqlite3 db 'pragma journal_mode=wal; create table t(a integer primary key, b); insert into t(b) values (1),(2);'; seq 10 | xargs -P4 -I{} sqlite3 -cmd '.timeout 20000' db 'insert into t(b) values ({});'; sqlite3 db 'select count(*), sum(b) from t; pragma wal_checkpoint(truncate); vacuum;' ; sqlite3 db .dump | head -3; sqlite3 db '.backup copy'; sqlite3 copy 'pragma integrity_check; pragma journal_mode=delete;'
      ${PYTHON} -c '
import sqlite3, threading
def w(n):
    c = sqlite3.connect("p.db", timeout=30); c.execute("pragma journal_mode=wal"); c.execute("create table if not exists t(a)")
    for i in range(5):
        with c: c.execute("insert into t values (?)", (n,))
    c.close()
w(9); ts = [threading.Thread(target=w, args=(n,)) for n in range(3)]; [t.start() for t in ts]; [t.join() for t in ts]; print(sqlite3.connect("p.db").execute("select count(*) from t").fetchone())'`,
    volatile: /\/(?:db|copy|p\.db)(?:-wal|-shm)?$/,
  },
  {
    name: "vim -es, ed, perl -i, awk, m4",
    needs: ["vim", "perl"],
    files: { text: "one\ntwo\nthree\n", p: "x = 1\n" },
    script: `
      vim -es -u NONE -c 'set backup' -c '%s/two/TWO/' -c 'normal Gofour' -c wq text < /dev/null; cat text; vim -es -u NONE -n -c 'w! copy' -c '!echo from vim > shelled' -c 'q!' text < /dev/null || true; cat shelled; perl -pi.orig -e 's/1/2/' p; cat p p.orig; perl -MFile::Temp -MFile::Copy -MFile::Path=make_path,remove_tree -e 'my ($fh, $n) = File::Temp::tempfile(DIR => "."); print $fh "t"; close $fh; move($n, "moved"); make_path("x/y/z"); remove_tree("x"); open(my $p, "|-", "cat > piped"); print $p "p"; close $p; print -s "moved", qx(echo q); chmod 0600, "moved"; utime 1, 2, "moved"; symlink "moved", "s"; print readlink "s", "\\n"'
      awk '{ print > ("awk-" NR) } END { "echo cmd" | getline x; print x; system("echo sys") }' text; cat awk-2`,
    volatile: /\.viminfo$/,
  },
  {
    name: "tsc and esbuild, node --test",
    files: {
      "a.ts": 'import { b } from "./b.ts"; export const a: number = b + 1; console.log(a);\n',
      "b.ts": "export const b = 1;\n",
      "t.test.mjs":
        'import test from "node:test"; import assert from "node:assert"; test("a", () => assert(true)); test("b", async () => { await new Promise((r) => setTimeout(r, 5)); });\n',
    },
    script: `
      node ${ROOT_TOOLS}/typescript/lib/tsc.js --version > /dev/null 2>&1 && true; node ${ROOT_TOOLS}/typescript/bin/tsc --outDir out --module nodenext --target es2022 --allowImportingTsExtensions --rewriteRelativeImportExtensions a.ts; node out/a.js
      ${ROOT_TOOLS}/@esbuild/linux-x64/bin/esbuild --bundle --format=esm --outfile=b/a.js --sourcemap --metafile=b/meta.json a.ts --log-level=error; node b/a.js; node --test --test-reporter=tap t.test.mjs | grep -c '^ok\\|^    ok'; node -e 'const c = require("child_process"); console.log(c.execSync("echo sync").toString(), c.spawnSync("sh", ["-c", "exit 3"]).status); require("fs").cpSync("out", "copied", { recursive: true }); require("fs").rmSync("out", { recursive: true }); console.log(require("os").cpus().length > 0)'`,
    rootOnly: true,
  },
]);
