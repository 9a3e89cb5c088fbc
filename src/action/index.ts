export * from "./action.ts";
export * from "./call.ts";
export * from "./danger.ts";
export * from "./verdict.ts";
export * from "./print.ts";
export type { Wanted, World } from "./world.ts";
export { callText, printCall, sortedFlags } from "./print-call.ts";
