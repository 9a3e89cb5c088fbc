export * from "./files.ts";
export * from "./machine.ts";
export * from "./pin.ts";
export * from "./replace.ts";
export * from "./state.ts";
export * from "./trust.ts";
export * from "./profiles.ts";
