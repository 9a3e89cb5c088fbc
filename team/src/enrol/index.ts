export { enter, isUnclaimed, leaveSession, newAdminLink, personOf } from "./admins.ts";
export {
  chainOf,
  confirmMachine,
  foundOrganisation,
  joinedMachines,
  type JoinedMachine,
  type KnownMachine,
  machineOfToken,
  organisationOf,
  pollEnrolment,
  refuseMachine,
  removeMachine,
  startEnrolment,
  type WaitingMachine,
  waitingMachines,
} from "./machines.ts";
