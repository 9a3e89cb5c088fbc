import { alloc, type Architecture, ERRNO, type SyscallName, syscallsOf } from "../kernel/index.ts";
import {
  type FilterOptions,
  type FilterRule,
  filterTable,
  listenedTable,
  NEWEST_CALL,
  type RegisterTest,
  type Ruling,
} from "./filter-table.ts";

/**
 * An assembler for classic BPF as seccomp takes it (`struct sock_filter`, linux/filter.h). All jumps of classic BPF go
 * forward, so the program is laid out from its end: every distance is known when its jump is written, and a target
 * further than the 255 instructions of a conditional jump is reached through an unconditional one next to it.
 */
export type BpfInstruction =
  | { readonly op: "label"; readonly name: string }
  /** Loads 32 bits of `struct seccomp_data` at a byte offset. */
  | { readonly op: "load"; readonly offset: number }
  | { readonly op: "and"; readonly mask: number }
  /** Compares the loaded value; a missing label falls through. */
  | { readonly op: "if"; readonly test: "eq" | "ge"; readonly value: number; readonly yes?: string; readonly no?: string }
  | { readonly op: "goto"; readonly label: string }
  | { readonly op: "return"; readonly value: number };

/** Bytes of one `struct sock_filter`: code u16, jt u8, jf u8, k u32. */
export const INSTRUCTION_BYTES = 8;
/** `BPF_MAXINSNS`. */
const MOST_INSTRUCTIONS = 4096;

const CODE = { load: 0x20, and: 0x54, goto: 0x05, eq: 0x15, ge: 0x35, return: 0x06 } as const;
const FURTHEST = 255;

export function assemble(program: readonly BpfInstruction[]): Buffer {
  const backwards: { readonly code: number; readonly jt: number; readonly jf: number; readonly k: number }[] = [];
  /** Instructions that follow a label. */
  const after = new Map<string, number>();
  const put = (code: number, k: number, jt = 0, jf = 0): void => {
    backwards.push({ code, jt, jf, k: k >>> 0 });
  };
  /** Instructions to skip from one written next to its target. */
  const skip = (label: string): number => {
    const follow = after.get(label);
    if (follow === undefined) throw new Error(`label \`${label}\` is not after its jump`);
    return backwards.length - follow;
  };

  for (const instruction of program.toReversed()) {
    switch (instruction.op) {
      case "label": {
        if (after.has(instruction.name)) throw new Error(`label \`${instruction.name}\` stands twice`);
        after.set(instruction.name, backwards.length);
        break;
      }
      case "load": {
        put(CODE.load, instruction.offset);
        break;
      }
      case "and": {
        put(CODE.and, instruction.mask);
        break;
      }
      case "return": {
        put(CODE.return, instruction.value);
        break;
      }
      case "goto": {
        put(CODE.goto, skip(instruction.label));
        break;
      }
      case "if": {
        const { yes, no } = instruction;
        const far = (label: string | undefined): label is string => label !== undefined && skip(label) > FURTHEST - 2;
        // What falls through must pass over the far jumps that are put in between.
        const next = backwards.length;
        const farYes = far(yes);
        const farNo = far(no);
        if (farNo) put(CODE.goto, skip(no));
        const noAt = backwards.length;
        if (farYes) put(CODE.goto, skip(yes));
        const yesAt = backwards.length;
        const distance = (label: string | undefined, isFar: boolean, at: number): number =>
          isFar ? backwards.length - at : label === undefined ? backwards.length - next : skip(label);
        put(CODE[instruction.test], instruction.value, distance(yes, farYes, yesAt), distance(no, farNo, noAt));
        break;
      }
    }
  }

  if (backwards.length > MOST_INSTRUCTIONS)
    throw new Error(`the filter has ${backwards.length} instructions, more than ${MOST_INSTRUCTIONS}`);
  const bytes = alloc(backwards.length * INSTRUCTION_BYTES);
  backwards.toReversed().forEach(({ code, jt, jf, k }, at) => {
    const offset = at * INSTRUCTION_BYTES;
    bytes.writeUInt16LE(code, offset);
    bytes.writeUInt8(jt, offset + 2);
    bytes.writeUInt8(jf, offset + 3);
    bytes.writeUInt32LE(k, offset + 4);
  });
  return bytes;
}

// linux/seccomp.h
const RET_ALLOW = 0x7fff0000;
const RET_USER_NOTIF = 0x7fc00000;
const RET_ERRNO = 0x00050000;

/** `struct seccomp_data`: nr, arch, instruction pointer (64 bits), six arguments (64 bits each, both are little-endian). */
const NR = 0;
const ARCH = 4;
const low = (arg: number): number => 16 + 8 * arg;
const high = (arg: number): number => low(arg) + 4;

/** `AUDIT_ARCH_*` (linux/audit.h): ELF machine, 64 bits, little-endian. */
const AUDIT_ARCH: Readonly<Record<Architecture, number>> = { x64: 0xc000003e, arm64: 0xc00000b7 };
/** `__X32_SYSCALL_BIT`: x32 programs call the same kernel under the same architecture. */
const X32 = 0x40000000;

/** The program for seccomp(2): `struct sock_filter[]`, 8 bytes each. */
export const buildFilter = (architecture: Architecture, options: FilterOptions): Buffer =>
  assemble(compile(architecture, filterTable(options)));

export const buildListenedFilter = (architecture: Architecture, talks: boolean): Buffer =>
  assemble(compile(architecture, listenedTable(talks)));

/** How the kernel is told. */
function rulingValue(ruling: Ruling): number {
  if (ruling === "allow") return RET_ALLOW;
  if (ruling === "trap") return RET_USER_NOTIF;
  return RET_ERRNO | (ruling.errno === 0 ? 0 : ERRNO[ruling.errno]);
}

export function compile(architecture: Architecture, table: ReadonlyMap<SyscallName, FilterRule>): BpfInstruction[] {
  const numbers = syscallsOf(architecture);
  const rules = [...table]
    .map(([name, rule]) => ({ nr: numbers[name], rule }))
    .filter(({ nr }) => nr >= 0)
    .sort((a, b) => a.nr - b.nr);
  const program: BpfInstruction[] = [
    { op: "load", offset: ARCH },
    { op: "if", test: "eq", value: AUDIT_ARCH[architecture], no: "absent" },
    { op: "load", offset: NR },
    // Covers x32 and numbers below zero, too.
    { op: "if", test: "ge", value: Math.min(NEWEST_CALL + 1, X32), yes: "absent" },
  ];
  search(program, rules, 0, rules.length);
  for (const { nr, rule } of rules) {
    program.push({ op: "label", name: `call ${nr}` });
    decide(program, `call ${nr}`, rule);
  }
  program.push({ op: "label", name: "absent" }, { op: "return", value: rulingValue({ errno: "ENOSYS" }) });
  program.push({ op: "label", name: "allow" }, { op: "return", value: RET_ALLOW });
  return program;
}

/**
 * Binary search for the call's number. The kernel runs the program once per number when it is installed and never again
 * for the numbers it allows without looking at arguments (seccomp_is_const_allow), so those cost nothing.
 */
function search(program: BpfInstruction[], rules: readonly { readonly nr: number }[], from: number, to: number): void {
  const middle = rules[(from + to) >> 1];
  if (middle === undefined || from >= to) {
    program.push({ op: "goto", label: "allow" });
    return;
  }
  if (to - from === 1) {
    program.push({ op: "if", test: "eq", value: middle.nr, yes: `call ${middle.nr}`, no: "allow" });
    return;
  }
  const label = `from ${middle.nr}`;
  program.push({ op: "if", test: "ge", value: middle.nr, yes: label });
  search(program, rules, from, (from + to) >> 1);
  program.push({ op: "label", name: label });
  search(program, rules, (from + to) >> 1, to);
}

function decide(program: BpfInstruction[], name: string, rule: FilterRule): void {
  if (typeof rule === "string" || "errno" in rule) {
    program.push({ op: "return", value: rulingValue(rule) });
    return;
  }
  rule.clauses.forEach(({ when, then }, at) => {
    const next = `${name} after ${at}`;
    when.forEach((test, index) => {
      require(program, test, `${name} clause ${at} test ${index}`, next);
    });
    program.push({ op: "return", value: rulingValue(then) }, { op: "label", name: next });
  });
  program.push({ op: "return", value: rulingValue(rule.otherwise) });
}

/** Goes on when the test holds, else to `otherwise`. */
function require(program: BpfInstruction[], test: RegisterTest, name: string, otherwise: string): void {
  const holds = `${name} holds`;
  program.push({ op: "load", offset: low(test.arg) });
  if ("pointer" in test) {
    program.push(
      { op: "if", test: "eq", value: 0, no: holds },
      { op: "load", offset: high(test.arg) },
      { op: "if", test: "eq", value: 0, yes: otherwise },
    );
  } else {
    if (test.mask !== undefined) program.push({ op: "and", mask: test.mask });
    const values = "is" in test ? test.is : test.not;
    const hit = "is" in test ? holds : otherwise;
    for (const value of values) program.push({ op: "if", test: "eq", value: value >>> 0, yes: hit });
    if ("is" in test) program.push({ op: "goto", label: otherwise });
  }
  program.push({ op: "label", name: holds });
}
