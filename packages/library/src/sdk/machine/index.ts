export { answerGuard, openPromptGuard } from "./open-guard.ts";
export { outcomeOf } from "../create-guard/judging.ts";
