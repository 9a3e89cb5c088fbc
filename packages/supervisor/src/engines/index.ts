export { chooseEngine, openEngine } from "./choose.ts";
export { EngineError, type EngineId, type EngineRequest, type EngineResult, ENGINES, type HostEvent, type RunEngine } from "./contract.ts";
export { planSandbox, type PlanGround, type SandboxPlan } from "./translate.ts";
