# A container whose engine refuses a call that `assent run` needs.
export NO_COLOR=1 PATH=/bin:/usr/bin
mkdir -p "$HOME/p/.git" && cd "$HOME/p" || exit 1
said() { echo "$1: $(tr '\n' ' ')"; }
echo '{"hook_event_name":"PreToolUse","cwd":"/","tool_name":"Bash","tool_input":{"command":"rm -rf ~"}}' | assent check --agent claude | grep -o '"permissionDecision":"[a-z]*"' | said hook
assent doctor --json >/tmp/doctor.json; echo $? | said doctor
node -e 'const { supervision } = JSON.parse(require("fs").readFileSync("/tmp/doctor.json", "utf8")); console.log(supervision.checks.filter((c) => !c.ok && c.required).map((c) => c.id).join(", "))' | said off
assent run -P -- touch made 2>why; echo $? | said run
[ -e made ]; echo $? | said started
said why <why
# What would be confined is asked about: the hook tries a run first, and says in the log why not.
echo '{ "unknown": "confine" }' >"$HOME/.agent-permissions.jsonc"
printf '#!/bin/sh\n' >tidy.sh
echo '{"hook_event_name":"PermissionRequest","session_id":"s","permission_mode":"default","cwd":"'"$PWD"'","tool_name":"Bash","tool_input":{"command":"./tidy.sh"},"permission_suggestions":[]}' | assent check --agent claude | said confined
tail -1 "$HOME/.local/state/assent/audit.jsonl" | grep -o '"reason":"[^"]*' | said unconfined
