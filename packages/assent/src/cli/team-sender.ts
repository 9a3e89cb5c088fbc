import { parentPort } from "node:worker_threads";
import { thisMachine } from "@assent/guard/state";
import { followTeam, joinFleetWhenDue } from "@assent/team/team";

// Entry of dist/team-sender.mjs: a thread of the judge that stays, which sends to the team and hears from it. Nothing is judged here.
// As a process of its own (fleet-start.ts) it joins by root's file, and ends.
if (parentPort === null) await joinFleetWhenDue(thisMachine(), "command");
else {
  const port = parentPort;
  const over = new AbortController();
  port.once("message", () => {
    over.abort();
    port.close();
  });
  await followTeam({ machine: thisMachine(), by: "daemon", notice: () => undefined, signal: over.signal });
  port.close();
}
