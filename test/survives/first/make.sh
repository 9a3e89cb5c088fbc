#!/usr/bin/env bash
# How home.json and dist.txt were made, once, by commit d59c0dc5, the first whose hooks must go on: `bash make.sh CLONE`, with the clone at
# that commit and built. What it writes has @HOME@, @CLONE@ and @NODE@ where these stood.
set -euo pipefail
clone=$(realpath "$1")
out=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
home=/tmp/first-install/home
rm -rf /tmp/first-install
mkdir /tmp/first-install
mkdir -p "$home"/{project/.git,project/src,.claude,.codex,.config/opencode,.gemini,.qwen,.copilot,.cursor,.cline,.factory}
mkdir -p "$home"/{.pi/agent,.config/kilo,.config/amp,.codeium/windsurf,.kiro,.vscode}
cd "$home/project"
assent() { env -i HOME="$home" PATH=/usr/local/bin:/usr/bin:/bin TERM=xterm node "$clone/bin/assent.cjs" "$@"; }
# What asks at a terminal gets one, and a yes when it asks.
yes_to() {
  python3 - env -i HOME="$home" PATH=/usr/local/bin:/usr/bin:/bin TERM=xterm node "$clone/bin/assent.cjs" "$@" <<'PYTHON'
import os, pty, sys, time
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
output, said = b"", False
while True:
    try:
        more = os.read(terminal, 65536)
    except OSError:
        break
    output += more
    if not said and (b"Type yes" in output or b"? [y" in output):
        time.sleep(0.5)
        os.write(terminal, b"yes\r")
        said = True
_, status = os.waitpid(pid, 0)
sys.exit(output.decode("utf8", "replace") if status else 0)
PYTHON
}
hook() {
  printf '{"session_id":"s1","cwd":"%s","hook_event_name":"PreToolUse","permission_mode":"default","tool_name":"%s","tool_input":%s}' "$PWD" "$1" "$2" |
    assent check --agent claude --event PreToolUse >/dev/null || true
}

assent install --yes >/dev/null
assent rule add 'Bash(make:*)' --allow --why 'builds' >/dev/null
assent rule add 'Read(**/*.pem)' --deny --why 'keys' >/dev/null
assent rule add 'Shell(git push ...)' --ask >/dev/null
printf '{ "version": 1, "permissions": { "allow": ["Edit(src/**)"], "deny": ["Bash(terraform:*)"] } }\n' >.agent-permissions.jsonc
yes_to trust
yes_to grants add 'Bash(npm install:*)' --count 1000 --for 7d --why 'the first grant'
yes_to auto on
yes_to agents trust helper
hook Bash '{"command":"make all"}'
hook Bash '{"command":"rm -rf ~"}'
hook Read '{"file_path":"server.pem"}'
# Remembered answers of one program: a profile.
yes_to run --learn --profile first -- touch /srv/first-install
rm -f /srv/first-install
assent explain --json 'rm -rf ~' >"$out/explain.json" || true
assent rules --json >"$out/rules.json"
# A machine of a team, with a policy that a key of the team signed.
cat >"$clone/bench/first-team.ts" <<'TYPESCRIPT'
import { makeKeyPair, signStatement } from "../src/signature/index.ts";
import { thisMachine } from "../src/state/index.ts";
import { takeAnswer, writePin } from "../src/team/policy.ts";
import { writeMembership } from "../src/team/index.ts";

const machine = thisMachine();
const [organisation, group, key, made] = ["o".repeat(22), "default", makeKeyPair(), new Date().toISOString()];
const policy = '{ "version": 1, "permissions": { "deny": ["Bash(nc:*)"] } }';
const signed = signStatement(
  { is: "policy", organisation, group, version: 1, previous: null, made, expires: null, renewal: null, policy } as const,
  key,
);
const from = { segment: 1, offset: 0, seq: 0 };
const [url, token, salt] = ["http://127.0.0.1:9", "t".repeat(43), "s".repeat(43)];
const said = [
  writePin(machine, { v: 1, organisation, group, keys: [{ key: key.publicKey, last: null }], least: { version: 0, hash: null } }),
  writeMembership(machine, { v: 1, url, machine: "m".repeat(22), organisation, name: "box", token, salt, joined: made, from }),
  takeAnswer(machine, { v: 1, is: "policy", changes: [], signed }, Date.now()).problem,
];
if (said.some((problem) => problem !== undefined)) throw new Error(said.join(", "));
TYPESCRIPT
(cd "$clone" && HOME="$home" node scripts/run.mjs bench/first-team.ts)

find "$clone/dist" -type f -printf '%P\n' | grep -v '^chunks/\|^core/\|^core-rules/\|^types/' | sort >"$out/dist.txt"
node - "$home" "$clone" "$out" <<'NODE'
const { readdirSync, readFileSync, statSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const [home, clone, out] = process.argv.slice(2);
const place = (text) => text.replaceAll(home, "@HOME@").replaceAll(clone, "@CLONE@").replaceAll(process.execPath, "@NODE@");
const files = {};
const left = [];
for (const name of readdirSync(home, { recursive: true }).sort()) {
  const path = join(home, name);
  if (!statSync(path).isFile()) continue;
  const bytes = readFileSync(path);
  // Caches of what was compiled.
  if (bytes.includes(0) || bytes.length > 200_000) left.push(name);
  // The log is a chain of sums: it stays as it is.
  else files[name] = { mode: (statSync(path).mode & 0o777).toString(8), text: /audit/.test(name) ? bytes.toString() : place(bytes.toString()) };
}
writeFileSync(join(out, "home.json"), `${JSON.stringify({ files, left }, undefined, 2)}\n`);
// A host that goes on running has these in its memory, and so has a folder that was copied.
const programs = ["ask-x64", "launch-x64"].map((name) => [name, readFileSync(join(clone, "dist", name), "base64")]);
writeFileSync(join(out, "programs.json"), `${JSON.stringify(Object.fromEntries(programs), undefined, 2)}\n`);
for (const name of ["explain.json", "rules.json"]) writeFileSync(join(out, name), place(readFileSync(join(out, name), "utf8")));
NODE
