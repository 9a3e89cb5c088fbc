import { readFileSync, writeFileSync } from "node:fs";
import { it } from "vitest";
import { place } from "../ledger/place.ts";

const here = place({ ".env": "KEY=1", "a.yml": "" });
it("tries", () => {
  const out: string[] = [];
  let policy: Record<string, unknown> = {};
  for (const line of readFileSync("/tmp/wc/lines", "utf8").split("\n")) {
    if (line === "") { out.push(""); continue; }
    if (line.startsWith("{")) { policy = JSON.parse(line); here.user(policy); out.push(`## ${line}`); continue; }
    const v = here.verdict(line);
    out.push(`${v.decision.padEnd(5)} ${line}    [${v.basis}] ${v.reason.slice(0, 110)}`);
    if (process.env["ACTIONS"]) for (const { action, verdict } of v.actions) out.push(`        ${verdict.decision} ${JSON.stringify(action)}`);
  }
  writeFileSync("/tmp/wc/out", `${out.join("\n")}\n`);
});
