import type { Host } from "@assent/guard/engine";
import { whyInSandbox } from "../codex/sandbox.ts";

/** Hosts that may hold a command in a sandbox of their own: why nothing of ours can be started there; undefined: it can. */
export const HOST_SANDBOXES: Readonly<Record<string, (sandbox: NonNullable<Host["sandbox"]>, home: string) => string | undefined>> = {
  codex: whyInSandbox,
};
