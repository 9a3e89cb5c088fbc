import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { confineLauncher, isConfinedCommand } from "@assent/core/action";
import { takeTicket, ticketsFolder } from "@assent/guard/state";
import { assent, scratch, type Scratch } from "../scratch.ts";

const POLICY = `{ "unknown": "confine", "permissions": { "deny": ["Bash(touch denied.txt)"], "ask": ["Bash(touch asked.txt)"] } }`;

/** The real hook, with an envelope as Claude Code 2.1.330 sends it. */
function hook(
  place: Scratch,
  event: string,
  command: string,
  more: Readonly<Record<string, unknown>> = {},
  env: Record<string, string> = {},
) {
  const payload = {
    session_id: "s-1",
    cwd: place.project,
    permission_mode: "default",
    hook_event_name: event,
    tool_name: "Bash",
    tool_input: { command, description: "a step" },
    ...(event === "PermissionRequest" ? { permission_suggestions: [] } : {}),
    ...more,
  };
  const { stdout, status } = assent(place, ["check", "--agent", "claude"], JSON.stringify(payload), env);
  expect(status).toBe(0);
  return JSON.parse(stdout) as {
    readonly hookSpecificOutput?: {
      readonly decision?: { readonly behavior: string; readonly message?: string; readonly updatedInput?: Record<string, unknown> };
      readonly permissionDecision?: string;
    };
  };
}

const lastRecord = (place: Scratch): { readonly verdict: string; readonly confined?: boolean; readonly reason: string } => {
  const lines = readFileSync(join(place.home, ".local/state/assent/audit.jsonl"), "utf8").trim().split("\n");
  return JSON.parse(lines.findLast((line) => line.includes('"point":"hook"')) ?? "") as ReturnType<typeof lastRecord>;
};

function placed(policy = POLICY): Scratch {
  const place = scratch();
  place.write("~/.agent-permissions.jsonc", policy);
  place.write("tidy.sh", "#!/bin/sh\n");
  return place;
}

describe("an unknown command", () => {
  it("is asked about while what is kept for undo is at its limit", () => {
    const place = placed();
    place.write("~/.local/state/assent/runs/full", "");
    expect(hook(place, "PermissionRequest", "./tidy.sh")).toEqual({});
    expect(lastRecord(place).reason).toContain("what is kept for undo is at its limit: `assent runs clean` makes room");
  });

  it("is answered with another one that confines it, and a ticket for that", () => {
    const place = placed();
    const { decision } = hook(place, "PermissionRequest", "./tidy.sh 'a b'").hookSpecificOutput ?? {};
    const instead = String(decision?.updatedInput?.["command"]);
    expect(decision).toEqual({ behavior: "allow", updatedInput: { command: instead, description: "a step" } });
    expect(isConfinedCommand(place.home, instead)).toBe(true);
    const [launcher, id = "", ...rest] = instead.split(" ");
    expect([launcher, rest.join(" ")]).toEqual([confineLauncher(place.home), `'./tidy.sh '\\''a b'\\'''`]);
    expect(takeTicket(place.machine, id)).toMatchObject({
      agent: "claude",
      session: "s-1",
      command: "./tidy.sh 'a b'",
      cwd: place.project,
      root: place.project,
    });
    expect(lastRecord(place)).toMatchObject({ verdict: "allow", confined: true });
  });

  it("is not answered before the host's own rules were heard", () => {
    expect(hook(placed(), "PreToolUse", "./tidy.sh")).toEqual({});
  });

  /** [what, command, more of the envelope] */
  const LEFT: readonly (readonly [string, string, Readonly<Record<string, unknown>>])[] = [
    ["it is not known who had the host ask", "./tidy.sh", { permission_suggestions: undefined }],
    ["it leaves the host's sandbox", "./tidy.sh", { tool_input: { command: "./tidy.sh", dangerouslyDisableSandbox: true } }],
    ["the host is planning", "./tidy.sh", { permission_mode: "plan" }],
    ["a written rule asks", "touch asked.txt", {}],
    ["it cannot be undone", "git push --force", {}],
    ["it is too long for one argument", `./tidy.sh ${"x".repeat(101 << 10)}`, {}],
  ];
  it.each(LEFT)("is left to the host's dialog where %s", (_, command, more) => {
    const place = placed();
    expect(hook(place, "PermissionRequest", command, more)).toEqual({});
    expect(lastRecord(place).confined).toBeUndefined();
  });

  it("is denied as ever where a rule denies", () => {
    expect(hook(placed(), "PermissionRequest", "touch denied.txt").hookSpecificOutput?.decision?.behavior).toBe("deny");
  });

  it("is left to the dialog where the host's settings might ask about a part of it", () => {
    const place = placed();
    place.write("~/.claude/settings.json", '{ "permissions": { "ask": ["Bash(./tidy.sh:*)"] } }');
    expect(hook(place, "PermissionRequest", "./tidy.sh && ./other.sh")).toEqual({});
    expect(lastRecord(place).reason).toMatch(/was not sandboxed: a rule of the host's own may match it: ask Bash\(\.\/tidy\.sh:\*\)/);
    expect(hook(place, "PermissionRequest", "./other.sh").hookSpecificOutput?.decision?.behavior).toBe("allow");
  });

  it("is left to the dialog without the setting", () => {
    expect(hook(placed("{}"), "PermissionRequest", "./tidy.sh")).toEqual({});
  });
});

describe("the command that comes back", () => {
  const typed = (place: Scratch, command: string): string => `${confineLauncher(place.home)} 0123456789abcdef '${command}'`;

  it("is not put into another", () => {
    const place = placed();
    const text = typed(place, "./tidy.sh");
    expect(hook(place, "PermissionRequest", text).hookSpecificOutput?.decision?.updatedInput?.["command"]).toBe(text);
  });

  it("is judged as the one within", () => {
    const place = placed();
    const before = (command: string): string | undefined => hook(place, "PreToolUse", command).hookSpecificOutput?.permissionDecision;
    expect(before(typed(place, "ls"))).toBe("allow");
    expect(before(typed(place, "./tidy.sh"))).toBeUndefined();
    expect(before(typed(place, "touch denied.txt"))).toBe("deny");
    expect(before(typed(place, "cat ~/.ssh/id_rsa"))).toBe("deny");
    expect(before(`NODE_OPTIONS=--require=/x ${typed(place, "ls")}`)).toBe("ask");
    expect(before(`LD_PRELOAD=/x ${typed(place, "ls")}`)).toBe("ask");
    // Another program of that name is any program.
    expect(before("./confine 0123456789abcdef 'ls'")).toBeUndefined();
    expect(before(`echo x > ${confineLauncher(place.home)}`)).toBe("deny");
  });

  it("is what it was with more around it: put into another as a whole", () => {
    const place = placed();
    const text = `${typed(place, "./tidy.sh")}; ./other.sh`;
    const instead = String(hook(place, "PermissionRequest", text).hookSpecificOutput?.decision?.updatedInput?.["command"]);
    expect(instead).not.toBe(text);
    expect(isConfinedCommand(place.home, instead)).toBe(true);
  });
});

describe("what the host starts then", () => {
  const started = (place: Scratch, command: string, env: Record<string, string> = {}, before = "") => {
    const instead = String(hook(place, "PermissionRequest", command).hookSpecificOutput?.decision?.updatedInput?.["command"]);
    const { status, stdout, stderr } = spawnSync("/bin/bash", ["-c", `${before}${instead}`], {
      cwd: place.project,
      env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: place.home, ...env },
      encoding: "latin1",
    });
    return { status, stdout, stderr };
  };

  it("is the command, supervised: output, exit status and environment are as bare", () => {
    const place = placed();
    place.write("tidy.sh", '#!/bin/sh\necho "out $1"; echo err >&2; echo kept > made.txt; exit 7\n');
    chmodSync(join(place.project, "tidy.sh"), 0o755);
    expect(started(place, "./tidy.sh 'a  b'")).toEqual({ status: 7, stdout: "out a  b\n", stderr: "err\n" });
    expect(readFileSync(join(place.project, "made.txt"), "utf8")).toBe("kept\n");
    expect(readdirSync(ticketsFolder(place.machine))).toEqual([]);
  });

  it("gives the program its caller's environment byte for byte, and takes nothing from it", () => {
    const place = placed();
    const env = { NODE_OPTIONS: "--require=/nowhere.js", LD_PRELOAD: "/nowhere.so", XDG_STATE_HOME: "/nowhere", HOME: "/nowhere" };
    const names = Object.keys(env).map((name) => `-e ^${name}=`);
    const found = started(place, `./x 2> /dev/null; env | grep -a -e ^RAW ${names.join(" ")} | sort`, env, "export RAW=$'a\\xff'; ");
    expect(found.stdout).toBe(
      "HOME=/nowhere\nLD_PRELOAD=/nowhere.so\nNODE_OPTIONS=--require=/nowhere.js\nRAW=a\xff\nXDG_STATE_HOME=/nowhere\n",
    );
  });

  it("is refused what the policy refuses, and the model reads why", () => {
    const place = placed();
    place.write("tidy.sh", "#!/bin/sh\ncat ~/.ssh/id_rsa; echo x > ~/.bashrc; touch denied.txt\n");
    chmodSync(join(place.project, "tidy.sh"), 0o755);
    place.write("~/.ssh/id_rsa", "key\n");
    const { stdout, stderr } = started(place, "./tidy.sh");
    expect(stdout).not.toContain("key");
    expect(stderr).toMatch(/assent: .*id_rsa/);
    expect(readdirSync(place.home)).not.toContain(".bashrc");
    expect(readdirSync(place.project)).not.toContain("denied.txt");
  });
});

describe("where it cannot be confined", () => {
  /** [what, what is wrong, what is said] */
  const WRONG: readonly (readonly [string, (place: Scratch) => Record<string, string> | void, RegExp])[] = [
    [
      "the launcher cannot be written",
      (place) => void place.write("~/.local/share", "a file"),
      /was not sandboxed: .*\.local\/share\/assent\/confine cannot be written/,
    ],
    [
      "no ticket can be written",
      (place) => {
        mkdirSync(join(place.home, ".local/state/assent"), { recursive: true, mode: 0o700 });
        symlinkSync(place.project, ticketsFolder(place.machine));
      },
      /was not sandboxed: .*tickets is not a folder of this user alone/,
    ],
  ];
  it.each(WRONG)("%s: the host asks, and the log says why", (_, spoil, said) => {
    const place = placed();
    const env = spoil(place) ?? {};
    expect(hook(place, "PermissionRequest", "./tidy.sh", {}, env)).toEqual({});
    expect(lastRecord(place).reason).toMatch(said);
    expect(lastRecord(place).confined).toBeUndefined();
  });

  it("what was tried once is believed, and forgotten when it failed", () => {
    const place = placed();
    hook(place, "PermissionRequest", "./tidy.sh");
    const file = join(place.home, ".local/state/assent/supervises.json");
    const tried = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
    expect(tried["problem"]).toBeUndefined();
    const answerAfter = (change: Record<string, unknown>): unknown => {
      place.write(file, JSON.stringify({ ...tried, ...change }));
      return hook(place, "PermissionRequest", "./tidy.sh").hookSpecificOutput?.decision?.behavior;
    };
    expect(answerAfter({ problem: "no kernel" })).toBeUndefined();
    expect(lastRecord(place).reason).toMatch(/was not sandboxed: no kernel/);
    expect(answerAfter({ problem: "no kernel", time: Date.now() - 11 * 60_000 })).toBe("allow");
    expect(answerAfter({ problem: "no kernel", here: "elsewhere" })).toBe("allow");
    rmSync(file);
    // What it tried with is gone again.
    expect(readdirSync(join(place.home, ".local/state/assent")).filter((name) => name.startsWith("trial"))).toEqual([]);
    chmodSync(join(place.home, ".local/state/assent"), 0o700);
  });
});
