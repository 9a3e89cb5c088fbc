import { isSyscallName, SYSCALLS } from "../kernel/index.ts";
import type { TrappedCall } from "../sandbox/filter-table.ts";
import { execHandlers } from "./exec.ts";
import { inViewHandlers } from "./in-view.ts";
import { ipcHandlers } from "./ipc.ts";
import { metadataHandlers } from "./metadata.ts";
import { nameHandlers } from "./names.ts";
import type { NetHandlers } from "./net/index.ts";
import { openHandlers } from "./open.ts";
import type { Handler } from "./operation.ts";
import { processHandlers } from "./process-calls.ts";
import { tellingHandlers } from "./tells.ts";
import { type SessionSignals, signalHandlers } from "./signals.ts";

/** Who decodes which call, by its number here. A call that the filter traps (sandbox/filter-table.ts) and nobody decodes does not compile. */
export function handlerTable(net: NetHandlers, signals?: SessionSignals, tried = false): ReadonlyMap<number, Handler> {
  const all = {
    ...openHandlers,
    ...nameHandlers,
    ...metadataHandlers,
    ...tellingHandlers,
    ...execHandlers,
    ...processHandlers,
    ...ipcHandlers,
    ...net,
    ...(tried ? inViewHandlers : {}),
    ...(signals === undefined ? {} : signalHandlers(signals)),
  } satisfies Record<TrappedCall, Handler>;
  return new Map(Object.entries(all).flatMap(([name, handler]) => (isSyscallName(name) ? [[SYSCALLS[name], handler] as const] : [])));
}
