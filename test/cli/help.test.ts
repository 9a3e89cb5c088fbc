import { describe, expect, it } from "vitest";
import { groupCommands } from "../../packages/assent/src/cli/program.ts";
import { program } from "../../packages/assent/src/cli/program.ts";

/** The groups of a help with the names of their commands, as they are printed. */
function groupsOf(help: string): Record<string, readonly string[]> {
  const [, ...parts] = help.split(/\n(?=[A-Z][^\n]*:\n)/);
  return Object.fromEntries(
    parts.map((part) => {
      const [title = "", ...lines] = part.split("\n");
      return [title, lines.flatMap((line) => /^ {2}([a-z]+)(?: |$)/.exec(line)?.[1] ?? [])] as const;
    }),
  );
}

const { "Options:": _options, ...named } = groupsOf(program().helpInformation());

describe("assent --help", () => {
  it("lists at most 24 commands, in groups", () => {
    expect(Object.keys(named)).toEqual([
      "Begin:",
      "Say what goes ahead:",
      "Questions and decisions:",
      "Run, look, take back:",
      "In front of tools, on many machines:",
    ]);
    expect(Object.values(named).flat().length).toBeLessThanOrEqual(24);
    for (const names of Object.values(named)) expect(names).not.toEqual([]);
  });

  it("says where the others are", () => {
    let text = "";
    program()
      .configureOutput({ writeOut: (more) => (text += more) })
      .outputHelp();
    expect(text).toContain("`assent help --all` lists them all");
  });

  it("lists every command that is not hidden where all are asked for, those of the groups first", () => {
    const assent = program();
    groupCommands(assent, "all");
    const { "Options:": _, "Others:": others = [], ...first } = groupsOf(assent.helpInformation());
    expect(first).toEqual(named);
    const visible = assent.createHelp().visibleCommands(assent);
    expect([...Object.values(first).flat(), ...others].toSorted()).toEqual(visible.map((command) => command.name()).toSorted());
  });

  it("leaves the help of a command as it stands in the table", () => {
    const rule = program().commands.find((command) => command.name() === "rule");
    expect(groupsOf(rule?.helpInformation() ?? "")).toMatchObject({ "Commands:": ["add", "remove", "list", "help"] });
  });
});
