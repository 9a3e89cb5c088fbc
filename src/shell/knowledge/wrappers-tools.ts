import { rows } from "./rows.ts";
import type { CommandSpec } from "./spec.ts";

/** More programs that run another command: multi-call programs, the loader, watchers, terminals, environments, benchmarks, version managers. */
export const wrapperTools: readonly CommandSpec[] = [
  {
    names: "busybox toybox",
    style: "posix",
    options: "--list -> stop\n--list-full -> stop\n--help -> stop\n--install=refuse",
    operands: "command:argv?=true",
    examples: { allow: ["busybox ls", "busybox --list"], deny: ["busybox rm -rf ~", "busybox sh -c 'rm -rf ~'"] },
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
    names: "dotenv dotenvx",
    style: "posix",
    options: rows("-e=text; -f --file --env-file=text; -c; -o; --override; --debug; -v=env; -p=text -> environment; --help -> stop"),
    operands: "command:argv",
    examples: { allow: ["dotenv -e .env.test -- ls"], deny: ["dotenv -- rm -rf ~", "dotenv rm -rf ~"], ask: ["dotenv -p X"] },
  },
  {
    names: "cross-env",
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
    style: "posix",
    operands: "env* shell",
    examples: { deny: ["cross-env-shell A=1 'rm -rf ~'"], allow: ["cross-env-shell CI=1 'ls -la'"] },
  },
  // Each operand is a line of its own.
  {
    names: "hyperfine",
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
    names: "concurrently run-p run-s npm-run-all npm-run-all2",
    style: "bsd",
    options: "-n --names=text\n-c --prefix-colors=text\n-k --kill-others",
    operands: "text*",
    effects: "code.project",
    examples: { none: ["concurrently 'npm:dev' 'rm x'", "npm-run-all build test"] },
  },
  {
    names:
      "chronic ifne eatmydata fakeroot fakechroot proxychains proxychains4 torsocks dbus-run-session xvfb-run tini dumb-init catchsegv",
    style: "posix",
    options: "-a --auto-servernum\n-s\n-g\n-v\n-q\n-n",
    operands: "command:argv?=sh",
    examples: {
      allow: ["chronic ls"],
      deny: ["chronic rm -rf ~", "eatmydata rm -rf ~", "xvfb-run -a rm -rf ~"],
      ask: ["fakeroot --lib ./evil.so ls"],
    },
  },
  { names: "faketime cpulimit numactl trickle", style: "posix", operands: "refuse*", examples: { ask: ["faketime '1 day ago' ls"] } },
  {
    names: "ssh-agent",
    upkeep: ["write /tmp/ssh-*/**"],
    style: "posix",
    options: rows("-c; -s; -k; -D; -d; -a=write; -E=text; -t=text"),
    operands: "command:argv?=true",
    examples: { allow: ["ssh-agent -s"], deny: ["ssh-agent rm -rf ~"], ask: ["ssh-agent -P ./evil ls"] },
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
    names: "mise rtx asdf rbenv pyenv nodenv nvm volta conda mamba micromamba doppler infisical op chamber aws-vault sops",
    summary: "run a command in an environment of theirs",
    style: "posix",
    options: "-h --help -> stop\n--version -> stop",
    examples: { allow: ["mise --version"], none: ["chamber export x"] },
    subcommands: {
      "version|versions|current|which|where|whence|list|ls|info|env info|env list|doctor": {
        style: "bsd",
        options: "--json\n-v",
        operands: "text*",
        examples: { allow: ["pyenv versions", "asdf current", "conda info"] },
      },
      "exec|x": {
        style: "posix",
        options: "-c --command=shell\n-q --quiet",
        operands: "command:argv?",
        effects: "code.project",
        examples: {
          none: ["mise exec -- ls", "mise x node@20 -- ls"],
          deny: ["mise exec -- rm -rf ~"],
        },
      },
      run: {
        style: "posix",
        options: "-c --command=shell\n-n --name=text\n-p=text\n--project=text\n--config=text",
        operands: "command:argv?",
        effects: "code.project",
        examples: {
          none: ["conda run -n x ls", "doppler run -- ls"],
          deny: ["doppler run --command 'rm -rf ~'", "doppler run -- rm -rf ~"],
        },
      },
      "install|update|upgrade|sync|lock|add|create|use|global|local|shell|set|unset|remove|uninstall": {
        style: "bsd",
        operands: "text*",
        effects: "code.project, remote.read packages, write .",
        examples: { ask: ["conda install x", "pyenv global 3.12"] },
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
        examples: { none: ["pipenv run x", "pdm run x"], deny: ["pipenv run rm -rf ~", "hatch run rm -rf ~"] },
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
    examples: {
      allow: ["nix --version"],
      none: ["nix run x", "nix-shell -p jq", "nix develop"],
      deny: ["nix-shell --run 'rm -rf ~'", "nix-shell -p jq --command 'rm -rf ~'"],
    },
  },
];
