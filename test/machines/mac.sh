#!/bin/sh
# What of Assent works on this Mac. `npm run setup` in the clone, then: sh test/machines/mac.sh > report.tsv (a minute or two), and send
# report.tsv back. Everything happens in a folder `assent-mac-…` in your home, which goes again; your settings are not touched. A line is
# what was tried, yes or no, and what was seen. It runs on Linux, too, which is how its test plays it.
set -u
here=$(cd "$(dirname "$0")/../.." && pwd)
bin=${ASSENT_BIN:-$here/dist/bin.cjs}
# Not in a temporary folder: runs may write there.
root=$(mktemp -d "${MAC_SCRATCH:-$HOME}/assent-mac-XXXXXX") || exit 1
trap 'rm -rf "$root"' EXIT
root=$(cd "$root" && pwd -P)
mkdir -p "$root/home/.claude" "$root/home/.ssh" "$root/project"
printf '{\n  "theme": "dark"\n}\n' > "$root/home/.claude/settings.json"
cp "$root/home/.claude/settings.json" "$root/before.json"
echo SECRETKEY > "$root/home/.ssh/id_rsa"
HOME=$root/home
export HOME
unset XDG_STATE_HOME XDG_CONFIG_HOME CLAUDECODE
cd "$root/project" || exit 1
echo first > kept.txt

assent() { node "$bin" "$@"; }
# row NAME STATUS TEXT: a line of the report; without the scratch folder's name, tabs and line breaks.
row() {
  if [ "$2" -eq 0 ]; then ok=yes; else ok=no; fi
  printf '%s\t%s\t%s\n' "$1" "$ok" "$(printf %s "$3" | tr '\t\n' '  ' | sed "s#$root#~#g" | cut -c1-300)"
}
hook() {
  printf '{"session_id":"m","cwd":"%s","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"%s"}}' \
    "$PWD" "$1" | assent check --agent claude 2>&1
}
# has TEXT PATTERN
has() { printf %s "$1" | grep -q "$2"; }

if [ "$(uname -s)" = Darwin ]; then system="macOS $(sw_vers -productVersion)"; else system=$(uname -sr); fi
row system 0 "$system, $(uname -m), node $(node --version)"
seen=$(assent install --agent claude --yes 2>&1) && grep -q assent "$HOME/.claude/settings.json"
row 'hooks: registered' $? "$seen"
seen=$(hook 'git status')
has "$seen" '"permissionDecision":"allow"'
row 'hooks: a look goes ahead' $? "$seen"
seen=$(hook 'cat ~/.ssh/id_rsa')
has "$seen" '"permissionDecision":"deny"'
row 'hooks: a secret is denied' $? "$seen"
seen=$(assent doctor 2>&1)
has "$seen" 'Claude Code'
row 'hooks: doctor tries the registration' $? "$(printf %s "$seen" | grep -A3 'Claude Code')"
seen=$(assent run -P -q -- sh -c 'echo second > kept.txt; echo made > made.txt' 2>&1) && [ -e made.txt ]
row 'run: what stays in the project goes ahead' $? "$seen"
seen=$(assent run -P -q -- cat "$HOME/.ssh/id_rsa" 2>&1)
! has "$seen" SECRETKEY
row 'run: a secret is not read' $? "$seen"
seen=$(assent run -P -q -- sh -c 'echo out > "$HOME/outside.txt"' 2>&1)
[ ! -e "$HOME/outside.txt" ]
row 'run: nothing outside is written' $? "$seen"
seen=$(assent undo --yes 2>&1)
[ "$(cat kept.txt)" = first ] && [ ! -e made.txt ]
row 'undo: what a run did goes back' $? "$seen"
address=$(assent open --link 2>&1)
# The name in it is this machine for browsers, and for no library of Node.
seen=$(node -e 'const { host, port, pathname } = new URL(process.argv[1]);
  require("node:http").get({ host: "127.0.0.1", port, path: pathname, headers: { host } }, (page) => {
    console.log(page.statusCode, page.headers["content-type"]), process.exit();
  }).on("error", (error) => console.log(String(error)));' "$address" 2>&1)
has "$seen" '^200 text/html'
row 'page: it opens' $? "$seen"
served=$(sed -n 's/.*"pid": *\([0-9]*\).*/\1/p' "$HOME"/.local/state/assent/questions/page/*/process.json)
if [ -n "$served" ]; then kill "$served"; fi
seen=$(assent uninstall --yes 2>&1)
cmp -s "$root/before.json" "$HOME/.claude/settings.json"
row 'hooks: uninstalled, the settings are as before' $? "$seen"
