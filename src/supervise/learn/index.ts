export { learningApprover } from "./approver.ts";
export { generalise, type Learnt, type LearntRule } from "./generalise.ts";
export { type Aside, Observations, type Observed } from "./observations.ts";
export { mayStandForAll, type LearnPlaces } from "./places.ts";
