export { LogIntake, Overloaded } from "./intake.ts";
export { dropMonth, monthOf, monthsOf, serverKey } from "./months.ts";
export { verifyMachine } from "./verify.ts";
