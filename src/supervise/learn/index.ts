export { type Aside, learningApprover, Observations, type Observed } from "./observations.ts";
export { generalise, learnPlaces, type LearnPlaces, type Learnt, type LearntRule, mayStandForAll } from "./generalise.ts";
export { type AllowingRule, mayBeAllowed, type RefusedAction, type RefusedRun, rulesForRefused, type RunRefusals } from "./refused.ts";
