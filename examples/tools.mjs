// A loop as any SDK runs it: the model names a tool, the toolset judges and does it. The model here is a list.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createConsoleToolset, createRuleset, LocalBackend } from "assent/compat";

const root = mkdtempSync(join(tmpdir(), "assent-example-"));
const permissions = createRuleset({
  allowWrite: true,
  rules: { execute: [{ pattern: "git push*", action: "deny", description: "a person pushes" }] },
});
const tools = createConsoleToolset(new LocalBackend({ root, permissions }));

const model = [
  { tool: "write_file", input: { path: "a.txt", content: "hello\n" } },
  { tool: "read_file", input: { path: "a.txt" } },
  { tool: "execute", input: { command: "cat a.txt | wc -l" } },
  { tool: "execute", input: { command: "git push origin main" } },
  { tool: "edit_file", input: { path: "a.txt", old: "hello", new: "bye" } },
];

try {
  for (const { tool, input } of model) {
    const found = tools.find(({ name }) => name === tool);
    if (found === undefined) throw new Error(`no tool ${tool}`);
    // Here an SDK would show its dialogue; this one says yes to every edit.
    const approved = found.needsApproval(input) && tool === "edit_file";
    console.log(`${tool} ${JSON.stringify(input)}`);
    console.log("  →", await found.execute(input, { approved }));
  }
} finally {
  rmSync(root, { recursive: true, force: true });
}
