import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { assent, scratch, type Scratch } from "../scratch.ts";

/** Cline takes one script of an event's name: a person's own is asked after Assent, and has its place again at the end. */

const OWN = '#!/bin/sh\n# mine: $HOME \\ "quoted"\nexec tee "$0.seen" | sed -n "s/.*//; 1s/^/{\\"cancel\\":false,\\"mine\\":1}/p"\n';

interface Setting {
  readonly place: Scratch;
  readonly file: string;
  readonly kept: string;
  readonly install: () => string;
  readonly uninstall: () => string;
}

function setting(local: boolean, mode = 0o750): Setting {
  const place = scratch();
  const file = place.write(local ? ".clinerules/hooks/PreToolUse" : "~/.cline/hooks/PreToolUse", OWN);
  chmodSync(file, mode);
  const more = ["--yes", "--agent", "cline", ...(local ? ["--local"] : [])];
  const run = (word: string): string => {
    const { status, stdout, stderr } = assent(place, [word, ...more]);
    expect([status, stderr]).toEqual([0, ""]);
    return stdout;
  };
  return { place, file, kept: `${file}.before-assent`, install: () => run("install"), uninstall: () => run("uninstall") };
}

const modeOf = (file: string): number => statSync(file).mode & 0o777;

function ask({ place, file }: Setting, command: string, extra = ""): string {
  const call = { taskId: "t", workspaceRoots: [place.project], tool_call: { name: "run_commands", input: { commands: [command] } }, extra };
  const { stdout } = spawnSync(file, [], {
    cwd: place.project,
    input: `${JSON.stringify(call)}\n\n`,
    encoding: "utf8",
    env: { PATH: `${join(place.project, "bin")}:/usr/bin:/bin`, HOME: place.home },
  });
  return stdout;
}

describe.each([
  ["for the user", false],
  ["in a project", true],
])("a script of somebody's own, %s", (_where, local) => {
  it("is asked about what Assent lets go ahead, and about nothing else", () => {
    const at = setting(local);
    at.place.write("~/.agent-permissions.jsonc", '{ "permissions": { "deny": ["Bash(touch denied)"], "allow": ["Bash(touch fine)"] } }');
    at.install();
    // A program of the repository that would stand in for one of ours.
    for (const name of ["cat", "printf", "env", "[", "sh"])
      chmodSync(at.place.write(`bin/${name}`, '#!/bin/sh\necho {"cancel":false}\n'), 0o755);
    const seen = `${at.kept}.seen`;
    expect(JSON.parse(ask(at, "touch denied"))).toMatchObject({ overrideInput: { commands: [expect.stringContaining("Assent")] } });
    expect(existsSync(seen)).toBe(false);
    const long = "ä\\\\$(touch x)'\"%s\n".repeat(20_000);
    expect(JSON.parse(ask(at, "touch fine", long))).toEqual({ cancel: false, mine: 1 });
    expect(JSON.parse(readFileSync(seen, "utf8"))).toMatchObject({ extra: long });
    expect(readFileSync(seen, "utf8").endsWith("}\n\n")).toBe(true);
    chmodSync(at.kept, 0o600);
    expect(JSON.parse(ask(at, "touch fine"))).toEqual({ cancel: false });
    expect(existsSync(join(at.place.project, "x"))).toBe(false);
  });

  it.each([0o750, 0o755, 0o700, 0o644])("has its place again, byte for byte, with the mode %o", (mode) => {
    const at = setting(local, mode);
    expect(at.install()).toContain("before-assent");
    expect([readFileSync(at.kept, "utf8"), modeOf(at.kept)]).toEqual([OWN, mode]);
    expect(modeOf(at.file) & 0o500).toBe(0o500);
    expect(at.install()).toContain("up to date");
    at.uninstall();
    expect([readFileSync(at.file, "utf8"), modeOf(at.file), existsSync(at.kept)]).toEqual([OWN, mode, false]);
    expect(at.uninstall()).not.toMatch(/removed|wrote/);
    expect(readFileSync(at.file, "utf8")).toBe(OWN);
  });

  it("comes back as it was changed meanwhile, without its place and with the program elsewhere", () => {
    const at = setting(local);
    at.install();
    writeFileSync(at.kept, `${OWN}# more\n`);
    const registered = readFileSync(at.file, "utf8");
    writeFileSync(at.file, registered.replaceAll(/\S+bin\.cjs/g, "/old/place/bin.cjs"));
    at.install();
    expect(readFileSync(at.file, "utf8")).toBe(registered);
    rmSync(at.file);
    at.uninstall();
    expect([readFileSync(at.file, "utf8"), existsSync(at.kept)]).toEqual([`${OWN}# more\n`, false]);
  });

  it("stays when another one was put in its place meanwhile", () => {
    const at = setting(local);
    at.install();
    writeFileSync(at.file, "#!/bin/sh\n# another\n");
    at.uninstall();
    expect([readFileSync(at.file, "utf8"), readFileSync(at.kept, "utf8")]).toEqual(["#!/bin/sh\n# another\n", OWN]);
  });

  it("is left alone where there is no room to keep it", () => {
    const at = setting(local);
    writeFileSync(at.kept, "#!/bin/sh\n# a third one\n");
    const { status, stderr } = assent(at.place, ["install", "--yes", "--agent", "cline", ...(local ? ["--local"] : [])]);
    expect([status, stderr]).toEqual([1, expect.stringContaining("is there already")]);
    expect(readFileSync(at.file, "utf8")).toBe(OWN);
  });

  it("nobody but a person changes it", () => {
    const at = setting(local);
    at.install();
    for (const mode of ["default", "bypassPermissions"]) {
      const payload = {
        hook_event_name: "PreToolUse",
        tool_name: "Write",
        tool_input: { file_path: at.kept, content: "" },
        cwd: at.place.project,
      };
      const { stdout } = assent(
        at.place,
        ["check", "--agent", "claude", "--event", "PreToolUse"],
        JSON.stringify({ ...payload, permission_mode: mode }),
      );
      expect(stdout).toMatch(local && mode === "default" ? /"(?:ask|deny)"/ : /"deny"/);
    }
  });

  it("is shown as registered", () => {
    const at = setting(local);
    at.install();
    if (local) return;
    const { stdout } = assent(at.place, ["doctor", "--json"]);
    const checks = (JSON.parse(stdout) as { agents: { checks: { id: string; ok: boolean }[] } }).agents.checks;
    expect(checks.filter(({ id }) => /^cline\.(?:registered|answers)$/.test(id)).map(({ ok }) => ok)).toEqual([true, true]);
  });
});
