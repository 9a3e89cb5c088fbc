export {
  checkAnswerRule,
  checkRule,
  DENY,
  grantAnswer,
  isConsentText,
  isSaid,
  lastsFor,
  NOBODY,
  unanswered,
  wrongRuleIn,
} from "./answer.ts";
export { respond, wait, type BackgroundEvent } from "./background.ts";
export { directoryClient, type DirectoryOptions } from "./directory.ts";
export { ACTIONS, actionWord, safeJson } from "./exchange.ts";
export { isAlive, keepFile, type Life, ownLife, readLife } from "./life.ts";
export { ruleOf } from "./extent.ts";
export { noBlockApprover } from "./no-block.ts";
export { printable } from "./printable.ts";
export { EndedElsewhere } from "./types.ts";
export { minutesIn } from "./prompt.ts";
export { answererText, endText, minutesText, NOBODYS, noteOf, ofTeam, said, scopeText, WAITS } from "./answer-text.ts";
export { type Detail, detailsOf, who } from "./render.ts";
export { skillText } from "./skill.ts";
export { type Client, QuestionQueue, type Waiting } from "./questions.ts";
export { terminalClient, TerminalClient, type TerminalOptions } from "./terminal.ts";
export { controlForeground, isTerminal, type Kernel, type ForegroundControl, TerminalDevice } from "./tty.ts";
export type * from "./types.ts";
