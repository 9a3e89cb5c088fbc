export { procProblem } from "./proc.ts";
export { buildFilter } from "./filter.ts";
export type { FilterOptions, TrappedCall, TrappedSocketCall } from "./filter-table.ts";
export type { LandlockEnforced } from "./landlock.ts";
export { type Enforced, type Given, type Missing, type RestrictOptions, type Step, Wall, WallError } from "./restrict.ts";
