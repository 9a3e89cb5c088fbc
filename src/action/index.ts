export * from "./action.ts";
export { type Budget, OutOfBudget, spend, unpaid, withBudget } from "./budget.ts";
export * from "./call.ts";
export * from "./confined-command.ts";
export * from "./danger.ts";
export * from "./needs.ts";
export * from "./print.ts";
export type { Wanted, World } from "./world.ts";
export { callText, printCall, sortedFlags } from "./print-call.ts";
