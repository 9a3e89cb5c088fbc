import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { assent, type Run, type Scratch, scratch } from "../scratch.ts";

// The library works over bubblewrap on Linux, with the Node that it needs. With an older one only the refusal can be shown.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const works = (major > 22 || (major === 22 && minor >= 12)) && existsSync("/usr/bin/bwrap") && existsSync("/usr/bin/socat");
const CHOSEN = { ASSENT_ENGINE: "sandbox-runtime" };

/** A person has chosen the engine. */
function place(): Scratch {
  const made = scratch();
  made.write("~/.local/state/assent/engine", "sandbox-runtime\n");
  made.write("~/.ssh/id_rsa", "KEY");
  made.write(".env", "TOKEN=1");
  mkdirSync(join(made.project, ".git/hooks"), { recursive: true });
  return made;
}

const runIn = (made: Scratch, script: string, env: Record<string, string> = CHOSEN): Run =>
  assent(made, ["run", "-P", "--", "/bin/sh", "-c", script], "", env);

describe("who chooses the engine", () => {
  test("a variable alone does not: an agent or a project can set it", () => {
    const made = scratch();
    expect(assent(made, ["run", "-P", "--", "/bin/echo", "hi"], "", CHOSEN).stderr).not.toContain("sandbox-runtime");
  });

  test("a name that is none starts nothing", () => {
    const { status, stdout } = assent(place(), ["run", "-P", "--", "/bin/echo", "hi"], "", { ASSENT_ENGINE: "none" });
    expect([status, stdout]).toEqual([125, ""]);
  });
});

test.skipIf(works)("with an older Node, or without bubblewrap, it starts nothing and says why", () => {
  const { status, stdout, stderr } = runIn(place(), "echo hi");
  expect([status, stdout]).toEqual([125, ""]);
  expect(stderr).toMatch(/needs Node 22\.12|bubblewrap|bwrap|socat/);
});

describe.skipIf(!works)("a run that sandbox-runtime holds", () => {
  test("works in the project, and ends as its program does", () => {
    const made = place();
    expect(runIn(made, "echo x > made; exit 7").status).toBe(7);
    expect(readFileSync(join(made.project, "made"), "utf8")).toBe("x\n");
  });

  test.each([
    ["reads a secret of home", "cat ~/.ssh/id_rsa", "KEY"],
    ["reads a secret of the project", "cat .env", "TOKEN"],
    ["reads it behind a link", "ln -s .env visible; cat visible", "TOKEN"],
    ["writes into home", "echo PROOF > ~/x; cat ~/x", "PROOF"],
    ["writes a hook of git", "echo PROOF > .git/hooks/pre-commit; cat .git/hooks/pre-commit", "PROOF"],
    ["writes the policy", "echo PROOF > .agent-permissions.jsonc; cat .agent-permissions.jsonc", "PROOF"],
    ["chooses the engine", "echo PROOF > ~/.local/state/assent/engine; cat ~/.local/state/assent/engine", "PROOF"],
    ["moves the project away", "mv .git .x; cat .x/hooks/../config && echo PROOF", "PROOF"],
  ])("never %s", (_, script, proof) => {
    expect(runIn(place(), script).stdout).not.toContain(proof);
  });

  test("a host that nobody allowed is refused, and the receipt says so, with what it does not know", () => {
    const { stderr } = runIn(place(), "curl -sS -m 5 http://example.invalid/ || exit 0");
    expect(stderr).toContain("refused: example.invalid:80");
    expect(stderr).toContain("nothing is kept for `assent undo`");
  });

  test("nothing is started under a rule that it cannot hold", () => {
    const made = place();
    made.write("~/.agent-permissions.jsonc", '{"permissions":{"deny":["Bash(curl:*)"]}}');
    const { status, stdout, stderr } = runIn(made, "echo hi");
    expect([status, stdout]).toEqual([125, ""]);
    expect(stderr).toContain("Bash(curl:*)");
  });
});
