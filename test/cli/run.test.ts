import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { assent, DIST } from "../scratch.ts";
import { here, inTerminal } from "./run-place.ts";

describe("the status of assent run", () => {
  it.each<readonly [args: readonly string[], status: number, stdout: string]>([
    [["true"], 0, ""],
    [["-q", "sh", "-c", "exit 7"], 7, ""],
    [["sh", "-c", "kill -9 $$"], 137, ""],
    [["sh", "-c", "kill -TERM $$"], 143, ""],
    [["nosuch"], 127, ""],
    [["/etc/passwd"], 126, ""],
    [["--nosuch", "true"], 2, ""],
    [["--output", "x", "true"], 2, ""],
    [["--list", "true"], 2, ""],
    [["--strace", "/nonexistent/x", "true"], 125, ""],
    [[], 2, ""],
    // Options stop at the program.
    [["-P", "--", "echo", "-P", "--json", "--", "x"], 0, "-P --json -- x\n"],
    [["-P", "echo", "-P", "-q", "x"], 0, "-P -q x\n"],
    [["-P", "echo", "--json", "--", "x"], 2, ""],
    [["--", "echo", "-q"], 0, "-q\n"],
    [["-P", "--", "--nosuch"], 127, ""],
  ])("%j: %i", (args, status, stdout) => {
    const outcome = here().run(args);
    expect([outcome.status, outcome.stdout]).toEqual([status, stdout]);
  });

  it("leaves the program's pipes as they are: a slow reader loses nothing", () => {
    const { project, home } = here();
    const run = `'${process.execPath}' '${join(DIST, "bin.cjs")}' run`;
    const line = `echo in | ${run} sh -c 'cat; seq 1 100000; echo err >&2; seq 1 100000 >&2' 2>&1 | { sleep 0.5; sort | uniq -c | wc -l; }`;
    const { stdout } = spawnSync("setsid", ["-w", "sh", "-c", line], {
      cwd: project,
      env: { PATH: "/usr/bin:/bin", HOME: home },
      encoding: "utf8",
    });
    // 100,000 numbers, `in`, `err`, and the line that there is no terminal.
    expect(Number(stdout)).toBe(100_003);
  });

  it("a question ends the run where blocking is forbidden", () => {
    const { run, script, outside } = here();
    script("echo before; echo x > $OUT/a; echo after\n");
    for (const name of ["ASSENT_NO_BLOCK", "PTAPP_NO_BLOCK"]) {
      const { status, stdout, stderr } = run(["sh", "s.sh"], { [name]: "1" });
      expect([status, stdout]).toEqual([3, "before\n"]);
      expect(stderr).toContain("--background-dir");
      expect(stderr).toContain(`open(${outside}/a, `);
    }
    expect(existsSync(join(outside, "a"))).toBe(false);
    expect(run(["sh", "-c", "echo fine"], { ASSENT_NO_BLOCK: "1" })).toMatchObject({ status: 0, stdout: "fine\n" });
  });

  it("who waits for questions hears that the program was not found", () => {
    const { run, root } = here();
    mkdirSync(join(root, "q"), { mode: 0o700 });
    expect(run(["--background-dir", join(root, "q"), "nosuch"]).status).toBe(127);
    expect(JSON.parse(readFileSync(join(root, "q/done.json"), "utf8"))).toMatchObject({ exit_code: 127 });
  });
});

describe("what a run says", () => {
  it("nobody to ask: what is not allowed is refused", () => {
    const { run, script, outside } = here();
    script("echo x > inside; echo x > $OUT/a || echo refused\n");
    const { stdout, stderr, status } = run(["-P", "sh", "s.sh"]);
    expect([status, stdout]).toEqual([0, "refused\n"]);
    expect(stderr).not.toContain("not a terminal");
    expect(existsSync(join(outside, "a"))).toBe(false);
    expect(run(["sh", "s.sh"]).stderr).toContain("this is not a terminal, so nobody can be asked");
    expect(run(["-q", "sh", "s.sh"]).stderr).not.toContain("this is not a terminal, so nobody can be asked");
  });

  it("--log-only says what it does, and refuses nothing", () => {
    const { run, script, outside, write } = here();
    script("echo x > $OUT/a; cat $HOME/.ssh/id_rsa; rm $OUT/a\n");
    write("~/.ssh/id_rsa", "secret\n");
    const { status, stderr } = run(["--log-only", "sh", "s.sh"]);
    expect(status).toBe(0);
    expect(stderr).toMatch(new RegExp(`\\d+ \\S+ {2}write ${outside}/a {2}\\(would ask: `));
    expect(stderr).toMatch(/read .*\/\.ssh\/id_rsa {2}\(would refuse: /);
    expect(stderr).toMatch(new RegExp(`delete ${outside}/a {2}\\(would ask: `));
  });

  it("--json and --strace, in files that only the user reads and the program cannot change", () => {
    const { run, script, project, outside } = here();
    script("echo x > $OUT/a; rm trace; echo bad > trace; echo bad > events\n");
    expect(run(["-P", "--json", "-o", "events", "--strace", "trace", "sh", "s.sh"]).status).not.toBe(125);
    for (const name of ["events", "trace"]) expect(statSync(join(project, name)).mode & 0o777).toBe(0o600);
    const trace = readFileSync(join(project, "trace"), "utf8");
    expect(trace).toMatch(
      new RegExp(
        `^\\d\\d:\\d\\d:\\d\\d\\.\\d{3} \\d+ \\S+ open\\(${outside}/a, create\\+truncate\\+write\\) = refused EACCES \\[ask: `,
        "m",
      ),
    );
    expect(trace).toMatch(/trace\) = refused EACCES \[deny: floor\.self\]/);
    const events = readFileSync(join(project, "events"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { outcome: string; text: string });
    expect(events.some(({ outcome, text }) => outcome === "refused" && text.includes(outside))).toBe(true);
    expect(events).toHaveLength(trace.trim().split("\n").length);
  });
});

describe("--learn", () => {
  const learns = "for i in a b c d; do echo x > $OUT/dir/deep/$i; done; echo y > $HOME/.bashrc; cat $HOME/.ssh/id_rsa; echo done\n";
  it("makes a profile of what was needed, and none of what was refused", () => {
    const { run, script, outside, home, write } = here();
    write("~/.ssh/id_rsa", "secret\n");
    script(learns);
    mkdirSync(join(outside, "dir/deep"), { recursive: true });
    const dry = run(["-q", "--learn", "--dry-run", "--profile", "p", "sh", "s.sh"]);
    expect(dry.stdout).toContain("done\n");
    // The folder's name has a random part.
    expect(dry.stdout).toMatch(/"rule": "Edit\(.*\/outside-[^/]+\/dir\/deep\/\*\*\)"/);
    expect(dry.stdout).not.toMatch(/bashrc|id_rsa/);
    expect(dry.stderr).toContain("Refused, so no rule is proposed:");
    expect(existsSync(join(home, ".local/state/assent/profiles"))).toBe(false);

    expect(run(["--learn", "--profile", "p", "sh", "s.sh"]).stderr).toContain(
      "this is not a terminal, so nobody can be asked: nothing is written",
    );
    expect(run(["--learn", "--yes", "--profile", "p", "sh", "s.sh"]).stderr).toContain("written to the profile p");
    rmSync(join(outside, "dir/deep/a"));
    const after = run(["-P", "--profile", "p", "sh", "s.sh"]);
    expect(after.status).toBe(0);
    expect(existsSync(join(outside, "dir/deep/a"))).toBe(true);
    expect(run(["--rules", "p"]).stdout).toContain("learnt: needed");
    // Forgotten first, so refused again.
    rmSync(join(outside, "dir/deep/a"));
    run(["-P", "--clear-run", "--profile", "p", "sh", "s.sh"]);
    expect(existsSync(join(outside, "dir/deep/a"))).toBe(false);
    expect(existsSync(join(home, ".bashrc"))).toBe(false);
  });
});

describe("wrapped programs", () => {
  it("run under their profile, and are not supervised twice", () => {
    const { run, home, project, outside, script, write } = here();
    chmodSync(write("~/bin/tool", `#!/bin/sh\necho "$0 $*"; echo x > $OUT/a || echo refused\n`), 0o755);
    const place = { home, project };
    const env = { PATH: `${home}/bin:/usr/bin:/bin`, OUT: outside };
    expect(assent(place, ["wrap", "wrap", "tool"], "", env).status).toBe(0);
    const direct = spawnSync("setsid", ["-w", "tool", "--log-only", "b c"], {
      cwd: project,
      env: { ...env, HOME: home },
      encoding: "utf8",
    });
    expect(direct.stdout).toBe(`${home}/bin/tool --log-only b c\nrefused\n`);
    for (const shell of ["/bin/sh", "/bin/bash"].filter((path) => existsSync(path))) {
      script("tool x\n");
      for (const args of [
        ["tool", "x"],
        [shell, "s.sh"],
      ]) {
        const { status, stdout } = run(args, env);
        expect([status, stdout]).toEqual([0, `${home}/bin/tool x\nrefused\n`]);
      }
    }
    expect(readFileSync(join(home, "bin/tool"), "utf8")).toContain("/wrap/tool\n");
  });
});

describe("signals", () => {
  it("TERM is passed on, and the program's answer to it is ours", async () => {
    const { project, home } = here();
    const child = spawn(
      process.execPath,
      [join(DIST, "bin.cjs"), "run", "-P", "sh", "-c", "trap 'exit 9' TERM; echo ready; while :; do sleep 0.1; done"],
      {
        cwd: project,
        env: { PATH: "/usr/bin:/bin", HOME: home },
      },
    );
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
    await new Promise<void>((resolve) => child.stdout.once("data", () => resolve()));
    child.kill("SIGTERM");
    expect(await ended).toBe(9);
  });
});

describe("in a terminal", () => {
  it("says what runs, asks, and goes on as answered", async () => {
    const place = here();
    place.script("echo x > $OUT/a; echo y > $OUT/b; ls $OUT\n");
    const { screen, status } = await inTerminal(
      place,
      ["run", "sh", "s.sh"],
      [
        ["/a", "y"],
        ["/b", "n"],
      ],
    );
    expect(screen).toMatch(/assent: sh under profile .*\(new\); asks in this terminal/);
    expect(status).toBe(0);
    expect([existsSync(join(place.outside, "a")), existsSync(join(place.outside, "b"))]).toEqual([true, false]);
  });

  it("q ends the run with 130", async () => {
    const place = here();
    place.script("echo x > $OUT/a; touch survived\n");
    expect((await inTerminal(place, ["run", "sh", "s.sh"], [["end the run", "q"]])).status).toBe(130);
    expect(existsSync(join(place.project, "survived"))).toBe(false);
  });

  it("Ctrl-C is the program's", async () => {
    const place = here();
    const { status, screen } = await inTerminal(
      place,
      ["run", "-P", "sh", "-c", "trap 'echo caught; exit 5' INT; echo ready; sleep 30"],
      [["ready", "\u0003"]],
    );
    expect(screen).toContain("caught");
    expect(status).toBe(5);
  });

  it("clip shows what is hidden, asks, and takes nothing in it for an option", async () => {
    const place = here();
    const tool = (text: string): void => chmodSync(place.write("~/bin/xclip", `#!/bin/sh\nprintf '${text}'\n`), 0o755);
    const env = { PATH: `${place.home}/bin:/usr/bin:/bin`, DISPLAY: ":0" };
    tool("echo hello \\033[2K\\342\\200\\256x --log-only");
    const yes = await inTerminal(place, ["clip"], [["[y/N]", "yes\r"]], env);
    expect(yes.screen).toContain(String.raw`echo hello \u{1b}[2K\u{202e}x --log-only`);
    expect(yes.status).toBe(0);
    tool("--log-only sh s.sh");
    const odd = await inTerminal(place, ["clip"], [["[y/N]", "yes\r"]], env);
    expect(odd.status).not.toBe(0);
    expect(odd.screen).not.toContain("nothing is refused");
    tool("touch made");
    expect((await inTerminal(place, ["clip"], [["[y/N]", "no\r"]], env)).status).toBe(1);
    expect(existsSync(join(place.project, "made"))).toBe(false);
  });
});

it.each<readonly [script: string | undefined, message: string]>([
  [undefined, "install wl-clipboard, xclip or xsel"],
  ["exit 1", "xclip cannot read the clipboard: exit 1"],
  ["printf ''", "the clipboard is empty"],
  ["head -c 100000 /dev/zero", "the clipboard holds more than 65536 bytes"],
  ["printf 'ls\\000x'", "the clipboard holds no text"],
  ["printf '\\377'", "the clipboard holds no text"],
])("a clipboard that prints %s", (script, message) => {
  const place = here();
  if (script !== undefined) chmodSync(place.write("~/bin/xclip", `#!/bin/sh\nPATH=/usr/bin:/bin\n${script}\n`), 0o755);
  const { status, stderr } = assent(place, ["clip"], "", { PATH: `${place.home}/bin`, DISPLAY: ":0" });
  expect([status, stderr]).toEqual([1, expect.stringContaining(message)]);
});
