import { spawn } from "node:child_process";
import { existsSync, lutimesSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { picture } from "../supervise/undo/driver.ts";
import { type EnginePlace, enginePlace } from "./place.ts";
import { commandIn, heldPlace, type Held, lastRun, runHeld } from "./held.ts";

// What a run that sandbox-runtime held has changed is taken back by the same commands as any run's.

const HANDS = [
  ["with Linux's own calls", true],
  ["by what node:fs has, as on macOS", false],
] as const;

/** Times to a hundredth of a second. */
const coarse = (line: string): string => line.replace(/ (\d+)\d{7} /, " $1 ");

describe.each(HANDS)("%s", (_, native) => {
  let engine: EnginePlace | string = "";
  beforeAll(() => {
    engine = enginePlace(native);
  }, 600_000);
  afterAll(() => {
    if (typeof engine !== "string") engine.remove();
  });
  beforeEach(({ skip }) => {
    if (typeof engine === "string") skip(engine);
  });

  function place(): Held {
    if (typeof engine === "string") throw new Error(engine);
    const made = heldPlace(engine);
    made.write("a", "the first\n");
    made.write("d/b", "another\n");
    symlinkSync("a", join(made.project, "link"));
    // node:fs sets no finer times than a number holds.
    for (const path of ["a", "d/b", "link", "d", "src", ".env", ".git/hooks", ".git", ""])
      lutimesSync(join(made.project, path), 1000, 1000);
    return made;
  }

  test("what it made, changed, deleted and renamed goes back, and undo of that brings it again", () => {
    const made = place();
    const before = picture(made.project);
    const run = runHeld(made, "echo x > new; echo more >> a; rm link; mv d e; chmod 700 e/b; ln a twin; ln -s new to");
    expect(run).toMatchObject({ status: 0 });
    expect(run.stderr).toMatch(/undo: assent undo/);
    const after = picture(made.project);
    expect(commandIn(made, ["diff"]).stdout).toContain("+more");
    expect(commandIn(made, ["undo", "--yes"])).toMatchObject({ status: 0 });
    expect(picture(made.project)).toEqual(before);
    const undone = lastRun(made);
    expect(commandIn(made, ["undo", undone, "--yes"])).toMatchObject({ status: 0 });
    expect(picture(made.project).map(coarse)).toEqual(after.map(coarse));
  });

  test("the receipt says what was changed, which hosts were asked for, and what nobody knows", () => {
    const made = place();
    runHeld(made, "echo x > new; curl -sS -m 5 http://example.invalid/; exit 3");
    const { stdout } = commandIn(made, ["receipt"]);
    expect(stdout).toMatch(/created\n {2}new\n/);
    expect(stdout).toMatch(/refused\n {2}.*example\.invalid:80/);
    expect(stdout).toContain("held by sandbox-runtime, by which\n  nobody is asked about a call");
    const json = commandIn(made, ["receipt", "--json"]).stdout;
    expect(json).toContain('"engine":{"id":"sandbox-runtime","cannot":["nobody is asked about a call');
    expect(json).toContain('"exit":{"by":"exit","code":3}');
    expect(commandIn(made, ["receipt", "--list"]).stdout).toContain("by sandbox-runtime");
    expect(commandIn(made, ["log"]).stdout).toContain("example.invalid");
  });

  test("a secret's bytes are in no record", () => {
    const made = place();
    runHeld(made, "echo x > new; rm a");
    const runs = join(made.home, ".local/state/assent/runs");
    const files = readdirSync(runs, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
    expect(files.length).toBeGreaterThan(3);
    for (const { parentPath, name } of files) expect(readFileSync(join(parentPath, name), "utf8")).not.toMatch(/TOKEN=1|KEY/);
  });

  test("while it goes on it cannot reach what is kept", () => {
    const made = place();
    const { stdout } = runHeld(
      made,
      "ls -R ~/.local/state/assent; echo PROOF > ~/.local/state/assent/runs/x; cat ~/.local/state/assent/runs/*/kept/1",
    );
    expect(stdout).not.toMatch(/meta\.json|the first/);
    expect(readdirSync(join(made.home, ".local/state/assent/runs"))).not.toContain("x");
  });

  test("killed in the middle: what was changed by then goes back", async () => {
    const made = place();
    const before = picture(made.project);
    const child = spawn(
      made.engine.node,
      [made.engine.bin, "run", "-P", "--", "/bin/sh", "-c", "echo x > new; rm a; touch done; sleep 60"],
      {
        cwd: made.project,
        env: made.env,
        stdio: "ignore",
      },
    );
    await expect.poll(() => existsSync(join(made.project, "done"))).toBe(true);
    // A sign of life comes twice in a second.
    await new Promise((resolve) => setTimeout(resolve, 1200));
    const over = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await over;
    const undone = commandIn(made, ["undo", "--yes"]);
    expect(undone.stderr).toContain("was killed before it could note what it left");
    expect(picture(made.project)).toEqual(before);
  });

  describe("where nothing is kept, that is said", () => {
    test.each([
      ["too many bytes", [], '{"undo":{"keepMegabytes":1}}', "the folders that it may write hold more than 1 MB"],
      ["not wanted", ["--no-undo"], "{}", undefined],
    ])("%s", (_, words, policy, why) => {
      const made = place();
      made.write("~/.agent-permissions.jsonc", policy);
      writeFileSync(join(made.project, "large"), Buffer.alloc(2 << 20, "x"));
      const run = runHeld(made, "rm a", words);
      expect([run.status, existsSync(join(made.project, "a"))]).toEqual([0, false]);
      if (why !== undefined) expect(run.stderr).toContain(`undo is not possible for this run: ${why}`);
      const id = lastRun(made);
      for (const command of [
        ["undo", id, "--yes"],
        ["diff", id],
        ["receipt", id],
      ]) {
        const { stdout, stderr } = commandIn(made, command);
        expect(stdout + stderr).toMatch(/is not known|undo is not possible/);
        expect(stdout + stderr).not.toMatch(/everything is as it was|changed nothing|changed no file/);
      }
    });
  });

  test("a folder of temporary files is not part of it", () => {
    const made = place();
    mkdirSync(join(made.root, "elsewhere"));
    runHeld(made, "echo x > /tmp/assent-engine-temporary; rm /tmp/assent-engine-temporary; echo x > new");
    expect(commandIn(made, ["diff"]).stdout).not.toContain("assent-engine-temporary");
  });
});
