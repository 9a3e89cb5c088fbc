export { type PutToTeam, putToTeam, type TeamAsking, teamClient } from "./approver.ts";
export { demandHere } from "./passkeys.ts";
export { readWait } from "./wait.ts";
export {
  type RemoteAbout,
  type RemoteAnswer,
  remoteFolder,
  announceTeam,
  askRemote,
  type AskedRemote,
  clearRemote,
  hashRequest,
  isAnyRemote,
  isTeamReached,
  type KnownRemote,
  knownRemote,
  noteAnswer,
  openLedger,
  readAnswer,
  takeRemote,
} from "./ledger.ts";
