export { procProblem } from "./proc.ts";
export { buildFilter } from "./filter.ts";
export type { FilterOptions, TrappedCall, TrappedSocketCall } from "./filter-table.ts";
export { DEVICE_RIGHTS, landlockAbi, type LandlockEnforced, landlockRights } from "./landlock.ts";
export { type Enforced, type KernelOffer, type Missing, type RestrictOptions, type LaunchStep, Wall, WallError } from "./restrict.ts";
export { yamaProblem, yamaScope } from "./yama.ts";
