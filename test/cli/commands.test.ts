import { spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { assent, DIST, scratch } from "../scratch.ts";

const lines = (text: string): unknown[] =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);

describe("assent explain", () => {
  it("shows the tree, what is unknown and where, and what would change it", () => {
    const place = scratch();
    const { status, stdout } = assent(place, ["explain", "touch a && $x b"]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^ask {2}touch a && \$x b\n/);
    expect(stdout).toContain("touch a && $x b\n");
    expect(stdout).toMatch(/\n.* {10,}\^\^/);
    expect(stdout).toContain("One rule is not enough to allow this");
  });

  it("names the smallest rule that would allow it, and only the unapproved part", () => {
    const place = scratch();
    const parsed = lines(assent(place, ["explain", "--json", "ls && touch a"]).stdout)[0];
    expect(parsed).toMatchObject({ v: 1, verdict: "ask", basis: "default", answer: "none", changes: ["Edit(a)"] });
    place.write("~/.agent-permissions.jsonc", '{ "permissions": { "allow": ["Edit(a)"] } }');
    expect(lines(assent(place, ["explain", "--json", "ls && touch a"]).stdout)[0]).toMatchObject({ verdict: "allow", changes: [] });
  });

  it("names rule, file and line", () => {
    const place = scratch();
    place.write("~/.agent-permissions.jsonc", '{\n  "permissions": {\n    "deny": ["Bash(ls:*)"]\n  }\n}\n');
    const { stdout } = assent(place, ["explain", "ls"]);
    expect(stdout).toContain(`Bash(ls:*)  ${place.home}/.agent-permissions.jsonc:3`);
    expect(stdout).toMatch(/No allow rule changes this/);
  });

  it("explains any tool", () => {
    const place = scratch();
    const { stdout } = assent(place, ["explain", "--tool", "Read", "--input", '{"file_path":"~/.ssh/id_rsa"}']);
    expect(stdout).toMatch(/^deny/);
  });

  it("never prints what could fool a terminal", () => {
    const { stdout } = assent(scratch(), ["explain", "ls \u001b[2J\u202e\u0007"]);
    // oxlint-disable-next-line no-control-regex -- none may pass
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });

  it("--batch answers line by line; a bad line does not stop it", () => {
    const place = scratch();
    const input = [
      JSON.stringify({ tool: "Bash", input: { command: "ls" }, cwd: place.project }),
      "not json",
      "[]",
      "",
      JSON.stringify({ tool: "Bash", input: "ls", cwd: place.project }),
      JSON.stringify({ tool: 1, input: {}, cwd: "/" }),
      JSON.stringify({ tool: "Bash", input: { command: "ls" }, cwd: "relative" }),
      JSON.stringify({ tool: "Read", input: { file_path: ".env" }, cwd: place.project }),
      JSON.stringify({ tool: "Bash", input: { command: "cat .env" } }),
    ].join("\n");
    const out = lines(assent(place, ["explain", "--batch"], `${input}\n`).stdout) as {
      verdict?: string;
      error?: string;
      actions?: unknown[];
    }[];
    expect(out.map(({ verdict, error }) => verdict ?? (error === undefined ? "?" : "error"))).toEqual([
      "allow",
      "error",
      "error",
      "error",
      "error",
      "error",
      "error",
      "deny",
      "deny",
    ]);
    expect(out[0]).toMatchObject({
      reason: expect.any(String) as unknown,
      actions: [{ text: "exec ls", verdict: "allow" }, { verdict: "allow" }],
    });
  });

  it("names the line of a batch that is no UTF-8, and goes on with the others", () => {
    const place = scratch();
    const input = join(place.root, "batch");
    const request = (command: string): string => JSON.stringify({ tool: "Bash", input: { command }, cwd: place.project });
    const broken = Buffer.from([0x7b, 0xff, 0xc3, 0x28, 0x7d]);
    const end = Buffer.from("\n");
    const texts = [Buffer.from(request("ls")), broken, Buffer.from(request("echo \ufffd é")), Buffer.from(""), broken];
    writeFileSync(input, Buffer.concat(texts.flatMap((text) => [text, end])));
    const run = spawnSync("sh", ["-c", `exec "$0" "$1" explain --batch < "$2"`, process.execPath, join(DIST, "bin.cjs"), input], {
      cwd: place.project,
      encoding: "utf8",
      env: { PATH: "/usr/bin:/bin", HOME: place.home },
    });
    const out = lines(run.stdout) as { verdict?: string; error?: string }[];
    expect(out.map(({ verdict, error }) => verdict ?? error)).toEqual([
      "allow",
      "line 2 is not valid UTF-8",
      "allow",
      "the line is not JSON",
      "line 5 is not valid UTF-8",
    ]);
    expect(run.stderr).toMatch(/line 2 of standard input is not valid UTF-8\n.*line 5 /s);
    expect(run.status).toBe(1);
  });
});

describe("assent log", () => {
  const decideOnce = (place: ReturnType<typeof scratch>, command: string): void => {
    assent(
      place,
      ["check", "--agent", "claude", "--event", "PreToolUse"],
      JSON.stringify({ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command }, cwd: place.project }),
    );
  };

  it("shows decisions, without secrets", () => {
    const place = scratch();
    expect(assent(place, ["log"]).stderr).toMatch(/no decisions yet/);
    decideOnce(place, "ls");
    decideOnce(place, "curl -u me:hunter2 https://a.dev -H 'Authorization: Bearer abc'");
    const { stdout } = assent(place, ["log"]);
    expect(stdout).toMatch(/allow .* Bash +ls/);
    expect(stdout).not.toMatch(/hunter2|abc/);
    const json = lines(assent(place, ["log", "--json", "-n", "1"]).stdout);
    expect(json).toHaveLength(1);
    expect(json[0]).toMatchObject({ v: 1, agent: "claude", point: "hook", tool: "Bash" });
  });

  it("--follow goes on", async () => {
    const place = scratch();
    decideOnce(place, "ls");
    const child = spawn(process.execPath, [join(DIST, "bin.cjs"), "log", "--follow", "--json"], {
      env: { HOME: place.home, PATH: "/usr/bin:/bin" },
    });
    let seen = "";
    const until = async (count: number): Promise<void> => {
      while (seen.split("\n").length - 1 < count) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    child.stdout.on("data", (chunk: Buffer) => (seen += chunk.toString()));
    await until(1);
    decideOnce(place, "pwd");
    await until(2);
    child.kill();
    expect(lines(seen)).toHaveLength(2);
  });
});

describe("assent demo", () => {
  it("judges without a terminal and leaves nothing behind", () => {
    const place = scratch();
    const { status, stdout, stderr } = assent(place, ["demo"], "", { TMPDIR: join(place.root, "tmp") });
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/deny +git log --oneline \| head && rm -rf ~/);
    expect(stdout).toMatch(/allow +grep -rn TODO src/);
    expect(stdout).not.toContain("could not judge");
    // The supervised part, or the reason why this kernel has none.
    expect(stdout).toMatch(/did +moved \*\.txt to notes\/[\s\S]*refused +delete ~\/photos\/holiday\.jpg|this machine cannot supervise: /);
    expect(assent(place, ["log"]).stderr).toMatch(/no decisions yet/);
  });
});

describe("assent", () => {
  it("prints its version and help", () => {
    const place = scratch();
    expect(assent(place, ["--version"]).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(assent(place, ["--help"]).stdout).toMatch(/explain/);
    expect(assent(place, ["check", "--help"]).stdout).toMatch(/usage/);
  });

  it.each([
    [["frobnicate"]],
    [["explain"]],
    [["explain", "--frob"]],
    [["explain", "--input", "{}", "ls"]],
    [["explain", "--input", "x"]],
    [["log", "-n", "x"]],
  ])("wrong usage %j exits 2", (args) => {
    const { status, stderr } = assent(scratch(), args);
    expect(status).toBe(2);
    expect(stderr).not.toBe("");
  });
});

it.each([
  [["x\u001b[2J"]],
  [["log", "--x\u001b[2J"]],
  [["log", "--since", "x\u001b[2J"]],
  [["completion", "x\u001b[2J"]],
  [["explain", "ls x\u001b[2J\u009b"]],
])("%j: nothing that is typed reaches the terminal as it is", (args) => {
  const { stdout, stderr } = assent(scratch(), args);
  expect(`${stdout}${stderr}`).toContain("x\\u{1b}[2J");
  // oxlint-disable-next-line no-control-regex -- what a terminal obeys
  expect(`${stdout}${stderr}`).not.toMatch(/[\u001b\u009b]/);
});
