import { describe, expect, it } from "vitest";
import { appendAll, KEEP } from "@assent/guard/audit";
import type { Machine } from "@assent/guard/state";
import { assent } from "../scratch.ts";
import { here, inTerminal } from "./run-place.ts";

/** As many requests as take longer than a second to judge twice. */
function longLog(machine: Machine): void {
  const time = new Date().toISOString();
  const input = (at: number): unknown => ({ command: `for i in ${"x ".repeat(40)}; do grep -rn "a${at}" src | sort | head -${at}; done` });
  const common = { v: 1, time, point: "hook", agent: "claude", tool: "Bash", cwd: "/", verdict: "allow", answer: "allow" };
  appendAll(
    machine,
    Array.from({ length: REQUESTS }, (_, at) => JSON.stringify({ ...common, input: input(at) })),
    KEEP,
  );
}

const REQUESTS = 400;

describe("long work", () => {
  it("says on the terminal how far it is, and takes the line away; elsewhere it says nothing", async () => {
    const place = here();
    longLog(place.machine);
    const { status, screen } = await inTerminal(place, ["replay", "--confined"], []);
    expect(status).toBe(0);
    expect(screen).toMatch(/judging the requests of the log again: [\d,]+ of 400/);
    expect(screen.split("\u001b[K").at(-1)).toContain("400 decisions of the last 14 days");
    expect(assent(place, ["replay", "--confined"])).toMatchObject({ status: 0, stderr: "" });
  });
});
