export * from "./files.ts";
export * from "./machine.ts";
export * from "./state.ts";
export * from "./trust.ts";
