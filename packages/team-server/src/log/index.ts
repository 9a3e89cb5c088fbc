export { LogIntake, Overloaded } from "./intake.ts";
export { dropMonth, monthOf, monthsOf, serverKey } from "./months.ts";
export { forgetUsage, GENEROUS, type LogQuota, machinesOver } from "./quota.ts";
