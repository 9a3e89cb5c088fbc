import type { EngineId, RunEngine } from "./contract.ts";

/** An engine by its name. What it is made of is loaded when it is asked for. */
export async function openEngine(id: EngineId): Promise<RunEngine> {
  return id === "assent" ? (await import("./ours.ts")).ours : (await import("./sandbox-runtime.ts")).sandboxRuntime;
}
