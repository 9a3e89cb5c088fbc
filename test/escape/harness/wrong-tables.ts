import { judgeOnly } from "@assent/page/preview";
import { entriesBelow, entryFor } from "@assent/core/shell/knowledge";
import { writeOptionRow } from "../../../packages/core/src/shell/knowledge/write-records.ts";
import { work } from "../../../tools/verify/index.ts";

/**
 * A worker of tools/verify with entries of the tables made wrong, each given as `NAME|RIGHT|WRONG`: a program or
 * `PROGRAM SUBCOMMAND`, what stands in its options (or nothing: its operands, `reads`: its variables), and what stands there instead.
 */
const [base = "", temp = ""] = (process.argv[2] ?? "").split(":");

function spoil([name = "", right = "", instead = ""]: readonly string[]): void {
  const [program = "", subcommand] = name.split(" ");
  const found = entryFor(program);
  const entry = subcommand === undefined ? found : found && entriesBelow(found).find(({ keys }) => keys.includes(subcommand))?.entry;
  if (entry === undefined) throw new Error(`there is no ${name}`);
  if (right === "reads" || right === "") {
    Object.assign(entry, right === "" ? { operands: instead } : { reads: instead });
    return;
  }
  const { options = "" } = entry.rows;
  const row = writeOptionRow(right);
  if (!options.includes(row)) throw new Error(`${name} has no ${right}`);
  Object.assign(entry.rows, { options: options.replace(row, writeOptionRow(instead)) });
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
