import type { SyscallName } from "../kernel/index.ts";
import { fileRules } from "./file-rules.ts";
import { type ProcessOptions, processRules } from "./process-rules.ts";
import type { Rule } from "./ruling.ts";
import { socketRules } from "./socket-rules.ts";

export interface FilterOptions extends ProcessOptions {
  /** Trap opens that only read, too. */
  readonly observeReads: boolean;
  /** UDP sockets are made without asking; what they send is still asked about. */
  readonly udp?: boolean;
}

/** The last call we know (6.18). What a newer kernel adds has not been thought about, and programs expect ENOSYS. */
export const NEWEST_CALL = 469;

/**
 * What the filter says of each call, as data. `filter.ts` compiles it; calls that are not named are allowed, calls newer
 * than `NEWEST_CALL` do not exist.
 */
export function filterTable(options: FilterOptions): ReadonlyMap<SyscallName, Rule> {
  return new Map([
    ...fileRules(options.observeReads, options.trapSignals === true),
    ...socketRules(options.udp ?? false),
    ...processRules(options),
  ]);
}
