// Holds the judge that stays to fresh hooks, over all collections of commands: `npm run daemon:equal [every N-th]`. Each line is asked of both,
// in sessions of their own, and what they print and how they end must be the same.
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { commandsOf, CORPORA } from "../corpora.ts";

/** It is bundled, and runs in the project's folder. */
const DIST = resolve("dist");
const every = Number(process.argv[2] ?? 1);
const root = realpathSync(mkdtempSync(join(tmpdir(), "assent-equal-")));
const home = join(root, "home");
const project = join(home, "project");
const daemon = join(home, ".local/state/assent/resident");
for (const folder of [join(project, ".git"), join(project, "src"), daemon, join(home, ".ssh")]) mkdirSync(folder, { recursive: true });
chmodSync(daemon, 0o700);
writeFileSync(join(project, ".env"), "KEY=1\n");
writeFileSync(
  join(home, ".agent-permissions.jsonc"),
  '{ "unknown": "confine", "permissions": { "allow": ["Bash(npm test:*)"], "deny": ["Read(**/*.pem)"] } }\n',
);
const marker = join(root, "marker");
writeFileSync(marker, "#!/bin/sh\ncat > /dev/null\nexit 77\n", { mode: 0o755 });

const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home };
const words = [`HOME=${home}`, process.execPath, join(DIST, "bin.cjs"), "check", "--agent", "claude", "--event", "PreToolUse"];
const call = (program: string, args: readonly string[], input: string) => {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: project, env, input, encoding: "utf8" });
  return { status, stdout, stderr };
};
/** Names of tickets are random. */
const plain = (text: string): string => text.replaceAll(/\b[0-9a-f]{16,}\b/g, "TICKET");

const judge = spawn(process.execPath, [join(DIST, "bin.cjs"), "daemon", "--serve"], { env, stdio: "ignore" });
const differ: unknown[] = [];
let asked = 0;
let left = 0;
try {
  while (!readdirSync(daemon).some((name) => name.startsWith("mnt:"))) {
    if (judge.exitCode !== null) throw new Error("the judge did not start");
    await new Promise((go) => setTimeout(go, 20));
  }
  const lines = CORPORA.flatMap((name) => commandsOf(name)).filter((_, at) => at % every === 0);
  for (const [at, command] of lines.entries()) {
    const envelope = (session: string): string =>
      JSON.stringify({
        session_id: `${session}${at}`,
        cwd: project,
        permission_mode: "default",
        hook_event_name: "PreToolUse",
        tool_name: "Bash",
        tool_input: { command },
      });
    const warm = call(join(DIST, `ask-${process.arch}`), [`${daemon}/`, marker, ...words], envelope("a"));
    asked += 1;
    if (warm.status === 77) {
      left += 1;
      continue;
    }
    const fresh = call(join(DIST, `launch-${process.arch}`), words, envelope("b"));
    if (warm.status !== fresh.status || plain(warm.stdout) !== plain(fresh.stdout) || warm.stderr !== fresh.stderr)
      differ.push({ command, warm, fresh });
    if (at % 500 === 499) console.log(`${at + 1} of ${lines.length}: ${left} left to a fresh process, ${differ.length} different`);
  }
} finally {
  judge.kill("SIGKILL");
  if (existsSync(root)) rmSync(root, { recursive: true, force: true });
}
for (const each of differ.slice(0, 20)) console.log(JSON.stringify(each));
console.log(`${asked} lines asked of both: ${left} left to a fresh process, ${differ.length} different`);
process.exitCode = differ.length === 0 ? 0 : 1;
