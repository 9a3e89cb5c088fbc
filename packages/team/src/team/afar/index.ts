export { type PutToTeam, putToTeam, type TeamAsking, teamClient } from "./approver.ts";
export { demandHere } from "./passkeys.ts";
export { readWait } from "./wait.ts";
export {
  type AfarAbout,
  type AfarAnswer,
  afarFolder,
  announceTeam,
  askAfar,
  type AskedAfar,
  clearAfar,
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
