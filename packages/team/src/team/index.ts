export { type ServerAnswer, askServer, readServerUrl, type TeamServer } from "./client.ts";
export { changeMembership, forgetTeam, readMembership, readProgress, type TeamMembership, writeMembership } from "./membership.ts";
export { carryQuestions } from "./connect/carry.ts";
export { followTeam, senderText } from "./connect/follow.ts";
export { readSender, type TeamSender } from "./connect/sender.ts";
export { membershipMark } from "./membership-mark.ts";
export { SENT_LEVELS, type SentLevel } from "./level.ts";
export { sendToTeam } from "./send.ts";
export { lastSent } from "./last-sent.ts";
export {
  fetchTeamPolicy,
  policyWaiting,
  type PolicyWaiting,
  type HeldPolicy,
  type PolicyFetched,
  readHeld,
  readTeamPin,
  takeAnswer,
  takeToldPolicy,
  writePin,
} from "./policy.ts";
export { type FleetFile, readFleetFile } from "./fleet/file.ts";
export { fleetFile, fleetMark, isFleetDue, readJoining } from "./fleet/index.ts";
export { type FleetProgress, fleetProgress, joinFleetWhenDue, noteLeft } from "./connect/join-fleet.ts";
export { becomeMember, type FleetWishes, joinByFleetFile, type Joined, joinWith, labelOf, type NewMember } from "./join.ts";
export { chooseProxy, proxyHost } from "./proxy/choose.ts";
