import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agentNamed } from "../src/agents/index.ts";
import { lowerTool } from "../src/request/index.ts";
import { realWorld } from "../src/engine/world.ts";
import { thisMachine } from "../src/state/index.ts";
const commands = readFileSync("test/cases/benign.txt", "utf8").split("\n").filter((l) => l !== "" && !l.startsWith("#"));
const scratch = mkdtempSync(join(tmpdir(), "assent-bench-"));
const project = join(scratch, "home/project");
for (const folder of [".git", "src", "packages/a"]) mkdirSync(join(project, folder), { recursive: true });
for (let at = 0; at < 40; at += 1) writeFileSync(join(project, "src", `file${at}.ts`), "");
const machine = { ...thisMachine(), home: join(scratch, "home"), temp: ["/var/tmp"] };
const facts = agentNamed("claude")?.protocol.tools["Bash"];
const host = { shell: "any", decides: true, asks: true, bypassed: false, planning: false } as const;
const req = (command: string) => ({ tool: "Bash", facts, input: { command }, cwd: project, host, point: "bench", agent: "claude" });
let total = 0; const by: Record<string, number> = {};
const per: [string, number][] = [];
for (const c of commands) {
  let n = 0;
  const w: any = realWorld(machine, project, undefined);
  const spy = new Proxy(w, { get(t, k) { const v = t[k]; return typeof v === "function" ? (...a: any[]) => { n++; by[String(k)] = (by[String(k)] ?? 0) + 1; return v.apply(t, a); } : v; } });
  lowerTool(req(c) as any, spy); per.push([c, n]); total += n;
}
console.log(total, JSON.stringify(by));
writeFileSync(process.argv[2]!, JSON.stringify(per));

const W = realWorld(machine, project, undefined);
const mins = commands.map(() => Infinity);
for (let k = 0; k < 600; k++) commands.forEach((c, i) => { const s = process.hrtime.bigint(); lowerTool(req(c) as any, W); const t = Number(process.hrtime.bigint() - s) / 1000; if (t < mins[i]!) mins[i] = t; });
console.log("sum of minima", mins.reduce((a, b) => a + b, 0).toFixed(0), "median", mins.toSorted((a,b)=>a-b)[33]);
writeFileSync(process.argv[3]!, JSON.stringify(commands.map((c,i)=>[c,mins[i]])));
