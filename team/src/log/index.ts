export { LogIntake } from "./intake.ts";
export { dropMonth, monthsOf } from "./months.ts";
export { verifyMachine } from "./verify.ts";
