import { describe, expect, it } from "vitest";
import { confined } from "./world.ts";

/**
 * Everyday commands, bare and confined in the same project: status, output, errors and what is left are the same. Where they are not,
 * the row says why.
 */
const PROJECT = `
mkdir -p src scripts docs; printf 'print("hi")\\n' > src/app.py; printf 'b,2\\na,1\\nc,3\\n' > data.csv
printf 'all: out.txt\\nout.txt: data.csv\\n\\tsort data.csv > out.txt\\nfail:\\n\\tfalse\\n.PHONY: all fail\\n' > Makefile
printf '#include <stdio.h>\\nint main(int c, char **v) { printf("%%d\\\\n", c); return c > 2; }\\n' > src/main.c
printf '#!/bin/sh\\necho "$# $1"; echo problem >&2; exit 3\\n' > scripts/s.sh; chmod +x scripts/s.sh
printf 'import unittest\\nclass T(unittest.TestCase):\\n  def test_a(self): self.assertEqual(1, 1)\\n' > src/test_app.py
printf '{ "name": "x", "version": "1.0.0", "scripts": { "test": "node src/t.js", "build": "mkdir -p dist && cp src/t.js dist" } }\\n' > package.json
printf 'console.log(require("os").EOL.length, process.argv.length, process.cwd())\\n' > src/t.js
printf '# Title\\n\\ntext\\n' > docs/a.md; printf 'dist/\\n*.pyc\\n.env\\n' > .gitignore
git add -A; git commit -qm second; exec 2>/dev/null
`;
const LEFT =
  "git status --short; git log --format=%s; git stash list; find . -path ./.git -prune -o -printf '%P %y %m %l\\n' | sort; find . -type f -not -path './.git/*' -print0 | sort -z | xargs -0 md5sum";
const ENV = { PYTHONDONTWRITEBYTECODE: "1", npm_config_update_notifier: "false" };

const SAME: readonly string[] = [
  // The project's own.
  "./scripts/s.sh a b",
  "sh scripts/s.sh; echo $?",
  "make -s && cat out.txt",
  "make fail",
  "make -j4 all -n",
  "npm test --silent -- x",
  "npm run build --silent && ls dist",
  "node src/t.js one two",
  'node -e \'require("fs").writeFileSync("n.json", JSON.stringify({ a: [1, 2] }))\' && cat n.json',
  "python3 src/app.py",
  "python3 -m unittest -q src/test_app.py 2>&1 | tail -1",
  'python3 -c \'import json, sys; json.dump({"b": 1}, open("p.json", "w")); sys.exit(4)\'',
  "cc -o app src/main.c 2>/dev/null && ./app x; ./app x y; echo $?; rm -f app",
  "perl -pe 's/a/A/' data.csv > perl.csv; cat perl.csv",
  "awk -F, '{ s += $2 } END { print s }' data.csv",
  "bash -c 'set -euo pipefail; false; echo never'",
  // Files.
  "echo one > a && cat a >> a2 && mv a2 b && rm a",
  "mkdir -p x/y/z && touch x/y/z/f && rm -rf x/y && find x",
  "cp -a src copy && diff -r src copy && rm -r copy",
  "ln -s data.csv link && readlink link && cat link",
  "ln data.csv hard && stat -c %h hard",
  "chmod 600 data.csv && stat -c %a data.csv",
  "touch -d 2001-02-03 data.csv && stat -c %y data.csv",
  "sed -i 's/a/z/' data.csv && cat data.csv",
  "printf 'one\\ntwo\\n' | tee t | wc -l",
  "cat > here.txt <<'END'\n$HOME `x` \\n\nEND\ncat here.txt",
  "truncate -s 5 data.csv; wc -c data.csv",
  "dd if=/dev/zero of=zeros bs=1k count=3 2>/dev/null; stat -c %s zeros",
  "tar czf s.tgz src && mkdir t && tar xzf s.tgz -C t && ls t/src && rm s.tgz",
  "split -l 1 data.csv part- && ls part-*",
  "find . -name '*.md' -not -path './.git/*' -exec wc -l {} +",
  "find src -name '*.py' -delete; ls src",
  "mktemp -d > /dev/null && ls /tmp | wc -l",
  "f=$(mktemp) && echo x > $f && cat $f && rm $f",
  "mkfifo p && (echo through > p &) && cat p && rm p",
  "install -m 755 scripts/s.sh inst && ./inst; stat -c %a inst",
  "umask 077; echo x > private; stat -c %a private",
  "cat nothing; ls nothing; rm nothing",
  "echo x > scripts; echo $?",
  // Text and jobs.
  "sort data.csv | uniq -c | sort -rn | head -2",
  "grep -rn hi src; grep -c nothing data.csv",
  "seq 1 5 | xargs -n2 echo | tr ' ' -",
  "for i in 1 2 3; do echo $i; done | paste -sd+ | bc 2>/dev/null",
  'cat data.csv | while IFS=, read -r a b; do echo "$b$a"; done',
  "(sleep 0.2; echo later) & echo now; wait; echo $?",
  "sleep 5 & kill $!; wait $!; echo $?",
  "trap 'echo bye' EXIT; exit 9",
  "timeout 0.2 sleep 5; echo $?",
  "{ time -p true; } 2> /dev/null; echo $BASH_SUBSHELL",
  "yes | head -c 100000 | wc -c",
  "exec 3<> data.csv; read -u 3 line; echo $line; exec 3>&-",
  "coproc cat; echo hi >&${COPROC[1]}; read -r l <&${COPROC[0]}; echo $l",
  "diff <(sort data.csv) <(cat data.csv)",
  "nohup sh -c 'echo out' 2>/dev/null",
  "nice -n 5 sh -c nice",
  "flock data.csv echo locked",
  "ulimit -t 50; ulimit -t",
  // git.
  "git status --short --branch | head -1; git diff --stat HEAD~1 | tail -1",
  "echo y >> kept && git add kept && git commit -qm third && git show --stat --format=%s | head -3",
  "git checkout -q -b topic && echo t > t && git add t && git commit -qm topic && git checkout -q - && git merge -q topic && git branch -d topic",
  "echo z >> kept; git stash -q && git stash pop -q && git diff --stat",
  "echo z >> kept; git checkout -- kept; git restore data.csv; git reset -q; git clean -n",
  "git mv data.csv d.csv && git commit -qam moved && git revert --no-edit HEAD | head -1; git tag v1; git describe --tags",
  "git rebase -q HEAD~1; git cherry-pick --quit; git log --oneline | wc -l",
  "git worktree list | wc -l; git config user.name; git rev-parse --is-inside-work-tree",
  // Servers and sockets of its own.
  "python3 -c \"import socket, threading; s = socket.create_server(('127.0.0.1', 0)); threading.Thread(target=lambda: s.accept()[0].send(b'hi')).start(); print(socket.create_connection(s.getsockname()).recv(9))\"",
  "python3 -c \"import socket; a, b = socket.socketpair(); a.send(b'x'); print(b.recv(1), socket.gethostbyname('localhost'))\"",
  "python3 -c \"import sqlite3; c = sqlite3.connect('db'); c.execute('create table t (a)'); c.commit(); print(c.execute('select count(*) from t').fetchone())\"; rm db",
];

/** What is different, as it is inside, and why. */
const OTHERWISE: readonly (readonly [why: string, command: string, inside: object])[] = [
  ["a supervised process has a filter", "grep -c '^Seccomp:.*2$' /proc/self/status", { stdout: "1\n" }],
  ["nothing here can gain rights", "grep '^NoNewPrivs' /proc/self/status", { stdout: "NoNewPrivs:\t1\n" }],
  ["descriptors above 2 are closed", "ls /proc/self/fd | wc -l", { stdout: "4\n" }],
];

describe("everyday commands, bare and confined", { concurrent: true }, () => {
  it.each(SAME)("%s", async (command) => {
    const what = { command, before: PROJECT, after: LEFT, env: ENV };
    const [bare, inside] = await Promise.all([confined({ ...what, bare: true }), confined(what)]);
    expect(inside).toEqual(bare);
  });

  it.each(OTHERWISE)("otherwise: %s", async (_, command, inside) => {
    expect(await confined({ command })).toMatchObject({ status: "0", said: [], ...inside });
  });
});
