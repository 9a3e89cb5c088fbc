import type { Exit } from "./types.ts";

/** Of a wait(2) status. */
export const exitOf = (status: number): Exit =>
  (status & 0x7f) === 0 ? { by: "exit", code: (status >> 8) & 0xff } : { by: "signal", signal: status & 0x7f };
