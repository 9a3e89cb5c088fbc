import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { installNode, installPackage } from "./install.ts";
import { buildAssent, buildHarness, runInside } from "./machine.ts";

/**
 * `node scripts/run.mjs test/clients/in-editor.ts`: Claude Code in an editor over ACP. The editor is shown why it is asked, and what a
 * person refuses does not run.
 */
const CACHE = resolve("node_modules/.cache/clients");
const PACKAGES = join(CACHE, "packages");
const adapter = installPackage(PACKAGES, { name: "@agentclientprotocol/claude-agent-acp", version: "0.101.0" });
const node = installNode(PACKAGES);
if ("missing" in adapter || "missing" in node) throw new Error("what is driven cannot be installed");
const harness = join(CACHE, "in-editor.mjs");
await buildHarness("test/clients/in-editor-inside.ts", harness);
const out = join(CACHE, "runs/in-editor");
const parts = { client: adapter.folder, node: node.folder, assent: dirname(buildAssent(CACHE)), harness };
process.stdout.write(await runInside(parts, {}, out, 240));
const report = readFileSync(join(out, "report.json"), "utf8");
const { questions, shown, made } = JSON.parse(report) as { questions: string[]; shown: string[]; made: boolean };
const holds = questions.join() === "touch asked.txt" && /somebody should look at this first/.test(shown.join()) && !made;
process.stdout.write(`${holds ? "ok   " : "FAIL "} ${report}\n`);
if (!holds) process.exitCode = 1;
