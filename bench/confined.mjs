// What a confined command costs a host, as Claude Code starts it: the hook's answer and the command it hands back, in turn with
// the command itself and with `node -e 0`; and how late a line of its output comes. `node bench/confined.mjs [rounds]`.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const rounds = Number(process.argv[2] ?? 20);
const dist = process.env.ASSENT_DIST ?? fileURLToPath(new URL("../dist", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "assent-bench-"));
const home = join(scratch, "home");
const project = join(home, "project");
mkdirSync(join(project, ".git"), { recursive: true });
writeFileSync(join(home, ".agent-permissions.jsonc"), '{ "unknown": "confine" }\n');
// No judge can know what a script of the project does.
writeFileSync(join(project, "quick.sh"), "true\n");
writeFileSync(join(project, "lines.sh"), "for n in 1 2 3 4 5 6 7 8 9 10; do date +%s%N; sleep 0.05; done\n");

const env = { PATH: process.env.PATH, HOME: home };
const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];
const row = (name, list, base) =>
  console.log(
    `${name.padEnd(34)} median ${median(list).toFixed(1).padStart(7)} ms   min ${Math.min(...list)
      .toFixed(1)
      .padStart(7)} ms${base === undefined ? "" : `   ${(median(list) / base).toFixed(2)} x`}`,
  );

function timed(argv, input) {
  const start = process.hrtime.bigint();
  const { status, stdout, stderr } = spawnSync(argv[0], argv.slice(1), { cwd: project, env, input, encoding: "utf8" });
  const ms = Number(process.hrtime.bigint() - start) / 1e6;
  if (status !== 0) throw new Error(`${argv.join(" ")} exited with ${status}: ${stderr}`);
  return { ms, stdout };
}

/** The hook's answer to Claude Code, and the command in it. */
function asked(command) {
  const payload = {
    session_id: "bench",
    cwd: project,
    permission_mode: "default",
    hook_event_name: "PermissionRequest",
    tool_name: "Bash",
    tool_input: { command },
    permission_suggestions: [],
  };
  const { ms, stdout } = timed([process.execPath, join(dist, "bin.cjs"), "check", "--agent", "claude"], JSON.stringify(payload));
  const confined = JSON.parse(stdout || "{}").hookSpecificOutput?.decision?.updatedInput?.command;
  if (confined === undefined) throw new Error(`${command} would not be confined: ${stdout}`);
  return { ms, confined };
}

/** How long after `date` each line is read. */
function delays(command) {
  return new Promise((resolve, reject) => {
    const late = [];
    const child = spawn("bash", ["-c", command], { cwd: project, env, stdio: ["ignore", "pipe", "ignore"] });
    child.stdout.on("data", (text) => {
      const now = Date.now() + (performance.now() % 1);
      for (const line of String(text).split("\n").filter(Boolean)) late.push(now - Number(line) / 1e6);
    });
    child.once("error", reject);
    child.once("exit", () => resolve(late));
  });
}

try {
  const times = { node: [], bare: [], hook: [], run: [], whole: [] };
  for (let round = -3; round < rounds; round += 1) {
    const node = timed([process.execPath, "-e", "0"]).ms;
    const bare = timed(["bash", "-c", "bash quick.sh"]).ms;
    const { ms: hook, confined } = asked("bash quick.sh");
    const run = timed(["bash", "-c", confined]).ms;
    if (round < 0) continue;
    for (const [name, ms] of Object.entries({ node, bare, hook, run, whole: hook + run })) times[name].push(ms);
  }
  const base = median(times.node);
  console.log(`${rounds} alternating rounds, node ${process.version}`);
  row("node -e 0", times.node);
  row("bash quick.sh, bare", times.bare, base);
  row("the hook's answer", times.hook, base);
  row("bash quick.sh, confined", times.run, base);
  row("both", times.whole, base);
  const late = { bare: [], confined: [] };
  for (let round = 0; round < Math.min(rounds, 5); round += 1) {
    late.bare.push(...(await delays("bash lines.sh")));
    late.confined.push(...(await delays(asked("bash lines.sh").confined)));
  }
  row("a line of output, bare: late by", late.bare);
  row("a line of output, confined", late.confined);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
