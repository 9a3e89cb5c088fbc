export { answerGuard, openPromptGuard } from "./open-guard.ts";
export { outcomeOf } from "../guard/outcomes.ts";
