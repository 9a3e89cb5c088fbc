import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Architecture, ERRNO, type SyscallName, syscallsOf } from "@assent/supervisor/supervise/kernel";
import {
  type FilterOptions,
  type FilterRule,
  filterTable,
  NEWEST_CALL,
  type RegisterTest,
  type Ruling,
} from "../../../packages/supervisor/src/supervise/sandbox/filter-table.ts";
import { buildFilter } from "../../../packages/supervisor/src/supervise/sandbox/filter.ts";
import { type Data, dataBytes, runBpf } from "./classic-bpf.ts";

const ARCHITECTURES: readonly Architecture[] = ["x64", "arm64"];
/** AUDIT_ARCH_X86_64, AUDIT_ARCH_AARCH64. */
const AUDIT: Readonly<Record<Architecture, number>> = { x64: 0xc000003e, arm64: 0xc00000b7 };
const OPTIONS: readonly FilterOptions[] = [
  { observeReads: false },
  { observeReads: true },
  { observeReads: true, udp: true, ownIpc: true },
  { observeReads: false, trapSignals: true },
];

/** The verdict in words: `allow`, `trap`, `ENOSYS`, `0`. */
function words(value: number): string {
  if (value === 0x7fff0000) return "allow";
  if (value === 0x7fc00000) return "trap";
  const errno = value & 0xffff;
  expect(value).toBe(0x00050000 | errno);
  return errno === 0 ? "0" : (Object.entries(ERRNO).find(([, number]) => number === errno)?.[0] ?? "?");
}

type Args = Data["args"];
const said = (ruling: Ruling): string => (typeof ruling === "string" ? ruling : String(ruling.errno));

function holds(test: RegisterTest, args: Args): boolean {
  const [low, high] = args[test.arg] ?? [0, 0];
  if ("pointer" in test) return low !== 0 || high !== 0;
  const value = test.mask === undefined ? low >>> 0 : (low & test.mask) >>> 0;
  return "is" in test ? test.is.some((each) => each >>> 0 === value) : !test.not.some((each) => each >>> 0 === value);
}

function ruled(rule: FilterRule, args: Args): string {
  if (typeof rule === "string" || "errno" in rule) return said(rule);
  return said(rule.clauses.find(({ when }) => when.every((test) => holds(test, args)))?.then ?? rule.otherwise);
}

/** Every number that some test compares with, and its neighbours. */
const interesting = [...new Set(OPTIONS.flatMap((options) => [...filterTable(options).values()].flatMap(numbersOf)))];
function numbersOf(rule: FilterRule): number[] {
  if (typeof rule === "string" || "errno" in rule) return [];
  return rule.clauses.flatMap(({ when }) =>
    when.flatMap((test) => ("pointer" in test ? [0] : [...("is" in test ? test.is : test.not), test.mask ?? 0])),
  );
}
const half = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...interesting).map((value) => value >>> 0) },
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom(...interesting), fc.constantFrom(...interesting)).map(([a, b]) => (a | b) >>> 0) },
  { weight: 1, arbitrary: fc.nat(20) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 0xffffffff }) },
);
const argument = fc.tuple(half, fc.oneof(fc.constant(0), fc.constant(0xffffffff), half));
const six = fc.array(argument, { minLength: 6, maxLength: 6 });

describe.each(ARCHITECTURES)("the filter on %s", (architecture) => {
  const numbers = syscallsOf(architecture);

  it.each(OPTIONS)("says what the table says: %j", (options) => {
    const table = filterTable(options);
    const program = buildFilter(architecture, options);
    const names = [...table.keys()].filter((name) => numbers[name] >= 0);
    const byNumber = new Map(names.map((name) => [numbers[name], table.get(name)]));
    const nr = fc.oneof(
      fc.constantFrom(...names).map((name) => numbers[name]),
      fc.integer({ min: 0, max: NEWEST_CALL + 20 }),
      fc.integer({ min: 0, max: 0xffffffff }),
    );
    fc.assert(
      fc.property(nr, six, (call, args) => {
        const rule = byNumber.get(call);
        const expected = call > NEWEST_CALL ? "ENOSYS" : rule === undefined ? "allow" : ruled(rule, args);
        expect(words(runBpf(program, dataBytes({ nr: call, arch: AUDIT[architecture], args })))).toBe(expected);
      }),
      { numRuns: 5000 },
    );
  });

  it("knows every call that the table names, on one architecture at least", () => {
    const other = syscallsOf(architecture === "x64" ? "arm64" : "x64");
    for (const name of filterTable({ observeReads: true }).keys())
      expect([name, Math.max(numbers[name], other[name])]).not.toEqual([name, -1]);
  });

  it.each([
    ["i386 (int 0x80 open is number 5)", 0x40000003, 5],
    ["arm", 0x40000028, 5],
    ["another one", 0, 0],
    ["x32", AUDIT[architecture], 0x40000000],
    ["x32 open", AUDIT[architecture], 0x40000002],
    ["a number below zero", AUDIT[architecture], -1],
    ["a call of the future", AUDIT[architecture], NEWEST_CALL + 1],
  ])("has no calls for %s", (_, arch, nr) => {
    expect(words(runBpf(buildFilter(architecture, { observeReads: false }), dataBytes({ nr, arch, args: [] })))).toBe("ENOSYS");
  });
});

/** Expectations that do not come from the table. Arguments are low halves; a pair sets the high half, too. */
const ROWS: readonly [SyscallName, (number | readonly [number, number])[], string, FilterOptions?][] = [
  ["read", [], "allow"],
  ["memfd_create", [], "allow"],
  ["getxattr", [], "allow"],
  ["getxattr", [], "trap", { observeReads: true }],
  ["flistxattr", [], "trap", { observeReads: true }],
  ["inotify_add_watch", [], "trap", { observeReads: true }],
  ["vfork", [], "allow"],
  ["open", [1, 0o0], "allow"],
  ["open", [1, 0o2000000], "allow"],
  ["open", [1, 0o1], "trap"],
  ["open", [1, 0o3], "trap"],
  ["open", [1, 0o100], "trap"],
  ["open", [1, 0o1000], "trap"],
  ["open", [1, [0, 0xffffffff]], "allow"],
  ["open", [1, 0], "trap", { observeReads: true }],
  ["openat", [0, 1, 0o2000000], "allow"],
  ["openat", [0, 1, 0o2], "trap"],
  ["openat", [0, 1, 0o20000000], "trap"],
  ["openat", [0, 1, 0o10000002], "allow"],
  ["openat", [0, 1, 0o10000000], "allow", { observeReads: true }],
  ["openat", [0, 1, [0, 0o10000000]], "trap", { observeReads: true }],
  ["openat2", [], "trap"],
  ["unlinkat", [], "trap"],
  ["file_setattr", [], "trap"],
  ["ioctl", [0, 0x40086602], "trap"],
  ["ioctl", [0, [0x40086602, 1]], "trap"],
  ["ioctl", [0, 0x401c5820], "trap"],
  ["ioctl", [0, 0x5401], "allow"],
  ["ioctl", [0, 0x5412], "EPERM"],
  ["ioctl", [0, [0x5412, 0x1]], "EPERM"],
  ["ioctl", [0, 0x541c], "EPERM"],
  ["ioctl", [0, 0x5423], "EPERM"],
  ["ioctl", [0, 0x40049409], "allow"],
  ["ioctl", [0, 0x5000940f], "EPERM"],
  ["ioctl", [0, 0xc0c89425], "EPERM"],
  ["ioctl", [0, [0x4020bc10, 0x1]], "EPERM"],
  ["ioctl", [0, 0x4020bc11], "EPERM"],
  ["ioctl", [0, 0x8008bc40], "EPERM"],
  ["ioctl", [0, 0x40186f04], "EPERM"],
  ["ioctl", [0, 0x8901], "allow"],
  ["ioctl", [0, 0x8901], "EPERM", { observeReads: false, trapSignals: true }],
  ["ioctl", [0, 0x8902], "EPERM", { observeReads: false, trapSignals: true }],
  ["fcntl", [3, 8, 1], "allow"],
  ["fcntl", [3, 8, 1], "trap", { observeReads: false, trapSignals: true }],
  ["fcntl", [3, [8, 0x1], 0], "allow", { observeReads: false, trapSignals: true }],
  ["fcntl", [3, 15, 1], "EPERM", { observeReads: false, trapSignals: true }],
  ["fcntl", [3, 2, 1], "allow", { observeReads: false, trapSignals: true }],
  ["fcntl", [3, 1024, 1], "EACCES", { observeReads: false, trapSignals: true }],
  ["socket", [1, 1, 0], "allow"],
  ["socket", [1, 0o2004001, 0], "allow"],
  ["socket", [1, 2, 0], "EACCES"],
  ["socket", [1, 3, 0], "EACCES"],
  ["socket", [2, 1, 6], "allow"],
  ["socket", [10, 0o2000001, 0], "allow"],
  ["socket", [2, 1, 262], "EPROTONOSUPPORT"],
  ["socket", [2, 1, 132], "EPROTONOSUPPORT"],
  ["socket", [2, 2, 0], "trap"],
  ["socket", [10, 2, 17], "trap"],
  ["socket", [2, 2, 17], "allow", { observeReads: false, udp: true }],
  // The trap handler makes them all; what is refused is refused still.
  ["socket", [2, 1, 0], "allow", { observeReads: false }],
  ["socket", [2, 1, 0], "trap", { observeReads: false, ownSockets: true }],
  ["socket", [10, 0o2004001, 6], "trap", { observeReads: false, ownSockets: true }],
  ["socket", [1, 1, 0], "trap", { observeReads: false, ownSockets: true }],
  ["socket", [16, 3, 0], "trap", { observeReads: false, ownSockets: true }],
  ["socket", [1, 5, 0], "trap", { observeReads: false, ownSockets: true }],
  ["socket", [2, 2, 17], "trap", { observeReads: false, udp: true, ownSockets: true }],
  ["socket", [2, 1, 262], "EPROTONOSUPPORT", { observeReads: false, ownSockets: true }],
  ["socket", [1, 2, 0], "EACCES", { observeReads: false, ownSockets: true }],
  ["socket", [2, 2, 1], "EACCES", { observeReads: false, udp: true }],
  ["socket", [10, 2, 58], "EACCES"],
  ["socket", [2, 3, 255], "EPERM"],
  ["socket", [2, 5, 132], "ESOCKTNOSUPPORT"],
  ["socket", [16, 3, 0], "allow"],
  ["socket", [16, 3, 4], "allow"],
  ["socket", [16, 3, 9], "EPROTONOSUPPORT"],
  ["socket", [17, 3, 0], "EAFNOSUPPORT"],
  ["socket", [38, 5, 0], "EAFNOSUPPORT"],
  ["socket", [40, 1, 0], "EAFNOSUPPORT"],
  ["socketpair", [1, 1, 0], "allow"],
  ["socketpair", [1, 5, 0], "allow"],
  ["socketpair", [1, 2, 0], "EACCES"],
  ["socketpair", [2, 1, 0], "EOPNOTSUPP"],
  ["sendto", [0, 0, 0, 0, 0], "allow"],
  ["sendto", [0, 0, 0, 0, 4096], "trap"],
  ["sendto", [0, 0, 0, 0, [0, 1]], "trap"],
  ["sendto", [0, 0, 0, 0x20000000, 4096], "EOPNOTSUPP"],
  ["sendmsg", [0, 0, 0], "trap"],
  ["recvfrom", [0, 4096, 10, 0, 0, 0], "allow"],
  ["recvfrom", [0, 4096, 10, 0, 4096, 4096], "trap"],
  ["recvmsg", [0, 4096, 0], "trap"],
  ["setsockopt", [0, 0, 4, 4096, 8], "EPERM"],
  ["setsockopt", [0, 41, 57, 4096, 8], "EPERM"],
  ["setsockopt", [0, [41, 1], [57, 1], 4096, 8], "EPERM"],
  ["setsockopt", [0, 41, 6, 4096, 8], "EPERM"],
  ["setsockopt", [0, 41, 26, 4096, 4], "allow"],
  ["setsockopt", [0, 6, 4, 4096, 4], "allow"],
  ["sendmsg", [0, 0, 0x20004000], "EOPNOTSUPP"],
  ["sendmmsg", [0, 0, 0, 0x20000000], "EOPNOTSUPP"],
  ["clone", [0x11], "allow"],
  ["clone", [0x3d0f00], "allow"],
  ["clone", [0x10000011], "EPERM"],
  ["clone", [[0x20011, 0]], "EPERM"],
  ["clone3", [], "ENOSYS"],
  ["io_uring_setup", [], "ENOSYS"],
  ["unshare", [0], "EPERM"],
  ["personality", [0xffffffff], "allow"],
  ["personality", [0x40000], "allow"],
  ["personality", [0x400000], "EPERM"],
  ["prctl", [4, 0], "0"],
  ["prctl", [4, 1], "allow"],
  ["prctl", [0x59616d61, 77], "0"],
  ["prctl", [35, 13], "EPERM"],
  ["prctl", [38, 1], "allow"],
  ["prlimit64", [0, 7], "allow"],
  ["prlimit64", [4711, 7], "trap"],
  ["kcmp", [0, 5], "trap"],
  ["setpriority", [0, 0, 5], "allow"],
  ["setpriority", [1, 0, 5], "trap"],
  ["setpriority", [2, 0, 5], "trap"],
  ["ioprio_set", [1, 0, 5], "allow"],
  ["ioprio_set", [2, 0, 5], "trap"],
  ["kill", [1, 9], "allow"],
  ["kill", [1, 9], "trap", { observeReads: false, trapSignals: true }],
  ["pidfd_send_signal", [1, 9], "trap", { observeReads: false, trapSignals: true }],
  ["shmget", [0, 4096, 0o600], "allow"],
  ["shmget", [5, 4096, 0o3600], "allow"],
  ["shmget", [5, 4096, 0o1600], "trap"],
  ["shmget", [5, 4096, 0o1600], "allow", { observeReads: false, ownIpc: true }],
  ["shmat", [5], "trap"],
  ["shmat", [5], "allow", { observeReads: false, ownIpc: true }],
  ["msgget", [0, 0o600], "trap"],
  ["msgget", [0, 0o600], "allow", { observeReads: false, ownIpc: true }],
  ["semop", [0], "trap"],
  ["mq_open", [], "trap"],
  ["mq_open", [], "trap", { observeReads: false, ownIpc: true }],
];

/** Calls that name another process, and where its number stands. */
const PID_CALLS = {
  prlimit64: [0],
  sched_setscheduler: [0],
  sched_setparam: [0],
  sched_setattr: [0],
  sched_setaffinity: [0],
  move_pages: [0],
  migrate_pages: [0],
  kcmp: [0, 1],
  setpriority: [1],
  ioprio_set: [1],
} as const satisfies Partial<Record<SyscallName, readonly number[]>>;

describe("rows", () => {
  it.each(
    ARCHITECTURES.flatMap((architecture) =>
      ROWS.map(([name, args, expected, options = { observeReads: false }]) => ({ architecture, name, args, expected, options })),
    ),
  )("$architecture: $name $args is $expected", ({ architecture, name, args, expected, options }) => {
    const nr = syscallsOf(architecture)[name];
    if (nr < 0) return;
    const pairs = args.map((arg) => (typeof arg === "number" ? ([arg, 0] as const) : arg));
    expect(words(runBpf(buildFilter(architecture, options), dataBytes({ nr, arch: AUDIT[architecture], args: pairs })))).toBe(expected);
  });

  it("traps every call that names another task, and not one that names its caller", () => {
    const program = buildFilter("x64", { observeReads: false });
    for (const [name, at] of Object.entries(PID_CALLS)) {
      const nr = syscallsOf("x64")[name as keyof typeof PID_CALLS];
      const kind = name === "ioprio_set" ? 1 : 0;
      const answer = (pid: number): string =>
        words(
          runBpf(
            program,
            dataBytes({ nr, arch: AUDIT.x64, args: [0, 1].map((arg) => [(at as readonly number[]).includes(arg) ? pid : kind, 0]) }),
          ),
        );
      expect([name, answer(0), answer(1), answer(0xffffffff)]).toEqual([name, "allow", "trap", "trap"]);
    }
  });
});
