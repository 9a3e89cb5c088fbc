import { judgeOnly } from "../../../src/cli/engine.ts";
import { type CommandSpec, type SubcommandSpec, TABLES } from "../../../src/shell/knowledge/index.ts";
import { work } from "../../../src/verify/index.ts";

/**
 * A worker of `assent verify` with entries of the tables made wrong, each given as `NAME|RIGHT|WRONG`: a program or
 * `PROGRAM SUBCOMMAND`, what stands in its options (or nothing: its operands, `reads`: its variables), and what stands there instead.
 */
const [base = "", temp = ""] = (process.argv[2] ?? "").split(":");

function spoil([name = "", right = "", instead = ""]: readonly string[]): void {
  const [program = "", subcommand] = name.split(" ");
  const found = Object.values(TABLES)
    .flat()
    .find(({ names }) => names.split(" ").includes(program));
  const entry: CommandSpec | SubcommandSpec | undefined =
    subcommand === undefined ? found : Object.entries(found?.subcommands ?? {}).find(([key]) => key.split("|").includes(subcommand))?.[1];
  if (entry !== undefined && right === "reads") {
    Object.assign(entry, { reads: instead });
    return;
  }
  if (entry?.options?.includes(right) !== true) throw new Error(`${name} has no ${right}`);
  Object.assign(entry, right === "" ? { operands: instead } : { options: entry.options.replace(right, instead) });
}

for (const one of process.argv.slice(3)) spoil(one.split("|"));

await work({
  base,
  hideTemp: temp === "hide",
  judge: (command, cwd, machine) => {
    const { verdict, basis } = judgeOnly({ tool: "Bash", input: { command }, cwd }, machine, []);
    return { decision: verdict.decision, reason: verdict.reason, lowered: basis?.lowered ?? { actions: [], unknowns: [] } };
  },
});
