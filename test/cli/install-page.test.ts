import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { assent, DIST, type Scratch } from "../scratch.ts";
import { here, type Here, inTerminal } from "./run-place.ts";

/** A person at a terminal: `assent install`, and out again. */

function found(...folders: readonly string[]): Here {
  const place = here();
  for (const folder of folders) mkdirSync(join(place.home, folder), { recursive: true });
  return place;
}
const ENTER = "\r";
const WRITE = "Write this? [Y/n, d shows every line]";
const SANDBOX = "instead of asking? [Y/n]";
const PROCESS = "answers hooks? [Y/n]";
const OUT = "Take this out? [Y/n, d shows every line]";
// oxlint-disable-next-line no-control-regex -- colours
const plain = (screen: string): string => screen.replaceAll(/\u001b\[[0-9;?]*[A-Za-z]/g, "").replaceAll("\r\n", "\n");
const policyOf = (place: Scratch): string => join(place.home, ".agent-permissions.jsonc");

describe("assent install at a terminal", () => {
  it.each([
    ["one agent", [".claude"]],
    ["all agents", [".claude", ".codex", ".gemini", ".qwen", ".cursor", ".factory", ".config/opencode", ".config/kilo", ".pi", ".kiro"]],
  ])("%s: the page has 24 lines at most, and says what is found, added, on, asked next, and how to get out", async (_, folders) => {
    const place = found(...folders);
    const { screen } = await inTerminal(place, ["install"], [[WRITE, "n\r"]]);
    const page = plain(screen).slice(0, plain(screen).indexOf(WRITE)).split("\n");
    expect(page.length).toBeLessThanOrEqual(23);
    for (const word of ["found ", "adds ", "copies ", "then ", "next ", "out again "])
      expect([word, page.some((line) => line.startsWith(word))]).toEqual([word, true]);
    expect(page.join("\n")).not.toMatch(/mode: |"hooks"|[{}]/);
    expect(existsSync(join(place.home, ".claude/settings.json"))).toBe(false);
  });

  it("shows every line behind `d`, and asks again", async () => {
    const place = found(".claude");
    const { screen, status } = await inTerminal(
      place,
      ["install"],
      [
        [WRITE, "d\r"],
        ['"PreToolUse"', "n\r"],
      ],
    );
    expect(plain(screen)).toMatch(/\+\s+"PreToolUse": \[/);
    expect(plain(screen).split(WRITE)).toHaveLength(3);
    expect([status, existsSync(join(place.home, ".claude/settings.json"))]).toEqual([1, false]);
  });

  it("what was asked once is asked again after uninstall, and nothing of it stays in force", async () => {
    const place = found(".claude");
    const typed = [
      [WRITE, ENTER],
      [SANDBOX, ENTER],
      [PROCESS, "n\r"],
    ] as const;
    const first = plain((await inTerminal(place, ["install"], typed)).screen);
    expect(readFileSync(policyOf(place), "utf8")).toContain('"unknown": "confine"');
    // Asked once only.
    expect(assent(place, ["install", "--yes"]).stdout).toContain("claude: up to date");
    assent(place, ["grants", "add", "--for", "2h", "--yes", "Bash(make:*)"]);
    assent(place, ["bypass", "on", "--for", "10m"]);
    const out = plain((await inTerminal(place, ["uninstall"], [[OUT, ENTER]])).screen);
    expect(out).toMatch(/ends .*the bypass.*running things sandboxed/);
    expect(out).toMatch(/stays .*the log, runs/);
    expect(existsSync(policyOf(place))).toBe(false);
    expect(assent(place, ["grants"]).stdout).not.toContain("make");
    expect(assent(place, ["bypass", "status"]).stdout).not.toMatch(/until/);
    const again = plain((await inTerminal(place, ["install"], typed)).screen);
    const questions = (screen: string): readonly string[] => screen.match(/^.*\[Y\/n.*$/gm) ?? [];
    expect(questions(again)).toEqual(questions(first));
    expect(questions(again)).toHaveLength(3);
  });

  it("a policy that was changed since keeps what a person wrote", async () => {
    const place = found(".claude");
    place.write("~/.agent-permissions.jsonc", '{\n  // mine\n  "permissions": { "deny": ["Bash(touch x)"] }\n}\n');
    await inTerminal(
      place,
      ["install"],
      [
        [WRITE, ENTER],
        [SANDBOX, ENTER],
        [PROCESS, "n\r"],
      ],
    );
    const text = readFileSync(policyOf(place), "utf8");
    writeFileSync(policyOf(place), text.replace("touch x", "touch y"));
    assent(place, ["uninstall", "--yes"]);
    const left = readFileSync(policyOf(place), "utf8");
    expect([left.includes("touch y"), left.includes("// mine"), left.includes("unknown")]).toEqual([true, true, false]);
  });

  it("--all removes what stays, after a question of its own, which Enter does not answer with yes", async () => {
    const place = found(".claude");
    place.write("~/.agent-permissions.jsonc", "{}");
    assent(place, ["install", "--yes"]);
    const no = await inTerminal(
      place,
      ["uninstall", "--all"],
      [
        [OUT, ENTER],
        ["Remove this for good? [y/N]", ENTER],
      ],
    );
    expect([no.status, existsSync(join(place.home, ".local/state/assent")), existsSync(policyOf(place))]).toEqual([1, true, true]);
    const yes = await inTerminal(place, ["uninstall", "--all"], [["Remove this for good? [y/N]", "y\r"]]);
    expect(yes.status).toBe(0);
    for (const path of [".local/state/assent", ".local/share/assent", ".agent-permissions.jsonc"])
      expect([path, existsSync(join(place.home, path))]).toEqual([path, false]);
  });
});

describe("what hooks run", () => {
  it("is brought up to date by install, and assent version says when it is older", () => {
    const place = found(".claude");
    assent(place, ["install", "--yes"]);
    expect(assent(place, ["version"]).stderr).toBe("");
    const info = join(place.home, ".local/share/assent/app/package.json");
    const current = readFileSync(info, "utf8");
    writeFileSync(info, current.replace(/"version":"[^"]*"/, '"version":"0.0.9"'));
    place.write("~/.local/share/assent/app/dist/left-over.cjs", "");
    const { stdout, stderr } = assent(place, ["version"]);
    expect([stdout, stderr]).toEqual([
      expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      "hooks run 0.0.9: `assent install` brings them up to date\n",
    ]);
    expect(JSON.parse(assent(place, ["version", "--json"]).stdout)).toMatchObject({ hooks: "0.0.9" });
    expect(assent(place, ["install", "--yes"]).stdout).toMatch(/hooks run \d+\.\d+\.\d+ now \(0\.0\.9 until now\)/);
    expect(readFileSync(info, "utf8")).toBe(current);
    expect(existsSync(join(place.home, ".local/share/assent/app/dist/left-over.cjs"))).toBe(false);
  });

  it("the package that the copy was made of is Assent as well: a hook refuses to change it", () => {
    const place = found(".claude");
    assent(place, ["install", "--yes"]);
    const [bin, own] = [join(place.home, ".local/share/assent/app/dist/bin.cjs"), join(DIST, "bin.cjs")];
    const call = {
      hook_event_name: "PreToolUse",
      session_id: "s",
      cwd: place.project,
      tool_name: "Bash",
      tool_input: { command: `echo x > ${own}` },
    };
    const { stdout } = spawnSync(process.execPath, [bin, "check", "--agent", "claude", "--event", "PreToolUse"], {
      input: JSON.stringify(call),
      env: { PATH: "/usr/bin:/bin", HOME: place.home },
      encoding: "utf8",
    });
    expect(stdout).toContain('"deny"');
  });

  it("an agent may change neither the copy nor what finds Node", () => {
    const place = found(".claude");
    assent(place, ["install", "--yes"]);
    for (const line of [
      "echo x > ~/.local/share/assent/app/dist/node",
      "cp evil.cjs ~/.local/share/assent/app/dist/bin.cjs",
      "rm -r ~/.local/share/assent/app",
      "ln -sfn /tmp/x ~/.local/share/assent/app",
      "sed -i s/a/b/ ~/.local/share/assent/app/dist/node",
    ])
      expect([line, JSON.parse(assent(place, ["explain", "--json", line]).stdout)]).toMatchObject([
        line,
        { verdict: "deny", basis: "floor" },
      ]);
  });
});
