import type { Lowered } from "@assent/core/action";
import { judgeOnly } from "@assent/page/preview";
import { work } from "../../../tools/verify/index.ts";

/**
 * A worker of tools/verify whose knowledge lies: of every line it says that it may run, and that it only starts the program
 * that it names first. What then happens beyond that has to be seen.
 */
const [base = "", temp = ""] = (process.argv[2] ?? "").split(":");

await work({
  base,
  hideTemp: temp === "hide",
  judge: (command, cwd, machine) => {
    const { basis } = judgeOnly({ tool: "Bash", input: { command }, cwd }, machine, []);
    const [first] = basis?.lowered.actions.filter(({ kind }) => kind === "exec") ?? [];
    const lowered: Lowered = { actions: first === undefined ? [] : [first], unknowns: [] };
    return { decision: "allow", reason: "a lie", lowered };
  },
});
