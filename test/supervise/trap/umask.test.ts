import { expect, onTestFinished, test } from "vitest";
import { setUmask, takeUmask, Tasks } from "../../../packages/supervisor/src/supervise/trap/tasks.ts";
import { sys, SYSCALLS } from "@assent/supervisor/supervise/kernel";

/** What happens, and what the trap handler takes the mask of this very process for afterwards. */
type Step = readonly [what: "heard" | "done" | "calls" | "asked", of: number, taken: number];

const ROWS: readonly (readonly [name: string, steps: readonly Step[]])[] = [
  [
    "it is read once",
    [
      ["asked", 0, 0o022],
      ["done", 0o077, 0o022],
    ],
  ],
  [
    "a change that is heard of, and has been made by the time that something is made",
    [
      ["asked", 0, 0o022],
      ["heard", 1, 0o022],
      ["done", 0o077, 0o077],
    ],
  ],
  [
    "a change that is made only after somebody has asked: what was read in between is not remembered",
    [
      ["heard", 1, 0o022],
      ["asked", 0, 0o022],
      ["done", 0o077, 0o077],
      ["done", 0o007, 0o007],
      ["calls", 1, 0o007],
      ["done", 0o022, 0o007],
    ],
  ],
  [
    "two threads change it: it is settled when both have called something else",
    [
      ["heard", 1, 0o022],
      ["heard", 2, 0o022],
      ["calls", 1, 0o022],
      ["done", 0o077, 0o077],
      ["calls", 3, 0o077],
      ["done", 0o027, 0o027],
      ["calls", 2, 0o027],
      ["done", 0o022, 0o027],
    ],
  ],
  [
    "a thread that changes it again",
    [
      ["asked", 0, 0o022],
      ["heard", 1, 0o022],
      ["done", 0o077, 0o077],
      ["calls", 1, 0o077],
      ["heard", 1, 0o077],
      ["done", 0o002, 0o002],
      ["calls", 1, 0o002],
    ],
  ],
];

test.each(ROWS)("%s", (_, steps) => {
  const before = sys(SYSCALLS.umask, 0o022);
  onTestFinished(() => void sys(SYSCALLS.umask, before));
  const tasks = new Tasks();
  onTestFinished(() => tasks.close());
  const task = tasks.get(process.pid);
  if (task === undefined) throw new Error("this process is not there");
  for (const [at, [what, of, taken]] of steps.entries()) {
    if (what === "heard") tasks.changesUmask(of);
    if (what === "done") sys(SYSCALLS.umask, of);
    if (what === "calls") tasks.calls(of);
    expect({ at, taken: tasks.umask(task).toString(8) }).toEqual({ at, taken: taken.toString(8) });
  }
});

test("where other threads have the trap handler's umask it is changed for the moment in which something is made", () => {
  const before = takeUmask(true);
  onTestFinished(() => {
    setUmask(before);
    takeUmask(false);
    setUmask(before);
  });
  setUmask(0o027);
  const tasks = new Tasks();
  const now = (): number => {
    const mask = sys(SYSCALLS.umask, 0);
    sys(SYSCALLS.umask, mask);
    return mask;
  };
  const rows = [0o022, 0o777, 0].map((mask) => [mask, tasks.masked(mask, now), now()]);
  expect(rows).toEqual([
    [0o022, 0o022, 0o027],
    [0o777, 0o777, 0o027],
    [0, 0, 0o027],
  ]);
});

test("the trap handler makes things with the mask given, and with none of its own where that would take them from itself", () => {
  const before = takeUmask(false);
  onTestFinished(() => {
    setUmask(before);
  });
  const tasks = new Tasks();
  const now = (): number => {
    const mask = sys(SYSCALLS.umask, 0);
    sys(SYSCALLS.umask, mask);
    return mask;
  };
  const rows = [0o022, 0o022, 0o777, 0o077, 0o300, 0].map((mask) => [mask, tasks.masked(mask, now), now()]);
  expect(rows).toEqual([
    [0o022, 0o022, 0o022],
    [0o022, 0o022, 0o022],
    [0o777, 0o777, 0],
    [0o077, 0o077, 0o077],
    [0o300, 0o300, 0],
    [0, 0, 0],
  ]);
});
