export { consentId, type ConsentOffer, sayConsent } from "./consents/find.ts";
export { decide, failedOutcome, offerConsent, retentionOf, type DecideOptions, type KeepEdit, type Outcome } from "./decide.ts";
export { compiledPolicy, type PolicyReader, settingsInForce, WatchFirst } from "./compiled-policy.ts";
export { findSources, judgeBy, judgeContext, type Judging, judgingBy, type Situation } from "./situation.ts";
export { askExtension } from "./extensions/run.ts";
export { extensionsFolder, findExtensions } from "./extensions/tighten.ts";
export { type Extension, type ExtensionAnswer, type ExtensionQuestion } from "./extensions/types.ts";
export { POLICY_NAME, type PolicyDraft, policyFile, type PolicySource, withDraft } from "./policy-files.ts";
export { grantsHere, type HeldGrant, limitedTo } from "./grants.ts";
export { rememberAnswer } from "./refusals.ts";
export {
  answerFor,
  type EndHooks,
  failedVerdict,
  granteeOf,
  type Host,
  type HostAnswer,
  type Input,
  lowerExample,
  NOWHERE,
  type Request,
  type SearchFacts,
  type ToolFacts,
  whoOf,
} from "@assent/core/request";
export { automationLevel } from "./automation.ts";
export { readGitIndex } from "./git-index.ts";
export { projectOf, realWorld, repositoryOf } from "./world.ts";
export { forgetFindings } from "./programs.ts";
export { type PathEntry, Resolver } from "./canonical-paths.ts";
