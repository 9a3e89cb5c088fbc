// What a hook call costs a host: fresh processes, alternating with a bare `node -e 0`. `node bench/hook.mjs [rounds] [--peers]`: with
// others of the registry, fetched into the scratch folder. (Dippy is no package of a registry, dcg's binary is only with its releases.)
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const words = process.argv.slice(2).filter((word) => word !== "--peers");
const peers = process.argv.includes("--peers");
const rounds = Number(words[0] ?? 200);
const dist = process.env.ASSENT_DIST ?? fileURLToPath(new URL("../dist", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "assent-bench-"));
const home = join(scratch, "home");
const project = join(home, "project");
mkdirSync(join(project, ".git"), { recursive: true });
writeFileSync(join(home, ".agent-permissions.jsonc"), '{ "permissions": { "allow": ["Bash(npm test:*)"], "deny": ["Read(**/*.pem)"] } }\n');

// NODE_EXTRA_CA_CERTS alone costs Node 20 about 40 ms; the registered hook command drops it too.
const { PATH } = process.env;
const env = { PATH, HOME: home };
const envelope = (tool_name, tool_input) =>
  JSON.stringify({ session_id: "bench", cwd: project, permission_mode: "default", hook_event_name: "PreToolUse", tool_name, tool_input });

const bash = envelope("Bash", { command: "cd src && grep -rn TODO . | head -20 && git log --oneline -5" });
const read = envelope("Read", { file_path: join(project, "src/app.ts") });
const hook = [join(dist, "bin.cjs"), "check", "--agent", "claude", "--event", "PreToolUse"];
const variants = [
  { name: "node -e 0", args: ["-e", "0"], input: bash },
  { name: "assent check, Bash", args: hook, input: bash },
  { name: "assent check, Read", args: hook, input: read },
];

if (peers) {
  execFileSync("npm", ["install", "--prefix", scratch, "--ignore-scripts", "--no-audit", "--no-fund", "cc-safety-net@2.4.5"], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const safetyNet = [join(scratch, "node_modules/cc-safety-net/dist/bin/cc-safety-net.js"), "hook", "--claude-code"];
  variants.push(
    { name: "cc-safety-net, Bash", args: safetyNet, input: bash },
    { name: "cc-safety-net, Read", args: safetyNet, input: read },
  );
}

try {
  // The first call compiles the policy into the cache.
  execFileSync(process.execPath, hook, { env, input: bash });
  const times = variants.map(() => []);
  for (let round = -5; round < rounds; round += 1) {
    variants.forEach(({ args, input }, at) => {
      const start = process.hrtime.bigint();
      const { status } = spawnSync(process.execPath, args, { env, input });
      if (status !== 0) throw new Error(`${variants[at].name} exited with ${status}`);
      if (round >= 0) times[at].push(Number(process.hrtime.bigint() - start) / 1e6);
    });
  }
  const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];
  const base = median(times[0]);
  console.log(`fresh process, ${rounds} alternating rounds, node ${process.version}`);
  variants.forEach(({ name }, at) => {
    const ms = median(times[at]);
    console.log(
      `${name.padEnd(22)} median ${ms.toFixed(1).padStart(6)} ms   min ${Math.min(...times[at])
        .toFixed(1)
        .padStart(6)} ms   ${(ms / base).toFixed(2)} x`,
    );
  });
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
