import { rows } from "./rows.ts";
import type { CommandSpec } from "./spec.ts";

/** More programs that run another command: watchers, terminals, environments, benchmarks, version managers. */
export const wrapperTools: readonly CommandSpec[] = [
  { names: "entr", style: "posix", options: rows("-a; -c; -d; -n; -p; -r; -z; -x; -s -> argv becomes shell"), operands: "command:argv", examples: { allow: ["ls | entr ls"], none: ["ls | entr ./evil"], deny: ["ls | entr rm -rf ~", "ls | entr -s 'rm -rf ~'"] } },
  {
    names: "watchexec",
    style: "posix",
    options: rows("-w --watch=list; -e --exts=text; -f --filter=text; -i --ignore=text; -r --restart; -c --clear; -q --quiet; -n -> shell becomes argv; --shell=foreign/shell; -d --debounce=text; -s --signal=text; -p --postpone; -1; -h --help -> stop; -V --version -> stop"),
    operands: "shell+",
    examples: { allow: ["watchexec -e ts ls"], deny: ["watchexec rm -rf ~", "watchexec -w src -- rm -rf ~"] },
  },
  {
    names: "nodemon",
    style: "posix",
    options: rows("-x --exec=shell; -w --watch=list; -e --ext=text; -i --ignore=text; -d --delay=text; -q --quiet; -V --verbose; -L --legacy-watch; -I --no-stdin; -C --on-change-only; --config=script/json; --signal=text; -h --help -> stop; -v --version -> stop"),
    operands: "script/javascript? text*",
    effects: "code.project",
    examples: { none: ["nodemon src/index.js", "nodemon"], deny: ["nodemon -x 'rm -rf ~'", "nodemon --exec 'rm -rf ~' a.js"] },
  },
  { names: "chokidar reflex", style: "bsd", options: "-c --command=shell\n-i --ignore=text\n--initial\n-r --regex=text\n-g --glob=text", operands: "text*", effects: "code.project", examples: { deny: ["chokidar 'src/**' -c 'rm -rf ~'"], none: ["chokidar src"] } },
  { names: "caffeinate", style: "posix", options: rows("-d; -i; -m; -s; -u; -t=text; -w=text"), operands: "command:argv?=true", examples: { allow: ["caffeinate -i ls"], deny: ["caffeinate -dims rm -rf ~"] } },
  { names: "unbuffer", style: "posix", options: "-p", operands: "command:argv", examples: { allow: ["unbuffer ls"], deny: ["unbuffer -p rm -rf ~"] } },
  { names: "expect", style: "posix", options: rows("-c=foreign/tcl; -f=script/tcl -> drop script; -b=script/tcl -> drop script; -d; -D=text; -i; -n; -N; -v -> stop"), operands: "script:script/tcl?=- text*", examples: { none: ["expect -c 'spawn rm x'", "expect x.exp"] } },
  { names: "rlwrap", style: "posix", options: rows("-a; -A; -c; -C=text; -f=read; -H=write; -i; -n; -p; -r; -s=text; -S=text; -z=refuse; -h --help -> stop; -v --version -> stop"), operands: "command:argv", examples: { allow: ["rlwrap ls"], deny: ["rlwrap rm -rf ~"], ask: ["rlwrap -z ./evil ls"] } },
  { names: "dotenv dotenvx", style: "posix", options: rows("-e=text; -f --file --env-file=text; -c; -o; --override; --debug; -v=env; -p=text -> environment; --help -> stop"), operands: "command:argv", examples: { allow: ["dotenv -e .env.test -- ls"], deny: ["dotenv -- rm -rf ~", "dotenv rm -rf ~"], ask: ["dotenv -p X"] } },
  { names: "cross-env", style: "posix", operands: "env* command:argv", examples: { allow: ["cross-env NODE_ENV=test ls"], deny: ["cross-env A=1 rm -rf ~"], ask: ["cross-env NODE_OPTIONS=--require=./evil ls"] } },
  { names: "cross-env-shell", style: "posix", operands: "env* shell", examples: { deny: ["cross-env-shell A=1 'rm -rf ~'"], allow: ["cross-env-shell CI=1 'ls -la'"] } },
  // Each operand is a line of its own.
  { names: "hyperfine", style: "gnu", options: rows("-w --warmup=text; -m --min-runs=text; -M --max-runs=text; -r --runs=text; -s --setup=shell; -p --prepare=shell; -c --cleanup=shell; -C --conclude=shell; -P --parameter-scan=refuse; -L --parameter-list=refuse; -S --shell=foreign/shell; -N; -i --ignore-failure; --style=text; --show-output; --output=write; --export-json=write; --export-csv=write; --export-markdown=write; -n --command-name=text; -u --time-unit=text; -h --help -> stop; -V --version -> stop"), operands: "shell shell? shell? shell? shell? shell?", examples: { allow: ["hyperfine ls", "hyperfine -w 3 'git status'", "hyperfine ls 'git status'"], deny: ["hyperfine 'rm -rf ~'", "hyperfine -p 'rm -rf ~' ls", "hyperfine ls 'rm -rf ~'"] } },
  { names: "concurrently run-p run-s npm-run-all npm-run-all2", style: "bsd", options: "-n --names=text\n-c --prefix-colors=text\n-k --kill-others", operands: "text*", effects: "code.project", examples: { none: ["concurrently 'npm:dev' 'rm x'", "npm-run-all build test"] } },
  { names: "chronic ifne eatmydata fakeroot fakechroot proxychains proxychains4 torsocks dbus-run-session xvfb-run tini dumb-init catchsegv", style: "posix", options: "-a --auto-servernum\n-s\n-g\n-v\n-q\n-n", operands: "command:argv?=sh", examples: { allow: ["chronic ls"], deny: ["chronic rm -rf ~", "eatmydata rm -rf ~", "xvfb-run -a rm -rf ~"], ask: ["fakeroot --lib ./evil.so ls"] } },
  { names: "faketime cpulimit numactl trickle", style: "posix", operands: "refuse*", examples: { ask: ["faketime '1 day ago' ls"] } },
  { names: "ssh-agent", style: "posix", options: rows("-c; -s; -k; -D; -d; -a=write; -E=text; -t=text"), operands: "command:argv?=true", examples: { allow: ["ssh-agent -s"], deny: ["ssh-agent rm -rf ~"], ask: ["ssh-agent -P ./evil ls"] } },
  // Version managers and secret stores: the command after `--` or the subcommand.
  {
    names: "mise asdf rbenv pyenv nodenv nvm volta direnv bundle pipenv hatch pdm rye conda mamba micromamba doppler infisical op chamber aws-vault sops",
    summary: "run a command in an environment of theirs",
    style: "posix",
    options: "-h --help -> stop\n--version -> stop",
    examples: { allow: ["mise --version", "direnv --help"], none: ["direnv allow", "chamber export x"] },
    subcommands: {
      "version|versions|current|which|where|whence|list|ls|info|env info|env list|doctor": { style: "bsd", options: "--json\n-v", operands: "text*", examples: { allow: ["pyenv versions", "asdf current", "conda info"] } },
      "exec|x": { style: "posix", options: "-c --command=shell\n--\n-q", operands: "refuse*", effects: "code.project", examples: { ask: ["mise exec -- ls", "bundle exec rspec", "direnv exec . ls"] } },
      run: { style: "posix", options: "-c --command=shell\n-n --name=text\n-p=text\n--project=text", operands: "text*", effects: "code.project", examples: { none: ["pipenv run x", "hatch run test", "volta run node x"], deny: ["doppler run --command 'rm -rf ~'"] } },
      "install|update|upgrade|sync|lock|add|create|use|global|local|shell|set|unset|remove|uninstall": { style: "bsd", operands: "text*", effects: "code.project, remote.read packages, write .", examples: { ask: ["bundle install", "conda install x", "pyenv global 3.12"] } },
      "exec-env|exec-file": { style: "posix", operands: "read shell", effects: "environment", examples: { deny: ["sops exec-env x 'rm -rf ~'"], ask: ["sops exec-env x ls"] } },
    },
  },
  {
    names: "nix nix-shell nix-build nix-store",
    style: "posix",
    options: "--version -> stop\n--help -> stop\n--run=shell -> code.project\n--command=shell -> code.project\n-p --packages -> code.project\n--pure",
    operands: "text*",
    effects: "code.project, remote.read nix",
    examples: { allow: ["nix --version"], none: ["nix run x", "nix-shell -p jq", "nix develop"], deny: ["nix-shell --run 'rm -rf ~'"] },
  },
];
