import { errorName, ERRNO } from "../kernel/index.ts";
import type { ObjectStat } from "./stat.ts";

/**
 * - `kept`: the call may be done; `record` is for `cancel`, where there is one.
 * - `ask`: nothing was recorded, the call cannot be undone, for `why`. A person may allow it: the same method again with
 *   `anyway`.
 * - neither: the store itself failed. The call must be refused, with `errno` and `why`.
 */
export type Kept =
  | { readonly kept: true; readonly record?: number; readonly undo?: Cancel }
  | { readonly kept: false; readonly ask: true; readonly why: string; readonly bytes: number }
  | { readonly kept: false; readonly ask: false; readonly why: string; readonly errno: number };

/** What `cancel` takes back besides the record. */
interface Cancel {
  /** Record of what a rename was about to replace. */
  readonly victim?: number;
  /** Name in `kept/`. */
  readonly key?: number;
}

/** Nothing to keep. */
export const NOTHING: Kept = { kept: true };

/** What must not be taken for "this cannot be linked": a copy would fail too. */
export const NO_ROOM = new Set<number>([ERRNO.ENOSPC, ERRNO.EDQUOT, ERRNO.EROFS, ERRNO.EIO, ERRNO.ENOMEM]);
export const unreadable = (result: number): boolean => result === -ERRNO.EACCES || result === -ERRNO.EPERM || result === -ERRNO.ELOOP;

/** A person is asked. */
export function ask(result: number, stat: ObjectStat): Kept {
  return { kept: false, ask: true, bytes: stat.size, why: `it cannot be read for a copy (${errorName(-result)})` };
}

/** The call is refused. */
export function failure(result: number): Kept {
  const full = result === -ERRNO.ENOSPC || result === -ERRNO.EDQUOT;
  const why = full
    ? "the disk that holds Assent's records is full, so what it would destroy cannot be kept; make room, or run with --no-undo"
    : `what it would destroy cannot be kept (${errorName(-result)}); run with --no-undo to go on`;
  return { kept: false, ask: false, errno: -result, why };
}
