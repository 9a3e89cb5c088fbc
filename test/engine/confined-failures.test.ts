import { chmodSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { REFERENCE } from "@assent/hosts/agents";
import { decide, type Outcome } from "@assent/guard/engine";
import { askedAboutFailure, commandShape, confinedFailure, forgetConfinedFailure, noteConfinedFailure } from "@assent/guard/state";
import { assent, engine, scratch, type Scratch } from "../scratch.ts";

const STATE = (place: Scratch): Record<string, string> => ({ XDG_STATE_HOME: join(place.root, "state"), TMPDIR: join(place.root, "tmp") });

function prepared(script: string): Scratch {
  const place = scratch({});
  place.write("~/.agent-permissions.jsonc", '{ "version": 1, "unknown": "confine" }');
  chmodSync(place.write("x.sh", script), 0o755);
  return place;
}

const confined = (place: Scratch, command: string): number | null =>
  assent(place, ["run", "--confined", "0000000000000000", "--", command], "", STATE(place)).status;

function asked(place: Scratch, command: string, point = "hook"): Outcome {
  const host = { shell: "bash", decides: true, asks: true, bypassed: false, planning: false, confines: true } as const;
  const machine = { ...place.machine, env: { ...place.machine.env, ...STATE(place) } };
  const facts = REFERENCE.protocol.tools["Bash"];
  const request = { tool: "Bash", facts, input: { command }, cwd: place.project, host, point, agent: "claude" };
  return decide(request, { machine, ...engine, policyFiles: [], audit: false });
}

describe("what was refused before for the same command here", () => {
  it("is asked about beforehand, once; what works is not", () => {
    const place = prepared("#!/bin/bash\necho a > /dev/tcp/9.9.9.9/9 || exit 3\n");
    expect(asked(place, "./x.sh").verdict.builtin).toBe("confined");
    expect(confined(place, "./x.sh")).toBe(3);
    const { verdict, answer } = asked(place, `cd ${place.project} && ./x.sh 2>&1 | tail -20`);
    expect(verdict).toMatchObject({ decision: "ask", builtin: "confine.fails", waivable: false });
    expect(verdict.reason).toContain("9.9.9.9:9");
    expect(verdict.help).toMatchObject({ person: expect.stringContaining("not sandboxed") as unknown });
    expect(answer.decision).toBe("ask");
    // A host may ask in more than one way.
    expect(asked(place, "./x.sh").verdict.builtin).toBe("confine.fails");
    // Whoever is told to confine it does.
    expect(asked(place, "./x.sh", "confined").verdict.builtin).toBe("confined");
    expect(asked(place, "./y.sh").verdict.builtin).not.toBe("confine.fails");
  });

  it("does not count where it ended well, or where nobody could allow it", () => {
    const well = prepared("#!/bin/bash\necho a > /dev/tcp/9.9.9.9/9\nexit 0\n");
    expect(confined(well, "./x.sh")).toBe(0);
    expect(asked(well, "./x.sh").verdict.builtin).toBe("confined");
    const denied = prepared("#!/bin/bash\necho a > /dev/tcp/9.9.9.9/9\necho a > /dev/tcp/169.254.169.254/80\nexit 1\n");
    expect(confined(denied, "./x.sh")).toBe(1);
    expect(asked(denied, "./x.sh").verdict.builtin).toBe("confined");
    const failed = prepared("#!/bin/sh\nexit 1\n");
    expect(confined(failed, "./x.sh")).toBe(1);
    expect(asked(failed, "./x.sh").verdict.builtin).toBe("confined");
  });

  /** [the script, whether what it was refused is asked about the next time] */
  it.each([
    ["the program goes on and starts another", "echo a > /dev/tcp/9.9.9.9/9; ls > /dev/null; exit 1", false],
    ["it becomes another", "echo a > /dev/tcp/9.9.9.9/9; exec false", false],
    ["it only looked, and what it starts fails by itself", "echo a > /etc/x; sh -c 'exit 7'", false],
    ["nothing is started any more", "ls > /dev/null; echo a > /dev/tcp/9.9.9.9/9 || exit 3", true],
    ["it ended a program, and another goes on", "(echo a > /dev/tcp/9.9.9.9/9) || { ls > /dev/null; exit 3; }", true],
    ["it ended one of a row", "bash -c 'echo a > /dev/tcp/9.9.9.9/9' && true; ls > /dev/null; exit 2", true],
    ["another of its calls ended it", "echo a > /dev/tcp/9.9.9.9/9; ls > /dev/null; echo a > /dev/tcp/9.9.9.8/9; exit 1", true],
  ])("%s", (_what, script, asks) => {
    const place = prepared(`#!/bin/bash\n${script}\n`);
    expect(confined(place, "./x.sh")).not.toBe(0);
    expect(asked(place, "./x.sh").verdict.builtin).toBe(asks ? "confine.fails" : "confined");
  });

  it("under confine-log nobody is asked", () => {
    const place = prepared("#!/bin/bash\necho a > /dev/tcp/9.9.9.9/9 || exit 3\n");
    confined(place, "./x.sh");
    place.write("~/.agent-permissions.jsonc", '{ "version": 1, "unknown": "confine-log" }');
    expect(asked(place, "./x.sh").verdict.builtin).not.toBe("confine.fails");
    expect(asked(place, "./x.sh; strace ./x.sh").verdict.builtin).not.toBe("confine.fails");
  });
});

describe("remembering it", () => {
  it("by folder and command, for ten minutes after it was asked about", () => {
    const { machine } = scratch({ env: {} });
    const now = Date.now();
    expect(noteConfinedFailure(machine, { cwd: "/p", command: "make  test | tail -5", refused: "x", time: now })).toBeUndefined();
    expect(confinedFailure(machine, "/p", "make test", now)?.refused).toBe("x");
    expect(confinedFailure(machine, "/q", "make test", now)).toBeUndefined();
    expect(confinedFailure(machine, "/p", "make", now)).toBeUndefined();
    const failure = { cwd: "/p", command: "make test", refused: "x", time: now };
    askedAboutFailure(machine, failure, now + 60_000);
    // Asked once more, it lasts no longer.
    askedAboutFailure(machine, failure, now + 9 * 60_000);
    expect(confinedFailure(machine, "/p", "make test", now + 10 * 60_000)?.refused).toBe("x");
    expect(confinedFailure(machine, "/p", "make test", now + 12 * 60_000)).toBeUndefined();
    noteConfinedFailure(machine, { ...failure, refused: "y" });
    expect(confinedFailure(machine, "/p", "make test", now + 12 * 60_000)?.refused).toBe("y");
    expect(confinedFailure(machine, "/p", "make test", now + 15 * 86_400_000)).toBeUndefined();
    forgetConfinedFailure(machine, "/p", "make test");
    expect(confinedFailure(machine, "/p", "make test", now)).toBeUndefined();
  });

  it.each([
    ["npm test", "npm test"],
    ["cd /p && npm test 2>&1 | tail -40", "npm test"],
    ["npm test 2>&1 | head -n 5", "npm test"],
    ["npm test || true", "npm test"],
    ["npm test | grep x", "npm test | grep x"],
    ["echo '|' | tail -3", "echo '|'"],
  ])("%s is %s", (command, shape) => {
    expect(commandShape(command)).toBe(shape);
  });

  // Its end was looked for once from each blank, which took minutes.
  it("very many blanks are one", { timeout: 10_000 }, () => {
    expect(commandShape(`ls${" ".repeat(300_000)}x`)).toBe("ls x");
  });
});
