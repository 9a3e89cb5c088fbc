export { type ServerAnswer, askServer, readServerUrl, type TeamServer } from "./client.ts";
export { forgetTeam, readMembership, readProgress, type TeamMembership, writeMembership } from "./membership.ts";
export { carryQuestions } from "./connect/carry.ts";
export { followTeam, senderText } from "./connect/follow.ts";
export { readSender, type TeamSender } from "./connect/sender.ts";
export { membershipMark } from "./membership-mark.ts";
export { sendToTeam } from "./send.ts";
export { lastSent } from "./last-sent.ts";
export { fetchTeamPolicy, type HeldPolicy, type PolicyFetched, readHeld, readTeamPin, takeAnswer, writePin } from "./policy.ts";
