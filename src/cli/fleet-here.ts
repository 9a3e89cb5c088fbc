import { lstatSync } from "node:fs";

/** Root says by which key this machine joins a team (`fleetFile` of src/team/fleet): one system call for each hook, and nothing else. */
export const isFleetHere = (): boolean => lstatSync("/etc/assent/team.json", { throwIfNoEntry: false }) !== undefined;
