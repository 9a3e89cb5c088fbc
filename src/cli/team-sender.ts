import { parentPort } from "node:worker_threads";
import { thisMachine } from "../state/index.ts";
import { followTeam } from "../team/index.ts";

// Entry of dist/team-sender.mjs: a thread of the judge that stays, which sends to the team and hears from it. Nothing is judged here.
const over = new AbortController();
parentPort?.once("message", () => {
  over.abort();
  parentPort?.close();
});
await followTeam({ machine: thisMachine(), by: "daemon", notice: () => undefined, signal: over.signal });
parentPort?.close();
