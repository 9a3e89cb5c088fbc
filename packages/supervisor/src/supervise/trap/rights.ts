import { addressOf, alloc, CLONE, ERRNO, KernelError, must, sys, SYSCALLS } from "../kernel/index.ts";
import { setUmask, takeUmask } from "./tasks.ts";

/** linux/capability.h: `_LINUX_CAPABILITY_VERSION_3`; effective, permitted and inheritable, in two halves of 32 bits. */
const VERSION = 0x20080522;
const EFFECTIVE = [0, 12] as const;

/**
 * The program's own rights, and nothing more, while the trap handler works for it: what is done on its behalf must not reach
 * further than it could itself. No capability is effective, and the umask is 0,
 * or the one that something was last made with. Assent's own work in the same thread has its rights and its umask back meanwhile.
 */
export class Rights {
  readonly #header = alloc(8);
  readonly #full = alloc(24);
  readonly #none = alloc(24);
  /** There is something to give up. */
  readonly #capable: boolean;
  readonly #umask: number;
  readonly #sharesUmask: boolean;
  #inside = false;

  constructor() {
    // Other threads keep their umask: node's own file calls run in them. Docker's filter refuses every unshare(2): there it stays
    // theirs, but for the moment in which something is made.
    const unshared = sys(SYSCALLS.unshare, CLONE.FS);
    if (unshared < 0 && unshared !== -ERRNO.EPERM && unshared !== -ERRNO.ENOSYS) throw new KernelError("unshare", -unshared);
    this.#sharesUmask = unshared < 0;
    this.#umask = takeUmask(this.#sharesUmask);
    setUmask(this.#umask);
    this.#header.writeUInt32LE(VERSION, 0);
    must("capget", addressOf(this.#header), addressOf(this.#full));
    this.#full.copy(this.#none);
    for (const at of EFFECTIVE) this.#none.writeUInt32LE(0, at);
    this.#capable = !this.#none.equals(this.#full);
  }

  /** With the program's rights. */
  program<T>(work: () => T): T {
    return this.#within(true, work);
  }

  /** With Assent's. */
  assent<T>(work: () => T): T {
    return this.#within(false, work);
  }

  #within<T>(inside: boolean, work: () => T): T {
    if (this.#inside === inside) return work();
    this.#become(inside);
    try {
      return work();
    } finally {
      this.#become(!inside);
    }
  }

  #become(inside: boolean): void {
    if (this.#capable) {
      const set = sys(SYSCALLS.capset, addressOf(this.#header), addressOf(inside ? this.#none : this.#full));
      if (set < 0) throw new KernelError("capset", -set);
    }
    if (!this.#sharesUmask) setUmask(inside ? 0 : this.#umask);
    this.#inside = inside;
  }
}
