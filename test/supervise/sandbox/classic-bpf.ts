import { INSTRUCTION_BYTES } from "../../../packages/supervisor/src/supervise/sandbox/filter.ts";

/** `struct seccomp_data` as the kernel fills it. */
export interface Data {
  readonly nr: number;
  readonly arch: number;
  /** Low and high half of each argument. */
  readonly args: readonly (readonly [low: number, high: number])[];
}

export function dataBytes({ nr, arch, args }: Data): Buffer {
  const bytes = Buffer.alloc(64);
  bytes.writeUInt32LE(nr >>> 0, 0);
  bytes.writeUInt32LE(arch >>> 0, 4);
  args.forEach(([low, high], at) => {
    bytes.writeUInt32LE(low >>> 0, 16 + 8 * at);
    bytes.writeUInt32LE(high >>> 0, 20 + 8 * at);
  });
  return bytes;
}

/** Runs a program as bpf(4) and seccomp_check_filter say; anything the kernel would not load is an error. */
export function runBpf(program: Buffer, data: Buffer): number {
  const length = program.length / INSTRUCTION_BYTES;
  let accumulator = 0;
  let at = 0;
  for (;;) {
    if (at >= length) throw new Error(`jump out of the program, to ${at}`);
    const offset = at * INSTRUCTION_BYTES;
    const code = program.readUInt16LE(offset);
    const jt = program.readUInt8(offset + 2);
    const jf = program.readUInt8(offset + 3);
    const k = program.readUInt32LE(offset + 4);
    at += 1;
    switch (code) {
      case 0x20: // ld [k]
        if (k % 4 !== 0 || k > 60) throw new Error(`load at ${k}`);
        accumulator = data.readUInt32LE(k);
        break;
      case 0x54: // and #k
        accumulator = (accumulator & k) >>> 0;
        break;
      case 0x05: // ja
        at += k;
        break;
      case 0x15: // jeq
        at += accumulator === k ? jt : jf;
        break;
      case 0x35: // jge
        at += accumulator >= k ? jt : jf;
        break;
      case 0x06: // ret
        return k;
      default:
        throw new Error(`code ${code.toString(16)}`);
    }
  }
}
