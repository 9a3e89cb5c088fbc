import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { type ConfinedResult, confined } from "../supervise/confined/world.ts";
import type { Outcome, Results, Suite } from "./suites.ts";

/** A project as it is made every day, and the lines that an agent starts in it. */
interface Project {
  readonly name: string;
  /** Programs without which it is left out. */
  readonly needs: readonly string[];
  /** Shell that makes it, in an empty repository. */
  readonly make: string;
  /** Each starts in a project made anew. */
  readonly lines: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Members of the user's policy besides `"unknown": "confine"`. */
  readonly policy?: object;
}

/** The clone as the world of a confined command has it. */
const BIN = "/srv/assent/node_modules/.bin";
const PATH = [...(process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder.startsWith("/")), "/usr/bin", "/bin"].join(
  delimiter,
);
const RUSTUP = process.env["RUSTUP_HOME"] ?? join(homedir(), ".rustup");

const file = (path: string, text: string): string => `mkdir -p "$(dirname ${path})"; cat > ${path} <<'END_OF_FILE'\n${text}\nEND_OF_FILE\n`;
const json = (path: string, value: unknown): string => file(path, JSON.stringify(value, undefined, 2));
const hook = (name: string, text: string): string => `${file(`.git/hooks/${name}`, `#!/bin/sh\n${text}`)}chmod +x .git/hooks/${name}\n`;

/** As on a machine that is in use: its own /dev, shared memory, a folder of cargo's; and no secret in the project, which is refused. */
const WORLD = "rm .env; mkdir ~/.cargo; umount -R -l /dev; mount -t tmpfs -o mode=1777 none /dev/shm\n";

/** Waits until something is there; never longer than ten seconds. */
const UNTIL = 'until_it() { for _ in $(seq 100); do eval "$1" >/dev/null 2>&1 && return; sleep 0.1; done; echo "never: $1"; }; ';

const NODE_FILES =
  json("package.json", {
    name: "app",
    version: "1.0.0",
    type: "module",
    scripts: {
      test: "node --test test/",
      build: "node build.js",
      prebuild: "mkdir -p dist",
      postinstall: "node -e 'console.log(1)'",
      start: "node server.js",
    },
  }) +
  file("lib.js", "export const add = (a, b) => a + b;") +
  file("build.js", 'import { copyFileSync } from "node:fs"; copyFileSync("lib.js", "dist/lib.js"); console.log("built");') +
  file(
    "test/lib.test.js",
    'import test from "node:test"; import assert from "node:assert"; import { add } from "../lib.js";\ntest("adds", () => assert.equal(add(1, 2), 3));',
  ) +
  file(
    "server.js",
    'import { createServer } from "node:http"; import { writeFileSync } from "node:fs";\nconst server = createServer((q, s) => s.end("page " + q.url + "\\n"));\nserver.listen(Number(process.env.PORT ?? 0), process.env.HOST, () => writeFileSync("port", String(server.address().port)));',
  ) +
  file("watched.js", 'console.log("run", 1);');

/** A registry of this machine, with one package that has a program and a script. */
const REGISTRY =
  'mkdir -p "$O/left/package" && printf \'{"name":"left","version":"1.0.0","bin":{"left":"cli.js"},"scripts":{"postinstall":"node cli.js > made"}}\' > "$O/left/package/package.json"\n' +
  'printf \'#!/usr/bin/env node\\nconsole.log("left runs");\\n\' > "$O/left/package/cli.js"; tar czf "$O/left.tgz" -C "$O/left" package\n' +
  file(
    "$O/registry.cjs",
    `const fs = require("fs"), crypto = require("crypto"), tgz = fs.readFileSync(process.env.O + "/left.tgz");
const integrity = "sha512-" + crypto.createHash("sha512").update(tgz).digest("base64"), at = "http://127.0.0.1:4873/left";
require("http").createServer((q, s) => {
  if (q.url === "/left") s.end(JSON.stringify({ name: "left", "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": { name: "left", version: "1.0.0", bin: { left: "cli.js" }, hasInstallScript: true, dist: { tarball: at + "/-/left-1.0.0.tgz", integrity } } } }));
  else if (q.url.endsWith(".tgz")) s.end(tgz);
  else { s.statusCode = 404; s.end("{}"); }
}).listen(4873, "127.0.0.1", () => fs.writeFileSync(process.env.O + "/up", ""));`,
  ) +
  'node "$O/registry.cjs" >/dev/null 2>&1 & until [ -e "$O/up" ]; do sleep 0.05; done\n' +
  "printf 'registry=http://127.0.0.1:4873/\\naudit=false\\nfund=false\\nupdate-notifier=false\\n' > ~/.npmrc\n";

const PYTHON_FILES =
  file("src/app/__init__.py", "def add(a, b):\n    return a + b") +
  file(
    "pyproject.toml",
    '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n[project]\nname = "app"\nversion = "1.0"\n[tool.setuptools.packages.find]\nwhere = ["src"]\n[tool.pytest.ini_options]\npythonpath = ["src"]',
  ) +
  file(
    "tests/test_app.py",
    "import os, socket, subprocess, sys, threading\nfrom multiprocessing import Pool\nfrom app import add\n\ndef test_add():\n    assert add(1, 2) == 3\n\ndef test_files(tmp_path, monkeypatch):\n    monkeypatch.chdir(tmp_path)\n    (tmp_path / 'f').write_text('x')\n    os.symlink('f', 'l')\n    assert open('l').read() == 'x'\n\ndef test_child():\n    assert subprocess.run([sys.executable, '-c', 'print(1)'], capture_output=True, text=True).stdout == '1\\n'\n\ndef test_socket():\n    with socket.create_server(('127.0.0.1', 0)) as s:\n        threading.Thread(target=lambda: s.accept()[0].sendall(b'x')).start()\n        assert socket.create_connection(s.getsockname()).recv(1) == b'x'\n\ndef test_pool():\n    with Pool(2) as p:\n        assert p.map(abs, [-1, -2]) == [1, 2]\n\ndef test_fails():\n    assert add(1, 1) == 3",
  );

const C_FILES =
  file(
    "Makefile",
    "CFLAGS = -O1 -Wall\nOBJS = $(patsubst %.c,%.o,$(wildcard m*.c))\nall: app lib.a lib.so\napp: main.o lib.a\n\t$(CC) -o $@ $^\nlib.a: $(OBJS)\n\t$(AR) rcD $@ $^\nlib.so: $(wildcard m*.c)\n\t$(CC) -shared -fPIC -o $@ $^\ntest: app\n\t./app | grep -q 12\nclean:\n\trm -f *.o *.a *.so app\nsub:\n\t$(MAKE) -C sub\n.PHONY: all test clean sub\n",
  ) +
  "for i in 1 2 3 4 5 6 7 8; do printf 'int m%s(void) { return %s; }\\n' $i $i > m_$i.c; done\n" +
  file("main.c", '#include <stdio.h>\nint m3(void), m4(void);\nint main(void) { printf("%d\\n", m3() * m4()); return 0; }') +
  file("sub/Makefile", "all:\n\t@echo in $(CURDIR) level $(MAKELEVEL)\n") +
  file("bad.c", "int main(void) { return x; }") +
  file(
    "a.cpp",
    '#include <iostream>\n#include <vector>\n#include <thread>\nint main() { std::vector<int> v{1, 2}; std::thread t([&] { v.push_back(3); }); t.join(); std::cout << v.size() << "\\n"; }',
  ) +
  file(
    "CMakeLists.txt",
    "cmake_minimum_required(VERSION 3.10)\nproject(app C)\nenable_testing()\nadd_executable(app main.c m_3.c m_4.c)\nadd_test(NAME runs COMMAND app)\n",
  );

const RUST_FILES =
  file(
    "Cargo.toml",
    '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\nbuild = "build.rs"\n[dependencies]\nlib = { path = "lib" }\nmac = { path = "mac" }\n[workspace]\nmembers = ["lib", "mac"]',
  ) +
  file(
    "build.rs",
    'fn main() { std::fs::write(std::path::Path::new(&std::env::var("OUT_DIR").unwrap()).join("g.rs"), "pub const G: i32 = 7;").unwrap(); println!("cargo:rerun-if-changed=build.rs"); }',
  ) +
  file("src/main.rs", 'include!(concat!(env!("OUT_DIR"), "/g.rs"));\nfn main() { println!("{} {}", lib::add(G, 1), mac::five!()); }') +
  file("lib/Cargo.toml", '[package]\nname = "lib"\nversion = "0.1.0"\nedition = "2021"') +
  file(
    "lib/src/lib.rs",
    '/// ```\n/// assert_eq!(lib::add(1, 2), 3);\n/// ```\npub fn add(a: i32, b: i32) -> i32 { a + b }\n#[test]\nfn adds() { assert_eq!(add(1, 2), 3); }\n#[test]\nfn files() { let p = std::env::temp_dir().join("x"); std::fs::write(&p, "x").unwrap(); std::fs::remove_file(p).unwrap(); }',
  ) +
  file("mac/Cargo.toml", '[package]\nname = "mac"\nversion = "0.1.0"\nedition = "2021"\n[lib]\nproc-macro = true') +
  file(
    "mac/src/lib.rs",
    'use proc_macro::TokenStream;\n#[proc_macro]\npub fn five(_: TokenStream) -> TokenStream { "5".parse().unwrap() }',
  );

const GO_FILES =
  file("go.mod", "module example.test/app\n\ngo 1.18") +
  file(
    "main.go",
    'package main\n\nimport (\n\t"fmt"\n\t"example.test/app/lib"\n)\n\n//go:generate sh -c "echo package lib > lib/gen.go"\nfunc main() { fmt.Println(lib.Add(1, 2)) }',
  ) +
  file("lib/lib.go", "package lib\n\nfunc Add(a, b int) int { return a + b }") +
  file(
    "lib/lib_test.go",
    'package lib\n\nimport (\n\t"net"\n\t"net/http"\n\t"net/http/httptest"\n\t"os"\n\t"os/exec"\n\t"path/filepath"\n\t"testing"\n)\n\nfunc TestAdd(t *testing.T) { if Add(1, 2) != 3 { t.Fatal() } }\nfunc TestFiles(t *testing.T) { if os.WriteFile(filepath.Join(t.TempDir(), "f"), nil, 0o600) != nil { t.Fatal() } }\nfunc TestChild(t *testing.T) { if out, err := exec.Command("echo", "x").Output(); err != nil || string(out) != "x\\n" { t.Fatal(err) } }\nfunc TestServer(t *testing.T) {\n\ts := httptest.NewServer(http.NotFoundHandler())\n\tdefer s.Close()\n\tif r, err := http.Get(s.URL); err != nil || r.StatusCode != 404 { t.Fatal(err) }\n}\nfunc TestUnix(t *testing.T) {\n\tl, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))\n\tif err != nil { t.Fatal(err) }\n\tl.Close()\n}\nfunc BenchmarkAdd(b *testing.B) { for i := 0; i < b.N; i++ { Add(1, 2) } }',
  );

const HOOKS =
  "git add -A; git commit -qm files; git init -q --bare ../out/remote.git; git remote add up ../out/remote.git\n" +
  hook("pre-commit", 'echo "pre-commit in $PWD"; git diff --cached --name-only; ! git grep -q --cached FORBIDDEN') +
  hook("prepare-commit-msg", 'sed -i "1s/^/[x] /" "$1"') +
  hook("commit-msg", 'grep -q "^\\[x\\]" "$1"') +
  hook("post-commit", "git log -1 --format=%s > $O/../tmp/last; cat $O/../tmp/last") +
  hook("post-checkout", 'echo "checkout $3"') +
  hook("post-merge", 'echo "merge $1"') +
  hook("pre-rebase", 'echo "rebase $1"') +
  hook("post-rewrite", 'echo "rewrite $1"; cat | wc -l') +
  hook("reference-transaction", "case $1 in committed) cat | wc -l ;; esac");

const PROJECTS: readonly Project[] = [
  {
    name: "node",
    needs: ["npm"],
    make: NODE_FILES,
    lines: [
      "npm test 2>&1 | sed 's/duration_ms.*//'",
      "npm run build",
      "npm start & until_it '[ -s port ]'; curl -s localhost:$(cat port)/a; kill $(pgrep -f 'node server.j[s]'); wait; echo ended",
      "PORT=3111 HOST=0.0.0.0 node server.js & until_it 'curl -s 127.0.0.1:3111'; curl -s 127.0.0.1:3111/b; kill $!; wait $!; echo $?",
      "PORT=3112 HOST=::1 node server.js & until_it '[ -s port ]'; curl -s 'http://[::1]:3112/c'; kill %1",
      "node --watch watched.js > w.log 2>&1 & until_it 'grep -q \"run 1\" w.log'; echo 'console.log(\"run\", 2)' > watched.js; until_it 'grep -q \"run 2\" w.log'; kill $!; wait $!; grep -c run w.log; rm w.log",
      'node -e \'const fs = require("fs"); fs.watch(".", (e, f) => { if (f === "z") { console.log(e, f); process.exit(); } }); setTimeout(() => fs.writeFileSync("z", ""), 200)\'',
      'node -e \'const c = require("cluster"); if (c.isPrimary) { c.fork(); c.fork(); let n = 0; c.on("exit", (w, s) => { console.log(s); }); } else require("http").createServer().listen(0, () => process.exit(4))\'',
      'node -e \'const { Worker } = require("worker_threads"); new Worker("require(\\"fs\\").writeFileSync(\\"w\\", \\"x\\")", { eval: true }).on("exit", (s) => console.log(s))\'',
      "npm pack --silent && tar tzf app-1.0.0.tgz | sort",
      "npm version patch --no-git-tag-version; npm pkg get version",
      "node --cpu-prof --cpu-prof-dir=prof lib.js && ls prof | wc -l; rm -r prof",
    ],
  },
  {
    name: "npm",
    needs: ["npm"],
    make: `${NODE_FILES}${REGISTRY}npm install left@1.0.0 --package-lock-only --silent >/dev/null 2>&1; rm -rf ../home/.npm; echo save-exact=true > .npmrc; git add -A; git commit -qm all\n`,
    policy: { permissions: { allow: ["Net(127.0.0.1)"] } },
    lines: [
      "npm ci --silent && ls node_modules node_modules/.bin && cat node_modules/left/made",
      "npm install --silent; npm ls; npx left; npm exec left",
      "npm ci --silent --ignore-scripts; ls node_modules/left; npm rebuild --silent; ls node_modules/left; npm ci --silent --offline && echo again",
      "npm config get save-exact",
      "npm ci --silent && rm -rf node_modules && npm ci --silent && npm uninstall --silent left && ls node_modules | wc -l",
    ],
  },
  {
    name: "tools",
    needs: [],
    make:
      json("package.json", { name: "site", version: "1.0.0", type: "module" }) +
      json("tsconfig.json", { compilerOptions: { strict: true, outDir: "out", module: "nodenext", types: [] }, include: ["src"] }) +
      file("src/a.ts", "export const a: number = 1;") +
      file("index.html", '<script type="module" src="/src/a.ts"></script>') +
      file("t/a.test.ts", `import { expect, it } from "vitest"; import { a } from "../src/a";\nit("is one", () => expect(a).toBe(1));`) +
      "mkdir node_modules; ln -s /srv/assent/node_modules/* /srv/assent/node_modules/.bin node_modules; echo node_modules > .gitignore\n",
    lines: [
      `${BIN}/tsc && cat out/a.js`,
      `${BIN}/tsc --watch > w.log & until_it 'grep -q Watching w.log'; kill $(pgrep -x tsc); wait; rm w.log`,
      `${BIN}/esbuild src/a.ts --bundle --outfile=o.js --log-level=error && cat o.js`,
      `sleep 20 | ${BIN}/esbuild src/a.ts --outfile=o.js --watch --log-level=error & until_it 'grep -q "a = 1" o.js'; echo 'export const a = 2;' > src/a.ts; until_it 'grep -q "a = 2" o.js'; kill $(jobs -p) $(pgrep -f 'esbuil[d] src') 2>/dev/null; cat o.js`,
      `${BIN}/vitest run --reporter=dot --no-color 2>&1 | grep -c passed`,
      `${BIN}/vite build --logLevel error && ls dist`,
      `${BIN}/vite --port 3199 > w.log 2>&1 & until_it 'curl -s 127.0.0.1:3199 || curl -s "http://[::1]:3199"'; (curl -s 127.0.0.1:3199/src/a.ts || curl -s "http://[::1]:3199/src/a.ts") | head -1; kill $!; wait $!; echo $?; rm w.log`,
      `${BIN}/oxlint --silent src; echo $?`,
    ],
  },
  {
    name: "git hooks",
    needs: ["git"],
    make: HOOKS,
    lines: [
      "echo a > a && git add a && git commit -m one; cat ../tmp/last",
      "echo FORBIDDEN > a && git add a && git commit -m one; echo $?; git status --short",
      "git commit --allow-empty -m empty -q --no-verify; git commit --amend -m other",
      "git checkout -b t; echo t > t; git add t; git commit -qm t; git checkout -; git merge --no-ff -m merged t; git branch -D t",
      "git checkout -qb t; git commit -qm t --allow-empty; git checkout -q -; git commit -qm m --allow-empty; git rebase -q --keep-empty t; git log --format=%s",
      "echo w >> kept; git stash; git stash pop; git worktree add ../proj/wt -b w; git worktree remove wt",
      "git clone -q . c && git -C c log --oneline | wc -l; git fetch -q ./c HEAD; git submodule status; rm -rf c",
      "git bisect start HEAD HEAD~1; git bisect run true | tail -1; git bisect reset",
      "git gc -q; git fsck; git repack -adq; git prune; git count-objects",
      "git format-patch -1 -o p; git reset -q --hard HEAD~1; git am p/*; git archive HEAD | tar t",
    ],
  },
  {
    name: "python",
    needs: ["python3"],
    make: `${PYTHON_FILES}git add -A\n`,
    env: { PYTHONDONTWRITEBYTECODE: "1" },
    lines: [
      "python3 -m pytest -q -p no:cacheprovider --no-header 2>&1 | sed 's/ in .*s$//'",
      "python3 -m pytest -q -k add; ls -a .pytest_cache | head -3",
      "python3 -m venv --without-pip v && . v/bin/activate && python -c 'import sys; print(sys.prefix)'; rm -r v",
      "python3 -m venv v && v/bin/pip --version | cut -d' ' -f1; v/bin/pip install -q --no-index --no-build-isolation -e . 2>&1 | tail -1; rm -r v",
      "python3 -m http.server 8123 --bind 127.0.0.1 >/dev/null 2>&1 & until_it 'curl -s 127.0.0.1:8123'; curl -s 127.0.0.1:8123/pyproject.toml | head -1; kill $!",
      "python3 -m compileall -q src; python3 -m zipapp src -m app:add -o a.pyz; python3 -m zipfile -l a.pyz | wc -l",
      'python3 -c \'import multiprocessing as m; q = m.Manager().Queue(); q.put(1); print(q.get(), m.Value("i", 3).value, m.get_context("spawn").Pool(1).map(abs, [-4]))\'',
      "python3 -c 'import asyncio; print(asyncio.run(asyncio.create_subprocess_exec(\"true\")).pid > 0)'",
      "python3 -c 'import pty; pty.spawn([\"tty\"])' | sed 's/[0-9]*//g'",
      "python3 -c 'import tempfile, mmap; f = tempfile.TemporaryFile(); f.truncate(9); m = mmap.mmap(f.fileno(), 9); m[0:1] = b\"x\"; print(f.read(1))'",
      'python3 -c \'import logging.handlers as h, logging as l; a = h.RotatingFileHandler("l.log", maxBytes=20, backupCount=2); [a.emit(l.makeLogRecord({"msg": "x" * 9})) for _ in range(9)]\'; ls l.log*',
    ],
  },
  {
    name: "c",
    needs: ["gcc", "make"],
    make: C_FILES,
    lines: [
      "make -j4 >/dev/null && make test && ls *.so *.a && make clean",
      "make -j4 -s all; touch m_1.c; make -s -j2; make -q; echo $?; make sub",
      "make -k bad x; echo $?",
      "gcc -c bad.c; echo $?; ls *.o",
      "g++ -O1 -pthread -o a a.cpp && ./a",
      "gcc -g -flto -fprofile-arcs -ftest-coverage -o app main.c m_3.c m_4.c && ./app && ls *.gcda | wc -l",
      "gcc -fsanitize=address,undefined -o app main.c m_3.c m_4.c && ASAN_OPTIONS=detect_leaks=0 ./app",
      "gcc -E main.c | tail -1; gcc -S -o - m_1.c | grep -c m1; gcc -MM main.c; echo 'int main(void){return 3;}' | gcc -xc - && ./a.out; echo $?",
      "as -o e.o < /dev/null && ld -r -o f.o e.o && nm f.o; strip -o s.o f.o; objdump -h s.o | wc -l",
      "cmake -S . -B b >/dev/null && cmake --build b -j2 >/dev/null && b/app && cd b && ctest 2>&1 | grep -c Passed",
      "cmake -S . -B b -G Ninja >/dev/null && ninja -C b >/dev/null && b/app",
    ],
  },
  {
    name: "rust",
    needs: ["cargo"],
    // Where it is installed for everybody: this home is not the one that rustup's own lies in.
    make: `mount --bind "$(rustc --print sysroot)" /usr/local; hash -r\n${RUST_FILES}`,

    env: { PATH: `/usr/local/bin:${PATH}`, CARGO_TERM_COLOR: "never", CARGO_NET_OFFLINE: "true" },
    lines: [
      "cargo build -q && target/debug/app && touch lib/src/lib.rs && cargo run -q && cargo clean -q && ls",
      "cargo test -q --workspace 2>&1 | grep -c 'test result: ok'",
      "cargo check -q && cargo build -q --release -j2 && target/release/app; cargo metadata --format-version 1 --no-deps | wc -l",
      "rustc -O --crate-type lib -o l.rlib lib/src/lib.rs && ls l.rlib; cargo new -q --lib new && ls new",
    ],
  },
  {
    name: "go",
    needs: ["go"],
    make: GO_FILES,
    env: { GOFLAGS: "-mod=mod", GOPROXY: "off" },
    lines: [
      "go build -o app . && ./app && go run . && go vet ./... && ls",
      "go test ./... 2>&1 | sed 's/\t[0-9.]*s$//'; go test -count=1 -run Add -bench . ./lib | grep -c Benchmark",
      "go generate ./... && cat lib/gen.go; gofmt -l . ; go list ./...; go clean -cache; go env GOPATH",
      "GOCACHE=$PWD/c GOTMPDIR=$PWD go build ./... && ls",
    ],
  },
  {
    name: "java",
    needs: ["javac"],
    make: file(
      "src/A.java",
      'import java.nio.file.*;\npublic class A { public static void main(String[] a) throws Exception { Files.writeString(Path.of("o"), "x"); var f = Files.createTempFile("a", "b"); Files.delete(f); System.out.println(new String(new ProcessBuilder("echo", "hi").start().getInputStream().readAllBytes())); } }',
    ),
    lines: [
      "javac -d out src/A.java && java -cp out A && cat o",
      "jar cfe a.jar A -C src . && unzip -l a.jar | tail -1 | cut -d' ' -f1-9; java src/A.java",
    ],
  },
  {
    name: "others",
    needs: ["ruby", "sqlite3"],
    make: file(
      "t.rb",
      'require "tempfile"; Tempfile.create { |f| f.puts 1 }; puts `echo hi`; r, w = IO.pipe; fork { w.puts "child" }; Process.wait; puts r.gets',
    ),
    lines: [
      'ruby t.rb; ruby -run -e httpd --help >/dev/null 2>&1; ruby -rsocket -e \'s = TCPServer.new("127.0.0.1", 0); Thread.new { s.accept.puts 5 }; puts TCPSocket.new("127.0.0.1", s.addr[1]).gets\'',
      "sqlite3 d.db 'pragma journal_mode=wal; create table t(a); insert into t values (1); select * from t;'; ls",
      'perl -e \'open my $f, "-|", "echo x"; print <$f>; use File::Temp; my $t = File::Temp->new; print $t 1; use IO::Socket::INET; my $s = IO::Socket::INET->new(Listen => 1); print $s->sockport > 0, "\\n"\'',
      "tail -n +1 -F log > got & sleep 0.2; echo one > log; until_it 'grep -q one got'; mv log log.1; echo two > log; until_it 'grep -q two got'; kill $!; wait $!; cat got",
      "(echo x; sleep 1; echo y) | while read -t 5 l; do echo $l; done; script -qc 'tty | wc -w' /dev/null; setsid -w sh -c 'ps -o sid= $$ | wc -w'",
      "rsync -a --delete --exclude .git ./ ../tmp/copy/ && diff -r -x .git . ../tmp/copy; cpio -o < /dev/null 2>/dev/null | wc -c; zip -qr z.zip . && unzip -tq z.zip; gzip -k t.rb; xz -k t.rb; zstd -q t.rb; ls",
      "strace -o /dev/null true; echo $?",
    ],
  },
];

const LEFT =
  "git log --format=%s --all; git status --short; find . -path ./.git/objects -prune -o -path './target/*' -prune -o -printf '%P %y %m %l\\n' | sort; " +
  "find . -type f -not -path './.git/*' -not -path '*/target/*' -not -path '*/node_modules/.*' -not -path './b/*' -not -name '*.so' -not -name 'app' -not -name 'a' -not -name 'port' -not -path './c/*' " +
  "-not -name '*.gc*' -not -path './prof/*' -not -name '*.db*' -not -name '*.class' -not -name '*.?z*' -not -name '*.jar' -not -path '*/.pytest_cache/*' -not -path '*.tgz' -print0 | sort -z | xargs -0r md5sum";

/** What changes by itself from one run to the next. */
const steady = (text: string): string =>
  text
    .replaceAll(/\b\d+(?:\.\d+)? ?m?s\b/g, "TIME")
    .replaceAll(/(?<=\[\d\] )\d+|(?<=line \d+: +)\d+|(?<=\(node:)\d+|(?<=pid )\d+/g, "PID")
    .replaceAll(/(?<=\/(?:tmp|cc|_logs|pytest-of-\w+\/pytest)[-\w]*)[-\w]{6,}/g, "NAME");

function resultsOf(line: string, { status, stdout, stderr, said, after }: ConfinedResult): Results {
  const parts = { status, output: steady(stdout), errors: steady(stderr), files: steady(after), refused: said.join("\n") };
  return new Map(Object.entries(parts).map(([part, text]) => [`${line} · ${part}`, text]));
}

const isThere = (program: string): boolean => PATH.split(delimiter).some((folder) => existsSync(join(folder, program)));

/** What agents start every day, bare and confined by a policy that allows nothing for it. */
export const everyday: Suite = {
  name: "confined",
  from: "everyday commands in projects of each kind (test/equivalence/everyday.ts)",
  units: () =>
    PROJECTS.filter(({ needs }) => needs.every(isThere)).flatMap(({ name, lines }) =>
      lines.map((line, at) => ({ name: `${name} ${at + 1}`, command: [name, line] })),
    ),
  results: () => new Map(),
  async compare({ command: [project, line = ""] }): Promise<Outcome> {
    const found = PROJECTS.find(({ name }) => name === project);
    if (found === undefined) throw new Error(`no project ${String(project)}`);
    const { make, env = {}, policy = {} } = found;
    const what = {
      command: UNTIL + line,
      before: `PATH='${PATH}'; export RUSTUP_HOME='${RUSTUP}'\n${WORLD}${make}`,
      after: LEFT,
      env: { PATH, RUSTUP_HOME: RUSTUP, ...env },
      policy,
    };
    const bare = resultsOf(line, await confined({ ...what, bare: true }));
    return { bare, others: [resultsOf(line, await confined(what))] };
  },
};
