import { describe, expect, it } from "vitest";
import { appendAll, KEEP } from "@assent/guard/audit";
import type { LogBatch } from "@assent/team/team/protocol";
import { readMembership, readProgress } from "@assent/team/team";
import { head, json, machineAt, type Reply, send, taken } from "./harness/server-that-says.ts";

/** A server that lies: what a machine does then. It never loops, never gives up a record, never takes a no for a yes. */

const nobody = { v: 1, machine: "M".repeat(22), name: "box", organisation: "O".repeat(22), forks: 0 };

describe("a server that lies is not believed", () => {
  it.each<[string, (path: string, batch: LogBatch | undefined, nth: number) => Reply, string]>([
    ["it has fewer records than were sent", (_, batch) => json(200, taken({ ...head(batch!), seq: 1 })), "contradicts itself"],
    ["it has other records", (_, batch) => json(200, taken({ ...head(batch!), hash: "x".repeat(43) })), "contradicts itself"],
    ["it has another chain", (_, batch) => json(200, taken({ ...head(batch!), epoch: 7 })), "contradicts itself"],
    [
      "it always lacks something",
      (path) => json(path === "/v1/machine" ? 200 : 409, path === "/v1/machine" ? nobody : { v: 1, is: "gap" }),
      "contradicts itself",
    ],
    [
      "it always has a fork",
      (path, batch) => (path === "/v1/machine" ? json(200, nobody) : json(409, { v: 1, is: "fork", seq: 1, head: head(batch!) })),
      "contradicts itself",
    ],
    ["it answers something else", () => ({ status: 200, body: "<html>sign in</html>" }), "is not a team server"],
    [
      "it sends the machine elsewhere",
      () => ({ status: 302, body: "", headers: { location: "https://evil.example/" } }),
      "is not a team server",
    ],
    ["its answer never ends", () => ({ status: 200, body: "x".repeat(3 << 20) }), "too large"],
    ["its answer has a field too many", (_, batch) => json(200, { ...taken(head(batch!)), run: "rm -rf ~" }), "is not a team server"],
    [
      "it says that it is away for years",
      () => ({ ...json(503, { v: 1, is: "error", why: "later" }), headers: { "retry-after": "99999" } }),
      "away: later",
    ],
    ["it does not know the machine", () => json(401, { v: 1, is: "error", why: "no" }), "does not know this machine"],
  ])("%s", async (_, answer, why) => {
    const at = await machineAt(answer);
    const { records, problem } = await send(at);
    expect([records, problem]).toEqual([0, expect.stringContaining(why)]);
    expect(at.asked()).toBeLessThan(20);
    // Nothing counts as sent, and it is a member still.
    expect(readProgress(at.place.machine)?.marks.every(({ seq }) => seq === 0) ?? true).toBe(true);
    expect(readMembership(at.place.machine)).toEqual(at.membership);
  });
});

it("a server that was set back to an older state gets what it lacks, in the same chain", async () => {
  const got = new Map<number, string>();
  let setBack = false;
  const at = await machineAt((_, batch) => {
    if (batch === undefined) return json(404, {});
    if (setBack && batch.after.seq > 3) {
      setBack = false;
      return json(409, { v: 1, is: "gap", head: { epoch: 1, seq: 3, hash: "x".repeat(43) } });
    }
    batch.records.forEach(({ body }, nth) => got.set(batch.after.seq + nth + 1, body));
    return json(200, taken(head(batch)));
  });
  expect((await send(at)).records).toBe(3);
  expect(appendAll(at.place.machine, ['{"a":4}', '{"a":5}'], KEEP)).toBeUndefined();
  expect((await send(at)).records).toBe(2);
  for (const seq of [4, 5]) got.delete(seq);
  setBack = true;
  expect(appendAll(at.place.machine, ['{"a":6}'], KEEP)).toBeUndefined();
  expect((await send(at)).records).toBe(3);
  expect([...got].toSorted(([a], [b]) => a - b).map(([seq, body]) => [seq, (JSON.parse(body) as { a: number }).a])).toEqual(
    [1, 2, 3, 4, 5, 6].map((n) => [n, n]),
  );
});
