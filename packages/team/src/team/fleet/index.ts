export { fleetFile, type FleetJoining, fleetMark, isFleetDue, readJoining, writeJoining } from "./mark.ts";
