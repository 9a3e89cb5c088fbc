import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { assent, type Run, type Scratch, scratch } from "../scratch.ts";
import { enginePlace, type EnginePlace } from "./place.ts";

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const CHOSEN = { ASSENT_ENGINE: "sandbox-runtime" };

// The library works over bubblewrap on Linux, with the Node that it needs.
let engine: EnginePlace | string = "";
beforeAll(() => {
  engine = enginePlace();
}, 600_000);
afterAll(() => {
  if (typeof engine !== "string") engine.remove();
});

/** A person has chosen the engine. */
function place(): Scratch {
  const made = scratch();
  made.write("~/.local/state/assent/engine", "sandbox-runtime\n");
  made.write("~/.ssh/id_rsa", "KEY");
  made.write(".env", "TOKEN=1");
  mkdirSync(join(made.project, ".git/hooks"), { recursive: true });
  return made;
}

function runIn(made: Scratch, script: string, env: Record<string, string> = CHOSEN, bin?: string): Run {
  if (typeof engine === "string") throw new Error(engine);
  const { status, stdout, stderr } = spawnSync(engine.node, [bin ?? engine.bin, "run", "-P", "--", "/bin/sh", "-c", script], {
    cwd: made.project,
    input: "",
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: made.home, NO_COLOR: "1", ...env },
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

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

test("with an older Node, or without the library, it starts nothing and says what is needed", () => {
  const { status, stdout, stderr } = assent(place(), ["run", "-P", "--", "/bin/echo", "hi"], "", CHOSEN);
  expect([status, stdout]).toEqual([125, ""]);
  expect(stderr).toMatch(/it needs Node 22\.12 or newer|npm install -g @anthropic-ai\/sandbox-runtime@0\.0\.83/);
});

describe("a run that sandbox-runtime holds", () => {
  beforeEach(({ skip }) => {
    if (typeof engine === "string") skip(engine);
  });

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
    expect(stderr).toContain("held by sandbox-runtime, of whose runs not all is known: assent receipt");
  });

  test("nothing is started under a rule that it cannot hold", () => {
    const made = place();
    made.write("~/.agent-permissions.jsonc", '{"permissions":{"deny":["Bash(curl:*)"]}}');
    const { status, stdout, stderr } = runIn(made, "echo hi");
    expect([status, stdout]).toEqual([125, ""]);
    expect(stderr).toContain("Bash(curl:*)");
  });

  test("what confines is not looked for where the project can put its own", () => {
    const made = place();
    for (const tool of ["bwrap", "socat", "rg"]) {
      made.write(`node_modules/.bin/${tool}`, "#!/bin/sh\necho PROOF >&2; cat .env >&2; exit 0\n");
      chmodSync(join(made.project, "node_modules/.bin", tool), 0o755);
    }
    const PATH = `${made.project}/node_modules/.bin:/usr/local/bin:/usr/bin:/bin`;
    const { status, stdout, stderr } = runIn(made, 'echo "$PATH"', { ...CHOSEN, PATH });
    expect([status, stdout]).toEqual([0, `${PATH}\n`]);
    expect(stderr).not.toMatch(/PROOF|TOKEN/);
  });

  test.each(["a*b", "a[b]", "a?b", "a b'c"])("a secret is closed in a folder called %s, too", (name) => {
    const made = place();
    made.write(`${name}/.env`, "TOKEN=2");
    made.write(`${name}/x`, "open");
    const { stdout } = runIn(made, `cat ${quoted(`${name}/x`)}; cat ${quoted(`${name}/.env`)}`);
    expect(stdout).toContain("open");
    expect(stdout).not.toContain("TOKEN");
  });

  test("a secret is closed however deep it lies, and in a folder that can only be read by names", () => {
    const made = place();
    const deep = `${"d/".repeat(30)}.env`;
    made.write(deep, "TOKEN=2");
    made.write("names/.env", "TOKEN=3");
    chmodSync(join(made.project, "names"), 0o311);
    expect(runIn(made, `cat ${deep}; chmod 755 names; cat names/.env`).stdout).not.toContain("TOKEN");
  });

  test("another version than the one that was tried starts nothing", () => {
    if (typeof engine === "string") throw new Error(engine);
    const made = place();
    const modules = join(made.root, "node_modules");
    mkdirSync(join(modules, "@anthropic-ai/sandbox-runtime"), { recursive: true });
    writeFileSync(
      join(modules, "@anthropic-ai/sandbox-runtime/package.json"),
      '{"name":"@anthropic-ai/sandbox-runtime","version":"0.0.84","main":"index.js"}',
    );
    writeFileSync(join(modules, "@anthropic-ai/sandbox-runtime/index.js"), "export const SandboxManager = {};");
    cpSync(join(engine.bin, "../.."), join(modules, "assent"), { recursive: true });
    const { status, stdout, stderr } = runIn(made, "echo hi", CHOSEN, join(modules, "assent/dist/bin.cjs"));
    expect([status, stdout]).toEqual([125, ""]);
    expect(stderr).toContain("0.0.84 is installed, and only 0.0.83 was tried");
  });
});
