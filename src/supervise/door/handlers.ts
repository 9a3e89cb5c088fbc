import { SYSCALLS, type SyscallName } from "../kernel/index.ts";
import { processHandlers } from "./about-processes.ts";
import { metadataHandlers } from "./metadata.ts";
import { nameHandlers } from "./names.ts";
import { openHandlers } from "./open.ts";
import type { Handler } from "./operation.ts";

/** Who decodes which call, by its number here. */
export function handlerTable(net: Readonly<Record<string, Handler>>): ReadonlyMap<number, Handler> {
  const all: Readonly<Record<string, Handler>> = { ...openHandlers, ...nameHandlers, ...metadataHandlers, ...processHandlers, ...net };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the tables are names of calls
  return new Map(Object.entries(all).map(([name, handler]) => [SYSCALLS[name as SyscallName], handler]));
}
