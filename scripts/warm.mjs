// Writes dist/*.cache: what V8 compiled while the hook judged what agents ask for most. `node scripts/warm.mjs DIST`, with
// an envelope on standard input.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";

const dist = process.argv[2];
const require = createRequire(join(dist, "bin.cjs"));
const { loadHook } = require("./load-hook.cjs");

const scratch = mkdtempSync(join(tmpdir(), "assent-warm-"));
const project = join(scratch, "home/project");
mkdirSync(join(project, ".git"), { recursive: true });
writeFileSync(
  join(scratch, "home/.agent-permissions.jsonc"),
  '{ "permissions": { "allow": ["Bash(npm test:*)"], "ask": ["Shell(git push ...)"], "deny": ["Read(**/*.pem)"] } }',
);
process.env.HOME = join(scratch, "home");
delete process.env.XDG_STATE_HOME;
delete process.env.ASSENT_POLICY;

const requests = [
  ["Bash", { command: "ls -la src | head -20" }],
  ["Bash", { command: "cd src && grep -rn TODO . && git log --oneline -5 2>/dev/null" }],
  ["Bash", { command: "npm test" }],
  ["Bash", { command: "git status; git diff HEAD~1 -- src/index.ts" }],
  ["Bash", { command: 'for f in *.ts; do echo "$f"; done > out.txt' }],
  ["Read", { file_path: join(project, "src/app.ts") }],
  ["Edit", { file_path: join(project, "src/app.ts"), old_string: "a", new_string: "b" }],
  ["WebFetch", { url: "https://nodejs.org/api", prompt: "p" }],
  ["Bash", { command: "sed -n '1,20p' a.ts | awk '{ print $1 }' && jq -r .name package.json && python3 -c 'print(1)'" }],
  ["Bash", { command: "node -e 'console.log(1)'; mkdir -p out && cp a.ts out/ && rm -f out/a.ts" }],
  ["mcp__github__list_issues", { owner: "o" }],
];
// A function that was compiled to machine code here would be compiled to it again in every fresh hook, before its first call.
// By the filters: after `--no-opt` Node 22 takes no cache any more, `--opt` or not.
setFlagsFromString("--no-sparkplug");
for (const compiler of ["turbo", "maglev"]) setFlagsFromString(`--${compiler}-filter=~`);
try {
  const { hook, scripts, load } = loadHook(dist, require, false);
  for (const part of ["hook.watch", "hook.edit-keeper", "hook.ignore", "start.confiner", "start.shell", "start.ended", "start.own-caches"])
    load(`./${part}.cjs`);
  // Twice: the second time the compiled policy comes from the cache, as it mostly does.
  for (const round of [1, 2]) {
    for (const [tool_name, tool_input] of requests) {
      hook.rehearse(
        JSON.stringify({
          session_id: `warm-${round}`,
          cwd: project,
          permission_mode: "default",
          hook_event_name: "PreToolUse",
          tool_name,
          tool_input,
        }),
        "claude",
      );
    }
  }
  // As the host calls it, with what is on standard input.
  hook.main(["--agent", "claude", "--event", "PreToolUse"]);
  // V8 takes a cache only under the flags it was made with.
  setFlagsFromString("--sparkplug");
  for (const compiler of ["turbo", "maglev"]) setFlagsFromString(`--${compiler}-filter=*`);
  for (const [text, compiled] of scripts) writeFileSync(join(dist, `${text}.cache`), compiled.cache());
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
