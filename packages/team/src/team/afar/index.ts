export { dropPut, type PutToTeam, putToTeam, takeTeamAnswer, type TeamAsking, teamClient } from "./approver.ts";
export { type AfarDemand, demandHere } from "./passkeys.ts";
export { readWait } from "./wait.ts";
export {
  type AfarAbout,
  type AfarAnswer,
  afarFolder,
  announceTeam,
  askAfar,
  type AskedAfar,
  clearAfar,
  findAfar,
  hashRequest,
  isAnyAfar,
  isTeamReached,
  type KnownAfar,
  knownAfar,
  noteAnswer,
  openLedger,
  readAnswer,
  takeAfar,
} from "./ledger.ts";
