import { join } from "node:path";
import { readRegular, type Machine, stateFolder } from "@assent/guard/state";
import { ENGINES, EngineError, type EngineId, type RunEngine } from "./contract.ts";

/** In Assent's state folder, which is closed to whatever it judges and holds. */
const SWITCH = "engine";

/**
 * Which engine holds a run. On Linux it is ours: another is taken only where the variable names it *and* a person has written the same
 * name into the state folder, for an agent, a project's `.env` or a host's settings can set variables, and the other engine holds less.
 */
export function chooseEngine(machine: Machine): EngineId {
  const named = machine.env["ASSENT_ENGINE"];
  if (named !== undefined && named !== "" && !ENGINES.some((id) => id === named))
    throw new EngineError("missing", `ASSENT_ENGINE names no engine; there are ${ENGINES.join(" and ")}`);
  if (machine.platform === "linux") {
    if (named !== "sandbox-runtime") return "assent";
    const found = readRegular(join(stateFolder(machine), SWITCH), 256);
    return found.is === "text" && found.text.trim() === named ? named : "assent";
  }
  if (named === "assent") throw new EngineError("missing", "the engine `assent` is made of system calls of Linux");
  return "sandbox-runtime";
}

/** An engine by its name. What it is made of is loaded when it is asked for. */
export async function openEngine(id: EngineId): Promise<RunEngine> {
  return id === "assent" ? (await import("./ours.ts")).ours : (await import("./sandbox-runtime.ts")).sandboxRuntime;
}
