export { holdLock, readLife, residentPlace, type ResidentLife, type ResidentPlace } from "./life.ts";
export { isInTime, type Residence, serve } from "./serve.ts";
export { parseAnswerFrame, printCallFrame, type ResidentAnswer, type ResidentCall } from "./wire.ts";
