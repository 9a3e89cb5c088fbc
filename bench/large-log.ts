// A large log, as `appendAudit` would write it, without its care for others: a million records take less than a minute.
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { linkHash } from "../packages/guard/src/audit/chain.ts";
import { writeHead } from "../packages/guard/src/audit/files.ts";
import { auditLine } from "@assent/guard/audit";

const DAY = 86_400_000;
const SEGMENT = 32 << 20;
const digest = (parts: readonly Uint8Array[]): Uint8Array => parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest();

/** A log of so many decisions over 30 days. */
export function writeLargeLog(folder: string, records: number): void {
  mkdirSync(folder, { recursive: true });
  const start = Date.now() - 30 * DAY;
  const programs = ["git log --oneline -n", "npm run build -- --target", "rg --line-number TODO", "cargo test --jobs", "make -j"];
  const agents = ["claude", "codex", "gemini", "opencode"];
  const lineOf = (at: number): string => {
    const decision = at % 10 === 0 ? "deny" : at % 4 === 0 ? "ask" : "allow";
    const command = at % 99_991 === 0 ? `curl https://needle.example/${at}` : `${programs[at % programs.length] ?? ""} ${at}`;
    return auditLine({
      time: start + (at / records) * 30 * DAY,
      point: at % 50 === 0 ? "run" : "hook",
      agent: agents[Math.floor(at / 7) % agents.length] ?? "",
      session: `0f0c6b1e-5c3b-4d8e-9f4e-${String(Math.floor(at / 500)).padStart(12, "0")}`,
      cwd: "/home/someone/projects/assent",
      tool: "Bash",
      input: { command },
      verdict: {
        decision,
        basis: "rule",
        reason: decision === "deny" ? "denied by a rule" : "allowed by a rule",
        rule: { text: "Bash(git log:*)", file: "/home/someone/.agent-permissions.jsonc", line: 12, column: 5 },
        actions: [],
        unknowns: [],
      },
      answer: decision,
      milliseconds: 0.4 + (at % 17) / 10,
    });
  };
  let previous = { seq: 0, hash: "" };
  let segment = 1;
  let texts: string[] = [];
  let size = 0;
  for (let at = 1; at <= records; at += 1) {
    const seq = previous.seq + 1;
    const body = `${lineOf(at).slice(0, -1)},"seq":${seq}`;
    const hash = linkHash(digest, previous.hash, new Uint8Array(), Buffer.from(body));
    previous = { seq, hash };
    const text = `${body},"hash":"${hash}"}\n`;
    texts.push(text);
    size += text.length;
    if (size >= SEGMENT && at < records) {
      writeFileSync(join(folder, `audit-${String(segment).padStart(6, "0")}.jsonl`), texts.join(""), { mode: 0o600 });
      segment += 1;
      texts = [];
      size = 0;
    }
  }
  writeFileSync(join(folder, "audit.jsonl"), texts.join(""), { mode: 0o600 });
  writeHead(folder, { segment, size, link: previous });
}
