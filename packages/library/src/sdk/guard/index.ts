export * from "./open-guard.ts";
export { outcomeOf } from "./outcomes.ts";
