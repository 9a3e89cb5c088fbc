// What the gateway adds to a tool call: `npm run build && node bench/mcp.mjs [calls]`. Turns about, so that all see the same machine.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const calls = Number(process.argv[2] ?? 1000);
const file = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const home = mkdtempSync(join(tmpdir(), "assent-bench-"));
writeFileSync(join(home, ".agent-permissions.jsonc"), '{ "permissions": { "allow": ["mcp__files__echo"] } }');

const env = { PATH: process.env.PATH, HOME: home };
const started = [];

/** Starts a program and waits until it says where it listens. */
async function start(args, stream, what) {
  const child = spawn(process.execPath, args, { cwd: home, env, stdio: ["ignore", "pipe", "pipe"] });
  started.push(child);
  for await (const chunk of child[stream]) {
    const [found] = what.exec(String(chunk)) ?? [];
    if (found !== undefined) return found;
  }
}

async function connect(transport, pid) {
  const client = new Client({ name: "bench", version: "1" });
  await client.connect(transport);
  return { client, pid: pid ?? transport.pid };
}

/** Processor time of a process so far, in milliseconds: proc_pid_stat(5), in hundredths of a second. */
function used(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const [utime, stime] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13);
  return (Number(utime) + Number(stime)) * 10;
}

const SERVER = file("test/sdk/mcp/server.mjs");
const GATEWAY = [join(process.env.ASSENT_DIST ?? file("dist"), "bin.cjs"), "mcp", "--name", "files"];
const overStdio = async (args) =>
  await connect(new StdioClientTransport({ command: process.execPath, args, cwd: home, env, stderr: "ignore" }));
const overHttp = async (url, pid) => await connect(new StreamableHTTPClientTransport(new URL(url)), pid);
const server = `http://127.0.0.1:${await start([SERVER, "/dev/null", "http"], "stdout", /\d+/)}/mcp`;
const listening = async (...to) => {
  const url = await start([...GATEWAY, "--listen", "0", ...to], "stderr", /http:\S+/);
  return await overHttp(url, started.at(-1).pid);
};

const sides = {
  stdio: await overStdio([SERVER]),
  "stdio, gateway, stdio": await overStdio([...GATEWAY, "--", process.execPath, SERVER]),
  HTTP: await overHttp(server),
  "HTTP, gateway, HTTP": await listening("--url", server),
  "stdio, gateway, HTTP": await overStdio([...GATEWAY, "--url", server]),
  "HTTP, gateway, stdio": await listening("--", process.execPath, SERVER),
};
/** What each is compared with. */
const direct = (name) => (name.endsWith("HTTP") ? "HTTP" : "stdio");
const times = Object.fromEntries(Object.keys(sides).map((name) => [name, []]));
const before = {};
for (let at = -50; at < calls; at += 1) {
  for (const [name, { client, pid }] of Object.entries(sides)) {
    if (at === 0 && name.includes("gateway")) before[name] = used(pid);
    const start = performance.now();
    await client.callTool({ name: "echo", arguments: { text: "hello" } });
    if (at >= 0) times[name].push(performance.now() - start);
  }
}
const figures = {};
const median = (all) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)];
for (const [name, all] of Object.entries(times)) {
  const added = median(all) - median(times[direct(name)]);
  const own = name.includes("gateway") ? (used(sides[name].pid) - before[name]) / calls : 0;
  if (name.includes("gateway")) figures[name.toLowerCase().split(", gateway, ").join("-")] = added;
  const more = `, adds ${added.toFixed(2)} ms to ${direct(name)}; ${own.toFixed(2)} ms of the gateway's processor time`;
  console.log(`${name.padEnd(22)} median ${median(all).toFixed(2)} ms${name.includes("gateway") ? more : ""}`);
}
if (process.env.ASSENT_JSON !== undefined) console.log(JSON.stringify(figures));
await Promise.all(Object.values(sides).map(({ client }) => client.close()));
for (const child of started) child.kill();
rmSync(home, { recursive: true, force: true });
