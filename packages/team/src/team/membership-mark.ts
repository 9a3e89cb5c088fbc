import { lstatSync } from "node:fs";
import { type Machine, stateFolder } from "@assent/guard/state";

export const membershipFile = (machine: Machine): string => `${stateFolder(machine)}/team-member/membership.json`;

/** What tells that the membership is the one it was; empty where there is none. One system call, and nothing is loaded for it. */
export function membershipMark(machine: Machine): string {
  const stats = lstatSync(membershipFile(machine), { throwIfNoEntry: false });
  return stats === undefined ? "" : [stats.dev, stats.ino, stats.size, stats.mtimeMs].join(":");
}
