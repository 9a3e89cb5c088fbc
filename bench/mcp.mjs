// What the gateway adds to a tool call: `npm run build && node bench/mcp.mjs [calls]`. Turns about, so that both see the same machine.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const calls = Number(process.argv[2] ?? 1000);
const file = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const home = mkdtempSync(join(tmpdir(), "assent-bench-"));
writeFileSync(join(home, ".agent-permissions.jsonc"), '{ "permissions": { "allow": ["mcp__files__echo"] } }');

async function connect(before) {
  const client = new Client({ name: "bench", version: "1" });
  const [command, ...args] = [...before, process.execPath, file("test/sdk/mcp/server.mjs")];
  await client.connect(
    new StdioClientTransport({ command, args, cwd: home, env: { PATH: process.env.PATH, HOME: home }, stderr: "ignore" }),
  );
  return client;
}

const sides = {
  direct: await connect([]),
  gateway: await connect([process.execPath, file("dist/bin.cjs"), "mcp", "--name", "files", "--"]),
};
const times = { direct: [], gateway: [] };
for (let at = -50; at < calls; at += 1) {
  for (const [name, client] of Object.entries(sides)) {
    const start = performance.now();
    await client.callTool({ name: "echo", arguments: { text: "hello" } });
    if (at >= 0) times[name].push(performance.now() - start);
  }
}
const median = (all) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)];
for (const [name, all] of Object.entries(times)) console.log(`${name.padEnd(8)} median ${median(all).toFixed(2)} ms`);
console.log(`adds ${(median(times.gateway) - median(times.direct)).toFixed(2)} ms`);
await Promise.all(Object.values(sides).map((client) => client.close()));
rmSync(home, { recursive: true, force: true });
