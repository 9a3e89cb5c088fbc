// A process of its own for races: takes the tickets whose ids it is given. node FILE HOME ID... prints those it got.
import { takeTicket, thisMachine } from "@assent/guard/state";

const [, , home = "", ...ids] = process.argv;
const machine = { ...thisMachine(), home, env: {} };
process.stdin.once("data", () => {
  process.stdout.write(ids.filter((id) => takeTicket(machine, id) !== undefined).join(" "));
  process.exit();
});
process.stderr.write("ready\n");
