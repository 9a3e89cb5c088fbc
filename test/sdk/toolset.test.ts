import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  createConsoleToolset,
  LocalBackend,
  presets,
  type ConsoleTool,
  type LocalBackendOptions,
  type Ruleset,
  type ToolsetOptions,
} from "@assent/library/sdk/compat";
import { scratch, type Scratch } from "../scratch.ts";

/** The console toolset. */

const ALL = "ls read_file write_file edit_file glob grep execute run_in_background background_output list_background kill_background";

const setIn = (
  place: Scratch,
  permissions: Ruleset,
  options: Partial<LocalBackendOptions> = {},
  more?: ToolsetOptions,
): readonly ConsoleTool[] =>
  createConsoleToolset(new LocalBackend({ root: place.project, permissions, machine: place.machine, audit: false, ...options }), more);
const set = (permissions: Ruleset, options?: Partial<LocalBackendOptions>, more?: ToolsetOptions): readonly ConsoleTool[] =>
  setIn(scratch(), permissions, options, more);
const named = (tools: readonly ConsoleTool[], name: string): ConsoleTool => {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool;
};

describe("Y17: which tools there are", () => {
  it.each<readonly [string, Ruleset, string]>([
    ["default", presets.default, ALL],
    ["strict", presets.strict, ALL],
    // YW7: nothing in the background either.
    ["readonly", presets.readonly, "ls read_file glob grep"],
    ["denied by a default", { default: "allow", write: { default: "deny" }, execute: { default: "deny" } }, "ls read_file glob grep"],
    [
      "denied by a rule for everything",
      { default: "allow", execute: { rules: [{ pattern: "*", action: "deny" }] } },
      "ls read_file write_file edit_file glob grep",
    ],
    [
      "allowed in part",
      { default: "deny", execute: { default: "deny", rules: [{ pattern: "npm test*", action: "allow" }] } },
      ALL.slice(ALL.indexOf("execute")),
    ],
  ])("%s", (_, ruleset, names) =>
    expect(
      set(ruleset)
        .map(({ name }) => name)
        .join(" "),
    ).toBe(names),
  );

  it("without execute, with documents", () => {
    expect(set(presets.default, { execute: false }, { documents: true }).map(({ name }) => name)).toEqual([
      "ls",
      "read_file",
      "read_document",
      "write_file",
      "edit_file",
      "glob",
      "grep",
    ]);
  });

  it("have schemas that name everything they take", () => {
    for (const { inputSchema, description } of set(presets.default)) {
      expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
      for (const name of inputSchema.required) expect(Object.keys(inputSchema.properties)).toContain(name);
      expect(description).toMatch(/\.$|`$/);
    }
  });
});

describe("Y17, YW10: approval, call by call", () => {
  const ruleset: Ruleset = {
    preset: "default",
    write: { default: "allow", rules: [{ pattern: "docs/**", action: "ask" }] },
    execute: { rules: [{ pattern: "npm test*", action: "allow" }] },
  };
  it.each<readonly [tool: string, input: Readonly<Record<string, unknown>>, needed: boolean]>([
    ["write_file", { path: "a", content: "" }, false],
    ["write_file", { path: "docs/a", content: "" }, true],
    ["edit_file", { path: "docs/a", old: "", new: "" }, true],
    ["execute", { command: "npm test" }, false],
    ["execute", { command: "ls" }, false],
    ["execute", { command: "npm publish" }, true],
    ["run_in_background", { command: "npm publish" }, true],
    ["execute", { command: "rm -rf ~" }, false],
    ["background_output", { id: "bg_1" }, false],
    ["grep", { pattern: "x" }, false],
    ["execute", { command: 1 }, false],
  ])("%s %j: %s", (name, input, needed) => {
    const place = scratch();
    place.write(".env", "KEY=1");
    expect(named(setIn(place, ruleset), name).needsApproval(input)).toBe(needed);
  });

  it("what was approved elsewhere is not asked again; denies hold", async () => {
    const place = scratch();
    const tools = setIn(place, presets.default, { env: { ...place.machine.env } });
    const write = named(tools, "write_file");
    expect(await write.execute({ path: "a", content: "x" })).toMatch(/approval required/);
    expect(existsSync(join(place.project, "a"))).toBe(false);
    expect(await write.execute({ path: "a", content: "x" }, { approved: true })).toMatch(/^created /);
    expect(await write.execute({ path: ".env", content: "x" }, { approved: true })).toMatch(/^Error: Permission denied/);
    expect(await named(tools, "execute").execute({ command: "rm -rf ~" }, { approved: true })).toMatch(/^Error: Permission denied/);
    // The next call has not been approved.
    expect(await write.execute({ path: "b", content: "x" })).toMatch(/approval required/);
  });
});

describe("Y18: what they do", () => {
  it("one after the other", async () => {
    const place = scratch();
    const tools = setIn(place, presets.permissive, { env: { ...place.machine.env } }, { documents: true });
    const call = async (name: string, input: unknown): Promise<unknown> => await named(tools, name).execute(input);
    expect(await call("write_file", { path: "src/a.ts", content: "one\ntwo\n" })).toBe(`created ${place.project}/src/a.ts`);
    expect(await call("read_file", { path: "src/a.ts", from: 2 })).toBe("two\n");
    expect(await call("edit_file", { path: "src/a.ts", old: "two", new: "2" })).toBe(`changed ${place.project}/src/a.ts (1)`);
    expect(await call("ls", {})).toBe(".git/\nsrc/");
    expect(await call("glob", { pattern: "*.ts" })).toBe(`${place.project}/src/a.ts`);
    expect(await call("grep", { pattern: "o.e", path: "src" })).toBe(`${place.project}/src/a.ts:1:one`);
    expect(await call("grep", { pattern: "zzz" })).toBe("(none)");
    expect(await call("execute", { command: "echo a; exit 2" })).toBe("a\n\n(exit code 2)");
    expect(await call("execute", { command: "sleep 9", timeout: 1 })).toBe("\n(ended by the timeout)");
    writeFileSync(join(place.project, "a.pdf"), "%PDF-1.7");
    expect(await call("read_document", { path: "a.pdf" })).toMatchObject({ mediaType: "application/pdf" });
    expect(await call("run_in_background", { command: "echo up; sleep 60" })).toBe("started bg_1");
    expect(await call("list_background", {})).toBe("bg_1 runs: echo up; sleep 60");
    expect(await call("kill_background", { id: "bg_1" })).toBe("ended");
    expect(await call("background_output", { id: "bg_1" })).toMatch(/\(ended with exit code 143\)$/);
    expect(await call("background_output", { id: "bg_7" })).toBe("Error: unknown command");
  });

  it("YW7: lines by their hashes", async () => {
    const place = scratch();
    place.write("a", "one\ntwo\n");
    const tools = setIn(place, presets.permissive, {}, { editFormat: "lines" });
    const read = await named(tools, "read_file").execute({ path: "a" });
    const [first = ""] = typeof read === "string" ? read.split("\n") : [];
    expect(await named(tools, "edit_file").execute({ path: "a", edits: [{ at: first, text: "1" }] })).toBe(`changed ${place.project}/a`);
    expect(readFileSync(join(place.project, "a"), "utf8")).toBe("1\ntwo\n");
    expect(await named(tools, "edit_file").execute({ path: "a", edits: [{ at: first, text: "1" }] })).toMatch(
      /^Error: line 1 is not what it was/,
    );
    expect(await named(tools, "edit_file").execute({ path: "a", edits: [{ at: "x", text: "1" }] })).toMatch(/^Error: an edit needs/);
  });

  it.each<readonly [string, unknown, RegExp]>([
    ["read_file", {}, /`path` is missing/],
    ["read_file", null, /not an object/],
    ["read_file", { path: 1 }, /`path` must be string/],
    ["read_file", { path: "a", lines: 0 }, /`lines` must be integer/],
    ["read_file", { path: "a", pth: "b" }, /unknown `pth`/],
    ["read_file", { path: "../../etc/passwd" }, /outside allowed directories/],
    ["write_file", { path: "a", content: {} }, /`content` must be string/],
  ])("%s %j is refused", async (name, input, message) => {
    expect(await named(set(presets.permissive), name).execute(input)).toMatch(message);
  });
});
