export { type Aside, learningApprover, Observations, type Observed } from "./observations.ts";
export { generalise, type LearnPlaces, type Learnt, type LearntRule, mayStandForAll } from "./generalise.ts";
