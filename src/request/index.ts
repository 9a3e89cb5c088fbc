export type { EndHooks, Host, Input, Request, ToolFacts } from "./request.ts";
export { answerFor, type HostAnswer } from "./answer.ts";
export { type Automated, whyWithheld } from "./withheld.ts";
export { dangersOf } from "./dangers.ts";
export { lowerExample, NOWHERE } from "./examples.ts";
export { physicalPath } from "./physical-path.ts";
export { lowerTool } from "./tools.ts";
export { guessEffects, narrowByGuess, withGuess } from "./undescribed-tools.ts";
export { holderOf, identityOf, whoOf } from "./who.ts";
