import { readFileSync } from "node:fs";
import {
  addressOf,
  alloc,
  copyMemory,
  cString,
  ERRNO,
  KernelError,
  must,
  native,
  stubPath,
  sys,
  type SyscallName,
  SYSCALLS,
} from "../kernel/index.ts";
import type { LaunchStep } from "../sandbox/restrict.ts";

/**
 * What a fresh process does between clone(2) and execve(2): a list of system calls, walked by a routine in C without a library
 * (`stubs/routine.c`), for the process shares the memory of this one until then.
 *
 * The routine takes the address of a block: u64 flags of clone(2), u64 the child's stack (its end), then an entry for each
 * call: u64 number, six u64 arguments, u64 the result, u64 a set of errnos that do not matter (bit n: errno n). It returns
 * what clone returned; the child ends with status 127 at the first call that fails otherwise.
 */
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
let mapped: bigint | undefined;

/** Where the routine lies: written first, then made executable, never both. */
function routine(): bigint {
  if (mapped !== undefined) return mapped;
  const file = stubPath("routine");
  if (file === undefined)
    throw new KernelError("clone", ERRNO.ENOENT, `routine-${process.arch} was not found beside Assent: install it again`);
  const code = cString(readFileSync(file));
  const at = must("mmap", 0, PAGE, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0);
  copyMemory(at, addressOf(code), code.length);
  const executable = sys(SYSCALLS.mprotect, at, PAGE, PROT_READ_EXEC);
  if (executable < 0)
    throw new KernelError("mprotect", -executable, "memory cannot be made executable here (SELinux execmem, MemoryDenyWriteExecute)");
  mapped = BigInt(at);
  return mapped;
}
