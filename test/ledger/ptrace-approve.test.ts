import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { here, inTerminal, type Here } from "../cli/run-place.ts";
import { assent, DIST } from "../scratch.ts";

/**
 * Ledger section 2, what ptrace-approve does, and its weaknesses, each on a supervised program. P14-P19 are in
 * ptrace-approve-patterns.test.ts.
 */

const FOLDER = /outside-[^/)]+/g;

/** The calls a program makes in the folder outside, as they are described; the folder's name is left out. */
function described(place: Here, script: string): readonly string[] {
  place.script(script);
  const trace = join(place.root, "trace");
  rmSync(trace, { force: true });
  place.run(["--log-only", "--strace", trace, "sh", "s.sh"]);
  return readFileSync(trace, "utf8")
    .split("\n")
    .flatMap((line) => /^\S+ \d+ \S+ (.*\)) = /.exec(line)?.[1] ?? [])
    .filter((text) => text.includes(place.outside))
    .map((text) => text.replaceAll(place.outside, "$OUT").replaceAll(FOLDER, ""));
}

/** A profile with these rules, as its owner would write it by `assent profile edit`. */
function profile(place: Here, name: string, permissions: Readonly<Record<string, readonly string[]>>): void {
  const edited = join(place.root, "edited.jsonc");
  writeFileSync(edited, JSON.stringify({ permissions }));
  const editor = place.write("~/editor.sh", `cp '${edited}' "$1"\n`);
  const { status, stderr } = assent(place, ["profile", "edit", name], "", { EDITOR: `sh ${editor}` });
  expect([status, stderr]).toEqual([0, expect.anything()]);
}

const free = (place: Here, name: string): boolean => !existsSync(join(place.outside, name));
const PYTHON = "/usr/bin/python3";

describe("programs and options", () => {
  it("P1: `assent run [options] -- CMD ARGS`; the program's own options are its own; no command: help, exit 2", () => {
    const { run } = here();
    expect(run(["-q", "--", "echo", "-n", "-P"])).toMatchObject({ status: 0, stdout: "-P" });
    expect(run(["--nosuch", "echo"]).status).toBe(2);
    const none = run([]);
    // It was 1: a usage error has one status in every command.
    expect(none.status).toBe(2);
    expect(none.stdout + none.stderr).toContain("Usage: assent run");
  });

  it("P2: the first exec is not asked about, and reading is free", () => {
    const { run } = here();
    expect(run(["-P", "-q", "cat", "/etc/os-release"]).stdout).toBe(readFileSync("/etc/os-release", "utf8"));
  });

  it("P3: calls are described as they would take effect, in this order: create, truncate, write, read-write", () => {
    const calls = described(
      here(),
      "cd $OUT\necho x > a; echo y >> a; : > a; cat < a <> b; mv a b; mkdir d; rmdir d; chmod 600 b; rm b; /bin/ls $OUT > /dev/null\n",
    );
    expect(calls.filter((call) => !/^open\([^,]*, read\)/.test(call))).toEqual([
      "open($OUT/a, create+truncate+write)",
      "open($OUT/a, write)",
      "open($OUT/a, truncate+write)",
      "open($OUT/b, create+read-write)",
      "rename($OUT/a -> $OUT/b)",
      "mkdir($OUT/d)",
      "rmdir($OUT/d)",
      "chmod($OUT/b, 0600)",
      "delete($OUT/b)",
      expect.stringMatching(/^exec\(\S*\/ls, \[\/bin\/ls, \$OUT\]\)$/),
    ]);
  });

  it("P4, PW5: arguments are described whole: quoted where they need it, however many and long", () => {
    const place = here();
    const many = Array.from({ length: 40 }, (_, at) => `w${at}`).join(" ");
    const calls = described(place, `/bin/echo $OUT 'a b' 'c,d' "it's" ${many} ${"x".repeat(400)}\n`);
    expect(calls.join()).toContain(", $OUT, 'a b', 'c,d', ");
    expect(calls.join()).toContain(`${many.replaceAll(" ", ", ")}, ${"x".repeat(400)}]`);
  });

  it("P5: what a program starts is held to the policy too, and what that starts", () => {
    const { run, script, outside } = here();
    script("( (echo x > $OUT/a) ) ; sh -c 'sh -c \"echo x > $OUT/b\"' & wait\n");
    run(["-P", "-q", "sh", "s.sh"]);
    expect([existsSync(join(outside, "a")), existsSync(join(outside, "b"))]).toEqual([false, false]);
  });

  it("P6, PW8: a refused call does not happen, and the program is told `permission denied`", () => {
    const place = here();
    const { stderr } = place.run(["-P", "-q", "sh", "-c", `LC_ALL=C exec ${PYTHON} -c 'import os; os.mkdir(os.environ["OUT"] + "/d")'`]);
    expect(stderr).toContain("PermissionError: [Errno 13] Permission denied");
    expect(free(place, "d")).toBe(true);
  });

  it("P7, PW9: the program's own status, 128 + n for a signal, 2 without a command", () => {
    const { run } = here();
    for (const [script, status] of [
      ["exit 41", 41],
      ["kill -SEGV $$", 139],
    ] as const)
      expect(run(["-P", "-q", "sh", "-c", script]).status, script).toBe(status);
    expect(run([]).status).toBe(2);
  });
});

describe("decisions", () => {
  it("P8: log-only, trust, deny patterns, allow patterns, nobody to ask, in this order", () => {
    const place = here();
    place.script("for i in a b c; do echo x > $OUT/$i; done\n");
    profile(place, "p", { allow: [`open(${place.outside}/*, _)`], deny: [`open(${place.outside}/b, _)`] });
    place.run(["-P", "-q", "--profile", "p", "sh", "s.sh"]);
    expect(["a", "b", "c"].map((name) => free(place, name))).toEqual([false, true, false]);
    expect(place.run(["-P", "-q", "--profile", "none", "sh", "s.sh"]).stderr).toContain("ermission denied");
    place.run(["--log-only", "-q", "--profile", "p", "sh", "s.sh"]);
    expect(free(place, "b")).toBe(false);
  });

  it("P9: d refuses once, t shows no more questions for a process, an unknown key asks again, q ends the run", async () => {
    const place = here();
    place.script("echo x > $OUT/a; echo x > $OUT/b; echo x > $OUT/c\n");
    const { screen } = await inTerminal(
      place,
      ["run", "sh", "s.sh"],
      [
        ["/a", "d"],
        ["/b", "Z"],
        ["/b", "t"],
      ],
    );
    expect(["a", "b", "c"].map((name) => free(place, name))).toEqual([true, false, false]);
    expect(screen).not.toMatch(/wants to create the file \S*\/c\b/);
  });

  it("P10: a banner with profile and rules unless -q; --debug says every decision with its rule and process", async () => {
    const place = here();
    place.script("echo x > inside\n");
    profile(place, "p", { allow: ["open(/srv/x, _)", "open(/srv/y, _)"] });
    expect((await inTerminal(place, ["run", "--profile", "p", "sh", "s.sh"], [])).screen).toContain("under profile p (2 rules)");
    expect((await inTerminal(place, ["run", "-q", "--profile", "p", "sh", "s.sh"], [])).screen).toBe("");
    expect(place.run(["-P", "--debug", "sh", "s.sh"]).stderr).toMatch(/ \d+ \w+ open\(\S*\/inside, .*\) = done \[allow: \S+\]/);
  });
});

describe("profiles", () => {
  it("P11: allow and deny rules by profile, each once, in a file of the state folder", () => {
    const place = here();
    profile(place, "p", { allow: [`open(${place.outside}/a, _)`], deny: [`open(${place.outside}/b, _)`] });
    const { stdout } = assent(place, ["profile", "show", "p"]);
    expect(stdout.match(/outside-[^/]+\/a/g)).toHaveLength(1);
    expect(stdout).toContain("deny");
  });

  it("P12: --profile NAME, else the program as PATH finds it", async () => {
    const place = here();
    const tool = place.write("~/bin/tool", "#!/bin/sh\n");
    chmodSync(tool, 0o755);
    const env = { PATH: `${place.home}/bin:/usr/bin:/bin` };
    expect((await inTerminal(place, ["run", "tool"], [], env)).screen).toMatch(/under profile \S*bin\/tool/);
    expect((await inTerminal(place, ["run", "--profile", "mine", "tool"], [], env)).screen).toContain("under profile mine");
  });

  it("P13, PW13: --list, --rules, --clear, and --clear-run with --profile", () => {
    const place = here();
    place.script("echo x > $OUT/a\n");
    profile(place, "p", { allow: [`open(${place.outside}/a, _)`] });
    expect(place.run(["--list"]).stdout).toContain("p");
    expect(place.run(["--rules", "p"]).stdout).toContain(`open(${place.outside}/a, _)`);
    place.run(["-P", "-q", "--clear-run", "--profile", "p", "sh", "s.sh"]);
    expect(free(place, "a")).toBe(true);
    profile(place, "p", { allow: ["open(/srv/x, _)"] });
    expect(place.run(["--clear", "p"]).status).toBe(0);
    expect(place.run(["--rules", "p"]).stdout).not.toContain("/srv/x");
    const again = place.run(["--clear", "p"]);
    expect(again.stdout + again.stderr).toContain("p");
  });
});

describe("questions through a folder", () => {
  it("P20: nothing blocks under PTAPP_NO_BLOCK: a question ends the run with 3; without one it changes nothing", () => {
    const place = here();
    place.script("echo x > $OUT/a\n");
    const { status, stderr } = place.run(["-q", "sh", "s.sh"], { PTAPP_NO_BLOCK: "1" });
    expect([status, free(place, "a")]).toEqual([3, true]);
    expect(stderr).toContain("--background-dir");
    expect(place.run(["-q", "echo", "x"], { PTAPP_NO_BLOCK: "1" })).toMatchObject({ status: 0, stdout: "x\n" });
  });

  it("P21-P24: a question a file, answered in turn; approve, deny, pattern, deny_pattern, trust, quit; anything else denies", async () => {
    const place = here();
    const folder = join(place.root, "questions");
    mkdirSync(folder, { mode: 0o700 });
    place.script("for i in a b c d e f; do echo x > $OUT/$i; done; sh -c 'echo x > $OUT/g; echo x > $OUT/h'; echo x > $OUT/i; sleep 60\n");
    const child = spawn(
      process.execPath,
      [join(DIST, "bin.cjs"), "run", "-q", "--background-dir", folder, "--profile", "p", "sh", "s.sh"],
      {
        cwd: place.project,
        env: { PATH: "/usr/bin:/bin", HOME: place.home, OUT: place.outside },
        stdio: "ignore",
      },
    );
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
    const said = (args: readonly string[]): { readonly seq?: number; readonly description?: string; readonly status: string } =>
      JSON.parse(assent(place, ["run", ...args]).stdout) as { seq?: number; description?: string; status: string };
    let event = said(["--background-wait", folder]);
    expect(event).toMatchObject({ seq: 1, status: "pending", app_key: "p" });
    for (const [action, name] of [
      ["approve", "a"],
      ["deny", "b"],
      ["pattern", "c"],
      ["deny_pattern", "d"],
      ["nonsense", "e"],
      ["approve", "f"],
      ["trust", "g"],
      ["quit", "i"],
    ] as const) {
      expect(event.description, action).toContain(`${place.outside}/${name}`);
      event = said(["--background-respond", folder, String(event.seq), action]);
    }
    expect(event).toEqual({ exit_code: 130, status: "done" });
    expect(await ended).toBe(130);
    expect([..."abcdefghi"].filter((name) => !free(place, name)).join("")).toBe("acfgh");
    const { stdout } = place.run(["--rules", "p"]);
    for (const name of ["c", "d"]) expect(stdout).toContain(`${place.outside}/${name}`);
  });

  it("PW11: an answer that lies there already answers nothing", () => {
    const place = here();
    const folder = join(place.root, "questions");
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(join(folder, "response.json"), JSON.stringify({ seq: 1, action: "approve" }));
    writeFileSync(join(folder, "done.json"), JSON.stringify({ exit_code: 0 }));
    chmodSync(folder, 0o777);
    place.script("echo x > $OUT/a\n");
    const open = place.run(["-q", "--background-dir", folder, "sh", "s.sh"]);
    expect([open.status, free(place, "a")]).toEqual([125, true]);
    expect(open.stderr).toContain(folder);
  });

  it("P25: --skill is a guide for machines, and --help points to it; --log-only and --strace refuse nothing that they did not before", () => {
    const { run } = here();
    expect(run(["--skill"]).stdout).toContain("--background-respond");
    expect(run(["--help"]).stdout).toContain("--skill");
  });

  it("P26: a wrapped script runs under the profile of its name, and is itself again when unwrapped", () => {
    const place = here();
    const text = "#!/bin/sh\necho x > $OUT/a || echo refused\n";
    const tool = place.write("~/bin/tool", text);
    chmodSync(tool, 0o755);
    const env = { PATH: `${place.home}/bin:/usr/bin:/bin`, OUT: place.outside };
    expect(assent(place, ["wrap", "wrap", "tool"], "", env).status).toBe(0);
    expect(assent(place, ["wrap", "list"], "", env).stdout).toContain("tool");
    // Run explicitly it is supervised once.
    expect(place.run(["-P", "-q", "tool"], env).stdout).toBe("refused\n");
    expect(assent(place, ["wrap", "unwrap", "tool"], "", env).status).toBe(0);
    expect(readFileSync(tool, "utf8")).toBe(text);
  });
});

describe("weaknesses that are gone", () => {
  it("PW1: a deny binds after exec", () => {
    const place = here();
    profile(place, "p", { allow: ["exec(_, ...)", `open(${place.outside}/**, _)`], deny: [`open(${place.outside}/secret*, _)`] });
    place.run(["-P", "-q", "--profile", "p", "sh", "-c", 'sh -c "touch $OUT/secret1 $OUT/open"']);
    expect([free(place, "secret1"), free(place, "open")]).toEqual([true, false]);
  });

  it("PW2: threads are held to it", () => {
    const place = here();
    place.script(
      `exec ${PYTHON} -c 'import os, threading\nt = threading.Thread(target=lambda: open(os.environ["OUT"] + "/t", "w")); t.start(); t.join()'\n`,
    );
    place.run(["-P", "-q", "sh", "s.sh"]);
    expect(free(place, "t")).toBe(true);
  });

  it.each([
    ["symlink", 'os.symlink("/", out + "/made")'],
    ["link", 'os.link(out + "/file", out + "/made")'],
    ["truncate", 'os.truncate(out + "/file", 0)'],
    ["ftruncate", 'os.ftruncate(os.open(out + "/file", os.O_RDWR), 0)'],
    ["mknod", 'os.mknod(out + "/made")'],
    ["chown", 'os.chown(out + "/file", os.getuid(), os.getgid())'],
    ["utime", 'os.utime(out + "/file", (1, 1))'],
    ["chmod by descriptor", 'os.fchmod(os.open(out + "/file", os.O_RDONLY), 0o600)'],
    ["setxattr", 'os.setxattr(out + "/file", "user.x", b"1")'],
    ["connect", 'socket.create_connection(("203.0.113.7", 9), 1)'],
    // Listening everywhere is bound to the loopback device; at an address of the machine's it is judged.
    ["listen", 's = socket.socket(); s.bind(("203.0.113.7", 8099)); s.listen()'],
  ])("PW3: %s is judged", (_name, statement) => {
    const place = here();
    writeFileSync(join(place.outside, "file"), "text");
    place.script(
      `exec ${PYTHON} -c 'import os, socket; out = os.environ["OUT"]\ntry:\n  ${statement}\n  print("done")\nexcept PermissionError: print("refused")'\n`,
    );
    expect(place.run(["-P", "-q", "sh", "s.sh"]).stdout).toBe("refused\n");
    expect(readFileSync(join(place.outside, "file"), "utf8")).toBe("text");
  });

  it("PW4: a pattern that cannot be read refuses the run instead of being left out", () => {
    const place = here();
    place.write("~/.agent-permissions.jsonc", '{ "permissions": { "deny": ["open(/x, [_)"] } }');
    const { status, stderr } = place.run(["-P", "-q", "touch", "made"]);
    expect([status, existsSync(join(place.project, "made"))]).toEqual([125, false]);
    expect(stderr).toMatch(/\.agent-permissions\.jsonc:1:\d+: .* nothing was started/);
  });

  it("PW5: `..`, a folder's change and links lead to what is really meant", () => {
    const place = here();
    symlinkSync(place.outside, join(place.project, "link"));
    profile(place, "p", { allow: [`open(${place.project}/**, _)`] });
    place.script(`cd src; echo x > ../../../../../../..${place.outside}/a; echo x > ../link/b; cd $OUT; echo x > c\n`);
    place.run(["-P", "-q", "--profile", "p", "sh", "s.sh"]);
    expect(["a", "b", "c"].map((name) => free(place, name))).toEqual([true, true, true]);
  });

  it("PW10: closed input does not spin: nobody to ask is a refusal", () => {
    const place = here();
    place.script("echo x > $OUT/a\n");
    const { stderr } = place.run(["sh", "s.sh"]);
    expect(stderr.length).toBeLessThan(2000);
    expect(free(place, "a")).toBe(true);
  });

  it("PW12: text of the clipboard is not an option", async () => {
    const place = here();
    chmodSync(place.write("~/bin/xclip", "#!/bin/sh\nprintf -- '--log-only sh s.sh'\n"), 0o755);
    place.script("echo x > $OUT/a\n");
    const env = { PATH: `${place.home}/bin:/usr/bin:/bin`, DISPLAY: ":0" };
    expect((await inTerminal(place, ["clip"], [["[y/N]", "yes\r"]], env)).status).not.toBe(0);
    expect(free(place, "a")).toBe(true);
  });

  it("PW13: an allowed program cannot write its own profile", () => {
    const place = here();
    profile(place, "p", { allow: [`open(${place.home}/**, _)`, `Edit(${place.home}/**)`] });
    const before = place.run(["--rules", "p"]).stdout;
    place.script("for f in $(find $HOME/.local/state/assent -name '*.jsonc'); do echo '{}' > $f; rm -f $f; done\n");
    place.run(["-P", "-q", "--profile", "p", "sh", "s.sh"]);
    expect(place.run(["--rules", "p"]).stdout).toBe(before);
  });
});
