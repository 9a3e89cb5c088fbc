export { procProblem } from "./proc.ts";
export { buildFilter } from "./filter.ts";
export type { FilterOptions, TrappedCall, TrappedSocketCall } from "./filter-table.ts";
export type { LandlockEnforced } from "./landlock.ts";
export { type Enforced, type Given, type Missing, type RestrictOptions, Wall, WallError } from "./restrict.ts";
export type { Step } from "./step.ts";
