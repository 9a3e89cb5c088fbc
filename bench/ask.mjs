// What asking a judge that stays costs a host, without the judging: the static client against a server that answers at once, whole processes,
// alternating with `true` and a bare `node -e 0`. `npm run build && node bench/ask.mjs [rounds]`.
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const rounds = Number(process.argv[2] ?? 200);
const dist = process.env.ASSENT_DIST ?? fileURLToPath(new URL("../dist", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "assent-bench-"));
chmodSync(scratch, 0o700);
const folder = join(scratch, "resident/");
mkdirSync(folder);
const env = { PATH: process.env.PATH, HOME: scratch };
const input = JSON.stringify({
  session_id: "bench",
  cwd: scratch,
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command: "x".repeat(1000) },
});

/** Answers as a judge would that needs no time. */
const SERVER = `
const { createServer } = require("node:net");
const { readlinkSync } = require("node:fs");
const [folder] = process.argv.slice(1);
const answer = Buffer.alloc(24);
answer.write("assent!1", "latin1");
createServer((connection) => {
  let bytes = Buffer.alloc(0);
  connection.on("data", (chunk) => {
    bytes = Buffer.concat([bytes, chunk]);
    if (bytes.length >= 48 && bytes.length >= 48 + Number(bytes.readBigUInt64LE(32) + bytes.readBigUInt64LE(40))) connection.end(answer);
  });
}).listen(folder + readlinkSync("/proc/self/ns/mnt"), () => console.log("ready"));`;

// What they would become must not be reached: it ends with 2.
const words = ["HOME=/none", "/none", "/none", "check", "--agent", "claude", "--event", "PreToolUse"];
const native = join(dist, `ask-${process.arch}`);
const variants = [
  { name: "node -e 0", command: [process.execPath, "-e", "0"] },
  { name: "true", command: ["/bin/true"] },
  { name: "the native client", command: [native, folder, join(dist, `launch-${process.arch}`), ...words] },
  { name: "the same, nobody there", command: [native, join(scratch, "nobody/"), "/bin/true", ...words] },
];

const server = spawn(process.execPath, ["-e", SERVER, folder], { stdio: ["ignore", "pipe", "inherit"] });
try {
  await new Promise((resolve) => server.stdout.once("data", resolve));
  const times = variants.map(() => []);
  for (let round = -5; round < rounds; round += 1) {
    variants.forEach(({ name, command: [program, ...args] }, at) => {
      const start = process.hrtime.bigint();
      const { status } = spawnSync(program, args, { env, input });
      if (status !== 0) throw new Error(`${name} exited with ${status}`);
      if (round >= 0) times[at].push(Number(process.hrtime.bigint() - start) / 1e6);
    });
  }
  const at = (list, share) => list.toSorted((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))];
  const base = at(times[0], 0.5);
  console.log(`whole processes, ${rounds} alternating rounds, node ${process.version}`);
  variants.forEach(({ name }, which) => {
    const [least, median, most] = [0, 0.5, 0.99].map((share) => at(times[which], share).toFixed(2).padStart(7));
    console.log(`${name.padEnd(24)} median ${median} ms   min ${least}   p99 ${most}   ${(at(times[which], 0.5) / base).toFixed(3)} x`);
  });
} finally {
  server.kill();
  rmSync(scratch, { recursive: true, force: true });
}
