export { answerGuard, openPromptGuard } from "./open-guard.ts";
export { outcomeOf } from "../common/outcomes.ts";
