import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { protocol as claude } from "@assent/hosts/agents/claude";
import { decide } from "@assent/guard/engine";
import { type Decision, isConfined } from "@assent/core/policy";
import { noteChanges, noteSeen, stateFolder, unseenChanges } from "@assent/guard/state";
import { assent, engine, scratch, type Scratch } from "../scratch.ts";

/**
 * A known command is confined while a file that it obeys is not as the person knew it: changed by an agent's tool, or by a run,
 * and not looked at since.
 */

type Told = Decision | "confined";

function ask(place: Scratch, tool: string, input: Readonly<Record<string, unknown>>, memory: "use" | "look" = "use"): Told {
  const facts = Object.hasOwn(claude.tools, tool) ? claude.tools[tool] : undefined;
  const host = { shell: "any", decides: true, asks: true, bypassed: false, planning: false, confines: true } as const;
  const request = { tool, facts, input, cwd: place.project, host, point: "test", agent: "claude", session: "s1" };
  const { verdict } = decide(request, { machine: place.machine, ...engine, audit: false, memory });
  return isConfined(verdict) ? "confined" : verdict.decision;
}

const bash = (place: Scratch, command: string): Told => ask(place, "Bash", { command });
const edit = (place: Scratch, path: string): Told =>
  ask(place, "Edit", { file_path: join(place.project, path), old_string: "a", new_string: "b" });

function prepared(policy: object = { unknown: "confine" }): Scratch {
  const place = scratch();
  place.write("~/.agent-permissions.jsonc", JSON.stringify(policy));
  place.write("package.json", "{}");
  return place;
}

/** In a host, or at an event, where nothing can be confined. */
function unconfinable(place: Scratch, command: string): Decision {
  const host = { shell: "any", decides: true, asks: true, bypassed: false, planning: false } as const;
  const request = {
    tool: "Bash",
    facts: claude.tools["Bash"],
    input: { command },
    cwd: place.project,
    host,
    point: "test",
    agent: "claude",
  };
  return decide(request, { machine: place.machine, ...engine, audit: false }).verdict.decision;
}

describe("where nothing can be confined", () => {
  it("a person is asked about what obeys a changed file that few write, a program that another starts included", () => {
    const place = prepared();
    for (const file of ["rust-toolchain.toml", "mise.toml"]) {
      noteChanges(place.machine, [join(place.project, file)], "a run");
      place.write(file, "x");
    }
    expect(["pip list", "pip index versions x", "asdf list", "rustc --version"].map((line) => unconfinable(place, line))).toEqual([
      "ask",
      "none",
      "ask",
      "none",
    ]);
    expect(["git status", "ls", "npm ls", "pip --version"].map((line) => unconfinable(place, line))).toEqual([
      "allow",
      "allow",
      "allow",
      "ask",
    ]);
    noteSeen(place.machine, [join(place.project, "rust-toolchain.toml"), join(place.project, "mise.toml")]);
    expect(["pip list", "asdf list"].map((line) => unconfinable(place, line))).toEqual(["allow", "allow"]);
  });

  it("what is changed all day asks nobody, nor does anything where sandboxing is off", () => {
    const place = prepared();
    edit(place, "package.json");
    place.write("package.json", '{"x":1}');
    expect(unconfinable(place, "npm ls")).toBe("allow");
    const off = prepared({ unknown: "ask" });
    noteChanges(off.machine, [join(off.project, "mise.toml")], "a run");
    off.write("mise.toml", "x");
    expect(unconfinable(off, "asdf list")).toBe("allow");
  });
});

describe("a file that a known command obeys", () => {
  it("keeps the sandbox around it from the agent's edit until it is what it was", () => {
    const place = prepared();
    expect(bash(place, "npm ls")).toBe("allow");
    // Silence: the host asks, or has been told to accept edits.
    expect(edit(place, "package.json")).toBe("ask");
    // Nothing has been changed yet: the person may have said no.
    expect(bash(place, "npm ls")).toBe("allow");
    place.write("package.json", '{"x":1}');
    expect(bash(place, "npm ls")).toBe("confined");
    expect(bash(place, "cd src && npm ls")).toBe("confined");
    expect(bash(place, "ls && git status")).toBe("allow");
    place.write("package.json", "{}");
    expect(bash(place, "npm ls")).toBe("allow");
  });

  it("may be new, and may be made by a patch, a notebook's neighbour, another folder", () => {
    const place = prepared();
    mkdirSync(join(place.project, "sub"));
    expect(ask(place, "Write", { file_path: join(place.project, "sub/.tool-versions"), content: "x" })).toBe("ask");
    place.write("sub/.tool-versions", "nodejs path:./evil\n");
    expect(bash(place, "asdf list")).toBe("confined");
    expect(bash(place, "npm ls")).toBe("allow");
  });

  it("is known again when a person has looked, until the next change", () => {
    const place = prepared();
    const file = join(place.project, "package.json");
    edit(place, "package.json");
    writeFileSync(file, '{"x":1}');
    expect(noteSeen(place.machine, [file])).toBeUndefined();
    expect(bash(place, "npm ls")).toBe("allow");
    edit(place, "package.json");
    writeFileSync(file, '{"x":2}');
    expect(bash(place, "npm ls")).toBe("confined");
    // Back to what was looked at.
    writeFileSync(file, '{"x":1}');
    expect(bash(place, "npm ls")).toBe("allow");
  });

  it("that only the person changed is known", () => {
    const place = prepared();
    place.write("package.json", '{"mine":1}');
    expect(bash(place, "npm ls")).toBe("allow");
  });

  it("changed by a run is written down before it is changed", () => {
    const place = prepared();
    const run = assent(place, ["run", "-P", "-q", "--", "bash", "-c", "echo '{\"x\":1}' > package.json; kill -9 $$"]);
    expect(run.status).not.toBe(0);
    expect(bash(place, "npm ls")).toBe("confined");
    expect(unseenChanges(place.machine)).toMatchObject({
      files: [{ path: join(place.project, "package.json"), by: expect.stringMatching(/^run /) as unknown }],
    });
    expect(assent(place, ["undo", "--yes"]).status).toBe(0);
    expect(readFileSync(join(place.project, "package.json"), "utf8")).toBe("{}");
    expect(bash(place, "npm ls")).toBe("allow");
  });

  it("is written down whoever lets the edit go ahead: a rule, a mode", () => {
    const place = prepared({ unknown: "confine", permissions: { allow: ["Edit(**)"] } });
    expect(edit(place, "package.json")).toBe("allow");
    place.write("package.json", '{"x":1}');
    expect(bash(place, "npm ls")).toBe("confined");
  });

  it("is not written down by those who only look, nor where nothing is confined", () => {
    const place = prepared();
    ask(place, "Edit", { file_path: join(place.project, "package.json"), old_string: "a", new_string: "b" }, "look");
    const plain = prepared({});
    edit(plain, "package.json");
    for (const each of [place, plain]) {
      each.write("package.json", '{"x":1}');
      expect(unseenChanges(each.machine)).toEqual({ is: "known", files: [] });
    }
  });
});

describe("what was written down", () => {
  it("that cannot be read keeps every sandbox; that cannot be written is a question", () => {
    const place = prepared();
    edit(place, "package.json");
    const list = join(stateFolder(place.machine), "changed.jsonl");
    chmodSync(list, 0o666);
    expect(bash(place, "npm ls")).toBe("confined");
    chmodSync(list, 0o600);
    expect(bash(place, "npm ls")).toBe("allow");
    const other = prepared();
    mkdirSync(join(stateFolder(other.machine), "changed.jsonl"), { recursive: true, mode: 0o700 });
    expect(edit(other, "package.json")).toBe("ask");
    expect(bash(other, "npm ls")).toBe("confined");
  });

  it("stays small, and loses nothing", () => {
    const place = prepared();
    const changed = join(place.project, "package.json");
    noteChanges(place.machine, [changed], "claude");
    writeFileSync(changed, "changed");
    for (let n = 0; n < 40; n++)
      noteChanges(
        place.machine,
        Array.from({ length: 20 }, (_, at) => join(place.project, `gone-${n}-${at}`, "package.json")),
        "claude",
      );
    expect(readFileSync(join(stateFolder(place.machine), "changed.jsonl"), "utf8").length).toBeLessThan(1 << 17);
    expect(unseenChanges(place.machine)).toMatchObject({ files: [{ path: changed }] });
  });

  it("is listed for a person, and an agent cannot say that it was looked at", () => {
    const place = prepared();
    edit(place, "package.json");
    place.write("package.json", '{"x":1}');
    expect(assent(place, ["seen"]).stdout).toContain("project/package.json");
    // Without a terminal there is nobody to look.
    expect(assent(place, ["seen", "--all"], "yes\n", { CI: "1" }).status).toBe(1);
    for (const command of ["assent seen --all", "script -qc 'assent seen package.json' /dev/null", "npx assent seen --all"])
      expect(bash(place, command), command).toBe("deny");
    expect(bash(place, "npm ls")).toBe("confined");
  });
});
