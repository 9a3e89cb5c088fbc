# What Assent does in this container: one line for each thing that was tried, `name: what was seen`.
export NO_COLOR=1 PATH=/bin:/usr/bin
mkdir -p "$HOME/p/.git" "$HOME/.ssh" && cd "$HOME/p" || exit 1
echo key-hunter2 >"$HOME/.ssh/id_rsa"; echo orig >"$HOME/other"; echo draft >draft
said() { echo "$1: $(tr '\n' ' ')"; }
grep -E 'NoNewPrivs|Seccomp:|CapBnd' /proc/self/status | tr '\t' ' ' | said kernel
id -u | said uid
echo '{"hook_event_name":"PreToolUse","cwd":"/","tool_name":"Bash","tool_input":{"command":"rm -rf ~"}}' | assent check --agent claude | grep -o '"permissionDecision":"[a-z]*"' | said hook
assent explain 'git log | head && rm -rf ~' | head -1 | cut -d' ' -f1 | said judge
node --input-type=module -e 'const m = await import("/opt/assent/dist/library.mjs"); console.log(typeof m.createGuard)' 2>&1 | said library
assent doctor --json >doctor.json; echo $? | said doctor
node -e 'const { supervision } = JSON.parse(require("fs").readFileSync("doctor.json", "utf8")); console.log(supervision.checks.filter((c) => !c.ok).map((c) => `${c.required ? "off" : "less"} ${c.id}`).join(", "))' | said lacks
rm doctor.json
cat >tidy <<'T'
rm draft; echo new >made
cat "$HOME/.ssh/id_rsa" && echo HARM read
echo stolen >"$HOME/other" && echo HARM write
chmod 777 "$HOME/other" && echo HARM chmod
ln "$HOME/other" l && echo HARM link
mv "$HOME/other" "$HOME/x" && echo HARM rename
mkdir "$HOME/.config" && echo HARM mkdir
kill -0 1 2>&1 && kill -CONT 1 && echo HARM signal
echo x >/proc/sys/kernel/hostname && echo HARM sysctl
mount -t tmpfs t /tmp && echo HARM mount
unshare -r true && echo HARM unshare
echo end
T
assent run -P -- sh ./tidy >tidy.out 2>tidy.err; echo $? | said run
grep -cE '^end$' tidy.out | said ended
grep -c HARM tidy.out | said harms
[ "$(cat "$HOME/other")" = orig ] && [ ! -e draft ] && [ "$(cat made)" = new ]; echo $? | said kept
cat >net.mjs <<'T'
import http from "node:http";
import net from "node:net";
import { spawnSync } from "node:child_process";
const server = http.createServer((_, answer) => answer.end("hello")).listen(0, "127.0.0.1", async () => {
  const { port } = server.address();
  const text = await (await fetch(`http://127.0.0.1:${port}/`)).text();
  // Eighty connections, one after the other: the other side hears of each end.
  let ends = 0;
  const echo = net.createServer((one) => one.on("end", () => { ends++; one.end(); }).resume()).listen(0, "127.0.0.1", async () => {
    for (let i = 0; i < 80; i++)
      await new Promise((resolve) => { const two = net.connect(echo.address().port, "127.0.0.1", () => two.end()); two.on("close", resolve).resume(); });
    echo.close();
    const file = "./unix.sock";
    const local = net.createServer((one) => one.end("unix")).listen(file, () => {
      net.connect(file).on("data", (data) => { console.log(text, ends, String(data), spawnSync("echo", ["child"]).stdout.toString().trim()); server.close(); server.closeAllConnections(); local.close(); });
    });
  });
});
T
assent run -P -- node net.mjs 2>net.err | said net
assent run -P -- sh -c 'node -e "require(\"net\").connect(9, \"198.51.100.7\").on(\"error\", (e) => console.log(e.code))"' 2>&1 | grep -oE 'EACCES|ECONNREFUSED|HARM|ENETUNREACH|refused: connect' | sort -u | said stranger
assent undo --dry-run 2>&1 | grep -c . | said dry
while assent undo --yes >undo.out 2>&1; [ ! -e draft ] && [ "${tries:-0}" -lt 4 ]; do tries=$((${tries:-0} + 1)); done
cat draft 2>&1 | said undo
[ ! -e made ]; echo $? | said unmade
cat tidy.err net.err | grep -vE '^assent: (refused|[0-9]+ (file|call|refused))' | head -5 | said errors
# What nobody knows is answered with a command that confines it; that one runs, and does no harm either.
echo '{ "unknown": "confine" }' >"$HOME/.agent-permissions.jsonc"
printf '#!/bin/sh\necho new >confined\necho stolen >"$HOME/other" && echo HARM\necho end\n' >step.sh && chmod +x step.sh
echo '{"hook_event_name":"PermissionRequest","session_id":"s","permission_mode":"default","cwd":"'"$PWD"'","tool_name":"Bash","tool_input":{"command":"./step.sh"},"permission_suggestions":[]}' | assent check --agent claude >answer
node -e 'console.log(JSON.parse(require("fs").readFileSync("answer", "utf8")).hookSpecificOutput.decision.updatedInput.command)' >instead 2>&1
grep -cE '^/.*/confine [^ ]+ ' instead | said confines
sh ./instead 2>instead.err | said confined
echo "$(cat confined) $(cat "$HOME/other")" | said bounds
