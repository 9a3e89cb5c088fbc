import { NO_OTHERS, rows } from "./rows.ts";
import type { CommandSpec } from "./spec.ts";

/** More programs that run another command: multi-call programs, the loader, watchers, terminals, environments, benchmarks, version managers. */
export const wrapperTools: readonly CommandSpec[] = [
  {
    names: "busybox toybox",
    style: "posix",
    options: "--list -> stop\n--list-full -> stop\n--help -> stop\n# links its programs into /usr/bin: --install",
    operands: "command:argv?=true",
    examples: {
      allow: ["busybox ls", "busybox --list"],
      ask: ["busybox --install", "busybox --install -s", "busybox --install -s bin", "busybox --install=bin"],
      deny: ["busybox rm -rf ~", "busybox sh -c 'rm -rf ~'"],
    },
  },
  {
    names:
      "ld.so ld-linux.so.2 ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 ld-linux-armhf.so.3 ld64.so.1 ld64.so.2 ld-musl-x86_64.so.1 ld-musl-aarch64.so.1",
    summary: "the dynamic loader: runs the program it is given",
    style: "posix",
    options: rows(`
      --list -> argv becomes read; --verify -> argv becomes read; --inhibit-cache; --library-path=foreign/native; --preload=foreign/native; --audit=foreign/native; --argv0=refuse
      --inhibit-rpath=text; --glibc-hwcaps-prepend=text; --glibc-hwcaps-mask=text; --list-tunables -> stop; --list-diagnostics -> stop; --help -> stop; --version -> stop`),
    operands: "command:argv",
    examples: {
      allow: ["ld.so --version", "ld.so /bin/ls"],
      deny: ["/lib64/ld-linux-x86-64.so.2 /bin/rm -rf ~", "ld.so --inhibit-cache /bin/rm -rf ~"],
      none: ["ld.so --preload ./evil.so /bin/ls"],
    },
  },
  {
    names: "entr",
    style: "posix",
    options: rows("-a; -c; -d; -n; -p; -r; -z; -x; -s -> argv becomes shell"),
    operands: "command:argv",
    examples: { allow: ["ls | entr ls"], none: ["ls | entr ./evil"], deny: ["ls | entr rm -rf ~", "ls | entr -s 'rm -rf ~'"] },
  },
  {
    names: "watchexec",
    style: "posix",
    options: rows(
      "-w --watch=list; -e --exts=text; -f --filter=text; -i --ignore=text; -r --restart; -c --clear; -q --quiet; -n -> shell becomes argv; --shell=foreign/shell; -d --debounce=text; -s --signal=text; -p --postpone; -1; -h --help -> stop; -V --version -> stop",
    ),
    operands: "shell+",
    examples: { allow: ["watchexec -e ts ls"], deny: ["watchexec rm -rf ~", "watchexec -w src -- rm -rf ~"] },
  },
  {
    names: "nodemon",
    style: "posix",
    options: rows(
      "-x --exec=shell; -w --watch=list; -e --ext=text; -i --ignore=text; -d --delay=text; -q --quiet; -V --verbose; -L --legacy-watch; -I --no-stdin; -C --on-change-only; --config=script/json; --signal=text; -h --help -> stop; -v --version -> stop",
    ),
    operands: "script/javascript? text*",
    idle: true,
    effects: "code.project",
    examples: { none: ["nodemon src/index.js", "nodemon"], deny: ["nodemon -x 'rm -rf ~'", "nodemon --exec 'rm -rf ~' a.js"] },
  },
  {
    names: "chokidar reflex",
    style: "bsd",
    options: "-c --command=shell\n-i --ignore=text\n--initial\n-r --regex=text\n-g --glob=text",
    operands: "text*",
    effects: "code.project",
    examples: { deny: ["chokidar 'src/**' -c 'rm -rf ~'"], none: ["chokidar src"] },
  },
  {
    names: "caffeinate",
    style: "posix",
    options: rows("-d; -i; -m; -s; -u; -t=text; -w=text"),
    operands: "command:argv?=true",
    examples: { allow: ["caffeinate -i ls"], deny: ["caffeinate -dims rm -rf ~"] },
  },
  {
    names: "unbuffer",
    style: "posix",
    options: "-p",
    operands: "command:argv",
    examples: { allow: ["unbuffer ls"], deny: ["unbuffer -p rm -rf ~"] },
  },
  {
    names: "expect",
    style: "posix",
    options: rows("-c=foreign/tcl; -f=script/tcl -> drop script; -b=script/tcl -> drop script; -d; -D=text; -i; -n; -N; -v -> stop"),
    operands: "script:script/tcl?=- text*",
    examples: { none: ["expect -c 'spawn rm x'", "expect x.exp"] },
  },
  {
    names: "rlwrap",
    style: "posix",
    options: rows(
      "-a; -A; -c; -C=text; -f=read; -H=write; -i; -n; -p; -r; -s=text; -S=text; -z=refuse; -h --help -> stop; -v --version -> stop",
    ),
    operands: "command:argv",
    examples: { allow: ["rlwrap ls"], deny: ["rlwrap rm -rf ~"], ask: ["rlwrap -z ./evil ls"] },
  },
  {
    // Two programs have the name: one starts what follows, one has subcommands (`dotenv`, analyser). The file's variables are
    // the project's, and can be the loader's.
    names: "dotenv dotenvx",
    style: "posix",
    options: rows("-e=text; -f --file --env-file=text; -c; -o; --override; --debug; -v=env; -p=text -> environment; --help -> stop"),
    analyse: "dotenv",
    examples: {
      none: ["dotenv -e .env.test -- npm test", "dotenv -f x run npm test", "dotenvx run -- npm test"],
      deny: ["dotenv -- rm -rf ~", "dotenv rm -rf ~", "dotenv run rm -rf ~", "dotenvx run -- rm -rf ~"],
      ask: ["dotenv -p X", "dotenv list", "dotenv -f x get X", "dotenvx run --env A=1 -- ls", "dotenv -e x -- ls", "dotenvx run -- ls"],
    },
  },
  {
    // The variables are those of a file of the project, or of a folder of files.
    names: "env-cmd",
    style: "posix",
    options: rows(
      "-f --file=text; -e --environments=text; --fallback; --no-override; --silent; --verbose; -x --expand-envs; -h --help -> stop; --version -> stop",
    ),
    analyse: "variables-of-file",
    examples: { ask: ["env-cmd -f x ls"], none: ["env-cmd -f x npm test"], deny: ["env-cmd rm -rf ~"] },
  },
  {
    names: "envdir s6-envdir",
    style: "posix",
    options: rows("-I; -i; -n; -f; -F; -C; -c; -L"),
    analyse: "variables-of-file",
    examples: { ask: ["envdir src ls"], none: ["envdir src npm test"], deny: ["envdir src rm -rf ~"] },
  },
  {
    names: "cross-env",
    reads: "PYTHONPATH RUBYLIB PERL5LIB CLASSPATH PYTEST_PLUGINS PYTEST_ADDOPTS=any\n*=any",
    style: "posix",
    operands: "env* command:argv",
    examples: {
      allow: ["cross-env NODE_ENV=test ls"],
      deny: ["cross-env A=1 rm -rf ~"],
      ask: ["cross-env NODE_OPTIONS=--require=./evil ls"],
    },
  },
  {
    names: "cross-env-shell",
    reads: "PYTHONPATH RUBYLIB PERL5LIB CLASSPATH PYTEST_PLUGINS PYTEST_ADDOPTS=any\n*=any",
    style: "posix",
    operands: "env* shell",
    examples: { deny: ["cross-env-shell A=1 'rm -rf ~'"], allow: ["cross-env-shell CI=1 'ls -la'"] },
  },
  // Each operand is a line of its own.
  {
    names: "hyperfine",
    reads: NO_OTHERS,
    style: "gnu",
    options: rows(
      "-w --warmup=text; -m --min-runs=text; -M --max-runs=text; -r --runs=text; -s --setup=shell; -p --prepare=shell; -c --cleanup=shell; -C --conclude=shell; -P --parameter-scan=refuse; -L --parameter-list=refuse; -S --shell=foreign/shell; -N; -i --ignore-failure; --style=text; --show-output; --output=write; --export-json=write; --export-csv=write; --export-markdown=write; -n --command-name=text; -u --time-unit=text; -h --help -> stop; -V --version -> stop",
    ),
    operands: "shell shell? shell? shell? shell? shell?",
    examples: {
      allow: ["hyperfine ls", "hyperfine -w 3 'git status'", "hyperfine ls 'git status'"],
      deny: ["hyperfine 'rm -rf ~'", "hyperfine -p 'rm -rf ~' ls", "hyperfine ls 'rm -rf ~'"],
    },
  },
  {
    names: "chronic ifne eatmydata catchsegv",
    reads: NO_OTHERS,
    style: "posix",
    options: "-v\n-e\n-n",
    operands: "command:argv?=sh",
    examples: {
      allow: ["chronic ls", "chronic -v ls", "FOO=1 eatmydata ls"],
      deny: ["chronic rm -rf ~", "eatmydata rm -rf ~", "ifne -n rm -rf ~"],
      ask: ["eatmydata --x ls"],
    },
  },
  {
    names: "fakeroot fakeroot-sysv fakeroot-tcp",
    style: "posix",
    options: rows(
      "-l --lib=refuse; --faked=refuse; -s=write; -i=read; -b --fd-base=number; -u --unknown-is-real; -h --help -> stop; -v --version -> stop",
    ),
    operands: "command:argv?=sh",
    examples: {
      allow: ["fakeroot ls", "fakeroot -u -- ls", "fakeroot -i a.txt ls"],
      deny: ["fakeroot -s ls rm -rf ~", "fakeroot -i a.txt rm -rf ~", "fakeroot -b 3 rm -rf ~"],
      ask: [
        "fakeroot -s ls rm -rf src",
        "fakeroot -s x ls",
        "fakeroot --lib ./evil.so ls",
        "fakeroot --faked ./evil ls",
        "fakeroot --frob ls rm x",
      ],
    },
  },
  {
    names: "fakechroot",
    style: "posix",
    options: rows(
      "-s --use-system-libs; -l --lib=refuse; -d --elfloader=refuse; -e --environment=refuse; -c --config-dir=refuse; -b --bindir=refuse; -h --help -> stop; -v --version -> stop",
    ),
    operands: "command:argv?=sh",
    examples: { allow: ["fakechroot ls"], deny: ["fakechroot -s rm -rf ~"], ask: ["fakechroot -c ls rm x", "fakechroot -l ./evil.so ls"] },
  },
  {
    names: "proxychains proxychains4 torsocks",
    style: "posix",
    // The library that they put in front of others takes connections elsewhere; `-f` is its configuration.
    options: rows(
      "-q --quiet; -f=refuse; -i --isolate; -d --debug; -a --address=text; -P --port=number; -u --user=text; -p --pass=text; --shell=refuse; -h --help -> stop; --version -> stop",
    ),
    operands: "command:argv?=sh",
    examples: {
      allow: ["proxychains4 -q ls"],
      deny: ["proxychains4 -q rm -rf ~", "torsocks -P 9050 rm -rf ~"],
      ask: ["proxychains4 -f ls rm x"],
    },
  },
  {
    names: "dbus-run-session",
    reads: "DBUS_*=refuse\n*=any",
    style: "posix",
    options: "--config-file=refuse\n--dbus-daemon=refuse\n--help -> stop\n--version -> stop",
    operands: "command:argv?=sh",
    examples: { allow: ["dbus-run-session -- ls"], deny: ["dbus-run-session rm -rf ~"], ask: ["dbus-run-session --dbus-daemon ls rm x"] },
  },
  {
    names: "xvfb-run",
    style: "posix",
    options: rows(
      "-a --auto-servernum --auto-display; -e --error-file=write; -f --auth-file=write; -h --help -> stop; -l --listen-tcp; -n --server-num --server-number=number; -p --xauth-protocol=text; -s --server-args=refuse; -w --wait=number",
    ),
    operands: "command:argv?=sh",
    examples: {
      allow: ["xvfb-run -a ls"],
      deny: ["xvfb-run -a rm -rf ~", "xvfb-run -n 9 rm -rf ~", "xvfb-run -e ls rm -rf ~"],
      ask: ["xvfb-run -s ls rm -rf src", "xvfb-run -f x ls"],
    },
  },
  {
    names: "tini catatonit",
    style: "posix",
    options: rows("-s; -p=text; -v; -w; -g; -e=number; -l; -h -> stop; --version -> stop"),
    operands: "command:argv?=sh",
    examples: { allow: ["tini -s -- ls"], deny: ["tini -g rm -rf ~", "tini -p SIGTERM rm -rf ~"], ask: ["tini -z ls rm x"] },
  },
  {
    names: "dumb-init",
    style: "posix",
    options: rows("-c --single-child; -r --rewrite=text; -v --verbose; -h --help -> stop; -V --version -> stop"),
    operands: "command:argv?=sh",
    examples: {
      allow: ["dumb-init -c ls"],
      deny: ["dumb-init -r 15:2 rm -rf ~", "dumb-init -- rm -rf ~"],
      ask: ["dumb-init --frob ls rm x"],
    },
  },
  {
    // The date comes first, then the command.
    names: "faketime",
    style: "posix",
    options: rows(
      "-m; -f; -p=number; --disable-monotonic; --date-prog=refuse; --exclude-monotonic; --force-monotonic; -h --help -> stop; -v --version -> stop",
    ),
    operands: "text command:argv",
    analyse: "faketime-date",
    examples: {
      allow: ["faketime '1 day ago' ls", "faketime -f '@2024-01-01 00:00:00' ls", "faketime -m -p 5 yesterday ls"],
      deny: ["faketime '1 day ago' rm -rf ~", "faketime -m yesterday rm -rf ~"],
      ask: [
        "faketime --frob x ls",
        "faketime -- ls ls",
        "faketime -m -- ls ls",
        "faketime -p5 ls ls",
        "faketime -fm ls ls",
        "faketime -f -hm ls",
        "faketime -mh ls ls",
        "faketime --vers ls ls",
        "faketime --exclude ls ls",
        "faketime --exclude-monotonic=1 ls ls",
      ],
    },
  },
  { names: "cpulimit numactl trickle", style: "posix", operands: "refuse*", examples: { ask: ["numactl -N 0 ls"] } },
  {
    names: "ssh-agent",
    upkeep: ["write /tmp/ssh-*/**"],
    summary: "starts an agent that stays, for a command or for all that follow; -k ends it",
    style: "posix",
    options: rows("-c; -s; -k -> process; -D; -d; -a=write; -E=text; -t=text"),
    operands: "command:argv?=true",
    effects: "process",
    examples: {
      deny: ["ssh-agent rm -rf ~"],
      ask: ["ssh-agent", "ssh-agent -s", "ssh-agent -k", "ssh-agent ls", "ssh-agent -P ./evil ls"],
    },
  },
  {
    names: "bundle",
    summary: "Ruby's bundler; whatever it is asked, it runs the project's Gemfile and plugins",
    style: "posix",
    options: "-h --help -> code.project\n-v --version -> code.project",
    subcommands: {
      exec: {
        style: "posix",
        options: "--keep-file-descriptors\n--no-keep-file-descriptors",
        operands: "command:argv?",
        effects: "code.project",
        examples: { none: ["bundle exec rspec"], deny: ["bundle exec rm -rf ~"] },
      },
      "install|update|add|remove|lock|cache|clean|config|init|gem|pristine|plugin": {
        style: "none",
        operands: "text*",
        effects: "code.project, remote.read packages, write .",
        examples: { ask: ["bundle install", "bundle add x"] },
      },
    },
    examples: { none: ["bundle --version", "bundle list", "bundle info x", "bundle outdated"] },
  },
  // Version managers and secret stores: the command after `--` or the subcommand.
  {
    names: "mise rtx asdf rbenv pyenv nodenv nvm volta doppler infisical op chamber aws-vault sops",
    summary: "run a command in an environment of theirs",
    style: "posix",
    options: "-h --help -> stop\n--version -> stop",
    examples: { allow: ["mise --version"], none: ["chamber export x"] },
    subcommands: {
      "version|versions|current|which|where|whence|list|ls|info|env info|env list|doctor": {
        style: "bsd",
        options: "--json\n-v",
        operands: "text*",
        examples: { allow: ["pyenv versions", "asdf current"] },
      },
      "exec|x": {
        style: "posix",
        options: "-c --command=shell\n-q --quiet",
        operands: "command:argv?",
        effects: "code.project",
        analyse: "after-dashes",
        examples: {
          none: ["mise exec -- ls", "mise x node@20 -- ls"],
          deny: ["mise exec -- rm -rf ~", "mise x node@20 -- rm -rf ~"],
        },
      },
      run: {
        style: "posix",
        options: "-c --command=shell\n-n --name=text\n-p=text\n--project=text\n--config=text",
        operands: "command:argv?",
        effects: "code.project",
        examples: {
          none: ["doppler run -- ls"],
          deny: ["doppler run --command 'rm -rf ~'", "doppler run -- rm -rf ~"],
        },
      },
      "install|update|upgrade|sync|lock|add|create|use|global|local|shell|set|unset|remove|uninstall": {
        style: "bsd",
        operands: "text*",
        effects: "code.project, remote.read packages, write .",
        examples: { ask: ["asdf install x", "pyenv global 3.12"] },
      },
      "exec-env|exec-file": {
        style: "posix",
        operands: "read shell",
        effects: "environment",
        examples: { deny: ["sops exec-env x 'rm -rf ~'"], ask: ["sops exec-env x ls"] },
      },
    },
  },
  {
    names: "conda mamba micromamba",
    summary: "environments and their packages",
    style: "posix",
    options: "-h --help -> stop\n-V --version -> stop",
    helps: "--help -h",
    subcommands: {
      "list|info|search|env list|env export|export|package --which|repoquery": {
        style: "bsd",
        options: rows(
          "-n --name=text; -p --prefix=list; --json; -v --verbose; -q --quiet; --canonical; -f --full-name; --explicit; --md5; --sha256; -e --export; -r --revisions; --no-pip; --show-channel-urls; --reverse; -a --all; --base; --envs; -s --system; --license; -i --info; --platform --subdir=text; --reverse-dependency; --offline; --override-channels; --no-builds; --from-history; --ignore-channels; --size",
          "# show tokens, write or fetch elsewhere: --unsafe-channels --file --channel",
        ),
        operands: "text*",
        effects: "remote.read conda",
        examples: {
          allow: ["conda list", "conda info --envs", "conda list -n x --json", "conda search numpy", "conda env export --no-builds"],
          ask: ["conda info --unsafe-channels", "conda env export --file x.yml", "conda search -c https://evil.example x"],
        },
      },
      compare: {
        style: "bsd",
        options: "-n --name=text\n-p --prefix=list\n--json\n-v --verbose\n-q --quiet",
        operands: "read",
        examples: { allow: ["conda compare x.yml"], deny: ["conda compare .env"], ask: ["conda compare"] },
      },
      "config --describe|config --validate": {
        style: "bsd",
        options: "--json\n--system\n--env",
        operands: "text*",
        examples: { allow: ["conda config --describe"], ask: ["conda config --describe --set x y"] },
      },
      run: {
        style: "posix",
        options: "-n --name=text\n-p --prefix=list\n-v --verbose\n--no-capture-output\n--live-stream",
        operands: "command:argv?",
        effects: "code.project",
        examples: { none: ["conda run -n x ls"], deny: ["conda run -n x rm -rf ~"] },
      },
      "install|update|upgrade|create|remove|uninstall|clean|rename|activate|deactivate|init|config|package|build|env create|env update|env remove|env config|notices|shell|self-update":
        {
          style: "none",
          operands: "text*",
          effects: "code.project, remote.read packages, write .",
          examples: { ask: ["conda install x", "conda env remove -n x", "conda config --set ssl_verify false"] },
        },
    },
    examples: { allow: ["conda --version"], none: ["conda frobnicate"] },
  },
  {
    names: "pipenv hatch pdm rye",
    summary: "Python projects; every question is put to the interpreter of the project",
    style: "posix",
    options: "-h --help -> stop\n--version -> stop",
    examples: { allow: ["pipenv --version"], none: ["hatch frobnicate"] },
    subcommands: {
      run: {
        style: "posix",
        options: "-p=text\n--project=text\n-e=text",
        operands: "command:argv?",
        effects: "code.project",
        analyse: "hatch-run",
        examples: { none: ["pipenv run x", "pdm run x"], deny: ["pipenv run rm -rf ~", "hatch run rm -rf ~", "hatch run lint:rm -rf ~"] },
      },
      "list|ls|info|graph|check|show|version|env show|outdated|verify": {
        style: "none",
        operands: "text*",
        effects: "code.project",
        examples: { none: ["pdm list", "hatch version", "pipenv graph"] },
      },
      "install|update|upgrade|sync|lock|add|create|use|init|new|remove|uninstall|shell|clean|env create|env remove|env prune|config|self|cache|fetch|pin|build":
        {
          style: "none",
          operands: "text*",
          effects: "code.project, remote.read packages, write .",
          examples: { ask: ["pipenv install x", "pdm add x"] },
        },
      publish: {
        style: "none",
        operands: "text*",
        effects: "code.project, remote.publish pypi, danger publish",
        examples: { ask: ["hatch publish", "pdm publish"] },
      },
    },
  },
  {
    names: "direnv",
    style: "posix",
    options: "-h --help -> stop\n--version -> stop",
    subcommands: {
      // Runs .envrc of the folder first.
      exec: {
        style: "posix",
        operands: "dir command:argv",
        effects: "code.project",
        examples: { none: ["direnv exec . ls"], deny: ["direnv exec . rm -rf ~"] },
      },
      "status|version": { style: "bsd", options: "--json", operands: "", examples: { allow: ["direnv status"] } },
      "allow|permit|grant|deny|block|revoke|edit|reload": {
        style: "none",
        operands: "text*",
        effects: "danger host-effect, code.project",
        examples: { ask: ["direnv allow"] },
      },
    },
    examples: { allow: ["direnv --version"], none: ["direnv export bash"] },
  },
  {
    names: "nix nix-shell nix-build nix-store",
    style: "gnu",
    options:
      "--version -> stop\n--help -> stop\n--run=shell -> code.project\n--command=shell -> code.project\n-p --packages -> code.project\n--pure",
    operands: "text*",
    effects: "code.project, remote.read nix",
    analyse: "nix-run",
    examples: {
      allow: ["nix --version"],
      none: ["nix run x", "nix-shell -p jq", "nix develop"],
      deny: [
        "nix shell x -c rm -rf ~",
        "nix develop --command cat .env",
        "nix-shell --run 'rm -rf ~'",
        "nix-shell -p jq --command 'rm -rf ~'",
      ],
    },
  },
];
