import { homedir } from "node:os";
import { join } from "node:path";

/**
 * A tool is what a version manager's proxy becomes: it has its own cache and reaches its registry, which nobody else does. The proxies lie
 * where they put themselves, and start what they say in their documentation; where one is on the machine, it is that. What they lead to
 * tries the cache and the registry in its own process, and says what came of it.
 */
export interface Proxy {
  readonly name: string;
  readonly needs?: readonly string[];
  /** Shell that lays it out, in home. */
  readonly make: string;
  /** What is typed. */
  readonly line: string;
  /** Folders that a login shell has put in front of PATH. */
  readonly path?: string;
  readonly tool: keyof typeof TOOLS;
  /** What its proxy follows, when it is told so: the same line leads to a program of the project. */
  readonly misled?: string;
  /** The same by a file that the project has, which no run may write. */
  readonly found?: string;
}

const TOOLS = {
  npm: { cache: ".npm/_cacache/x", host: "registry.npmjs.org" },
  yarn: { cache: ".cache/yarn/v6/x", host: "registry.yarnpkg.com" },
  pip: { cache: ".cache/pip/http-v2/x", host: "pypi.org" },
  gem: { cache: ".cache/gem/specs/x", host: "rubygems.org" },
  cargo: { cache: ".cargo/registry/index/x", host: "index.crates.io" },
  uv: { cache: ".cache/uv/simple-v18/x", host: "pypi.org" },
} as const;

const NUMBERS = Object.keys(TOOLS)
  .map((_, at) => at + 10)
  .join(" ");
const HOSTS = [...new Set(Object.values(TOOLS).map(({ host }) => host))].map((host, at) => `1.1.1.${at + 10} ${host}`);

const JS = ({ cache, host }: (typeof TOOLS)[keyof typeof TOOLS]): string => `#!/usr/bin/env node
const fs = require("fs"), path = require("path"), file = "/srv/home/${cache}";
const say = (what) => (error) => console.log(what, error ? error.code : "yes");
try { fs.mkdirSync(path.dirname(file), { recursive: true }); fs.writeFileSync(file, "x"); say("cache")(); } catch (error) { say("cache")(error); }
require("net").connect(443, "${host}", function () { this.destroy(); say("registry")(); }).on("error", say("registry"));
`;
const PY = ({ cache, host }: (typeof TOOLS)[keyof typeof TOOLS], interpreter = "/usr/bin/python3"): string => `#!${interpreter}
import os, socket, errno
def attempt(what, does):
    try: does(); print(what, "yes", flush=True)
    except OSError as error: print(what, errno.errorcode.get(error.errno, error), flush=True)
def cache():
    os.makedirs(os.path.dirname("/srv/home/${cache}"), exist_ok=True); open("/srv/home/${cache}", "w").close()
attempt("cache", cache)
attempt("registry", lambda: socket.create_connection(("${host}", 443), 5))
`;
const RB = ({ cache, host }: (typeof TOOLS)[keyof typeof TOOLS], interpreter = "/usr/bin/ruby"): string => `#!${interpreter}
require "fileutils"
require "socket"
def attempt(what) = (yield; puts "#{what} yes") rescue puts("#{what} #{$!.class.name.split("::").last}")
attempt("cache") { FileUtils.mkdir_p(File.dirname("/srv/home/${cache}")); File.write("/srv/home/${cache}", "x") }
attempt("registry") { TCPSocket.new("${host}", 443) }
`;
/** One that is compiled: what loads a library for it reaches all that it is. */
const C = ({ cache, host }: (typeof TOOLS)[keyof typeof TOOLS]): string => `
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
int main(void) {
  char path[] = "/srv/home/${cache}";
  for (char *at = path + 10; (at = strchr(at, '/')); at++) { *at = 0; mkdir(path, 0755); *at = '/'; }
  int fd = open(path, O_CREAT | O_WRONLY, 0644);
  printf("cache %s\\n", fd < 0 ? strerror(errno) : "yes");
  struct addrinfo *to = 0, hints = { .ai_socktype = SOCK_STREAM };
  int there = getaddrinfo("${host}", "443", &hints, &to) == 0 && connect(socket(AF_INET, SOCK_STREAM, 0), to->ai_addr, to->ai_addrlen) == 0;
  printf("registry %s\\n", there ? "yes" : strerror(errno));
}
`;
/** A proxy that is compiled: puts the version's folder in front of PATH, and becomes the program of its own name there, or starts it. */
const SHIM = (folder: string, variable: string, starts: boolean): string => `
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv) {
  char path[8192], program[4096];
  const char *root = getenv("${variable}_ROOT_IS");
  snprintf(path, sizeof path, "%s/${folder}/bin:%s", root ? root : "/srv/home", getenv("PATH"));
  setenv("PATH", path, 1); setenv("${variable}", "1", 1);
  snprintf(program, sizeof program, "%s/${folder}/bin/%s", root ? root : "/srv/home", basename(argv[0]));
  argv[0] = program;
  if (${starts ? 1 : 0} && fork() > 0) { int status; wait(&status); return WEXITSTATUS(status); }
  execv(program, argv); perror(program); return 1;
}
`;

const put = (path: string, text: string): string =>
  `mkdir -p "$(dirname "${path}")"; cat > "${path}" <<'END_OF_FILE'\n${text}\nEND_OF_FILE\nchmod 755 "${path}"\n`;
const compile = (path: string, text: string): string =>
  `mkdir -p "$(dirname "${path}")"; gcc -xc -o "${path}" - <<'END_OF_FILE'\n${text}\nEND_OF_FILE\n`;
const NODE_AT = (folder: string): string => `mkdir -p ${folder}; touch ${folder}/node; mount --bind "$NODE" ${folder}/node\n`;

/** What an agent puts into the project: everything that a proxy may be led to. */
export const MINE = (tool: keyof typeof TOOLS): string => {
  const mine = tool === "npm" || tool === "yarn" ? JS(TOOLS[tool]) : PY(TOOLS[tool]);
  return put(`/srv/proj/mine/bin/${tool}`, mine);
};

export const NPM_OF_NVM = put("/srv/home/.nvm/versions/node/v20.0.0/bin/npm", JS(TOOLS.npm)) + NODE_AT("~/.nvm/versions/node/v20.0.0/bin");

export const PROXIES: readonly Proxy[] = [
  {
    name: "rustup's cargo",
    needs: ["gcc", "rustup"],
    make:
      `mkdir -p ~/.cargo/bin ~/.rustup; cp "$(command -v rustup || echo ${join(homedir(), ".cargo/bin/rustup")})" ~/.cargo/bin/cargo\n` +
      `printf 'default_toolchain = "mine"\\nversion = "12"\\nprofile = "default"\\n[overrides]\\n' > ~/.rustup/settings.toml\n` +
      compile("/srv/home/.rustup/toolchains/mine/bin/cargo", C(TOOLS.cargo)) +
      "mkdir -p ~/.rustup/toolchains/mine/lib; cp ~/.rustup/toolchains/mine/bin/cargo ~/.rustup/toolchains/mine/bin/rustc\n",
    line: "~/.cargo/bin/cargo fetch",
    tool: "cargo",
    found: `printf '[toolchain]\\npath = "/srv/proj/mine"\\n' > rust-toolchain.toml; cp mine/bin/cargo mine/bin/rustc`,
  },
  {
    name: "volta's npm",
    needs: ["gcc"],
    make:
      compile("/srv/home/.volta/bin/volta-shim", SHIM(".volta/tools/image/npm/10.2.0", "VOLTA", true)) +
      "ln -s volta-shim ~/.volta/bin/npm\n" +
      put("/srv/home/.volta/tools/image/npm/10.2.0/bin/npm", JS(TOOLS.npm)) +
      NODE_AT("~/.volta/tools/image/npm/10.2.0/bin"),
    line: "~/.volta/bin/npm ci",
    tool: "npm",
    misled: "export VOLTA_ROOT_IS=/srv/proj; mkdir -p .volta/tools/image/npm/10.2.0; cp -r mine/bin .volta/tools/image/npm/10.2.0",
  },
  {
    name: "asdf's npm",
    make:
      put("/srv/home/.asdf/shims/npm", '#!/usr/bin/env bash\n# asdf-plugin: nodejs 20.0.0\nexec /srv/home/.asdf/bin/asdf exec "npm" "$@"') +
      put(
        "/srv/home/.asdf/bin/asdf",
        '#!/usr/bin/env bash\nset -e\nshift; program=$1; shift\nversion=$(sed -n "s/^nodejs //p" .tool-versions 2>/dev/null || true)\n: "${ASDF_DATA_DIR:=$HOME/.asdf}"\n' +
          "case $version in path:*) at=${version#path:} ;; *) at=$ASDF_DATA_DIR/installs/nodejs/${version:-20.0.0} ;; esac\n" +
          'export ASDF_INSTALL_TYPE=version ASDF_INSTALL_VERSION=20.0.0 ASDF_INSTALL_PATH=$at PATH=$at/bin:$PATH\nexec "$at/bin/$program" "$@"',
      ) +
      put("/srv/home/.asdf/installs/nodejs/20.0.0/bin/npm", JS(TOOLS.npm)) +
      NODE_AT("~/.asdf/installs/nodejs/20.0.0/bin"),
    line: "~/.asdf/shims/npm ci",
    tool: "npm",
    found: "echo 'nodejs path:/srv/proj/mine' > .tool-versions",
  },
  {
    name: "mise's npm",
    needs: ["gcc"],
    make:
      compile("/srv/home/.local/bin/mise", SHIM(".local/share/mise/installs/node/20.0.0", "MISE", false)) +
      "mkdir -p ~/.local/share/mise/shims; ln -s ~/.local/bin/mise ~/.local/share/mise/shims/npm\n" +
      put("/srv/home/.local/share/mise/installs/node/20.0.0/bin/npm", JS(TOOLS.npm)) +
      NODE_AT("~/.local/share/mise/installs/node/20.0.0/bin"),
    line: "~/.local/share/mise/shims/npm ci",
    tool: "npm",
    misled:
      "export MISE_ROOT_IS=/srv/proj; mkdir -p .local/share/mise/installs/node/20.0.0; cp -r mine/bin .local/share/mise/installs/node/20.0.0",
  },
  {
    name: "nvm's npm, by its folder on PATH",
    make: NPM_OF_NVM,
    line: "PATH=~/.nvm/versions/node/v20.0.0/bin:$PATH; npm ci",
    tool: "npm",
    misled: "rm -rf ~/.nvm/versions/node/v20.0.0/bin 2> /dev/null; npm() { mine/bin/npm; }",
  },
  {
    name: "nvm-exec's npm",
    make:
      put(
        "/srv/home/.nvm/nvm-exec",
        '#!/usr/bin/env bash\nDIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)\nexport NVM_BIN=${NVM_DIR:-$DIR}/versions/node/v20.0.0/bin\nexport PATH=$NVM_BIN:$PATH NODE_VERSION=20\nexec "$@"',
      ) + NPM_OF_NVM,
    line: "~/.nvm/nvm-exec npm ci",
    tool: "npm",
    misled: "export NVM_DIR=/srv/proj; mkdir -p versions/node/v20.0.0; cp -r mine/bin versions/node/v20.0.0",
  },
  {
    name: "fnm's npm, behind a link for each shell",
    make:
      put("/srv/home/.local/share/fnm/node-versions/v20.0.0/installation/bin/npm", JS(TOOLS.npm)) +
      NODE_AT("~/.local/share/fnm/node-versions/v20.0.0/installation/bin") +
      "mkdir -p ~/.local/state/fnm_multishells; ln -s ~/.local/share/fnm/node-versions/v20.0.0/installation ~/.local/state/fnm_multishells/1_1\n",
    line: "npm ci",
    path: "/srv/home/.local/state/fnm_multishells/1_1/bin",
    tool: "npm",
    misled:
      "mkdir ~/.local/state/fnm_multishells/2_2; ln -sfn /srv/proj/mine ~/.local/state/fnm_multishells/1_1; PATH=/srv/proj/mine/bin:$PATH",
  },
  {
    name: "corepack's yarn, in corepack's own process",
    needs: ["corepack"],
    make: `mkdir -p ~/.cache/node/corepack/v1/yarn/1.22.22/bin; printf '{"name":"yarn","version":"1.22.22","bin":{"yarn":"./bin/yarn.js"}}' > ~/.cache/node/corepack/v1/yarn/1.22.22/package.json
printf '{"locator":{"name":"yarn","reference":"1.22.22"},"bin":{"yarn":"./bin/yarn.js","yarnpkg":"./bin/yarn.js"},"hash":"sha1.x"}' > ~/.cache/node/corepack/v1/yarn/1.22.22/.corepack
${put("/srv/home/.cache/node/corepack/v1/yarn/1.22.22/bin/yarn.js", JS(TOOLS.yarn))}
mkdir -p ~/.local/bin; ln -s "$(dirname "$(readlink -f "$(command -v corepack)")")/yarn.js" ~/.local/bin/yarn
printf '{"packageManager":"yarn@1.22.22"}' > package.json\n`,
    line: "~/.local/bin/yarn install",
    tool: "yarn",
    misled:
      "export COREPACK_HOME=/srv/proj/cp; mkdir cp; cp -r ~/.cache/node/corepack/* cp; cp mine/bin/yarn cp/v1/yarn/1.22.22/bin/yarn.js",
  },
  {
    name: "pyenv's pip",
    needs: ["pyenv", "/usr/bin/python3"],
    make:
      `mkdir -p ~/.pyenv/versions/3.11.7/bin ~/.pyenv/shims; cp -r ${join(homedir(), ".pyenv")}/bin ${join(homedir(), ".pyenv")}/libexec ~/.pyenv; echo 3.11.7 > ~/.pyenv/version\n` +
      "cp -L /usr/bin/python3 ~/.pyenv/versions/3.11.7/bin/python3\n" +
      put("/srv/home/.pyenv/versions/3.11.7/bin/pip", PY(TOOLS.pip, "/srv/home/.pyenv/versions/3.11.7/bin/python3")) +
      put(
        "/srv/home/.pyenv/shims/pip",
        '#!/usr/bin/env bash\nset -e\nprogram="${0##*/}"\nexport PYENV_ROOT="${PYENV_ROOT:-/srv/home/.pyenv}"\nexec "/srv/home/.pyenv/libexec/pyenv" exec "$program" "$@"',
      ),
    line: "~/.pyenv/shims/pip install x",
    tool: "pip",
    misled: "export PYENV_ROOT=/srv/proj/pe; mkdir -p pe/versions; cp -r mine pe/versions/3.11.7; echo 3.11.7 > .python-version",
  },
  {
    name: "rbenv's gem",
    needs: ["rbenv", "/usr/bin/ruby"],
    make:
      "mkdir -p ~/.rbenv/versions/3.1.2/bin ~/.rbenv/shims; echo 3.1.2 > ~/.rbenv/version; cp -L /usr/bin/ruby ~/.rbenv/versions/3.1.2/bin/ruby\n" +
      put("/srv/home/.rbenv/versions/3.1.2/bin/gem", RB(TOOLS.gem, "/srv/home/.rbenv/versions/3.1.2/bin/ruby")) +
      put(
        "/srv/home/.rbenv/shims/gem",
        '#!/usr/bin/env bash\nset -e\nprogram="${0##*/}"\nexport RBENV_ROOT="${RBENV_ROOT:-/srv/home/.rbenv}"\nexec "/usr/bin/rbenv" exec "$program" "$@"',
      ),
    line: "~/.rbenv/shims/gem install x",
    tool: "gem",
    misled: "export RBENV_ROOT=/srv/proj/re; mkdir -p re/versions; cp -r mine re/versions/3.1.2; echo 3.1.2 > .ruby-version",
  },
  {
    name: "uv, for an environment of the project",
    needs: ["gcc", "/usr/bin/python3"],
    make: compile("/srv/home/.local/bin/uv", C(TOOLS.uv)) + "/usr/bin/python3 -m venv --without-pip .venv\n",
    line: "VIRTUAL_ENV=$PWD/.venv ~/.local/bin/uv pip install x",
    tool: "uv",
    misled:
      "ln -s $PWD/mine/bin/uv ~/.local/bin/uvx; export UV_PYTHON=$PWD/mine/bin/uv; uvx() { mine/bin/uv; }; uvx; alias x=mine/bin/uv; mine/bin/uv",
  },
];

/** The registries, on another machine. */
export const NETWORK = `ip link set lo up
printf '%s\\n' '127.0.0.1 localhost' ${HOSTS.map((line) => `'${line}'`).join(" ")} > /srv/hosts; mount --bind /srv/hosts /etc/hosts
printf '' > /srv/resolv; mount --bind /srv/resolv /etc/resolv.conf
unshare -n /usr/bin/python3 -c 'import os, socket, subprocess, time
open("/srv/other.part", "w").write(str(os.getpid())); os.rename("/srv/other.part", "/srv/other")
while subprocess.call("ip link set v1 up && for n in ${NUMBERS}; do ip addr add 1.1.1.$n/24 dev v1; done", shell=True, stderr=subprocess.DEVNULL): time.sleep(0.1)
s = socket.socket(); s.bind(("0.0.0.0", 443)); s.listen(); open("/srv/up", "w").close()
while True: s.accept()' & until [ -e /srv/other ]; do sleep 0.1; done
ip link add v0 type veth peer name v1 netns $(cat /srv/other); ip addr add 1.1.1.2/24 dev v0; ip link set v0 up
until [ -e /srv/up ]; do sleep 0.1; done
`;

export const LIBRARY = `printf '%s' 'int answers = 1;' | gcc -shared -fPIC -xc -o mine/lib.so -`;
/** What is in the environment when the proxy is started. */
export const STEERED: Readonly<Record<string, string>> = {
  npm: "NODE_OPTIONS='--require /srv/proj/mine/x.js'",
  yarn: "NODE_OPTIONS='--require /srv/proj/mine/x.js'",
  pip: "PYTHONPATH=/srv/proj/mine",
  gem: "RUBYLIB=/srv/proj/mine",
};
