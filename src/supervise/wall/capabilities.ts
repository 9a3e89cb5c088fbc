import { addressOf, alloc } from "../kernel/index.ts";
import type { Step } from "./step.ts";

// linux/prctl.h, linux/capability.h, linux/securebits.h
const PR_CAPBSET_DROP = 24;
const PR_SET_SECUREBITS = 28;
const PR_CAP_AMBIENT = 47;
const PR_CAP_AMBIENT_CLEAR_ALL = 4;
/** More than any kernel has (41 in 6.18); one that does not exist is EINVAL. */
const MOST_CAPABILITIES = 64;
/** NOROOT, NO_SETUID_FIXUP, NO_CAP_AMBIENT_RAISE, and locks on these and on KEEP_CAPS: uid 0 is a user like any other. */
const SECUREBITS = 0b1110_1111;
/** `_LINUX_CAPABILITY_VERSION_3`: two 32-bit halves of effective, permitted and inheritable. */
const CAPABILITY_VERSION_3 = 0x20080522;

/**
 * Drops every capability, and what exec could give back. As root the bounding set and the securebits keep the programs that
 * are started from regaining any; no_new_privs, set later, does so for everybody else.
 */
export function capabilitySteps(): readonly Step[] {
  const header = alloc(8);
  header.writeUInt32LE(CAPABILITY_VERSION_3, 0);
  const none = alloc(24);
  return [
    // EPERM: no CAP_SETPCAP, hence nothing that exec under no_new_privs would add to.
    ...Array.from({ length: MOST_CAPABILITIES }, (_, capability): Step => ({
      call: "prctl",
      args: [PR_CAPBSET_DROP, capability, 0, 0, 0],
      tolerates: ["EINVAL", "EPERM"],
    })),
    { call: "prctl", args: [PR_SET_SECUREBITS, SECUREBITS, 0, 0, 0], tolerates: ["EPERM"] },
    // EINVAL: a kernel without ambient capabilities (before 4.3).
    { call: "prctl", args: [PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0], tolerates: ["EINVAL"] },
    { call: "capset", args: [addressOf(header), addressOf(none)], keeps: [header, none] },
  ];
}
