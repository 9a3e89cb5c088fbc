import { addressOf, alloc, ERRNO, KernelError, must, native, sys, type SyscallName, SYSCALLS } from "../kernel/index.ts";
import type { LaunchStep } from "../wall/restrict.ts";

/**
 * What a fresh process does between clone(2) and execve(2): a list of system calls. It shares memory with this process until
 * then, so nothing of a C library or of JavaScript may run in it: the list is walked by a routine of machine code, whose
 * source lies beside (`routine.x64.s`, `routine.arm64.s`; a test assembles it and compares).
 *
 * The routine takes the address of a block: u64 flags of clone(2), u64 the child's stack (its end), then an entry for each
 * call: u64 number, six u64 arguments, u64 the result, u64 a set of errnos that do not matter (bit n: errno n). It returns
 * what clone returned; the child ends with status 127 at the first call that fails otherwise.
 */
const CODE = {
  x64:
    "534889fb488b3b488b730831d24531d24531c0b8380000000f054885c074025bc34883c310488b7b08488b7310488b53184c8b53204c8b43284c8b4b30" +
    "488b030f0548894338483d01f0ffff73064883c348ebd148f7d84883f83f770a488b4b40480fa3c172e7bf7f000000b8e70000000f05ebf2",
  arm64:
    "ea0300aa400140f9410540f9020080d2030080d2040080d2881b80d2010000d4400000b4c0035fd64a410091480140a9410941a9431142a9451940f9" +
    "010000d4401d00f91ffc3fb1620000544a210191f7ffff17e10300cb3ffc00f188000054422140f94224c19a22ff0737e00f80d2c80b80d2010000d4" +
    "fdffff17",
} as const;

/** The routine for an architecture, as bytes. */
export const routineOf = (architecture: keyof typeof CODE): Buffer => Buffer.from(CODE[architecture], "hex");

const HEAD = 16;
const ENTRY = 72;
const RESULT = 56;
const TOLERATED = 64;
/** No call returns that. */
const NOT_YET = -(2n ** 63n);
/** A signal frame would have to fit, were a signal ever taken there. */
const STACK = 64 << 10;

const PROT_READ_WRITE = 3;
const PROT_READ_EXEC = 5;
const MAP_PRIVATE_ANONYMOUS = 0x22;
const PAGE = 4096;

/** A list of calls, in memory that a child walks. */
export class LaunchSteps {
  readonly #steps: readonly LaunchStep[];
  readonly #block: Buffer;
  readonly #stack = alloc(STACK);

  constructor(steps: readonly LaunchStep[]) {
    this.#steps = steps;
    this.#block = alloc(HEAD + ENTRY * steps.length);
    steps.forEach(({ call, args, tolerates = [] }, index) => {
      const at = HEAD + ENTRY * index;
      this.#block.writeBigInt64LE(BigInt(SYSCALLS[call]), at);
      args.forEach((value, arg) => this.#block.writeBigInt64LE(BigInt(value), at + 8 + 8 * arg));
      this.#block.writeBigInt64LE(NOT_YET, at + RESULT);
      this.#block.writeBigUInt64LE(
        tolerates.reduce((all, errno) => all | (1n << BigInt(ERRNO[errno])), 0n),
        at + TOLERATED,
      );
    });
    // What the child works with must not be collected while it does.
    used.push(this.#block, this.#stack, ...steps.flatMap(({ keeps = [] }) => keeps));
  }

  /** Starts a child that makes the calls. Its pid, or a negative errno. INVARIANT: all signals are blocked. */
  start(flags: number): number {
    this.#block.writeBigUInt64LE(BigInt(flags), 0);
    this.#block.writeBigUInt64LE(BigInt(addressOf(this.#stack) + STACK), 8);
    return Number(native.call(routine(), TYPE, addressOf(this.#block)));
  }

  /** What a call of the child returned; undefined: it has not been made, or never returned (execve). */
  result(index: number): number | undefined {
    const result = this.#block.readBigInt64LE(HEAD + ENTRY * index + RESULT);
    return result === NOT_YET ? undefined : Number(result);
  }

  /** The call that ended the child. */
  get failure(): { readonly call: SyscallName; readonly errno: number } | undefined {
    for (const [index, { call, tolerates = [] }] of this.#steps.entries()) {
      const result = this.result(index) ?? 0;
      if (result < 0 && result >= -4095 && !tolerates.some((errno) => ERRNO[errno] === -result)) return { call, errno: -result };
    }
    return undefined;
  }
}

const used: Uint8Array[] = [];

const TYPE = native.proto("long assent_start(long block)");
const copy: (to: number, from: Buffer, length: number) => number = native
  .load(null)
  .func("long memcpy(long to, const void *from, long length)");
let mapped: bigint | undefined;

/** Where the routine lies: written first, then made executable, never both. */
function routine(): bigint {
  if (mapped !== undefined) return mapped;
  const code = routineOf(process.arch === "arm64" ? "arm64" : "x64");
  const at = must("mmap", 0, PAGE, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0);
  copy(at, code, code.length);
  const executable = sys(SYSCALLS.mprotect, at, PAGE, PROT_READ_EXEC);
  if (executable < 0)
    throw new KernelError("mprotect", -executable, "memory cannot be made executable here (SELinux execmem, MemoryDenyWriteExecute)");
  mapped = BigInt(at);
  return mapped;
}
