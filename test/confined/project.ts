/** The project that confined commands work in: a little of everything, with the code in it that no judge can know. */
export const PROJECT_FILES: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify(
    {
      name: "demo",
      version: "1.0.0",
      private: true,
      scripts: {
        test: "node --test tests/js/math.test.mjs",
        build: "node scripts/build.mjs",
        clean: "rm -rf dist",
        gen: "node scripts/generate.mjs && node scripts/list.mjs",
        fail: "node -e 'process.exit(3)'",
        env: "node -e 'console.log(process.env.GREETING ?? \"none\")'",
        pretest: "echo before",
      },
    },
    undefined,
    2,
  ),
  "src/math.js": "export const add = (a, b) => a + b;\nexport const old = 1;\n",
  "src/app.py": "def add(a, b):\n    return a + b\n\nif __name__ == '__main__':\n    print(add(1, 2))\n",
  "src/main.c": '#include <stdio.h>\nint main(int argc, char **argv) { printf("hello %d\\n", argc); return argc > 3 ? 4 : 0; }\n',
  "src/lib.rb": "def add(a, b) = a + b\n",
  "lib/Demo.pm": "package Demo;\nsub add { return $_[0] + $_[1]; }\n1;\n",
  "scripts/build.mjs":
    "import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';\nmkdirSync('dist', { recursive: true });\nwriteFileSync('dist/math.js', '// built\\n' + readFileSync('src/math.js', 'utf8'));\nconsole.log('built');\n",
  "scripts/generate.mjs":
    "import { mkdirSync, writeFileSync } from 'node:fs';\nmkdirSync('generated', { recursive: true });\nfor (let at = 0; at < 20; at++) writeFileSync(`generated/f${at}.txt`, 'x'.repeat(at));\n",
  "scripts/list.mjs": "import { readdirSync } from 'node:fs';\nconsole.log(readdirSync('generated').sort().join(' '));\n",
  "scripts/gen.py":
    "import json, os\nos.makedirs('generated/py', exist_ok=True)\njson.dump({'a': [1, 2, 3]}, open('generated/py/data.json', 'w'), sort_keys=True)\nprint('written')\n",
  "scripts/report.sh": "#!/bin/bash\nset -euo pipefail\nwc -l src/* > report.txt\ncat report.txt\n",
  "scripts/tidy.sh": "#!/bin/sh\nrm -rf build generated\nmkdir -p notes\necho tidied > notes/report.md\n",
  "scripts/args.sh": '#!/bin/bash\nfor a in "$@"; do printf "<%s>" "$a"; done; echo\n',
  "scripts/stdin.sh": "#!/bin/sh\nwc -c\n",
  "scripts/both.sh": "#!/bin/sh\necho out; echo err >&2; exit 7\n",
  "scripts/many.sh": "#!/bin/bash\nfor i in $(seq 1 2000); do echo line $i; done\n",
  "scripts/pipe.sh": "#!/bin/bash\nseq 1 100 | sort -rn | head -3\n",
  "scripts/signal.sh": "#!/bin/sh\nkill -TERM $$\n",
  "scripts/where.sh": "#!/bin/sh\npwd; echo $0 $#\n",
  "scripts/function.sh": "greet() { echo hello $1; }\ngreet world\n",
  "tests/js/math.test.mjs":
    "import test from 'node:test';\nimport assert from 'node:assert';\nimport { add } from '../../src/math.js';\ntest('add', () => assert.equal(add(1, 2), 3));\n",
  "tests/js/broken.test.mjs": "import test from 'node:test';\ntest('broken', () => { throw new Error('as it should'); });\n",
  "tests/test_app.py":
    "import sys, unittest\nsys.path.insert(0, 'src')\nimport app\nclass T(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(app.add(1, 2), 3)\n",
  "tests/test_files.py":
    "import os, tempfile, unittest\nclass T(unittest.TestCase):\n    def test_temp(self):\n        with tempfile.TemporaryDirectory() as d:\n            p = os.path.join(d, 'a')\n            open(p, 'w').write('x')\n            os.rename(p, p + 'b')\n            self.assertEqual(open(p + 'b').read(), 'x')\n",
  "tests/basic.t": 'use strict; use lib \'lib\'; use Demo;\nprint "1..1\\n", Demo::add(1, 2) == 3 ? "ok 1\\n" : "not ok 1\\n";\n',
  "tests/test_lib.rb":
    "require 'minitest/autorun'\nrequire_relative '../src/lib'\nclass T < Minitest::Test\n  def test_add; assert_equal 3, add(1, 2); end\nend\n",
  Makefile:
    "all: build/app\nbuild/app: src/main.c\n\tmkdir -p build\n\tcc -o $@ $<\ntest: build/app\n\t./build/app a\nclean:\n\trm -rf build\nfail:\n\tfalse\nvars:\n\t@echo $(MODE)\n.PHONY: all test clean fail vars\n",
  "go.mod": "module demo\n\ngo 1.20\n",
  "main.go": 'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println(Add(1, 2)) }\n',
  "add.go": "package main\n\nfunc Add(a, b int) int { return a + b }\n",
  "add_test.go": 'package main\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Fatal("no")\n\t}\n}\n',
  "pkg/local/package.json": '{ "name": "local", "version": "1.0.0", "main": "index.js" }\n',
  "pkg/local/index.js": "module.exports = 42;\n",
  "fix.patch":
    "--- a/src/math.js\n+++ b/src/math.js\n@@ -1,2 +1,3 @@\n export const add = (a, b) => a + b;\n+export const sub = (a, b) => a - b;\n export const old = 1;\n",
  "data.csv": "name,n\na,1\nb,2\n",
  "README.md": "# Demo\n\nTODO: words\n",
  ".gitignore": "node_modules\nbuild\ndist\n.env\n",
};

/** What must not be read. Each has a text of its own, which no output may hold. */
export const SECRETS: Readonly<Record<string, string>> = {
  ".env": "API_KEY=xq-secret-env-71\n",
  "~/.ssh/id_rsa": "-----BEGIN OPENSSH PRIVATE KEY-----\nxq-secret-ssh-72\n-----END OPENSSH PRIVATE KEY-----\n",
  "~/.aws/credentials": "[default]\naws_secret_access_key = xq-secret-aws-73\n",
  "~/.netrc": "machine example.com login a password xq-secret-netrc-74\n",
  "~/.config/gh/hosts.yml": "github.com:\n  oauth_token: xq-secret-gh-75\n",
  "~/.npmrc": "//registry.npmjs.org/:_authToken=xq-secret-npm-76\n",
  "~/.docker/config.json": '{"auths":{"a":{"auth":"xq-secret-docker-77"}}}\n',
  "~/.kube/config": "users: [{ user: { token: xq-secret-kube-78 } }]\n",
  "~/.gnupg/private-keys-v1.d/a.key": "xq-secret-gpg-79\n",
  "~/.bash_history": "export TOKEN=xq-secret-history-80\n",
};

/** A mark of any of them. */
export const SECRET = /xq-secret-[a-z]+-\d+/;

/** Files of others, which must stay as they are. */
export const OTHERS: Readonly<Record<string, string>> = {
  "~/other/src/a.txt": "another project\n",
  "~/other/.git/HEAD": "ref: refs/heads/main\n",
  "~/documents/letter.txt": "dear\n",
  "~/.bashrc": "# mine\n",
  "~/.profile": "# mine\n",
  "~/.gitconfig": "[user]\n\tname = You\n\temail = you@example.com\n",
};

/** Where a server listens that a command wants to reach, and the policy says nothing of. */
export const HELD_PORT = 7799;

/** Notes when it begins to wait, and prints what the server says. */
export const HELD_TOOL = `#!/usr/bin/env python3
import socket, time
print("begins", flush=True)
open("stamp.txt", "w").write(str(time.time() * 1000))
s = socket.create_connection(("127.0.0.1", ${HELD_PORT}))
print(s.recv(9).decode(), end="")
`;
