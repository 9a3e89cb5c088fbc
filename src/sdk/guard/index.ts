export { answerGuard } from "./answer.ts";
export * from "./open-guard.ts";
