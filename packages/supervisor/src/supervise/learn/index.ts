export { type Aside, learningApprover, Observations, type Observed } from "./observations.ts";
export { mayBeAllowed } from "./may-be-allowed.ts";
export { generalise, learnPlaces, type LearnPlaces, type Learnt, type LearntRule, mayStandForAll } from "./generalise.ts";
export { type AllowingRule, type RefusedAction, type RefusedRun, rulesForRefused, type RunRefusals } from "./refused.ts";
