// What a confined command costs a host, as Claude Code starts it: the hook's answer and the command it hands back, in turn with
// the command itself and with `node -e 0`; and how late a line of its output comes. Then the same where a judge stays, and with it a
// supervisor that waits. `node bench/confined.mjs [rounds]`.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
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

const fresh = [process.execPath, join(dist, "bin.cjs"), "check", "--agent", "claude"];

/** The hook's answer to Claude Code, and the command in it. */
function asked(command, hook = fresh) {
  const payload = {
    session_id: "bench",
    cwd: project,
    permission_mode: "default",
    hook_event_name: "PermissionRequest",
    tool_name: "Bash",
    tool_input: { command },
    permission_suggestions: [],
  };
  const { ms, stdout } = timed(hook, JSON.stringify(payload));
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

/** The same with a judge that stays: the next supervisor is ready before the next command, as it is between the commands of a host. */
async function warmTimes() {
  const folder = join(home, ".local/state/assent/resident");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const judge = spawn(process.execPath, [join(dist, "bin.cjs"), "daemon", "--serve"], { cwd: "/", env, stdio: "ignore" });
  const arch = process.arch;
  const hook = [join(dist, `ask-${arch}`), `${folder}/`, join(dist, `launch-${arch}`), `HOME=${home}`, ...fresh];
  const waits = () => readdirSync(folder).some((name) => name.startsWith("spare."));
  const warm = { hook: [], run: [], whole: [], missed: 0 };
  try {
    for (let round = -3; round < rounds; round += 1) {
      for (let tries = 0; tries < 200 && !waits(); tries += 1) await new Promise((resolve) => setTimeout(resolve, 50));
      const { ms: answer, confined } = asked("bash quick.sh", hook);
      const there = waits();
      const run = timed(["bash", "-c", confined]).ms;
      if (round < 0) continue;
      if (!there || waits()) warm.missed += 1;
      for (const [name, ms] of Object.entries({ hook: answer, run, whole: answer + run })) warm[name].push(ms);
    }
  } finally {
    judge.kill();
  }
  return warm;
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
  if (process.platform === "linux") {
    const warm = await warmTimes();
    row("the hook's answer, a judge stays", warm.hook, base);
    row("confined, a supervisor waits", warm.run, base);
    row("both", warm.whole, base);
    if (warm.missed > 0) console.log(`  (${warm.missed} of ${rounds} found none that waits)`);
  }
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
