export * from "./open-guard.ts";
