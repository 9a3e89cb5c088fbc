export { procProblem } from "./proc.ts";
export { buildFilter } from "./filter.ts";
export type { FilterOptions } from "./filter-table.ts";
export { TRAPPED_IPC_CALLS, TRAPPED_PID_CALLS, TRAPPED_SIGNAL_CALLS } from "./process-rules.ts";
export type { LandlockEnforced } from "./landlock.ts";
export { type Enforced, type Given, type Missing, type RestrictOptions, Wall, WallError } from "./restrict.ts";
export type { Step } from "./step.ts";
