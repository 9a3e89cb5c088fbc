import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { REFERENCE } from "@assent/hosts/agents";
import { decide } from "@assent/guard/engine";
import { engine, scratch } from "../scratch.ts";

function verdictOf(command: string, permissions: object, rest: object = {}): string {
  const place = scratch();
  place.write("package.json", '{ "scripts": { "test": "node --test", "build": "tsc" } }');
  place.write("src/a.ts", "x\n");
  place.write("x.py", "print(1)\n");
  writeFileSync(join(place.home, ".agent-permissions.jsonc"), JSON.stringify({ ...rest, permissions }));
  const host = { shell: "bash", decides: true, asks: true, bypassed: false, planning: false, confines: true } as const;
  const facts = REFERENCE.protocol.tools["Bash"];
  const { verdict } = decide(
    { tool: "Bash", facts, input: { command }, cwd: place.project, host, point: "hook", agent: "claude" },
    { machine: place.machine, ...engine, policyFiles: [], audit: false, memory: "none" },
  );
  return verdict.decision + (verdict.confined === undefined ? "" : " confined");
}

const ALLOWED = [
  "Bash(npm:*)",
  "Bash(cargo:*)",
  "Bash(pip:*)",
  "Bash(python3:*)",
  "Bash(go:*)",
  "Bash(tsc:*)",
  "Bash(git:*)",
  "Edit(**)",
  "Net",
];
const DENIED = ["Write(**/.env)", "Edit(**/*.pem)", "Write(**/{id_rsa,*.key})"];

describe("a deny of a name wherever it lies makes no question of what a program keeps for itself, or of outputs that have other names", () => {
  it.each(["npm test", "npm run build", "cargo build", "python3 x.py", "go build ./...", "tsc", "pip download requests", "npm ci"])(
    "%s",
    (command) => {
      const without = verdictOf(command, { allow: ALLOWED });
      expect(verdictOf(command, { allow: ALLOWED, deny: DENIED })).toBe(without);
      expect(verdictOf(command, { deny: DENIED }, { unknown: "confine" })).toBe("allow confined");
    },
  );
});

describe("it holds for what may have such a name", () => {
  it.each([
    ["touch .env", "deny"],
    ["cp a.pem b.pem", "deny"],
    ["echo x > src/id_rsa", "deny"],
    ["tar xzf a.tgz", "ask"],
    ['for f in *; do echo x > "$f.pem"; done', "deny"],
    ["rsync -a /opt/b/ src/", "ask"],
    ["sed -i s/a/b/ *", "ask"],
  ])("%s: %s", (command, expected) => {
    expect(verdictOf(command, { allow: [...ALLOWED, "Bash(*)", "Read(**)"], deny: DENIED })).toBe(expected);
  });

  it.each<readonly [command: string, deny: string]>([
    // A rule about the place speaks of what is kept there.
    ["npm test", "Write(~/.npm/**)"],
    ["cargo build", "Write(~/.cargo/**)"],
    ["python3 x.py", "Write(**/__pycache__/**)"],
    ["python3 x.py", "Write(**/*.pyc)"],
    ["tsc", "Write(**/*.js)"],
    ["tsc", "Write(dist/**)"],
  ])("%s under a deny of %s", (command, deny) => {
    expect(verdictOf(command, { allow: ALLOWED })).toBe("allow");
    expect(["ask", "deny"]).toContain(verdictOf(command, { allow: ALLOWED, deny: [deny] }));
  });
});
