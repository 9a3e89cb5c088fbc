// What a hook call costs where a judge stays: whole processes, as a host starts them, alternating with a bare `node -e 0`; then eight callers
// at once. `node bench/daemon.mjs [rounds]`.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const rounds = Number(process.argv[2] ?? 400);
const dist = process.env.ASSENT_DIST ?? fileURLToPath(new URL("../dist", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "assent-bench-"));
const home = join(scratch, "home");
const project = join(home, "project");
const daemon = join(home, ".local/state/assent/resident");
mkdirSync(join(project, ".git"), { recursive: true });
mkdirSync(daemon, { recursive: true, mode: 0o700 });
writeFileSync(join(home, ".agent-permissions.jsonc"), '{ "permissions": { "allow": ["Bash(npm test:*)"], "deny": ["Read(**/*.pem)"] } }\n');

const env = { PATH: process.env.PATH, HOME: home };
const envelope = (tool_name, tool_input) =>
  JSON.stringify({ session_id: "bench", cwd: project, permission_mode: "default", hook_event_name: "PreToolUse", tool_name, tool_input });
const bash = envelope("Bash", { command: "cd src && grep -rn TODO . | head -20 && git log --oneline -5" });
const list = envelope("Bash", { command: "ls -la src" });
const read = envelope("Read", { file_path: join(project, "src/app.ts") });
const launch = join(dist, `launch-${process.arch}`);
const words = [`HOME=${home}`, process.execPath, join(dist, "bin.cjs"), "check", "--agent", "claude", "--event", "PreToolUse"];
const client = [join(dist, `ask-${process.arch}`), `${daemon}/`, launch, ...words];
const variants = [
  { name: "node -e 0", command: [process.execPath, "-e", "0"], input: bash },
  { name: "/bin/true", command: ["/bin/true"], input: bash },
  { name: "a judge stays, Bash", command: client, input: bash },
  { name: "a judge stays, ls", command: client, input: list },
  { name: "a judge stays, Read", command: client, input: read },
  { name: "fresh, Bash", command: [launch, ...words], input: bash },
];

const sorted = (list) => list.toSorted((a, b) => a - b);
const at = (list, part) => sorted(list)[Math.min(list.length - 1, Math.floor(list.length * part))];
const once = ({ command: [program, ...args], input }) => {
  const start = process.hrtime.bigint();
  const { status } = spawnSync(program, args, { env, input, cwd: project });
  if (status !== 0) throw new Error(`${program} exited with ${status}`);
  return Number(process.hrtime.bigint() - start) / 1e6;
};

const judge = spawn(process.execPath, [join(dist, "bin.cjs"), "daemon", "--serve"], { env, stdio: "ignore" });
try {
  while (!readdirSync(daemon).some((name) => name.startsWith("mnt:"))) await new Promise((go) => setTimeout(go, 10));
  // The first call compiles the policy; V8 has its machine code after some hundred.
  once(variants.at(-1));
  for (let round = 0; round < 600; round += 1) once(variants[2 + (round % 3)]);
  const times = variants.map(() => []);
  for (let round = 0; round < rounds; round += 1) variants.forEach((variant, index) => times[index].push(once(variant)));
  const base = at(times[0], 0.5);
  console.log(`${rounds} alternating rounds, node ${process.version}`);
  variants.forEach(({ name }, index) => {
    const [median, least, late] = [at(times[index], 0.5), at(times[index], 0), at(times[index], 0.99)].map((ms) =>
      ms.toFixed(2).padStart(6),
    );
    console.log(
      `${name.padEnd(22)} median ${median} ms   min ${least} ms   p99 ${late} ms   ${(at(times[index], 0.5) / base).toFixed(3)} x`,
    );
  });

  const late = [];
  const caller = async () => {
    for (let round = 0; round < rounds / 2; round += 1) {
      const [program, ...args] = client;
      const start = process.hrtime.bigint();
      const child = spawn(program, args, { env, cwd: project, stdio: ["pipe", "ignore", "ignore"] });
      child.stdin.end(bash);
      await new Promise((go) => child.once("exit", go));
      late.push(Number(process.hrtime.bigint() - start) / 1e6);
    }
  };
  await Promise.all(Array.from({ length: 8 }, caller));
  console.log(
    `8 callers at once      median ${at(late, 0.5).toFixed(2).padStart(6)} ms   p99 ${at(late, 0.99).toFixed(2)} ms   of ${late.length}`,
  );
} finally {
  judge.kill("SIGKILL");
  rmSync(scratch, { recursive: true, force: true });
}
