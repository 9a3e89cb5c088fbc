export { LogIntake, Overloaded } from "./intake.ts";
export { dropMonth, monthOf, monthsOf } from "./months.ts";
export { verifyMachine } from "./verify.ts";
