export { type Address, addressOfBytes, parseAddress, type Reach, reachOfHost } from "./addresses.ts";
export { agentMark } from "./tables/agent-mark.ts";
export { isInAgentFolder, controlsAgent, USER_REGISTRATIONS } from "./tables/agent-files.ts";
export {
  AGENT_IDS,
  ASKED_VARIABLES,
  CALL_SIGNS,
  DAMAGED,
  PROMPTED_PROGRAMS,
  REFUSALS_TOLD,
  RULES_READ,
  TOLD_VARIABLES,
} from "./tables/agent-table.ts";
export { listed } from "./tables/listed.ts";
export { callMatcher } from "./call-matcher.ts";
export { isChange, judgeFloorFile } from "./floor.ts";
export { type GitConfigEntry, gitConfigEntries } from "./git-config-text.ts";
export { isIgnored } from "./git-ignore.ts";
export { isGitConfig } from "./tables/git-paths.ts";
export {
  isOwnRepository,
  linkedTree,
  mayBecomeTree,
  ownGitFolders,
  gitFolderOf,
  repositoriesAround,
  type Repository,
  repositoryAt,
  worksInOwnRepository,
} from "./repository.ts";
export { type FloorPaths, floorPaths } from "./floor-paths.ts";
export { answerableRemote, type AnswerableRemote, answerableParts, isOpenQuestion } from "./remote-approval.ts";
export { byGrant, type ConsentedYes, FOREIGN_REPOSITORY, type Grant, isQuestion, LONGEST_GRANT_MS, questionOf, usesOf } from "./grants.ts";
export { judge, type JudgeContext } from "./judge.ts";
export type { RunSteps } from "./run-steps.ts";
export { firstCopyOf, type Protection } from "./protections.ts";
export { type CallMatcher, type CallPattern, pathTextOf, readCall } from "./kinds/call.ts";
export { judgingOf, pathScopeOf, readingOf, sampleCommands } from "./kinds/index.ts";
export type { PathScope } from "./kinds/kind.ts";
export { ANY_COMMAND, type Refusal, type Trial } from "./kinds/reading.ts";
export { DEFAULT_SETTINGS, joinLayers, type LayerInput, lowerAutomation, narrowing, tightenPolicy } from "./layers.ts";
export { EXAMPLE_WORLD } from "./match/examples.ts";
export { type MatchCall, type MatchContext, patternBase, settlePattern, type Side } from "./match/match-context.ts";
export { matchFile, matchPathText, matchTarget } from "./match/match-path.ts";
export { IrrelevantNames } from "./irrelevant-paths.ts";
export { type ParsedRule, parseRule } from "./parse-rule.ts";
export {
  isHarmlessDevice,
  isOftenShared,
  isPersistence,
  isRawDevice,
  isSecret,
  isSystem,
  pathDangers,
  programsFolder,
} from "./path-class.ts";
export { PRESET_TABLE, type Row, rowOf } from "./match/presets.ts";
export { SECRET_FILES, SECRET_FOLDERS } from "./tables/protected-paths.ts";
export { agentName, CONDITIONS, policyFor, type Principal, sayWhen, type Who } from "./principals.ts";
export { matchMatcher, matchRule, ruleCovers, same } from "./rule.ts";
export { gitDials, gitLeavesTree, gitLinks, gitLists, gitLooks, gitRemoves, gitWrites } from "./tables/git-commands.ts";
export { followingName, isOneOf, isShim, obeysFiles, toldOf } from "./tables/obeying-programs.ts";
export { isSystemFolder, isToolFolder } from "./tables/startup-paths.ts";
export { FORGE_FILES } from "./tables/forge-files.ts";
export { isObeyedBy, type ControlFile, controlFile, controlNames, controlPlaces } from "./tables/control-files.ts";
export { affects, spell } from "./targets.ts";
export { isPathField, pathFields } from "./match/tool-fields.ts";
export { EFFECTS, LAYERS, OPERATIONS, PRESETS } from "./match/types.ts";
export { isSecretByName } from "./path-class.ts";
export { byProtection, FILE_RULE, netRule, underBroken } from "./verdicts.ts";
export { type ConsentEntry, type ConsentName, CONSENTS } from "./match/consent.ts";
export * from "./match/reasons.ts";
export type * from "./match/types.ts";
export { confinesAnything } from "./confine.ts";
export { startsOf } from "./starts.ts";
export * from "./match/verdict.ts";
export { whySandboxed } from "./sandboxed.ts";
