import { afterAll, describe, expect, it } from "vitest";
import type { SyscallName } from "@assent/supervisor/supervise/kernel";
import { landlockRights } from "../../../packages/supervisor/src/supervise/sandbox/landlock.ts";
import { missingOfLandlock } from "../../../packages/supervisor/src/supervise/sandbox/restrict.ts";
import { type FilterRule, has, no } from "../../../packages/supervisor/src/supervise/sandbox/filter-table.ts";
import { confined, workshop } from "./confined.ts";

const shop = workshop();
afterAll(shop.remove);

const WAIT_KILLABLE_RECV = 1 << 5;
const CLONE_NEWIPC = 0x08000000;
const PROT_EXEC = 4;
const NO_LANDLOCK: [SyscallName, FilterRule] = ["landlock_create_ruleset", no("ENOSYS")];
const NOT_KILLABLE: [SyscallName, FilterRule] = [
  "seccomp",
  { clauses: [{ when: [has(1, WAIT_KILLABLE_RECV)], then: no("EINVAL") }], otherwise: "allow" },
];

const run = (
  kernel: readonly [SyscallName, FilterRule][],
  env: Record<string, string> = {},
  program = ["/bin/true"],
): ReturnType<typeof confined> =>
  confined(program, { folder: shop.folder, nobody: false, env: { KERNEL: JSON.stringify(kernel), ...env } });

describe("on a kernel that lacks something, nothing starts", () => {
  it.each<[string, [SyscallName, FilterRule], string]>([
    ["Landlock not built in", NO_LANDLOCK, "no-landlock"],
    ["Landlock turned off", ["landlock_create_ruleset", no("EOPNOTSUPP")], "no-landlock"],
    ["waiting that signals interrupt", NOT_KILLABLE, "missing"],
    ["a listener that is taken", ["seccomp", no("EBUSY")], "listener-taken"],
    ["no seccomp", ["seccomp", no("ENOSYS")], "no-listener"],
    ["landlock_restrict_self fails", ["landlock_restrict_self", no("E2BIG")], "KernelError: landlock_restrict_self: E2BIG"],
    ["landlock_add_rule fails", ["landlock_add_rule", no("EINVAL")], "KernelError: landlock_add_rule: EINVAL (/dev/null)"],
    ["capset fails", ["capset", no("EPERM")], "KernelError: capset: EPERM"],
  ])("%s", async (_, kernel, error) => {
    expect(await run([kernel])).toMatchObject({ error });
  });
});

describe("with best effort it goes on and says so", () => {
  it.each<[string, [SyscallName, FilterRule], string]>([
    ["without Landlock", NO_LANDLOCK, "landlock"],
    ["without uninterrupted waiting", NOT_KILLABLE, "wait-killable"],
  ])("%s", async (_, kernel, piece) => {
    const report = await run([kernel], { BEST_EFFORT: "1" });
    expect(report).toMatchObject({ status: 0, missing: [{ piece, required: true }] });
  });

  it.each<[string, [SyscallName, FilterRule], string]>([
    ["a listener that is taken", ["seccomp", no("EBUSY")], "listener-taken"],
    ["no seccomp", ["seccomp", no("ENOSYS")], "no-listener"],
  ])("but not with %s", async (_, kernel, error) => {
    expect(await run([kernel], { BEST_EFFORT: "1" })).toMatchObject({ error });
  });
});

it("says so where memory cannot be made executable", async () => {
  const noExec: [SyscallName, FilterRule] = [
    "mprotect",
    { clauses: [{ when: [has(2, PROT_EXEC)], then: no("EACCES") }], otherwise: "allow" },
  ];
  expect((await run([noExec])).error).toMatch(/^KernelError: mprotect: EACCES \(memory cannot be made executable/);
});

it("asks the trap handler about signals where Landlock does not hold them", async () => {
  const report = await run([NO_LANDLOCK], { BEST_EFFORT: "1", ANSWER: "54" }, ["/bin/sh", "-c", "kill -0 $PPID || echo refused"]);
  expect(report.output).toBe("refused");
});

it("closes inherited descriptors one by one before Linux 5.11", async () => {
  const report = await run([["close_range", no("ENOSYS")]], {}, ["/bin/sh", "-c", "echo /proc/self/fd/*"]);
  // 3 is the shell's own, of the listing.
  expect(report.output).toBe("/proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2 /proc/self/fd/3");
});

it("takes System V IPC away where no namespace can be made", async () => {
  const noNamespace: [SyscallName, FilterRule] = [
    "clone",
    { clauses: [{ when: [has(0, CLONE_NEWIPC)], then: no("EPERM") }], otherwise: "allow" },
  ];
  expect(await run([noNamespace])).toMatchObject({ status: 0, enforced: { ownIpc: false } });
});

describe("Landlock by ABI", () => {
  it.each([
    [0, 0, 0, 0, ["landlock"]],
    [1, 0x1ff2, 0, 0, ["truncate", "tcp", "device-ioctl", "scopes"]],
    [2, 0x3ff2, 0, 0, ["truncate", "tcp", "device-ioctl", "scopes"]],
    [3, 0x7ff2, 0, 0, ["tcp", "device-ioctl", "scopes"]],
    [4, 0x7ff2, 3, 0, ["device-ioctl", "scopes"]],
    [5, 0xfff2, 3, 0, ["scopes"]],
    [6, 0xfff2, 3, 3, []],
    [8, 0xfff2, 3, 3, []],
    [9, 0x1fff2, 3, 3, []],
    [12, 0x1fff2, 3, 3, []],
  ])("%i", (abi, fs, net, scopes, missing) => {
    expect(landlockRights(abi)).toEqual({ abi, fs, net, scopes });
    expect(missingOfLandlock(abi).map(({ piece }) => piece)).toEqual(missing);
  });
});
