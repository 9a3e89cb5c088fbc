export { decide, failed, keptBy, type DecideOptions, type Outcome } from "./decide.ts";
export { compiledPolicy, type PolicyReader, WatchFirst } from "./compiled.ts";
export { failedVerdict, findSources, judgeBy, judgeContext, type Judging, judgingBy, type Situation } from "./situation.ts";
export {
  askExtension,
  extensionsFolder,
  findExtensions,
  type Extension,
  type ExtensionAnswer,
  type ExtensionQuestion,
} from "./extensions/index.ts";
export { POLICY_NAME, policyFile, type PolicySource } from "./policy-files.ts";
export { grantsHere, limitedTo } from "./granted.ts";
export { rememberAnswer } from "./refused.ts";
export type { Host, Input, Request, ToolFacts } from "./request.ts";
export { answerFor, type Answer } from "./speak.ts";
export { agentName, automationLevel } from "./restraint.ts";
export { projectOf, realWorld, repositoryOf } from "./world.ts";
export { Resolver } from "./canonical.ts";
export { exampleActions, NOWHERE } from "./examples.ts";
