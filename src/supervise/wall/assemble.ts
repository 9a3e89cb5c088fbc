import { alloc } from "../kernel/index.ts";

/**
 * An assembler for classic BPF as seccomp takes it (`struct sock_filter`, linux/filter.h). All jumps of classic BPF go
 * forward, so the program is laid out from its end: every distance is known when its jump is written, and a target
 * further than the 255 instructions of a conditional jump is reached through an unconditional one next to it.
 */
export type Instruction =
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

export function assemble(program: readonly Instruction[]): Buffer {
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
