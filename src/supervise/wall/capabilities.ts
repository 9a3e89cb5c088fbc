import { addressOf, alloc, ERRNO, KernelError, SYSCALLS, sys } from "../kernel/index.ts";

// linux/prctl.h, linux/capability.h, linux/securebits.h
const PR_CAPBSET_DROP = 24;
const PR_SET_SECUREBITS = 28;
const PR_CAP_AMBIENT = 47;
const PR_CAP_AMBIENT_CLEAR_ALL = 4;
/** More than any kernel has (41 in 6.18); the first that does not exist is EINVAL. */
const MOST_CAPABILITIES = 64;
/** NOROOT, NO_SETUID_FIXUP, NO_CAP_AMBIENT_RAISE, and locks on these and on KEEP_CAPS: uid 0 is a user like any other. */
const SECUREBITS = 0b1110_1111;
/** `_LINUX_CAPABILITY_VERSION_3`: two 32-bit halves of effective, permitted and inheritable. */
const CAPABILITY_VERSION_3 = 0x20080522;

/**
 * Drops every capability of the calling thread, and what exec could give back. As root the bounding set and the
 * securebits keep the programs it starts from regaining any; no_new_privs, set later, does so for everybody else.
 */
export function dropCapabilities(): void {
  for (let capability = 0; capability < MOST_CAPABILITIES; capability++) {
    const dropped = sys(SYSCALLS.prctl, PR_CAPBSET_DROP, capability, 0, 0, 0);
    // EPERM: no CAP_SETPCAP, hence nothing that exec under no_new_privs would add to.
    if (dropped === -ERRNO.EINVAL || dropped === -ERRNO.EPERM) break;
    if (dropped < 0) throw new KernelError("prctl", -dropped, "PR_CAPBSET_DROP");
  }
  const secured = sys(SYSCALLS.prctl, PR_SET_SECUREBITS, SECUREBITS, 0, 0, 0);
  if (secured < 0 && secured !== -ERRNO.EPERM) throw new KernelError("prctl", -secured, "PR_SET_SECUREBITS");
  // EINVAL: a kernel without ambient capabilities (before 4.3).
  const cleared = sys(SYSCALLS.prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  if (cleared < 0 && cleared !== -ERRNO.EINVAL) throw new KernelError("prctl", -cleared, "PR_CAP_AMBIENT");
  const header = alloc(8);
  header.writeUInt32LE(CAPABILITY_VERSION_3, 0);
  const none = alloc(24);
  const set = sys(SYSCALLS.capset, addressOf(header), addressOf(none));
  if (set < 0) throw new KernelError("capset", -set);
}
