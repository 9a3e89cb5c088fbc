import { describe, expect, it } from "vitest";
import { allCommands, commandTable } from "../../packages/assent/src/cli/command-table.ts";
import { program } from "../../packages/assent/src/cli/program.ts";
import { assentCall } from "../../packages/core/src/policy/floor-commands.ts";

const rows = allCommands(commandTable(program())).flatMap(({ path, options }) =>
  options
    .filter(({ description }) => /^(?:re)?write/.test(description))
    .map(({ names }) => [`${path} ${names.at(-1) ?? ""}`, path.split(" "), names] as const),
);

describe("an option that writes a file is never one of a command that only looks, when an agent asks for it", () => {
  it("there are some", () => {
    expect(rows.map(([name]) => name)).toEqual(expect.arrayContaining(["assent lint --sarif", "assent test --junit", "assent lint --fix"]));
  });

  it.each(rows)("%s", (_, words, names) => {
    for (const name of names) {
      const argv = [...words, name, "x"].map((text) => ({ known: true, text }) as const);
      expect(["loosens", "unclear"]).toContain(
        assentCall({ kind: "exec", program: "assent", argv, trusted: true, env: [], origin: { by: "command", exec: 0 } }, [])?.does,
      );
    }
  });
});
