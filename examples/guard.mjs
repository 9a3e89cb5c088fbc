// The whole policy of this machine and project.
import { openGuard } from "assent/compat";

const guard = openGuard({ audit: false });
for (const request of [
  { command: "git status" },
  { command: "git push --force" },
  { operation: "read", path: [".env"] },
  { url: "https://example.org" },
  { tool: "mcp__github__create_issue", input: { title: "x" } },
]) {
  const { decision, reason } = guard.decide(request);
  console.log(`${decision.padEnd(5)} ${JSON.stringify(request)}: ${reason}`);
}
